//! Confusion counts of a tagger: names that it found, missed and made up.

use crate::document::{Kind, Name};

/// Counts for names of one kind: found, wrongly found, and missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub right: usize,
    pub wrong: usize,
    pub missed: usize,
}

/// Counts the names of one kind. A name is right if kind, beginning and end are; a name found with
/// another kind or another end is wrong, and the true one is missed.
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

/// Returns the counts of every kind of name as JSON for FIESTA. There are no true negatives, as
/// texts that are no names cannot be counted.
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
    use std::{fs, ops::Range};

    use super::*;
    use crate::{document::Document, taggers::TAGGERS};

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

    #[test]
    fn the_readme_tells_how_well_every_tagger_does() {
        let readme = include_str!("../README.md");
        let texts = concat!(env!("CARGO_MANIFEST_DIR"), "/texts");
        let documents: Vec<Document> = fs::read_dir(texts)
            .unwrap()
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .map(|marked| Document::parse(&marked).unwrap())
            .collect();
        for tagger in TAGGERS {
            let (mut right, mut wrong, mut missed) = (0_u32, 0_u32, 0_u32);
            for document in &documents {
                let found = tagger.tag(&document.tokens);
                for kind in Kind::ALL {
                    let counts = counts(&document.names, &found, kind);
                    right += u32::try_from(counts.right).unwrap();
                    wrong += u32::try_from(counts.wrong).unwrap();
                    missed += u32::try_from(counts.missed).unwrap();
                }
            }
            let share = |of| f64::from(right) / f64::from(of);
            let (precision, recall) = (share(right + wrong), share(right + missed));
            let f = f64::from(2 * right) / f64::from(2 * right + wrong + missed);
            let row = readme
                .lines()
                .find(|line| line.starts_with(&format!("| `{}` |", tagger.name)))
                .unwrap_or_else(|| panic!("{} is missing", tagger.name));
            let numbers = format!("| {precision:.3} | {recall:.3} | {f:.3} |");
            assert!(row.ends_with(&numbers), "{row} instead of {numbers}");
        }
    }
}
