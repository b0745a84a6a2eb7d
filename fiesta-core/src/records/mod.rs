//! Records: evaluations that were made already, read from files of scores and written to them. Files of confusion counts, which
//! documents have instead of scores, are those of [`CountRecords`].
//!
//! # The long form
//! A row per evaluation, in CSV (`.csv`; `.tsv` with tabs) or JSON lines (`.jsonl`, `.ndjson`; an object per
//! line, with the names of the columns as its keys):
//!
//! ```csv
//! arm,split,seed,score,cost,duration
//! lstm,0,17,0.71,0.02,31.5
//! ```
//!
//! | column | holds | needed |
//! |---|---|---|
//! | `arm` | the candidate's name | yes |
//! | `score`, or the name in [`Options::metric`] | a finite number, within [`Options::bounds`] | yes |
//! | `split`, `seed` | natural numbers: the [case](crate::Case) the evaluation was made on | no |
//! | `cost` | what it cost, ≥ 0, in the user's unit | no |
//! | `duration` | how long it took, ≥ 0, in seconds | no |
//!
//! Other columns, `document` among them, are the user's own and are not read. The metric may be called
//! `cost` or `duration`: that column is then the score, and nothing else. An empty field (`null` in JSON) in a
//! column that is not needed says that the value is not known. A row whose (arm, split, seed) has occurred
//! already is refused: it would count one evaluation twice.
//!
//! # The wide form
//! CSV without a column `arm`: every column is an arm, every row has at most one score of each.
//!
//! ```csv
//! lstm,gru,cnn
//! 0.71,0.69,0.70
//! 0.73,,0.72
//! 0.70,0.68
//! ```
//!
//! An arm with fewer scores has empty cells, or rows that end early: in this form alone, an empty cell means
//! that there is no score. The number of a row is *not* taken for a split, as nothing says that the scores on
//! one row share anything; a column `split` (and one called `seed`) does say so. A column `document` is not
//! read. A column with the metric's name is no arm, but the sign of a long form that lacks its column `arm`,
//! and is refused.
//!
//! # JSON
//! `{"lstm": [0.71, 0.73], "gru": [0.69]}`, or a list of objects with the keys of the long form.
//!
//! # Counts
//! A row per arm and document: CSV, JSON lines or a list of objects with `arm`, `document`, `tp`, `fp`, `fn` and, if there are any,
//! `tn`; `cost` and `duration` as above.
//!
//! ```csv
//! arm,document,tp,fp,tn,fn
//! tagger,news-17,12,4,0,3
//! ```
//!
//! Documents are numbered in the order of their first appearance. Without a column `document`, the rows of each arm are its
//! documents 1, 2, 3, … in the order of the file, so that the k-th row of one arm and of another are on the same document. With a
//! column `class`, the rows of several classes on one document are added up, which makes their F-measure the micro-average; the cost
//! and the duration are those of the document, so that they stand on one of its rows or are the same on all. An empty field is an
//! error, but for a cost or a duration that is not known.
//!
//! # What all formats have in common
//! Text is UTF-8, with or without a byte order mark; lines end in LF or CRLF; blank lines are no rows; white
//! space around a field is no part of it. A file is read whole or refused with the line of the first bad row:
//! nothing is skipped, and nothing is guessed.

mod collect;
mod counts;
mod cursor;
mod error;
mod format;
mod header;
mod json;
mod names;
mod number;
mod objects;
mod problem;
mod problems;
mod read;
mod rows;
mod sheet;
mod table;
mod write;

#[cfg(test)]
mod properties;

pub use counts::{CountRecord, CountRecords, read_counts, read_counts_from, write_counts_csv};
pub use error::{HeaderProblem, RecordsError};
pub use format::Format;
pub use problem::RowProblem;
pub use read::{Options, read, read_from};
pub use write::write_csv;

use crate::{ArmId, MetricError};
use names::Names;

/// One evaluation that was made. Its arm is a number into the names of its [`Records`], or, as in
/// [`Records::push`] and [`Records::named`], a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record<A = ArmId> {
    /// The candidate.
    pub arm: A,
    /// Its score, in the metric's own direction.
    pub score: f64,
    /// The number of the random train/test partition.
    pub split: Option<u64>,
    /// The seed of the run.
    pub seed: Option<u64>,
    /// What the evaluation cost, in the user's unit.
    pub cost: Option<f64>,
    /// How long it took, in seconds.
    pub duration: Option<f64>,
    /// The line on which it stands in the file, from 1; 0 if it comes from no file.
    pub line: u64,
}

impl<A> Record<A> {
    /// A record of which only the score is known.
    pub fn new(arm: A, score: f64) -> Self {
        Self {
            arm,
            score,
            split: None,
            seed: None,
            cost: None,
            duration: None,
            line: 0,
        }
    }

    /// The same record under another notion of its arm.
    fn with_arm<B>(&self, arm: B) -> Record<B> {
        Record {
            arm,
            score: self.score,
            split: self.split,
            seed: self.seed,
            cost: self.cost,
            duration: self.duration,
            line: self.line,
        }
    }
}

/// Evaluations of one metric, in the order of the file, and the names of their arms, in the order of their
/// first appearance. Every arm has at least one record, every score is finite.
///
/// # Example
/// ```
/// use fiesta_core::records::{Record, Records};
/// let mut records = Records::new("f1")?;
/// records.push(Record::new("lstm", 0.71))?;
/// records.push(Record { split: Some(3), ..Record::new("gru", 0.69) })?;
/// records.push(Record::new("lstm", 0.73))?;
/// assert_eq!(records.arms(), ["lstm", "gru"]);
/// assert_eq!(records.by_arm(), [vec![0.71, 0.73], vec![0.69]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    metric: String,
    arms: Names,
    all: Vec<Record>,
}

impl Records {
    /// No records yet, of the metric with this name.
    ///
    /// # Errors
    /// [`RecordsError::Metric`] if the name is blank, [`RecordsError::ReservedMetric`] if it is `arm`,
    /// `split`, `seed` or `document`.
    pub fn new(metric: impl Into<String>) -> Result<Self, RecordsError> {
        let metric: String = metric.into();
        match metric.trim() {
            "" => Err(RecordsError::Metric(MetricError::Unnamed)),
            reserved @ ("arm" | "split" | "seed" | "document") => {
                Err(RecordsError::ReservedMetric(reserved.to_owned()))
            }
            trimmed => Ok(Self {
                metric: trimmed.to_owned(),
                arms: Names::default(),
                all: Vec::new(),
            }),
        }
    }

    /// Adds a record. Its arm gets the next number if its name is new; white space around the name is
    /// dropped. Whether the same evaluation was added before is not looked at.
    ///
    /// # Errors
    /// [`RowProblem`], and nothing is added, if the name is empty or contains control characters, a number is
    /// not finite, the cost or the duration is negative, or the score is the cost (the metric's name says so)
    /// and a cost is given apart; likewise the duration.
    pub fn push(&mut self, record: Record<&str>) -> Result<(), RowProblem> {
        let finite = |field, value: Option<f64>| match value {
            Some(value) if !value.is_finite() => Err(RowProblem::NotFinite {
                field,
                found: value.to_string(),
            }),
            _ => Ok(()),
        };
        finite("score", Some(record.score))?;
        for (field, value) in [("cost", record.cost), ("duration", record.duration)] {
            finite(field, value)?;
            match value {
                Some(value) if value < 0.0 => {
                    let found = value.to_string();
                    return Err(RowProblem::Negative { field, found });
                }
                Some(_) if self.metric == field => return Err(RowProblem::ScoreTwice { field }),
                _ => {}
            }
        }
        let arm = self.number(record.arm.trim())?;
        self.all.push(record.with_arm(arm));
        Ok(())
    }

    /// The number of the arm with this name, which is given one if it is new.
    fn number(&mut self, name: &str) -> Result<ArmId, RowProblem> {
        self.arms.number(name, RowProblem::EmptyArm).map(ArmId::new)
    }

    /// What the score is called.
    pub fn metric(&self) -> &str {
        &self.metric
    }

    /// The names of the arms, in the order of their first appearance.
    pub fn arms(&self) -> &[String] {
        self.arms.all()
    }

    /// The arm with this name.
    pub fn find(&self, name: &str) -> Option<ArmId> {
        self.arms.find(name).map(ArmId::new)
    }

    /// All records, in the order in which they were read or added.
    pub fn records(&self) -> &[Record] {
        &self.all
    }

    /// All records, with the names of their arms.
    pub fn named(&self) -> impl ExactSizeIterator<Item = Record<&str>> {
        self.all
            .iter()
            .map(|record| record.with_arm(self.arms()[record.arm.index()].as_str()))
    }

    /// The scores of each arm, the arms in the order of [`arms`](Self::arms), the scores in that of the file.
    pub fn by_arm(&self) -> Vec<Vec<f64>> {
        let mut counts = vec![0; self.arms().len()];
        for record in &self.all {
            counts[record.arm.index()] += 1;
        }
        let mut scores: Vec<Vec<f64>> = counts.into_iter().map(Vec::with_capacity).collect();
        for record in &self.all {
            scores[record.arm.index()].push(record.score);
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_record() {
        let mut records = Records::new("duration").unwrap();
        let good = Record::new("a", 1.0);
        let mut refused = |record| records.push(record).unwrap_err().to_string();
        assert!(refused(Record::new(" ", 1.0)).contains("empty"));
        assert!(refused(Record::new("a\tb", 1.0)).contains("`a\\tb` contains"));
        assert!(refused(Record::new("a", f64::NAN)).contains("score `NaN` is not finite"));
        let negative = Record {
            cost: Some(-1.0),
            ..good
        };
        assert!(refused(negative).contains("cost `-1` is negative"));
        let infinite = Record {
            cost: Some(f64::INFINITY),
            ..good
        };
        assert!(refused(infinite).contains("cost `inf` is not finite"));
        let twice = Record {
            duration: Some(1.0),
            ..good
        };
        assert!(refused(twice).contains("leave it out"));
        assert!(records.records().is_empty());
        assert!(records.arms().is_empty());
    }

    #[test]
    fn a_metric_has_a_name_of_its_own() {
        assert!(matches!(
            Records::new(" "),
            Err(RecordsError::Metric(MetricError::Unnamed))
        ));
        assert!(matches!(
            Records::new("seed"),
            Err(RecordsError::ReservedMetric(_))
        ));
        assert_eq!(Records::new(" f1 ").unwrap().metric(), "f1");
    }

    #[test]
    fn names_are_numbered_once() {
        let mut records = Records::new("score").unwrap();
        for name in ["b", "a", " b ", "c"] {
            records.push(Record::new(name, 0.0)).unwrap();
        }
        assert_eq!(records.arms(), ["b", "a", "c"]);
        assert_eq!(records.find("a"), Some(ArmId::new(1)));
        assert_eq!(records.find("d"), None);
        let names: Vec<&str> = records.named().map(|record| record.arm).collect();
        assert_eq!(names, ["b", "a", "b", "c"]);
    }
}
