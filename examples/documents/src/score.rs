//! What a tagger got right and wrong.

use crate::document::{Kind, Name};

/// Of the names of one kind: how many were found, how many found that are none, how many missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub right: usize,
    pub wrong: usize,
    pub missed: usize,
}

/// Counts the names of one kind. A name is right if kind, beginning and end are; a name found with another kind or another end is
/// wrong, and the true one is missed.
#[must_use]
pub fn counts(truth: &[Name], found: &[Name], kind: Kind) -> Counts {
    let of_kind = |name: &&Name| name.kind == kind;
    let right = found
        .iter()
        .filter(of_kind)
        .filter(|name| truth.contains(name))
        .count();
    Counts {
        right,
        wrong: found.iter().filter(of_kind).count() - right,
        missed: truth.iter().filter(of_kind).count() - right,
    }
}

/// The counts of every kind, as FIESTA reads them. There are no true negatives: who could count what is no name?
#[must_use]
pub fn json(truth: &[Name], found: &[Name]) -> String {
    let of_kinds = Kind::ALL.map(|kind| {
        let Counts {
            right,
            wrong,
            missed,
        } = counts(truth, found, kind);
        format!(
            r#""{}": {{"tp": {right}, "fp": {wrong}, "fn": {missed}}}"#,
            kind.code()
        )
    });
    format!("{{{}}}", of_kinds.join(", "))
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    fn name(kind: Kind, tokens: Range<usize>) -> Name {
        Name { kind, tokens }
    }

    #[test]
    fn only_the_exact_name_of_the_right_kind_is_right() {
        let truth = [
            name(Kind::Person, 0..2),
            name(Kind::Person, 4..5),
            name(Kind::Place, 7..8),
        ];
        let found = [
            name(Kind::Person, 0..2),
            // One token too many.
            name(Kind::Person, 4..6),
            // Another kind.
            name(Kind::Person, 7..8),
        ];

        let of = |kind| {
            let counts = counts(&truth, &found, kind);
            (counts.right, counts.wrong, counts.missed)
        };
        assert_eq!(of(Kind::Person), (1, 2, 1));
        assert_eq!(of(Kind::Place), (0, 0, 1));
        assert_eq!(of(Kind::Organisation), (0, 0, 0));
    }

    #[test]
    fn the_result_has_the_counts_of_every_kind() {
        let truth = [name(Kind::Place, 3..4)];
        assert_eq!(
            json(&truth, &truth),
            r#"{"PER": {"tp": 0, "fp": 0, "fn": 0}, "LOC": {"tp": 1, "fp": 0, "fn": 0}, "ORG": {"tp": 0, "fp": 0, "fn": 0}}"#
        );
    }
}
