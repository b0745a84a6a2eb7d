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

/// Left, top, right, bottom.
pub(crate) type Box = (f64, f64, f64, f64);

/// Where labels already stand within a panel.
#[derive(Debug, Default)]
pub(crate) struct Taken(Vec<Box>);

impl Taken {
    /// Notes that a label stands here.
    pub(crate) fn add(&mut self, place: Box) {
        self.0.push(place);
    }

    /// Which of the places is the first that is free and within the panel, or the last if none is;
    /// it is taken from now on.
    pub(crate) fn first_free(&mut self, places: &[Box], panel: Box) -> usize {
        let free = |place: &Box| {
            let apart = |other: &Box| {
                place.2 <= other.0 || other.2 <= place.0 || place.3 <= other.1 || other.3 <= place.1
            };
            let within = place.0 >= panel.0
                && place.1 >= panel.1
                && place.2 <= panel.2
                && place.3 <= panel.3;
            within && self.0.iter().all(apart)
        };
        let chosen = places.iter().position(free);
        let chosen = chosen.unwrap_or(places.len() - 1);
        self.0.push(places[chosen]);
        chosen
    }
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

    #[test]
    fn a_taken_place_is_not_given_again() {
        let panel = (0.0, 0.0, 100.0, 100.0);
        let places = [
            (0.0, 0.0, 10.0, 10.0),
            (5.0, 12.0, 15.0, 22.0),
            (-5.0, 30.0, 5.0, 40.0),
        ];
        let mut taken = Taken::default();
        taken.add((8.0, 8.0, 20.0, 11.0));
        assert_eq!(taken.first_free(&places, panel), 1);
        assert_eq!(taken.first_free(&places, panel), 2);
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
