//! Probabilities and shares in percent, to a tenth: single ones, and those that divide a whole.

/// Number of tenths of a percent in a whole.
const WHOLE: f64 = 1000.0;
/// A probability below this is printed as "< 0.1 %".
const LEAST: f64 = 0.001;
/// A probability above this is printed as "> 99.9 %".
const MOST: f64 = 0.999;

/// A probability in percent, rounded to a tenth, that never claims certainty it has not got.
/// Probabilities that divide a whole are printed together: see [`Percentages`].
///
/// ```
/// use fiesta_report::percent;
/// assert_eq!(percent(0.9537), "95.4 %");
/// assert_eq!(percent(0.99999), "> 99.9 %");
/// assert_eq!(percent(0.0), "< 0.1 %");
/// ```
pub fn percent(p: f64) -> String {
    extreme(p).unwrap_or_else(|| tenths(p * WHOLE))
}

/// Writes a share that was counted, in percent: unlike a probability it may be nothing or the
/// whole.
pub(crate) fn counted_share(share: f64) -> String {
    if share <= 0.0 {
        "0 %".to_owned()
    } else if share >= 1.0 {
        "100 %".to_owned()
    } else {
        percent(share)
    }
}

/// Returns what is printed of a probability that rounding would turn into certainty.
fn extreme(p: f64) -> Option<String> {
    match p {
        p if p > MOST => Some("> 99.9 %".to_owned()),
        p if p < LEAST => Some("< 0.1 %".to_owned()),
        _ => None,
    }
}

fn tenths(count: f64) -> String {
    format!("{:.1} %", count / 10.0)
}

/// Probabilities or shares that divide a whole (P(best) of all arms, each arm's share of the
/// evaluations), in percent to a tenth.
///
/// They are rounded by the method of largest remainders: each number is one of the two tenths next
/// to it, and those printed sum to what they are together, 100.0 where nothing is printed as "< 0.1
/// %". Every table, sentence and figure that prints one of them takes it from here, so that it is
/// the same number everywhere.
///
/// # Example
/// ```
/// use fiesta_report::Percentages;
/// let third = 1.0 / 3.0;
/// let thirds = Percentages::new(&[third; 3]);
/// assert_eq!([0, 1, 2].map(|arm| thirds.of(arm)), ["33.4 %", "33.3 %", "33.3 %"]);
/// let sure = Percentages::new(&[0.9996, 0.0003, 0.0001]);
/// assert_eq!([0, 1, 2].map(|arm| sure.of(arm)), ["> 99.9 %", "< 0.1 %", "< 0.1 %"]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Percentages {
    probability: Vec<f64>,
    /// Tenths of a percent of each probability; 0 of what is printed as an inequality.
    tenths: Vec<f64>,
}

impl Percentages {
    /// Rounds probabilities or shares with a sum of at most 1 to tenths of a percent.
    pub fn new(probability: &[f64]) -> Self {
        let is_number = |&place: &usize| extreme(probability[place]).is_none();
        let mut places: Vec<usize> = (0..probability.len()).filter(is_number).collect();
        let mut tenths = vec![0.0; probability.len()];
        for &place in &places {
            // Half a tenth that binary fractions fall short of is meant as it is written.
            tenths[place] = (probability[place] * WHOLE + 1e-9).floor();
        }
        let exact: f64 = places.iter().map(|&place| probability[place]).sum();
        let given: f64 = tenths.iter().sum();
        let remainder = |place: usize| probability[place] * WHOLE - tenths[place];
        // Of equal remainders that of the greater number gets more, of equal numbers the first, in
        // whatever order they are given.
        places.sort_by(|&a, &b| {
            let by_remainder = remainder(b).total_cmp(&remainder(a));
            by_remainder.then(probability[b].total_cmp(&probability[a]))
        });
        let missing = fiesta_core::whole((exact * WHOLE).round() - given);
        for &place in places.iter().take(missing) {
            tenths[place] += 1.0;
        }
        Self {
            probability: probability.to_vec(),
            tenths,
        }
    }

    /// Returns one of the percentages, as text.
    pub fn of(&self, place: usize) -> String {
        extreme(self.probability[place]).unwrap_or_else(|| tenths(self.tenths[place]))
    }

    /// Returns the greatest of several percentages.
    pub fn greatest(&self, places: &[usize]) -> Option<String> {
        let by_value = |a: &&usize, b: &&usize| {
            let (a, b) = (**a, **b);
            let by_tenths = self.tenths[a].total_cmp(&self.tenths[b]);
            by_tenths.then(self.probability[a].total_cmp(&self.probability[b]))
        };
        Some(self.of(*places.iter().max_by(by_value)?))
    }

    /// Returns several percentages as one: what the others, as they are printed, leave of the
    /// whole.
    pub fn together(&self, places: &[usize]) -> String {
        if let [place] = *places {
            return self.of(place);
        }
        let p: f64 = places.iter().map(|&place| self.probability[place]).sum();
        extreme(p).unwrap_or_else(|| {
            let whole: f64 = self.probability.iter().sum();
            let others = (0..self.tenths.len()).filter(|place| !places.contains(place));
            let others: f64 = others.map(|place| self.tenths[place]).sum();
            tenths(((whole * WHOLE).round() - others).max(1.0))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns what a printed number stands for at least and at most, in tenths.
    fn range(text: &str) -> (f64, f64) {
        match text {
            "> 99.9 %" => (999.0, 1000.0),
            "< 0.1 %" => (0.0, 1.0),
            number => {
                let number: f64 = number.trim_end_matches(" %").parse().unwrap();
                (number * 10.0, number * 10.0)
            }
        }
    }

    #[test]
    fn single_numbers_are_rounded_and_never_certain() {
        assert_eq!(percent(0.9567), "95.7 %");
        assert_eq!(percent(0.950_4), "95.0 %");
        assert_eq!(percent(0.999), "99.9 %");
        assert_eq!(percent(0.9996), "> 99.9 %");
        assert_eq!(percent(0.001), "0.1 %");
        assert_eq!(percent(0.000_96), "< 0.1 %");
        assert_eq!(percent(1.0), "> 99.9 %");
    }

    /// Tests thirds of 26, 27 and 27 evaluations, which used to sum to 99.9.
    #[test]
    fn shares_sum_to_the_whole() {
        let shares = Percentages::new(&[0.325, 0.3375, 0.3375]);
        assert_eq!(
            [0, 1, 2].map(|arm| shares.of(arm)),
            ["32.5 %", "33.8 %", "33.7 %"]
        );
        let crowd = Percentages::new(&[0.7, 0.2956, 0.002, 0.0014, 0.0005, 0.0005]);
        assert_eq!(crowd.of(1), "29.6 %");
        assert_eq!(crowd.together(&[2, 3, 4, 5]), "0.4 %");
    }

    proptest! {
        /// Tests that each percentage is next to what it rounds, and that together they can be the
        /// whole.
        #[test]
        fn partitions_are_printed_as_such(weights in proptest::collection::vec(0.0..1.0_f64, 1..30), power in 1..9_i32) {
            let weights: Vec<f64> = weights.iter().map(|w| w.powi(power) + 1e-12).collect();
            let total: f64 = weights.iter().sum();
            let parts: Vec<f64> = weights.iter().map(|w| w / total).collect();
            let found = Percentages::new(&parts);
            let (mut least, mut most) = (0.0, 0.0);
            for (place, p) in parts.iter().enumerate() {
                let text = found.of(place);
                prop_assert!(text != "0.0 %" && text != "100.0 %");
                let (low, high) = range(&text);
                prop_assert!(low < p * 1000.0 + 1.0 && high > p * 1000.0 - 1.0, "{text} of {p}");
                least += low;
                most += high;
            }
            prop_assert!(least < 1000.5 && most > 999.5, "{least} to {most}");
        }
    }

    #[test]
    fn the_example_of_counted_share() {
        use fiesta_report::counted_share;
        assert_eq!(
            [0.0, 0.25, 1.0].map(counted_share),
            ["0 %", "25.0 %", "100 %"]
        );
    }
}
