//! Confusion counts of arms on documents.

mod read;

pub(crate) use read::read;

use crate::{
    RowProblem,
    names::{Names, check_name},
    number::{check_expense, no_count},
    words::excerpt,
};
use fiesta_core::{ArmId, Counts};
use std::collections::HashMap;

/// Record of what one arm got right and wrong on one document. Both are numbers into the names of
/// the [`CountRecords`], or, as in [`CountRecords::push`] and [`CountRecords::named`], names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountRecord<A = ArmId, D = u64> {
    /// The arm that was evaluated.
    pub arm: A,
    /// Document on which the arm was evaluated.
    pub document: D,
    /// Counts of what was right and wrong.
    pub counts: Counts,
    /// The cost of the evaluation, in the user's unit.
    pub cost: Option<f64>,
    /// Duration of the evaluation, in seconds.
    pub duration: Option<f64>,
    /// The line of the file on which the record begins, from 1; 0 without a file.
    pub line: u64,
}

impl<A, D> CountRecord<A, D> {
    /// Makes a record of counts, without cost and duration.
    pub fn new(arm: A, document: D, counts: Counts) -> Self {
        Self {
            arm,
            document,
            counts,
            cost: None,
            duration: None,
            line: 0,
        }
    }

    /// Returns this record with another arm and document, which may be of other types.
    fn with<B, E>(&self, arm: B, document: E) -> CountRecord<B, E> {
        CountRecord {
            arm,
            document,
            counts: self.counts,
            cost: self.cost,
            duration: self.duration,
            line: self.line,
        }
    }
}

impl CountRecord<&str, &str> {
    /// Returns the arm and the document for a message.
    fn in_words(&self) -> String {
        let [arm, document] = [self.arm, self.document].map(excerpt);
        format!("`{arm}` on document `{document}`")
    }
}

/// An evaluation of a document that failed, and has no counts.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedCounts {
    /// The name of the candidate.
    pub arm: String,
    /// The name of the document, if the file names documents.
    pub document: Option<String>,
    /// The cost of the evaluation, in the user's unit.
    pub cost: Option<f64>,
    /// Duration of the evaluation, in seconds.
    pub duration: Option<f64>,
    /// The line of the file on which the record begins, from 1.
    pub line: u64,
}

/// Confusion counts of arms on documents, in the order of the file, and the names of both in the
/// order of their first appearance. Every arm has at least one record, and at most one on each
/// document.
///
/// # Example
/// ```
/// use fiesta_core::Counts;
/// use fiesta_records::{CountRecord, CountRecords};
/// let mut records = CountRecords::default();
/// let counts = Counts { true_positives: 12, false_positives: 4, false_negatives: 3, ..Counts::default() };
/// records.push(CountRecord::new("tagger", "news-17", counts))?;
/// records.push(CountRecord { cost: Some(0.1), ..CountRecord::new("api", "news-17", counts) })?;
/// assert_eq!(records.arms(), ["tagger", "api"]);
/// assert_eq!(records.documents(), ["news-17"]);
/// assert!(records.push(CountRecord::new("api", "news-17", counts)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CountRecords {
    arms: Names,
    documents: Names,
    all: Vec<CountRecord>,
    /// Place of each record in the list of records, by the numbers of its arm and document.
    places: HashMap<(usize, usize), usize>,
}

impl CountRecords {
    /// Adds a record of an arm's counts on a document. Its arm and its document get the next
    /// numbers if their names are new; white space around the names is dropped.
    ///
    /// # Errors
    /// [`RowProblem`], and nothing is added, if a name is empty or contains control characters, a
    /// count is larger than [`Counts::LARGEST`], the cost or the duration is negative or not
    /// finite, or the arm has a record on the document.
    pub fn push(&mut self, record: CountRecord<&str, &str>) -> Result<(), RowProblem> {
        let (arm, document) = (record.arm.trim(), record.document.trim());
        let (no_arm, no_document) = (RowProblem::EmptyArm, missing("document"));
        check_name(arm, no_arm.clone())?;
        check_name(document, no_document.clone())?;
        if let Some((field, sum)) = too_large(&record.counts) {
            return Err(no_count(field, &sum.to_string()));
        }
        for (field, value) in [("cost", record.cost), ("duration", record.duration)] {
            check_expense(field, value)?;
        }
        if let Some(place) = self.place(arm, document) {
            let on_line = match self.all[place].line {
                0 => String::new(),
                line => format!(", on line {line}"),
            };
            return Err(RowProblem::refused(format!(
                "`{}` has counts on document `{}` already{on_line}: keep one of the two, or tell the rows of several classes apart by a column `class`",
                excerpt(arm),
                excerpt(document)
            )));
        }
        let arm = self.arms.number(arm, no_arm)?;
        let document = self.documents.number(document, no_document)?;
        self.places.insert((arm, document), self.all.len());
        self.all.push(record.with(ArmId::new(arm), document as u64));
        Ok(())
    }

    /// Returns the place of the record of an arm on a document. `None` if there is no record.
    fn place(&self, arm: &str, document: &str) -> Option<usize> {
        let key = (self.arms.find(arm)?, self.documents.find(document)?);
        self.places.get(&key).copied()
    }

    /// Returns the names of the arms, in the order of their first appearance.
    pub fn arms(&self) -> &[String] {
        self.arms.all()
    }

    /// Returns the names of the documents, in the order of their first appearance.
    pub fn documents(&self) -> &[String] {
        self.documents.all()
    }

    /// Returns the arm with this name.
    pub fn find(&self, name: &str) -> Option<ArmId> {
        self.arms.find(name).map(ArmId::new)
    }

    /// Returns all records, in the order in which they were read or added.
    pub fn records(&self) -> &[CountRecord] {
        &self.all
    }

    /// Returns all records, with the names of their arms and documents.
    pub fn named(&self) -> impl ExactSizeIterator<Item = CountRecord<&str, &str>> {
        // Documents are numbered from 0 to the number of names, which are in memory.
        #[allow(clippy::cast_possible_truncation, reason = "a place in memory")]
        self.all.iter().map(|record| {
            record.with(
                self.arms()[record.arm.index()].as_str(),
                self.documents()[record.document as usize].as_str(),
            )
        })
    }

    /// The records of each arm, the arms in the order of [`arms`](Self::arms), the records in that
    /// of the file.
    pub fn by_arm(&self) -> Vec<Vec<CountRecord>> {
        let mut by_arm = vec![Vec::new(); self.arms().len()];
        for record in &self.all {
            by_arm[record.arm.index()].push(*record);
        }
        by_arm
    }
}

/// The columns of counts, in the order of [`Counts::cells`].
pub(crate) const CELLS: [&str; 4] = ["tp", "fp", "tn", "fn"];

/// Returns the first count that is too large, and its name.
fn too_large(counts: &Counts) -> Option<(&'static str, u64)> {
    let mut cells = CELLS.into_iter().zip(counts.cells());
    cells.find(|&(_, count)| count > Counts::LARGEST)
}

fn missing(field: &'static str) -> RowProblem {
    RowProblem::Missing { field }
}
