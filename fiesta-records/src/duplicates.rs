//! Evaluations that are in a file twice.

use crate::{Evaluations, Failed, RowProblem, excerpt, scores::Scores};

impl Scores<'_> {
    /// Counts the rows whose evaluation was on an earlier row and did not fail there: one that
    /// failed may have been made again when its cause was mended. On an item, evaluations are told
    /// apart only by seeds that both have.
    ///
    /// Sorting places arm by arm needs less memory than a set, and next to no time where the file is
    /// in order, be it that of the arms or that of the cases.
    pub(crate) fn refuse_duplicates(&mut self) {
        let of_items = !self.records.items().is_empty();
        let (all, problems) = (&self.records, &mut self.problems);
        let (records, failures) = (all.records(), all.failures());
        let has_failed = |place: usize| place >= records.len();
        let row = |place: usize| {
            if has_failed(place) {
                return failures[place - records.len()];
            }
            let record = records.at(place);
            record.with(record.arm, ())
        };
        let mut places = vec![Vec::new(); all.arms().len()];
        for place in 0..records.len() + failures.len() {
            let row = row(place);
            if row.split.is_some() && (of_items || row.seed.is_some()) {
                places[row.arm.index()].push(place);
            }
        }
        for mut places in places {
            places.sort_unstable_by_key(|&place| {
                let row = row(place);
                (row.split, row.seed, row.line, has_failed(place))
            });
            for pair in places.windows(2) {
                let (one, next) = (row(pair[0]), row(pair[1]));
                // The one without a seed is sorted before all others.
                let is_unclear = one.seed.is_none() && !has_failed(pair[1]);
                let is_twice = one.split == next.split && (one.seed == next.seed || is_unclear);
                if is_twice && !has_failed(pair[0]) {
                    let (first, line) = (one.line.min(next.line), one.line.max(next.line));
                    problems.add(line, duplicate(all, &one, first));
                }
            }
        }
    }
}

/// Returns the problem of an evaluation that is on the line `first` as well.
fn duplicate(all: &Evaluations, row: &Failed, first: u64) -> RowProblem {
    let arm = excerpt(&all.arms()[row.arm.index()]);
    let (split, seed) = (row.split.unwrap_or_default(), row.seed);
    let item = usize::try_from(split);
    match item.ok().and_then(|item| all.items().get(item)) {
        Some(item) => RowProblem::DuplicateItem {
            arm,
            item: excerpt(item),
            seed,
            first,
        },
        None => RowProblem::Duplicate {
            arm,
            split,
            seed: seed.unwrap_or_default(),
            first,
        },
    }
}
