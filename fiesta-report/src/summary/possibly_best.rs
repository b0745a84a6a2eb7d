//! The arms that may still be the best.

use super::{ArmComparison, Sample, SummaryError, error};
use fiesta_core::Direction;

/// Arms that scores do not tell from the best, and how they were compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PossiblyBest {
    /// The arm with the best mean, the first of equals; none if no arm has a score.
    pub(crate) leader: Option<usize>,
    /// Whether each arm may be the best, the leader included; an arm without a score is not known
    /// to be any worse.
    pub(crate) within: Vec<bool>,
    /// Number of comparisons of the leader with another arm that were on shared splits.
    pub(crate) paired: usize,
    /// Number of comparisons of the leader with another arm.
    pub(crate) comparisons: usize,
    /// Number of comparisons that were exact tests, as no noise was seen (see [`ArmComparison::tail`]).
    pub(crate) exact: usize,
}

/// Finds the arms that scores do not tell from the best: those for which the one-sided
/// [`ArmComparison`] with the arm of the best mean is not significant at (1 − confidence)/(K − 1).
/// With Gaussian scores the best arm is among them with at least the confidence (Bonferroni's bound
/// over the K − 1 rivals of the best), provided that scores were not gathered until they said so.
///
/// # Errors
/// [`SummaryError`] if it is not between 0 and 1.
pub(crate) fn possibly_best(
    arms: &[Option<Sample>],
    direction: Direction,
    confidence: f64,
) -> Result<PossiblyBest, SummaryError> {
    let confidence = error::confidence(confidence)?;
    let mut leader: Option<(usize, &Sample, f64)> = None;
    for (index, sample) in arms.iter().enumerate() {
        let Some(sample) = sample else { continue };
        let mean = direction.orient(sample.mean());
        if leader.is_none_or(|(_, _, best)| mean > best) {
            leader = Some((index, sample, mean));
        }
    }
    let mut found = PossiblyBest {
        leader: leader.map(|(index, ..)| index),
        within: vec![true; arms.len()],
        paired: 0,
        comparisons: 0,
        exact: 0,
    };
    let Some((best, leader, _)) = leader else {
        return Ok(found);
    };
    let level = (1.0 - confidence) / arms.len().saturating_sub(1).max(1) as f64;
    for (index, sample) in arms.iter().enumerate() {
        let Some(sample) = sample.as_ref().filter(|_| index != best) else {
            continue;
        };
        let (higher, lower) = match direction {
            Direction::Minimize => (sample, leader),
            Direction::Maximize => (leader, sample),
        };
        let comparison = ArmComparison::new(higher, lower, confidence)?;
        found.comparisons += 1;
        if matches!(comparison.pairing, super::Pairing::Paired { .. }) {
            found.paired += 1;
        }
        found.exact += usize::from(comparison.standard_error == Some(0.0));
        found.within[index] = comparison.tail().is_none_or(|p| p > level);
    }
    Ok(found)
}

/// The arms that hold the best `top` with at least this posterior probability: the fewest whose
/// probabilities to be among the best `top` sum to it and `top` − 1 (by which less than one of these is
/// expected outside), taken from the most probable on, and those that are as probable as the last of
/// these. For one arm they sum to the probability itself.
///
/// # Errors
/// [`SummaryError`] if it is not between 0 and 1.
pub(crate) fn credible_set(
    top: usize,
    probability_best: &[f64],
    confidence: f64,
) -> Result<Vec<bool>, SummaryError> {
    let confidence = error::confidence(confidence)? + top as f64 - 1.0;
    let mut order: Vec<usize> = (0..probability_best.len()).collect();
    order.sort_by(|&a, &b| probability_best[b].total_cmp(&probability_best[a]));
    let mut within = vec![false; probability_best.len()];
    let (mut sum, mut last) = (0.0, f64::INFINITY);
    for arm in order {
        let p = probability_best[arm];
        // Not for want of a rounding error, and nobody left out who is equal.
        if sum >= confidence - 1e-9 && last - p > 1e-9 {
            break;
        }
        within[arm] = true;
        (sum, last) = (sum + p, p);
    }
    Ok(within)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_distr::{Distribution, Normal};

    #[test]
    fn what_is_not_known_is_not_worse() {
        let arms = [
            None,
            Some(Sample::new([0.9, 0.91, 0.92]).unwrap()),
            Some(Sample::new([0.1]).unwrap()),
            Some(Sample::new([0.1, 0.11, 0.12]).unwrap()),
        ];
        let found = possibly_best(&arms, Direction::Maximize, 0.95).unwrap();
        assert_eq!(found.leader, Some(1));
        assert_eq!(found.within, [true, true, true, false]);
        // One score leads, and says nothing of the noise.
        let found = possibly_best(&arms, Direction::Minimize, 0.95).unwrap();
        assert_eq!((found.leader, found.within), (Some(2), vec![true; 4]));
        let found = possibly_best(&arms[..2], Direction::Minimize, 0.95).unwrap();
        assert_eq!((found.leader, found.comparisons), (Some(1), 0));
        let nobody = possibly_best(&[None, None], Direction::Maximize, 0.95).unwrap();
        assert_eq!((nobody.leader, nobody.within), (None, vec![true; 2]));
    }

    /// Tests that arms without any noise are told apart once there are enough splits, and equal
    /// ones never are.
    #[test]
    fn arms_without_noise_are_told_apart() {
        let arms = |splits: u64| {
            let of = |score: f64| Sample::grouped((0..splits).map(|split| (split, score))).ok();
            [of(0.83), of(0.0), of(0.83), of(0.0)]
        };
        // 2^-3 is more than .05/3, 2^-8 is less.
        let found = possibly_best(&arms(3), Direction::Maximize, 0.95).unwrap();
        assert_eq!((found.within, found.exact), (vec![true; 4], 3));
        let found = possibly_best(&arms(8), Direction::Maximize, 0.95).unwrap();
        assert_eq!(found.within, [true, false, true, false]);
        let found = possibly_best(&arms(8), Direction::Minimize, 0.95).unwrap();
        assert_eq!(found.within, [false, true, false, true]);
    }

    /// Tests 2,000 problems of five equal arms, the hardest case, in which any one of them is left
    /// out in at most 5 %: within three standard errors of that (one false alarm in 700).
    #[test]
    fn keeps_the_best() {
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
        let normal = Normal::new(0.0, 1.0).unwrap();
        let mut missed = 0;
        for _ in 0..2_000 {
            let arms: Vec<Option<Sample>> = (0..5)
                .map(|_| {
                    let scores = (0..12).map(|_| normal.sample(&mut rng));
                    Some(Sample::new(scores.collect::<Vec<_>>()).unwrap())
                })
                .collect();
            let found = possibly_best(&arms, Direction::Maximize, 0.95).unwrap();
            missed += u32::from(!found.within[3]);
        }
        assert!(f64::from(missed) < 2_000.0 * 0.05 + 3.0 * 9.75, "{missed}");
    }

    #[test]
    fn a_credible_set_reaches_its_probability() {
        assert_eq!(credible_set(1, &[0.5, 0.5], 0.95).unwrap(), [true, true]);
        assert_eq!(credible_set(1, &[1.0], 0.95).unwrap(), [true]);
        // Nine of ten would do, were the tenth not equal to them.
        assert_eq!(credible_set(1, &[0.1; 10], 0.9).unwrap(), [true; 10]);
        let within = credible_set(2, &[0.99, 0.9, 0.08, 0.03], 0.95).unwrap();
        assert_eq!(within, [true, true, true, false]);
        // .7 + .25 is .95 but for rounding.
        let within = credible_set(1, &[0.7, 0.25, 0.05], 0.95).unwrap();
        assert_eq!(within, [true, true, false]);
    }

    #[test]
    fn the_example_of_possibly_best() -> Result<(), fiesta_report::summary::SummaryError> {
        use fiesta_core::Direction;
        use fiesta_report::summary::{Sample, possibly_best};
        let arm = |scores: [f64; 4]| Sample::grouped((0..).zip(scores)).map(Some);
        let arms = [
            arm([0.71, 0.64, 0.69, 0.66])?,
            arm([0.70, 0.65, 0.68, 0.66])?,
            arm([0.61, 0.55, 0.60, 0.56])?,
        ];
        let found = possibly_best(&arms, Direction::Maximize, 0.95)?;
        assert_eq!(found.leader, Some(0));
        assert_eq!(found.within, [true, true, false]);
        Ok::<(), fiesta_report::summary::SummaryError>(())
    }

    #[test]
    fn the_example_of_credible_set() -> Result<(), fiesta_report::summary::SummaryError> {
        use fiesta_report::summary::credible_set;
        assert_eq!(
            credible_set(1, &[0.04, 0.90, 0.06], 0.95)?,
            [false, true, true]
        );
        assert_eq!(
            credible_set(1, &[0.02, 0.96, 0.02], 0.95)?,
            [false, true, false]
        );
        Ok::<(), fiesta_report::summary::SummaryError>(())
    }
}
