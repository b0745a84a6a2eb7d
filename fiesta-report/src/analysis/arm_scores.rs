//! Scores of one arm in columns: the scores, and what is known of each of them.

use crate::summary::Sample;
use fiesta_core::{ArmId, Moments};
use fiesta_records::{Numbers, Record};
use std::borrow::Cow;

/// The scores of one arm, with the split, the seed and the line of each where they are known. A
/// score of which nothing else is known takes 8 bytes, or none if it is borrowed.
#[derive(Debug, Clone, Default)]
pub struct ArmScores<'a> {
    scores: Cow<'a, [f64]>,
    splits: Numbers,
    seeds: Numbers,
    lines: Numbers,
    turns: Numbers,
}

/// One score of an arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Value of the score, as reported.
    pub score: f64,
    /// Number of the split or item on which the score was made.
    pub split: Option<u64>,
    /// The seed of the run.
    pub seed: Option<u64>,
    /// Turn in which a study asked for the score. `None` if no study did.
    pub turn: Option<u64>,
    /// Line of the file on which the score stands, or its place among the scores of its arm, from
    /// 1; 0 without a file.
    pub line: u64,
}

impl<'a> ArmScores<'a> {
    /// Scores that are borrowed, on the splits 0, 1, 2, … or on unknown ones.
    pub fn borrowed(scores: &'a [f64], rows_are_splits: bool) -> Self {
        Self {
            scores: scores.into(),
            splits: if rows_are_splits {
                Numbers::Places(0)
            } else {
                Numbers::Unknown
            },
            seeds: Numbers::Unknown,
            lines: Numbers::Places(1),
            turns: Numbers::Unknown,
        }
    }

    /// Whether the k-th score, from 0, is known to be on split k, and on no other seed.
    pub(crate) fn are_rows_splits(&self) -> bool {
        matches!(self.splits, Numbers::Places(0))
    }

    /// Adds the score of a record.
    pub fn push(&mut self, record: &Record) {
        self.push_in_turn(record, None);
    }

    /// Adds a score that a study asked for in this turn.
    pub(crate) fn push_in_turn(&mut self, record: &Record, turn: Option<u64>) {
        let place = self.len();
        self.turns.push(place, turn);
        self.splits.push(place, record.split);
        self.seeds.push(place, record.seed);
        self.lines
            .push(place, Some(record.line).filter(|&line| line > 0));
        self.scores.to_mut().push(record.score);
    }

    /// Returns the scores whose split is wanted.
    pub(crate) fn on_splits(&self, is_wanted: impl Fn(u64) -> bool) -> Self {
        let wanted = self
            .iter()
            .filter(|score| score.split.is_some_and(&is_wanted));
        let mut kept = Self::default();
        for score in wanted {
            let record = Record {
                split: score.split,
                seed: score.seed,
                line: score.line,
                ..Record::new(ArmId::new(0), score.score)
            };
            kept.push_in_turn(&record, score.turn);
        }
        kept
    }

    /// Returns the number of scores.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Returns whether there are no scores.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// Returns the scores without their splits and seeds.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Returns each score with its split, seed and turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Score> + '_ {
        (0..self.len()).map(|place| Score {
            score: self.scores[place],
            split: self.splits.get(place),
            seed: self.seeds.get(place),
            line: self.lines.get(place).unwrap_or(0),
            turn: self.turns.get(place),
        })
    }

    /// Returns the scores on their splits if all are known, else as independent; none without a
    /// score.
    pub fn sample(&self) -> Option<Sample<'_>> {
        let sample = match &self.splits {
            Numbers::Places(0) => Sample::borrowed_rows(&self.scores),
            Numbers::All(splits) => Sample::borrowed(&self.scores, Some(splits)),
            _ => Sample::borrowed(&self.scores, None),
        };
        sample.ok()
    }

    /// Returns mean and standard deviation of the scores.
    pub fn moments(&self) -> Moments {
        self.scores.iter().copied().collect()
    }
}

impl FromIterator<Record> for ArmScores<'static> {
    fn from_iter<T: IntoIterator<Item = Record>>(records: T) -> Self {
        let mut scores = Self::default();
        for record in records {
            scores.push(&record);
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::ArmId;

    /// Tests that what comes out of columns is what went in, whichever numbers are known.
    #[test]
    fn columns_hold_what_records_say() {
        for known in 0..16_u64 {
            let records = (0..4).map(|k| Record {
                split: (known >> k & 1 == 1).then_some(k + 10),
                seed: (known >> (3 - k) & 1 == 1).then_some(k),
                line: k,
                ..Record::new(ArmId::new(0), k as f64)
            });
            let records: Vec<Record> = records.collect();
            let scores: ArmScores<'_> = records.iter().copied().collect();
            assert_eq!(scores.len(), 4);
            for (score, record) in scores.iter().zip(&records) {
                let expected = Score {
                    score: record.score,
                    split: record.split,
                    seed: record.seed,
                    turn: None,
                    line: record.line,
                };
                assert_eq!(score, expected);
            }
            let on_splits = (10..).zip([0.0, 1.0, 2.0, 3.0]);
            let expected = match known {
                15 => Sample::grouped(on_splits),
                _ => Sample::new([0.0, 1.0, 2.0, 3.0]),
            };
            assert_eq!(scores.sample(), expected.ok());
        }
    }

    #[test]
    fn borrowed_scores_are_numbered() {
        let scores = ArmScores::borrowed(&[0.5, 0.7], true);
        let second = scores.iter().nth(1).unwrap();
        assert_eq!((second.split, second.seed, second.line), (Some(1), None, 2));
        let apart = ArmScores::borrowed(&[0.5, 0.7], false);
        assert_eq!(apart.iter().next().unwrap().split, None);
        assert!(ArmScores::default().sample().is_none());
    }
}
