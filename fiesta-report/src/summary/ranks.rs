//! Ranks over blocks: Friedman's test and Nemenyi's critical difference.

use super::{Sample, SummaryError, error, sample::mean, studentised_range_quantile};
use fiesta_core::Direction;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The ranks of arms over true blocks: splits on which every one of them has a score.
///
/// On each such split the best arm has rank 1, equal ones the mean of their ranks (several scores
/// of an arm on one split are averaged before). Two arms differ significantly if their average
/// ranks differ by more than the critical difference CD = q √(K(K + 1)/(6N)), q being [the quantile
/// of the studentised range](studentised_range_quantile) over √2 (Nemenyi 1963; Demšar 2006).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranks {
    /// Average rank of each arm; 1 is the best.
    pub(crate) average: Vec<f64>,
    /// Number of splits over which ranks are averaged, N.
    pub(crate) blocks: usize,
    /// Number of scores on splits that not every arm has seen, which do not count in the ranks.
    pub(crate) left_out: usize,
    /// Friedman's test of whether the arms differ at all.
    pub(crate) friedman: Friedman,
    /// The difference of average ranks that is significant.
    pub(crate) critical_difference: f64,
}

/// Friedman's test of whether arms differ, corrected for ties.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Friedman {
    /// χ² = (12/(N K (K + 1)) Σ R_j² − 3N(K + 1))/(1 − Σ(t³ − t)/(N(K³ − K))), with R_j the sum of
    /// an arm's ranks and t the sizes of ties; 0 if all scores of every block are equal.
    pub(crate) statistic: f64,
    /// Degrees of freedom of the test, K − 1.
    pub(crate) degrees_of_freedom: f64,
    /// P-value by the χ² distribution, for N that is not small.
    pub(crate) p_value: f64,
}

impl Ranks {
    /// Computes the ranks of arms, with the critical difference at this confidence; none if there
    /// are fewer than two arms, or fewer than two splits on which all of them have a score.
    ///
    /// # Errors
    /// [`SummaryError`] if it is not between 0 and 1.
    pub(crate) fn new(
        arms: &[Sample],
        direction: Direction,
        confidence: f64,
    ) -> Result<Option<Self>, SummaryError> {
        let confidence = error::confidence(confidence)?;
        let Some(groups) = arms
            .iter()
            .map(Sample::by_group)
            .collect::<Option<Vec<_>>>()
        else {
            return Ok(None);
        };
        let Some((first, rest)) = groups.split_first().filter(|(_, rest)| !rest.is_empty()) else {
            return Ok(None);
        };
        let complete: Vec<u64> = first
            .keys()
            .copied()
            .filter(|group| rest.iter().all(|arm| arm.contains_key(group)))
            .collect();
        if complete.len() < 2 {
            return Ok(None);
        }
        let (mut sums, mut ties, mut used) = (vec![0.0; arms.len()], 0.0, 0);
        for group in &complete {
            let scores = groups.iter().map(|arm| {
                let scores = &arm[group];
                used += scores.len();
                -direction.orient(mean(scores))
            });
            ties += add_ranks(&scores.collect::<Vec<_>>(), &mut sums);
        }
        let (blocks, k) = (complete.len() as f64, arms.len() as f64);
        let total: usize = arms.iter().map(Sample::len).sum();
        let quantile = studentised_range_quantile(confidence, arms.len()) / 2.0_f64.sqrt();
        Ok(Some(Self {
            average: sums.iter().map(|sum| sum / blocks).collect(),
            blocks: complete.len(),
            left_out: total - used,
            friedman: Friedman::new(&sums, ties, blocks),
            critical_difference: quantile * (k * (k + 1.0) / (6.0 * blocks)).sqrt(),
        }))
    }

    /// Returns the greatest sets of arms that do not differ significantly, each from the best to
    /// the worst: the bars of a critical-difference diagram. Sets of a single arm are left out.
    #[cfg(test)]
    pub(crate) fn cliques(&self) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.average.len()).collect();
        order.sort_by(|&a, &b| self.average[a].total_cmp(&self.average[b]));
        let ranks: Vec<f64> = order.iter().map(|&arm| self.average[arm]).collect();
        let cliques = cliques(&ranks, self.critical_difference).into_iter();
        cliques
            .map(|(from, to)| order[from..=to].to_vec())
            .collect()
    }
}

/// Returns the longest runs of ascending ranks whose ends differ by less than the critical
/// difference, as the places of their ends.
pub(crate) fn cliques(ascending: &[f64], critical_difference: f64) -> Vec<(usize, usize)> {
    let mut cliques: Vec<(usize, usize)> = Vec::new();
    for (from, first) in ascending.iter().enumerate() {
        let to = ascending.partition_point(|rank| rank - first < critical_difference) - 1;
        if to > from && cliques.last().is_none_or(|last| to > last.1) {
            cliques.push((from, to));
        }
    }
    cliques
}

impl Friedman {
    fn new(sums: &[f64], ties: f64, blocks: f64) -> Self {
        let k = sums.len() as f64;
        let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
        let raw = 12.0 / (blocks * k * (k + 1.0)) * squares - 3.0 * blocks * (k + 1.0);
        let correction = 1.0 - ties / (blocks * (k * k * k - k));
        let statistic = if correction > 0.0 {
            (raw / correction).max(0.0)
        } else {
            0.0
        };
        let degrees_of_freedom = k - 1.0;
        let distribution = ChiSquared::new(degrees_of_freedom).expect("there are two arms");
        Self {
            statistic,
            degrees_of_freedom,
            p_value: distribution.sf(statistic),
        }
    }
}

/// Adds the ranks of a block, 1 for the least, and returns Σ(t³ − t) over its ties.
fn add_ranks(scores: &[f64], sums: &mut [f64]) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let mut ties = 0.0;
    let mut from = 0;
    #[allow(clippy::float_cmp, reason = "a tie is exact")]
    for chunk in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let t = chunk.len() as f64;
        // The mean of the ranks from + 1 to from + t.
        let rank = from as f64 + f64::midpoint(1.0, t);
        for &arm in chunk {
            sums[arm] += rank;
        }
        ties += t * t * t - t;
        from += chunk.len();
    }
    ties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cliques_are_the_longest_runs_only() {
        let of = |ranks: &[f64], difference| super::cliques(ranks, difference);
        assert_eq!(of(&[1.0, 1.5, 2.2, 4.0, 4.4], 1.25), [(0, 2), (3, 4)]);
        assert_eq!(of(&[1.0, 2.0, 3.0], 1.5), [(0, 1), (1, 2)]);
        assert_eq!(of(&[1.0, 3.0], 1.0), []);
    }

    fn arms(blocks: &[[f64; 4]]) -> Vec<Sample<'static>> {
        (0..4)
            .map(|arm| Sample::grouped((0..).zip(blocks.iter().map(|row| row[arm]))).unwrap())
            .collect()
    }

    const BLOCKS: [[f64; 4]; 6] = [
        [0.8, 0.7, 0.6, 0.65],
        [0.9, 0.7, 0.7, 0.5],
        [0.6, 0.65, 0.5, 0.5],
        [0.7, 0.6, 0.55, 0.5],
        [0.8, 0.85, 0.6, 0.7],
        [0.75, 0.7, 0.6, 0.6],
    ];

    /// Tests ranks against SciPy 1.17: `friedmanchisquare` and the means of `rankdata`, ties
    /// included. CD by Demšar's q = 2.569 for four arms.
    #[test]
    fn agrees_with_scipy() {
        let ranks = Ranks::new(&arms(&BLOCKS), Direction::Maximize, 0.95)
            .unwrap()
            .unwrap();
        let expected = [8.0 / 6.0, 1.75, 20.5 / 6.0, 3.5];
        for (found, expected) in ranks.average.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12);
        }
        assert!((ranks.friedman.statistic - 14.263_157_894_736_855).abs() < 1e-10);
        assert!((ranks.friedman.p_value - 0.002_567_977_452_358_724).abs() < 1e-10);
        let expected = 2.569 * (4.0_f64 * 5.0 / 36.0).sqrt();
        assert!((ranks.critical_difference - expected).abs() < 1e-3);
        assert_eq!(ranks.cliques(), [vec![0, 1], vec![1, 2, 3]]);
    }

    #[test]
    fn only_full_splits_count() {
        let mut of_four = arms(&BLOCKS);
        of_four[2] = Sample::grouped([(0, 0.6), (1, 0.7), (9, 0.1), (0, 0.6)]).unwrap();
        let ranks = Ranks::new(&of_four, Direction::Maximize, 0.95)
            .unwrap()
            .unwrap();
        assert_eq!((ranks.blocks, ranks.left_out), (2, 13));
        of_four[2] = Sample::grouped([(0, 0.6), (9, 0.7)]).unwrap();
        let none = Ranks::new(&of_four, Direction::Maximize, 0.95).unwrap();
        assert_eq!(none, None);
        of_four[2] = Sample::new([0.6, 0.7]).unwrap();
        let none = Ranks::new(&of_four, Direction::Maximize, 0.95).unwrap();
        assert_eq!(none, None);
        assert_eq!(Ranks::new(&[], Direction::Maximize, 0.95).unwrap(), None);
    }

    #[test]
    fn equal_arms_do_not_differ() {
        let ranks = Ranks::new(&arms(&[[0.5; 4]; 5]), Direction::Maximize, 0.95)
            .unwrap()
            .unwrap();
        assert_eq!(ranks.average, [2.5; 4]);
        assert!(ranks.friedman.statistic.abs() < 1e-12);
        assert!((ranks.friedman.p_value - 1.0).abs() < 1e-12);
        assert_eq!(ranks.cliques().len(), 1);
    }

    #[test]
    fn the_example_of_new() -> Result<(), fiesta_report::summary::SummaryError> {
        use fiesta_core::Direction;
        use fiesta_report::summary::{Ranks, Sample};
        let loss = |scores: [f64; 3]| Sample::grouped((0..).zip(scores));
        let arms = [
            loss([0.3, 0.2, 0.4])?,
            loss([0.4, 0.5, 0.5])?,
            loss([0.2, 0.3, 0.6])?,
        ];
        let ranks = Ranks::new(&arms, Direction::Minimize, 0.95)?.expect("three full splits");
        assert_eq!(ranks.average, [4.0 / 3.0, 8.0 / 3.0, 2.0]);
        assert_eq!(ranks.cliques(), [vec![0, 2, 1]]);
        Ok::<(), fiesta_report::summary::SummaryError>(())
    }
}
