//! The scores of one arm, with the splits or tasks that they belong to.

use super::SummaryError;
use std::{borrow::Cow, collections::BTreeMap};

/// The scores of one arm: at least one, all finite. Each may belong to a group: the split, or the
/// task, that it was made on.
///
/// Scores of one split share what makes that split easy or hard, so that five seeds on one split
/// tell less than one seed on each of five; whatever needs independent scores takes the groups for
/// that. A single group tells nothing of what another would bring: its scores are then taken as
/// independent, and the conclusion holds for that split alone.
///
/// Scores and groups that lie in memory already are borrowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample<'a> {
    scores: Cow<'a, [f64]>,
    groups: Groups<'a>,
}

/// The group of each score.
#[derive(Debug, Clone, PartialEq)]
enum Groups<'a> {
    Unknown,
    /// The k-th score is of group k, from 0.
    Places,
    Of(Cow<'a, [u64]>),
}

impl Sample<'static> {
    /// Makes a sample of independent scores.
    ///
    /// # Errors
    /// [`SummaryError`] if there are none, or one is not finite.
    pub fn new(scores: impl IntoIterator<Item = f64>) -> Result<Self, SummaryError> {
        let scores: Vec<f64> = scores.into_iter().collect();
        check(&scores)?;
        Ok(Self {
            scores: scores.into(),
            groups: Groups::Unknown,
        })
    }

    /// Makes a sample of scores, each with the number of its split or task.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn grouped(pairs: impl IntoIterator<Item = (u64, f64)>) -> Result<Self, SummaryError> {
        let (groups, scores): (Vec<u64>, Vec<f64>) = pairs.into_iter().unzip();
        check(&scores)?;
        Ok(Self {
            scores: scores.into(),
            groups: Groups::Of(groups.into()),
        })
    }
}

impl<'a> Sample<'a> {
    /// Makes a sample of borrowed scores, which are independent or each have their group.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Panics
    /// Unless there are as many groups as scores.
    pub fn borrowed(scores: &'a [f64], groups: Option<&'a [u64]>) -> Result<Self, SummaryError> {
        check(scores)?;
        assert!(groups.is_none_or(|groups| groups.len() == scores.len()));
        Ok(Self {
            scores: scores.into(),
            groups: groups.map_or(Groups::Unknown, |groups| Groups::Of(groups.into())),
        })
    }

    /// Makes a sample of borrowed scores, of which the k-th is of group k, from 0.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn borrowed_rows(scores: &'a [f64]) -> Result<Self, SummaryError> {
        check(scores)?;
        Ok(Self {
            scores: scores.into(),
            groups: Groups::Places,
        })
    }

    /// Makes a sample of some of the scores of a checked sample, without checks.
    pub(super) fn part(scores: &'a [f64]) -> Self {
        Self {
            scores: scores.into(),
            groups: Groups::Unknown,
        }
    }

    /// Returns the scores of the sample, in the order in which they were given.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Returns the number of scores in the sample; at least one.
    #[allow(clippy::len_without_is_empty, reason = "never empty by construction")]
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Returns the mean of the sample's scores.
    pub fn mean(&self) -> f64 {
        mean(&self.scores)
    }

    /// Returns whether all scores of the sample are 0 or 1.
    pub(super) fn is_binary(&self) -> bool {
        #[allow(clippy::float_cmp, reason = "exactly right or wrong")]
        let binary = |&score: &f64| score == 0.0 || score == 1.0;
        self.scores.iter().all(binary)
    }

    /// Returns whether any two scores of the sample differ.
    pub(super) fn varies(&self) -> bool {
        #[allow(clippy::float_cmp, reason = "exactly equal")]
        let differs = |&score: &f64| score != self.scores[0];
        self.scores.iter().any(differs)
    }

    /// The places of the scores of each group, by its number; none where groups are not known.
    pub(super) fn places(&self) -> Option<BTreeMap<u64, Vec<usize>>> {
        let mut places: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (place, group) in self.groups()?.enumerate() {
            places.entry(group).or_default().push(place);
        }
        Some(places)
    }

    /// The scores of each group, by its number; none where groups are not known.
    pub(super) fn by_group(&self) -> Option<BTreeMap<u64, Vec<f64>>> {
        let mut scores: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for (group, &score) in self.groups()?.zip(self.scores()) {
            scores.entry(group).or_default().push(score);
        }
        Some(scores)
    }

    /// The group of each score; none where groups are not known.
    pub(super) fn groups(&self) -> Option<impl Iterator<Item = u64> + '_> {
        let listed = match &self.groups {
            Groups::Unknown => return None,
            Groups::Places => None,
            Groups::Of(groups) => Some(groups),
        };
        let listed = move |place: usize| listed.map_or(place as u64, |groups| groups[place]);
        Some((0..self.len()).map(listed))
    }

    /// Returns whether the groups of the sample's scores are known.
    pub(super) fn has_groups(&self) -> bool {
        self.groups != Groups::Unknown
    }

    /// Returns whether every score of the sample is known to be of a group of its own, without counting them.
    pub(super) fn is_of_rows(&self) -> bool {
        self.groups == Groups::Places
    }

    /// The scores of the groups that two arms have in common, if these are the same splits by
    /// design: at least two, and at least half of those of the arm that has fewer.
    pub(super) fn in_common(&self, other: &Sample<'_>) -> Option<Vec<(Vec<f64>, Vec<f64>)>> {
        let (own, mut others) = (self.by_group()?, other.by_group()?);
        let fewer = own.len().min(others.len());
        let common: Vec<(Vec<f64>, Vec<f64>)> = own
            .into_iter()
            .filter_map(|(group, scores)| Some((scores, others.remove(&group)?)))
            .collect();
        (common.len() >= 2 && 2 * common.len() >= fewer).then_some(common)
    }
}

fn check(scores: &[f64]) -> Result<(), SummaryError> {
    if scores.is_empty() {
        return Err(SummaryError(
            "there are no scores: leave the arm out, or say how its failures count".to_owned(),
        ));
    }
    match scores.iter().position(|score| !score.is_finite()) {
        Some(place) => Err(SummaryError(format!(
            "score number {} is {}: leave out what is not known, or say how failures count",
            place + 1,
            scores[place]
        ))),
        None => Ok(()),
    }
}

/// Returns the mean of at least one score; within their range, whatever the rounding.
pub(super) fn mean(scores: &[f64]) -> f64 {
    let moments: fiesta_core::Moments = scores.iter().copied().collect();
    moments.mean()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_score() {
        assert!(Sample::new([]).is_err());
        let error = Sample::new([0.5, f64::NAN]).unwrap_err();
        assert!(error.to_string().starts_with("score number 2 is NaN"));
        assert!(Sample::grouped([(0, f64::INFINITY)]).is_err());
    }

    /// Tests that arms are not paired on splits that they share by chance.
    #[test]
    fn a_few_common_groups_are_no_design() {
        let of = |groups: &[u64]| Sample::grouped(groups.iter().map(|&g| (g, 0.5))).unwrap();
        let pairs = |a: &[u64], b: &[u64]| of(a).in_common(&of(b)).map(|common| common.len());
        assert_eq!(pairs(&[0, 1, 2], &[2, 1, 7, 8, 9, 10]), Some(2));
        assert_eq!(pairs(&[0, 1, 2, 3, 4], &[4, 3, 7, 8, 9]), None);
        assert_eq!(pairs(&[0, 1], &[1, 5]), None);
        assert_eq!(of(&[0]).in_common(&Sample::new([0.5]).unwrap()), None);
    }
}
