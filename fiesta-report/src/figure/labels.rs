//! Labels that do not overlap.

/// Moves labels of this size, wanted at these centres, apart along a line from `low` to `high`, as
/// little as possible in the sum of squares: labels that would overlap become a block around the
/// mean of what they want (pool adjacent violators). Where they need more room than there is they
/// are spread evenly.
pub(crate) fn spread(wanted: &[f64], size: f64, low: f64, high: f64) -> Vec<f64> {
    let size = size.min((high - low) / wanted.len() as f64);
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]).then(a.cmp(&b)));
    // A block: its members, and the sum of where its members want its start.
    let mut blocks: Vec<(Vec<usize>, f64)> = Vec::new();
    let start = |(members, sum): &(Vec<usize>, f64)| {
        let count = members.len() as f64;
        (sum / count).min(high - count * size).max(low)
    };
    for &i in &order {
        let mut block = (vec![i], wanted[i] - size / 2.0);
        while let Some(mut before) =
            blocks.pop_if(|before| start(before) + before.0.len() as f64 * size > start(&block))
        {
            // What the later members want is where the joint block would start for them.
            let shift = before.0.len() as f64 * size * block.0.len() as f64;
            before.0.extend(block.0);
            block = (before.0, before.1 + block.1 - shift);
        }
        blocks.push(block);
    }
    let mut centres = vec![0.0; wanted.len()];
    for block in &blocks {
        for (place, &i) in block.0.iter().enumerate() {
            centres[i] = start(block) + (place as f64 + 0.5) * size;
        }
    }
    centres
}

/// Box of a label: left, top, right, bottom.
pub(crate) type Box = (f64, f64, f64, f64);

/// Places within a panel where labels already stand.
#[derive(Debug, Default)]
pub(crate) struct Taken(Vec<Box>);

impl Taken {
    /// Notes that a label stands at this place.
    pub(crate) fn add(&mut self, place: Box) {
        self.0.push(place);
    }

    /// Chooses where a label stands, among places that are given the best first, and takes this
    /// place. It is the first that is free and within the panel; else the first that is free once
    /// moved into the panel; else the one that covers the least of other labels.
    pub(crate) fn choose(&mut self, places: &[Box], panel: Box) -> Box {
        let moved: Vec<Box> = places.iter().map(|place| within(*place, panel)).collect();
        let stays = places
            .iter()
            .filter(|place| within(**place, panel) == **place);
        let mut chosen = stays.chain(&moved).copied().min_by(|a, b| {
            // Of equals, the first is the least.
            self.covered(*a).total_cmp(&self.covered(*b))
        });
        let chosen = *chosen.get_or_insert(panel);
        self.0.push(chosen);
        chosen
    }

    /// How much of a place, in square pixels, is under labels.
    fn covered(&self, place: Box) -> f64 {
        let shared = |other: &Box| {
            let width = place.2.min(other.2) - place.0.max(other.0);
            let height = place.3.min(other.3) - place.1.max(other.1);
            width.max(0.0) * height.max(0.0)
        };
        self.0.iter().map(shared).sum()
    }
}

/// Returns the place moved into the panel; at its left or top end where it is larger.
fn within(place: Box, panel: Box) -> Box {
    let by = |low: f64, high: f64, from: f64, to: f64| (to - high).min(0.0).max(from - low);
    let right = by(place.0, place.2, panel.0, panel.2);
    let down = by(place.1, place.3, panel.1, panel.3);
    (
        place.0 + right,
        place.1 + down,
        place.2 + right,
        place.3 + down,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_that_do_not_touch_stay() {
        assert_eq!(spread(&[50.0, 10.0], 10.0, 0.0, 100.0), [50.0, 10.0]);
    }

    #[test]
    fn equal_wishes_are_spread_around_them() {
        assert_eq!(spread(&[50.0; 3], 10.0, 0.0, 100.0), [40.0, 50.0, 60.0]);
        assert_eq!(spread(&[100.0; 3], 10.0, 0.0, 100.0), [75.0, 85.0, 95.0]);
    }

    const PANEL: Box = (0.0, 0.0, 100.0, 100.0);

    #[test]
    fn a_taken_place_is_not_given_again() {
        let places = [
            (0.0, 0.0, 10.0, 10.0),
            (5.0, 12.0, 15.0, 22.0),
            (-5.0, 30.0, 5.0, 40.0),
        ];
        let mut taken = Taken::default();
        taken.add((8.0, 8.0, 20.0, 11.0));
        assert_eq!(taken.choose(&places, PANEL), places[1]);
        // None is left within the panel: the last is moved into it.
        assert_eq!(taken.choose(&places, PANEL), (0.0, 30.0, 10.0, 40.0));
        // Two square pixels of the first are covered, all of the others.
        assert_eq!(taken.choose(&places, PANEL), places[0]);
    }

    #[test]
    fn a_label_never_leaves_the_panel() {
        for (place, expected) in [
            ((-9.0, -9.0, 60.0, 5.0), (0.0, 0.0, 69.0, 14.0)),
            ((90.0, 95.0, 120.0, 109.0), (70.0, 86.0, 100.0, 100.0)),
            // Wider than the panel.
            ((40.0, 10.0, 190.0, 24.0), (0.0, 10.0, 150.0, 24.0)),
        ] {
            assert_eq!(Taken::default().choose(&[place], PANEL), expected);
        }
    }

    proptest! {
        #[test]
        fn never_overlaps_nor_leaves(wanted in prop::collection::vec(-50.0..250.0f64, 1..16)) {
            let mut centres = spread(&wanted, 12.0, 0.0, 200.0);
            centres.sort_by(f64::total_cmp);
            for pair in centres.windows(2) {
                prop_assert!(pair[1] - pair[0] >= 12.0 - 1e-9);
            }
            prop_assert!(centres[0] >= 6.0 - 1e-9 && centres[centres.len() - 1] <= 194.0 + 1e-9);
        }
    }
}
