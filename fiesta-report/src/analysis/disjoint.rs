//! Two arms that have no split in common, so that none of their scores are paired.

use super::{ArmScores, ScoresOfArms};
use std::cmp::Ordering;

/// Greatest number of arms of which every two are looked at: those of the best means.
const MOST_ARMS: usize = 1_000;

impl ScoresOfArms<'_> {
    /// The note on two arms that have no split in common: those of the best two means, or else the
    /// first such two by their means. None where scores have no splits, or any two arms share one.
    pub(crate) fn disjoint_note(&self) -> Option<String> {
        if self.scores.iter().all(ArmScores::are_rows_splits) {
            return None;
        }
        let (one, other) = self.disjoint()?;
        let split = if self.pool.is_some() { "item" } else { "split" };
        let name = |place: usize| &self.arms.names()[place];
        Some(format!(
            "the arms {} and {} have no {split} in common: none of their scores are paired, and they are compared as on different {split}s; scores of both on the same {split}s tell more",
            name(one),
            name(other)
        ))
    }

    /// Returns the places of two arms that share no split, if there are any.
    fn disjoint(&self) -> Option<(usize, usize)> {
        let moments = self.moments();
        let oriented = |&place: &usize| self.direction.orient(moments[place].mean());
        let mut ranked: Vec<usize> = (0..moments.len()).collect();
        ranked.retain(|&place| moments[place].count() > 0);
        ranked.sort_by(|a, b| oriented(b).total_cmp(&oriented(a)));
        ranked.truncate(MOST_ARMS);
        let splits = ranked.iter().map(|&place| (place, self.splits_of(place)));
        let splits = splits.filter(|(_, splits)| !splits.is_empty());
        let (places, splits): (Vec<usize>, Vec<Vec<u64>>) = splits.unzip();
        let (one, other) = first_disjoint(&splits)?;
        Some((places[one], places[other]))
    }

    /// The splits of an arm that are known, in order.
    fn splits_of(&self, place: usize) -> Vec<u64> {
        let scores = self.scores[place].iter();
        let mut splits: Vec<u64> = scores.filter_map(|score| score.split).collect();
        splits.sort_unstable();
        splits.dedup();
        splits
    }
}

/// The places of the first two of these ascending lists that have no number in common.
pub(super) fn first_disjoint(lists: &[Vec<u64>]) -> Option<(usize, usize)> {
    let pairs = (0..lists.len()).flat_map(|one| (one + 1..lists.len()).map(move |o| (one, o)));
    { pairs }.find(|&(one, other)| !have_common(&lists[one], &lists[other]))
}

/// Returns whether two ascending lists have a number in common.
fn have_common(one: &[u64], other: &[u64]) -> bool {
    let (mut a, mut b) = (0, 0);
    while a < one.len() && b < other.len() {
        match one[a].cmp(&other[b]) {
            Ordering::Less => a += 1,
            Ordering::Greater => b += 1,
            Ordering::Equal => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::analysis::{ScoresOfArms, belief::BeliefRequest};
    use fiesta_core::Direction;
    use fiesta_records::{Evaluations, Reading, read_from};
    use std::fmt::Write;

    /// Makes records of some arms: five scores of each on splits from its first one, about its
    /// mean.
    fn records(arms: &[(&str, u64, f64)]) -> Evaluations {
        let mut csv = "arm,split,score\n".to_owned();
        for (&(arm, first, mean), place) in arms.iter().zip(0..) {
            for split in first..first + 5 {
                // No sum of what an arm and what a split does.
                let noise = (split * split * (place + 1) + place) % 7;
                let score = mean + 0.01 * noise as f64;
                writeln!(csv, "{arm},{split},{score}").unwrap();
            }
        }
        read_from(csv.as_bytes(), None, &Reading::default(), "s.csv").unwrap()
    }

    /// Returns what a belief says of arms that share no splits.
    fn note(arms: &[(&str, u64, f64)], direction: Direction) -> Option<String> {
        let records = records(arms);
        let scores = ScoresOfArms::new(&records, &[], direction, "s.csv").unwrap();
        let report = BeliefRequest::default().report(scores, Some(&records));
        let notes = report.unwrap().notes;
        notes.into_iter().find(|note| note.contains("in common"))
    }

    #[test]
    fn the_best_two_arms_are_named_that_share_no_split() {
        let arms = [("a", 0, 0.5), ("b", 5, 0.6), ("c", 5, 0.7), ("d", 10, 0.8)];
        let said = note(&arms, Direction::Maximize).unwrap();
        assert!(
            said.starts_with("the arms d and c have no split in common"),
            "{said}"
        );
        // Of losses, the best are a and b.
        let said = note(&arms, Direction::Minimize).unwrap();
        assert!(
            said.starts_with("the arms a and b have no split in common"),
            "{said}"
        );
    }

    #[test]
    fn other_arms_are_named_where_the_best_two_share_splits() {
        let arms = [("a", 0, 0.8), ("b", 2, 0.7), ("c", 4, 0.6), ("d", 5, 0.5)];
        let said = note(&arms, Direction::Maximize).unwrap();
        assert!(
            said.starts_with("the arms a and d have no split in common"),
            "{said}"
        );
    }

    #[test]
    fn nothing_is_said_of_arms_that_share_splits() {
        let arms = [("a", 0, 0.8), ("b", 2, 0.7), ("c", 4, 0.6)];
        assert_eq!(note(&arms, Direction::Maximize), None);
    }

    #[cfg(feature = "html")]
    #[test]
    fn reports_have_it_among_their_notes_where_the_posterior_pairs() {
        use crate::analysis::report::{ReportInput, ReportOptions, WrittenReport};
        let page = |posterior: Option<&str>| {
            let input = ReportInput {
                title: "s".to_owned(),
                source: "s.csv".to_owned(),
                metric: "score".to_owned(),
                records: records(&[("a", 0, 0.5), ("b", 5, 0.6)]),
                direction: Direction::Maximize,
                bounds: None,
                of_search: false,
                study: None,
                notices: Vec::new(),
            };
            let options = ReportOptions {
                posterior: posterior.map(ToOwned::to_owned),
                ..ReportOptions::default()
            };
            WrittenReport::new(&input, &options).unwrap().page.html()
        };
        let said = "The arms b and a have no split in common";
        assert_eq!(page(None).matches(said).count(), 1);
        assert!(!page(Some("pooled")).contains(said));
    }
}
