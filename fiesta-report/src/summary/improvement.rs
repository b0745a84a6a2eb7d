//! The probability that a score of one arm beats one of another.

use super::{Pairing, Sample};
use fiesta_core::Direction;

/// The probability of improvement: P(a score of x is better than one of y) + ½ P(they are equal).
///
/// Of independent scores it is the Mann–Whitney statistic over its greatest value, U/(n m), by
/// ranks in O((n + m) log(n + m)). Where both arms have scores on the same splits or tasks, it is
/// the mean over those of that probability within each, as in rliable (Agarwal et al. 2021): the
/// probability to be better on the same split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Improvement {
    /// Probability of improvement, from 0 to 1; ½ between equal arms.
    pub(crate) probability: f64,
    /// Whether the probability is within shared splits, or over independent scores.
    pub(crate) pairing: Pairing,
}

impl Improvement {
    /// Computes how often a score of x is better than one of y.
    pub(crate) fn new(x: &Sample, y: &Sample, direction: Direction) -> Self {
        match x.in_common(y) {
            Some(common) => {
                let within = within_groups(&common, direction);
                let used: usize = common.iter().map(|(x, y)| x.len() + y.len()).sum();
                Self {
                    probability: within.iter().sum::<f64>() / within.len() as f64,
                    pairing: Pairing::Paired {
                        splits: common.len(),
                        left_out: x.len() + y.len() - used,
                    },
                }
            }
            None => Self {
                probability: superiority(x.scores(), y.scores(), direction),
                pairing: Pairing::Unpaired,
            },
        }
    }
}

/// Returns the probability of improvement within each group.
pub(super) fn within_groups(common: &[(Vec<f64>, Vec<f64>)], direction: Direction) -> Vec<f64> {
    let of_group = |(x, y): &(Vec<f64>, Vec<f64>)| superiority(x, y, direction);
    common.iter().map(of_group).collect()
}

/// Returns the probability of improvement of independent scores, U/(n m).
fn superiority(x: &[f64], y: &[f64], direction: Direction) -> f64 {
    let sorted = |scores: &[f64]| {
        let mut scores: Vec<f64> = scores.iter().map(|&s| direction.orient(s)).collect();
        scores.sort_by(f64::total_cmp);
        scores
    };
    let (x, y) = (sorted(x), sorted(y));
    let (mut below, mut up_to) = (0, 0);
    // Twice U, so that it is a whole number.
    let mut twice: u64 = 0;
    for &score in &x {
        while y.get(below).is_some_and(|&other| other < score) {
            below += 1;
        }
        up_to = up_to.max(below);
        while y.get(up_to).is_some_and(|&other| other <= score) {
            up_to += 1;
        }
        twice += (below + up_to) as u64;
    }
    twice as f64 / (2.0 * x.len() as f64 * y.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Tests probabilities of improvement against SciPy 1.17, `mannwhitneyu(x, y).statistic / (n m)`; and rliable 1.2,
    /// `probability_of_improvement` over three tasks.
    #[test]
    fn agrees_with_scipy_and_rliable() {
        let x = [0.62, 0.63, 0.60, 0.66, 0.61, 0.65, 0.59, 0.64, 0.70];
        let y = [0.60, 0.61, 0.60, 0.64, 0.62, 0.60, 0.58];
        let found = superiority(&x, &y, Direction::Maximize);
        assert!((found - 0.746_031_746_031_746).abs() < 1e-14);
        let runs = |runs: &[[f64; 3]]| {
            let scores = runs.iter().flat_map(|run| (0..).zip(*run));
            Sample::grouped(scores).unwrap()
        };
        let x = runs(&[
            [0.5, 0.6, 0.9],
            [0.6, 0.7, 0.8],
            [0.55, 0.65, 0.85],
            [0.52, 0.6, 0.7],
        ]);
        let y = runs(&[
            [0.5, 0.65, 0.8],
            [0.58, 0.6, 0.8],
            [0.5, 0.7, 0.75],
            [0.56, 0.61, 0.95],
            [0.4, 0.5, 0.6],
        ]);
        let found = Improvement::new(&x, &y, Direction::Maximize);
        assert!((found.probability - 0.6).abs() < 1e-14);
        assert!(matches!(found.pairing, Pairing::Paired { splits: 3, .. }));
    }

    #[test]
    fn a_million_scores_are_no_matter() {
        let x: Vec<f64> = (0..1_000_000).map(f64::from).collect();
        let y: Vec<f64> = (0..1_000_000).map(|i| f64::from(i) + 0.5).collect();
        // Of the pairs (i, j), i > j + ½ in a half less n/2 of them.
        let found = superiority(&x, &y, Direction::Maximize);
        assert!((found - (0.5 - 0.5e-6)).abs() < 1e-15);
    }

    proptest! {
        /// Tests probabilities of improvement against the count over all pairs, ties included, and the two directions against each other.
        #[test]
        fn is_the_count_over_all_pairs(
            x in proptest::collection::vec(0..6_i32, 1..30),
            y in proptest::collection::vec(0..6_i32, 1..30),
        ) {
            let float = |scores: &[i32]| scores.iter().map(|&s| f64::from(s)).collect::<Vec<_>>();
            let pairs = x.iter().flat_map(|a| y.iter().map(move |b| a.cmp(b)));
            let count = pairs.map(|order| match order {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            });
            let expected = count.sum::<f64>() / (x.len() * y.len()) as f64;
            let found = superiority(&float(&x), &float(&y), Direction::Maximize);
            prop_assert!((found - expected).abs() < 1e-12);
            let turned = superiority(&float(&x), &float(&y), Direction::Minimize);
            prop_assert!((found + turned - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_example_of_new() -> Result<(), fiesta_report::summary::SummaryError> {
        use fiesta_core::Direction;
        use fiesta_report::summary::{Improvement, Sample};
        let x = Sample::new([0.5, 0.7])?;
        let y = Sample::new([0.5, 0.6, 0.4])?;
        // Better than .4 in both cases, than .6 in one, equal to .5 in one: (2 + 1 + 1.5)/6.
        let found = Improvement::new(&x, &y, Direction::Maximize).probability;
        assert!((found - 4.5 / 6.0).abs() < 1e-12);
        Ok::<(), fiesta_report::summary::SummaryError>(())
    }
}
