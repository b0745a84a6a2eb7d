//! Ties: arms between which no evaluation makes a difference.

use super::{Sample, comparison::difference, sample::mean};
use std::collections::BTreeMap;

/// Part of the greatest P(best) below which an arm is told from the most probable one.
const SMALL: f64 = 0.1;

/// Arms with the same score on everything that all of them were evaluated on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tie {
    /// The tied arms' places, at least two, in order.
    pub(crate) arms: Vec<usize>,
    /// Mean score of the tied arms over what they have in common.
    pub(crate) value: f64,
    /// On how many splits (or documents) all of them have a score, at least two. None where arms
    /// share no splits: then every score of each of them is the same.
    pub(crate) common: Option<usize>,
}

impl Tie {
    /// Finds the arms that are tied with one arm: on each of at least two splits that all have in
    /// common, and that are at least half of those of the arm that has fewer, their mean scores are
    /// equal; or all scores of each are one and the same. None if there is no such arm.
    pub(crate) fn with(samples: &[Option<Sample>], arm: usize) -> Option<Self> {
        let own = samples.get(arm)?.as_ref()?;
        Self::on_common_splits(samples, arm, own).or_else(|| Self::of_constants(samples, arm, own))
    }

    /// Finds the arms that are tied with the most probable one and that the posterior does not tell
    /// from it either, as one that does not pair scores may do: none if P(best) of the arm reaches
    /// the confidence, and without the arms whose P(best) is less than a tenth of it.
    pub(crate) fn unless_told_apart(
        samples: &[Option<Sample>],
        arm: usize,
        probability_best: &[f64],
        confidence: f64,
    ) -> Option<Self> {
        let p = *probability_best.get(arm)?;
        if p >= confidence {
            return None;
        }
        let is_near = |place: usize| probability_best[place] >= SMALL * p;
        let near = samples.iter().enumerate();
        let near: Vec<Option<Sample>> = near
            .map(|(place, sample)| sample.clone().filter(|_| is_near(place)))
            .collect();
        Self::with(&near, arm)
    }

    fn on_common_splits(samples: &[Option<Sample>], arm: usize, own: &Sample) -> Option<Self> {
        let mut common = None;
        let mut arms = vec![arm];
        for (place, other) in samples.iter().enumerate() {
            let Some(other) = other.as_ref().filter(|_| place != arm) else {
                continue;
            };
            // Quicker than to look for the splits that they have in common.
            let are_rows = own.is_of_rows() && other.is_of_rows();
            let mut rows = own.scores().iter().zip(other.scores());
            if !own.has_groups() || are_rows && rows.any(|(a, b)| differ(*a, *b)) {
                continue;
            }
            let Some(pairs) = own.in_common(other) else {
                continue;
            };
            if pairs.iter().any(|(a, b)| differ(mean(a), mean(b))) {
                continue;
            }
            let theirs = means(other)?;
            let before = match common.take() {
                Some(before) => before,
                None => means(own)?,
            };
            let left: BTreeMap<u64, f64> = before
                .iter()
                .filter(|(split, _)| theirs.contains_key(split))
                .map(|(&split, &mean)| (split, mean))
                .collect();
            if left.len() >= 2 {
                common = Some(left);
                arms.push(place);
            } else {
                common = Some(before);
            }
        }
        arms.sort_unstable();
        let values: Vec<f64> = common.unwrap_or_default().into_values().collect();
        (arms.len() > 1).then(|| Self {
            arms,
            value: mean(&values),
            common: Some(values.len()),
        })
    }

    fn of_constants(samples: &[Option<Sample>], arm: usize, own: &Sample) -> Option<Self> {
        let value = constant(own)?;
        let is_tied = |place: &usize| {
            let sample = samples[*place].as_ref();
            let other = sample.and_then(constant);
            *place == arm || other.is_some_and(|other| !differ(other, value))
        };
        let arms: Vec<usize> = (0..samples.len()).filter(is_tied).collect();
        (arms.len() > 1).then_some(Self {
            arms,
            value,
            common: None,
        })
    }
}

fn differ(a: f64, b: f64) -> bool {
    difference(a, b) != 0.0
}

/// Returns the mean score of a sample on each split; none where splits are not known.
fn means(sample: &Sample) -> Option<BTreeMap<u64, f64>> {
    let groups = sample.by_group()?.into_iter();
    Some(
        groups
            .map(|(split, scores)| (split, mean(&scores)))
            .collect(),
    )
}

/// Returns the score that an arm always had, of at least two scores. `None` if its scores differ.
fn constant(sample: &Sample) -> Option<f64> {
    let (first, rest) = sample.scores().split_first()?;
    let same = rest.iter().all(|score| !differ(*score, *first));
    (!rest.is_empty() && same).then_some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(splits: &[(u64, f64)]) -> Option<Sample<'static>> {
        Sample::grouped(splits.iter().copied()).ok()
    }

    /// Tests that an arm with more evaluations, and therefore another mean, is tied all the same.
    #[test]
    fn counts_need_not_be_equal() {
        let arms = [
            on(&[(0, 0.5), (1, 0.7), (2, 0.9)]),
            on(&[(0, 0.5), (1, 0.7)]),
            None,
            on(&[(0, 0.5), (1, 0.6), (2, 0.9)]),
        ];
        let tie = Tie::with(&arms, 1).unwrap();
        assert_eq!((tie.arms, tie.common), (vec![0, 1], Some(2)));
        assert!((tie.value - 0.6).abs() < 1e-15);
        assert_eq!(Tie::with(&arms, 2), None);
        assert_eq!(Tie::with(&arms, 3), None);
    }

    /// Tests that rounding makes no difference: in binary fractions, 0.1 + 0.2 is not 0.3.
    #[test]
    fn rounding_is_no_difference() {
        let arms = [on(&[(0, 0.1 + 0.2), (1, 0.0)]), on(&[(0, 0.3), (1, 0.0)])];
        assert_eq!(Tie::with(&arms, 0).unwrap().arms, [0, 1]);
    }

    /// Tests that arms are not tied by two equal splits if the posterior tells them apart on fifty others.
    #[test]
    fn what_a_posterior_tells_apart_is_no_tie() {
        let arms = [
            on(&[(0, 0.5), (1, 0.7), (2, 0.9)]),
            on(&[(0, 0.5), (1, 0.7)]),
            on(&[(0, 0.5), (1, 0.7), (2, 0.9)]),
        ];
        let tie = |belief: [f64; 3]| Tie::unless_told_apart(&arms, 0, &belief, 0.95);
        assert_eq!(tie([0.5, 0.04, 0.46]).unwrap().arms, [0, 2]);
        assert_eq!(tie([0.4, 0.2, 0.4]).unwrap().arms, [0, 1, 2]);
        assert_eq!(tie([0.96, 0.02, 0.02]), None);
    }

    #[test]
    fn without_common_splits_only_constants_are_tied() {
        let of = |scores: &[f64]| Sample::new(scores.iter().copied()).ok();
        let arms = [of(&[0.5, 0.5]), of(&[0.5; 7]), of(&[0.4, 0.6]), of(&[0.5])];
        let tie = Tie::with(&arms, 0).unwrap();
        assert_eq!((tie.arms, tie.common), (vec![0, 1], None));
        assert_eq!((Tie::with(&arms, 2), Tie::with(&arms, 3)), (None, None));
        // Seeds on one fixed split.
        let fixed = [
            on(&[(0, 0.5), (0, 0.5)]),
            on(&[(0, 0.5), (0, 0.5), (0, 0.5)]),
        ];
        assert_eq!(Tie::with(&fixed, 1).unwrap().common, None);
    }

    #[test]
    fn the_example_of_with() -> Result<(), fiesta_report::summary::SummaryError> {
        use fiesta_report::summary::{Sample, Tie};
        let arm = |scores: [f64; 3]| Sample::grouped((0..).zip(scores)).map(Some);
        let arms = [
            arm([0.7, 0.8, 0.9])?,
            arm([0.7, 0.8, 0.8])?,
            arm([0.7, 0.8, 0.9])?,
        ];
        let tie = Tie::with(&arms, 0).expect("the first and the third are equal");
        assert_eq!((tie.arms, tie.common), (vec![0, 2], Some(3)));
        assert_eq!(Tie::with(&arms, 1), None);
        Ok::<(), fiesta_report::summary::SummaryError>(())
    }
}
