//! The share of the scores of an arm that exceed a threshold, with its intervals.

use super::{
    Bootstrap, Interval, Sample,
    resample::{Urns, places},
};
use fiesta_core::Direction;

/// The performance profile of an arm: for each threshold τ the fraction of its scores that are
/// better than τ, with its interval at each (by the bootstrap, or exact where units are few:
/// [`Bootstrap`]; pointwise, not of the whole curve; the score distribution of Agarwal et al.
/// 2021).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Profile {
    /// Thresholds of the profile, as given.
    pub(crate) thresholds: Vec<f64>,
    /// Fraction of the scores that are better than each threshold.
    pub(crate) fraction: Vec<f64>,
    /// Intervals of the profile, one at each point.
    pub(crate) band: Vec<Interval>,
}

impl Profile {
    /// Returns `count` thresholds, evenly from the least to the greatest score of all arms; none if
    /// there is no score.
    pub(crate) fn thresholds<'a>(
        arms: impl IntoIterator<Item = &'a Sample<'a>>,
        count: usize,
    ) -> Vec<f64> {
        let scores = arms.into_iter().flat_map(Sample::scores).copied();
        let (low, high) = scores.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), score| {
            (low.min(score), high.max(score))
        });
        if low > high {
            return Vec::new();
        }
        let steps = count.saturating_sub(1).max(1) as f64;
        let at = |step: usize| low + (high - low) * (step as f64 / steps);
        (0..count).map(at).collect()
    }
}

impl Bootstrap {
    /// Computes the performance profile of an arm at these thresholds.
    pub(crate) fn profile(
        &self,
        sample: &Sample,
        thresholds: &[f64],
        direction: Direction,
    ) -> Profile {
        let (values, [rank]) = places([sample]);
        let urns = Urns::new(sample, &rank, self.resampling);
        // The values worse than each threshold, or equal to it, are those before this place; when
        // minimising, those from it on.
        let places: Vec<usize> = thresholds
            .iter()
            .map(|&threshold| match direction {
                Direction::Maximize => values.partition_point(|&value| value <= threshold),
                Direction::Minimize => values.partition_point(|&value| value < threshold),
            })
            .collect();
        let mut below = vec![0; values.len() + 1];
        let mut fractions = |counts: &[u32], total: u64| {
            for (place, &count) in counts.iter().enumerate() {
                below[place + 1] = below[place] + u64::from(count);
            }
            let fraction = |&place: &usize| {
                let better = match direction {
                    Direction::Maximize => total - below[place],
                    Direction::Minimize => below[place],
                };
                better as f64 / total as f64
            };
            places.iter().map(fraction).collect::<Vec<f64>>()
        };
        let mut counts = vec![0; values.len()];
        for &rank in &rank {
            counts[rank as usize] += 1;
        }
        let fraction = fractions(&counts, rank.len() as u64);
        let mut rng = self.streams.draws(0);
        let mut drawn = vec![Vec::with_capacity(self.resamples as usize); thresholds.len()];
        for _ in 0..self.resamples {
            let total = urns.draw(&mut rng, &mut counts);
            let resample = fractions(&counts, total);
            drawn
                .iter_mut()
                .zip(resample)
                .for_each(|(all, value)| all.push(value));
        }
        Profile {
            thresholds: thresholds.to_vec(),
            band: drawn
                .iter_mut()
                .zip(&fraction)
                .map(|(values, &share)| self.of_share(share, urns.freedom().units, values))
                .collect(),
            fraction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Resampling;

    /// Tests profiles against rliable 1.2, `create_performance_profile` over three tasks with
    /// 20,000 resamples; twelve scores, so that a step is .083.
    #[test]
    fn agrees_with_rliable() {
        let runs = [
            [0.5, 0.6, 0.9],
            [0.6, 0.7, 0.8],
            [0.55, 0.65, 0.85],
            [0.52, 0.6, 0.7],
        ];
        let sample = Sample::grouped(runs.iter().flat_map(|run| (0..).zip(*run))).unwrap();
        let bootstrap = Bootstrap::new(0.95, 20_000, 1).unwrap();
        let bootstrap = bootstrap.resampling(Resampling::WithinGroups);
        let found = bootstrap.profile(&sample, &[0.55, 0.6, 0.75], Direction::Maximize);
        for (found, expected) in found.fraction.iter().zip([0.75, 0.5, 0.25]) {
            assert!((found - expected).abs() < 1e-12);
        }
        let expected = [
            (0.666_67, 0.916_67),
            (0.333_33, 0.666_67),
            (0.083_33, 0.333_33),
        ];
        for (found, (lower, upper)) in found.band.iter().zip(expected) {
            assert!((found.lower - lower).abs() < 1e-5, "{found:?}");
            assert!((found.upper - upper).abs() < 1e-5, "{found:?}");
        }
    }

    #[test]
    fn less_is_better_when_minimising() {
        let bootstrap = Bootstrap::new(0.9, 50, 1).unwrap();
        let sample = Sample::new([0.1, 0.2, 0.2, 0.4]).unwrap();
        let found = bootstrap.profile(&sample, &[0.1, 0.2, 0.5], Direction::Minimize);
        assert_eq!(found.fraction, [0.0, 0.25, 1.0]);
        assert_eq!(Profile::thresholds([&sample], 4).len(), 4);
        assert_eq!(Profile::thresholds([], 4), [0.0; 0]);
        assert_eq!(Profile::thresholds([&sample], 1), [0.1]);
    }

    #[test]
    fn the_example_of_profile() -> Result<(), fiesta_report::summary::SummaryError> {
        use fiesta_core::Direction;
        use fiesta_report::summary::{Bootstrap, Sample};
        let sample = Sample::new([0.5, 0.6, 0.7, 0.8])?;
        let bootstrap = Bootstrap::new(0.95, 2_000, 1)?;
        let profile = bootstrap.profile(&sample, &[0.4, 0.6, 0.9], Direction::Maximize);
        assert_eq!(profile.fraction, [1.0, 0.5, 0.0]);
        assert!(profile.band[1].lower < 0.5 && profile.band[1].upper > 0.5);
        Ok::<(), fiesta_report::summary::SummaryError>(())
    }
}
