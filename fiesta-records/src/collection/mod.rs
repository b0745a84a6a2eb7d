//! Evaluations of one metric: records with a score, failures, and columns of the user's own.

mod derived;
mod numbers;
mod records;

use super::{
    Failed, Folds, Record, RecordsError, Row, RowProblem,
    names::{Cells, Columns, Names, check_name},
    number::{check_expense, check_finite},
};
use fiesta_core::{ArmId, Direction, MetricError};
pub use numbers::Numbers;
pub use records::Records;
use std::iter;

/// Evaluations of one metric, in the order of the file, and the names of their arms, in the order
/// of their first appearance; apart from them, those that failed. Every arm has at least one record
/// or failure, every score is finite.
///
/// # Example
/// ```
/// use fiesta_records::{Record, Evaluations};
/// let mut records = Evaluations::new("f1")?;
/// records.push(Record::new("lstm", 0.71))?;
/// records.push(Record { split: Some(3), ..Record::new("gru", 0.69) })?;
/// records.push(Record::new("lstm", 0.73))?;
/// assert_eq!(records.arms(), ["lstm", "gru"]);
/// assert_eq!(records.by_arm(), [vec![0.71, 0.73], vec![0.69]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluations {
    pub(crate) metric: String,
    arms: Names,
    /// Names of the items, if there are any. If there are any, every row's split is an item's
    /// number.
    items: Names,
    pub(crate) all: Records,
    pub(crate) failures: Vec<Failed>,
    /// Number of records that precede each failure in the file.
    before: Vec<usize>,
    columns: Columns,
    pub(crate) file: OfFile,
}

/// Facts about the file that the evaluations were read from.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "how a file was read is known by facts that do not follow from one another"
)]
pub(crate) struct OfFile {
    /// Whether the records are from a file with a column for each arm.
    pub(crate) wide: bool,
    /// Whether the split of a record is its row in the file.
    pub(crate) rows_are_splits: bool,
    /// Why the splits are taken for folds of a cross-validation. `None` if they are not.
    pub(crate) folds: Option<Folds>,
    /// Number of empty cells between scores of an arm, and the line of the first.
    pub(crate) gaps: Option<(usize, u64)>,
    /// Better direction of the scores, as comments above the header say.
    pub(crate) said_above: Option<Direction>,
    /// Whether each row of the file is a system, and each column a data set.
    pub(crate) rows_are_systems: bool,
    /// Whether each split or item is a data set.
    pub(crate) on_data_sets: bool,
    /// Lines on what was read in another way than it is written, or left out.
    pub(crate) remarks: Vec<String>,
}

/// Place of an evaluation's row: among the records, or among the failures.
pub(crate) enum Place {
    Record(usize),
    Failure(usize),
}

impl Evaluations {
    /// Returns records of the metric with this name, without any evaluation yet.
    ///
    /// # Errors
    /// [`RecordsError::Metric`] if the name is blank, [`RecordsError::ReservedMetric`] if it is
    /// `arm`, `item`, `split`, `seed`, `status` or `document`.
    pub fn new(metric: impl Into<String>) -> Result<Self, RecordsError> {
        let metric: String = metric.into();
        match metric.trim() {
            "" => Err(RecordsError::Metric(MetricError::Unnamed)),
            reserved @ ("arm" | "item" | "split" | "seed" | "status" | "document") => {
                Err(RecordsError::ReservedMetric(reserved.to_owned()))
            }
            trimmed => Ok(Self::empty(trimmed.to_owned())),
        }
    }

    fn empty(metric: String) -> Self {
        Self {
            metric,
            arms: Names::default(),
            items: Names::default(),
            all: Records::default(),
            failures: Vec::new(),
            before: Vec::new(),
            columns: Columns::default(),
            file: OfFile::default(),
        }
    }

    /// The number of the item with this name, which is given one if it is new; white space around
    /// the name is dropped. Where there are items, every record's split is the number of its item.
    ///
    /// # Errors
    /// [`RowProblem`] if the name is empty or contains control characters, or there are records
    /// without an item already.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Record, Evaluations};
    /// let mut records = Evaluations::new("accuracy")?;
    /// let answers = [("large", "q-17", 1.0), ("small", "q-17", 0.0), ("small", "q-3", 1.0)];
    /// for (arm, item, score) in answers {
    ///     let split = Some(records.item(item)?);
    ///     records.push(Record { split, ..Record::new(arm, score) })?;
    /// }
    /// assert_eq!(records.items(), ["q-17", "q-3"]);
    /// let items: Vec<_> = records.rows().map(|row| row.item).collect();
    /// assert_eq!(items, [Some("q-17"), Some("q-17"), Some("q-3")]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn item(&mut self, name: &str) -> Result<u64, RowProblem> {
        if self.items().is_empty() && !(self.all.is_empty() && self.failures.is_empty()) {
            return Err(RowProblem::ItemOfSome);
        }
        let empty = RowProblem::Missing { field: "item" };
        self.items
            .number_apart(name.trim(), empty)
            .map(|number| number as u64)
    }

    /// Adds a record of an evaluation. Its arm gets the next number if its name is new; white space
    /// around the name is dropped. Whether the same evaluation was added before is not looked at.
    ///
    /// # Errors
    /// [`RowProblem`], and nothing is added, if the name is empty or contains control characters, a
    /// number is not finite, the cost or the duration is negative, or the score is the cost (the
    /// metric's name says so) and a cost is given apart; likewise the duration; and if there are
    /// [`items`](Self::items) and the split is the number of none.
    pub fn push(&mut self, record: Record<&str>) -> Result<(), RowProblem> {
        self.push_with(record, iter::empty::<(&str, &str)>())
    }

    /// Adds a record with what the user's own columns say of the evaluation: names of columns and
    /// texts. A name that is new is a new column, the last; white space around names and texts is
    /// dropped.
    ///
    /// # Errors
    /// As [`push`](Self::push), and [`RowProblem`] if a column's name is empty, contains control
    /// characters, occurs twice or is that of a column with a meaning of its own.
    pub fn push_with<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        record: Record<&str>,
        others: impl IntoIterator<Item = (N, T)>,
    ) -> Result<(), RowProblem> {
        check_finite("score", record.score)?;
        self.check_expenses(record.cost, record.duration)?;
        self.check_item(record.split)?;
        let (arm, cells) = self.place(record.arm, others)?;
        self.columns.of_records.set(self.all.len(), cells);
        self.all.push(&record.with(arm, record.score));
        Ok(())
    }

    /// Adds an evaluation with its score, or one that failed if it has none.
    ///
    /// # Errors
    /// As [`push_with`](Self::push_with).
    pub fn push_scored<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        record: Failed<&str>,
        score: Option<f64>,
        others: impl IntoIterator<Item = (N, T)>,
    ) -> Result<(), RowProblem> {
        match score {
            Some(score) => self.push_with(record.with(record.arm, score), others),
            None => self.push_failure_with(record, others),
        }
    }

    /// Adds an evaluation that failed.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_failure(&mut self, failed: Failed<&str>) -> Result<(), RowProblem> {
        self.push_failure_with(failed, iter::empty::<(&str, &str)>())
    }

    /// Adds an evaluation that failed, with what the user's own columns say of it.
    ///
    /// # Errors
    /// As [`push_with`](Self::push_with).
    pub fn push_failure_with<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        failed: Failed<&str>,
        others: impl IntoIterator<Item = (N, T)>,
    ) -> Result<(), RowProblem> {
        self.check_expenses(failed.cost, failed.duration)?;
        self.check_item(failed.split)?;
        let (arm, cells) = self.place(failed.arm, others)?;
        self.columns.of_failures.set(self.failures.len(), cells);
        self.failures.push(failed.with(arm, ()));
        self.before.push(self.all.len());
        Ok(())
    }

    /// Adds one of the user's own columns before any row fills it, and returns its number; the old
    /// one if there is one with this name.
    ///
    /// # Errors
    /// As those about columns of [`push_with`](Self::push_with).
    pub fn add_column(&mut self, name: &str) -> Result<usize, RowProblem> {
        self.columns.number(name, &self.metric)
    }

    /// Refuses a split that is not the number of an item, if there are items.
    fn check_item(&self, split: Option<u64>) -> Result<(), RowProblem> {
        let items = self.items().len();
        if items > 0 && split.is_none_or(|split| split >= items as u64) {
            return Err(RowProblem::refused(format!(
                "there are {items} items, and the record names none of them by its split: take the number that `Evaluations::item` gave"
            )));
        }
        Ok(())
    }

    fn check_expenses(&self, cost: Option<f64>, duration: Option<f64>) -> Result<(), RowProblem> {
        for (field, value) in [("cost", cost), ("duration", duration)] {
            check_expense(field, value)?;
            if value.is_some() && self.metric == field {
                return Err(RowProblem::refused(format!(
                    "the score is the {field}, and yet the record gives a {field} apart: leave it out"
                )));
            }
        }
        Ok(())
    }

    /// Returns the number of a row's arm, and the cells of the row.
    fn place<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        arm: &str,
        others: impl IntoIterator<Item = (N, T)>,
    ) -> Result<(ArmId, Cells), RowProblem> {
        let arm = arm.trim();
        check_name(arm, RowProblem::EmptyArm)?;
        let cells = self.columns.cells(others, &self.metric)?;
        Ok((self.number(arm)?, cells))
    }

    /// Returns the number of the arm with this name; a new name gets a new number.
    pub(crate) fn number(&mut self, name: &str) -> Result<ArmId, RowProblem> {
        self.arms
            .number_apart(name, RowProblem::EmptyArm)
            .map(ArmId::new)
    }

    /// Returns the name of the score.
    pub fn metric(&self) -> &str {
        &self.metric
    }

    /// Returns the names of the arms, in the order of their first appearance.
    pub fn arms(&self) -> &[String] {
        self.arms.all()
    }

    /// The names of the items (questions, tasks, documents) that the arms were evaluated on, in the
    /// order of their first appearance; none if the records are not of items. A record's split is
    /// the place of its item here.
    pub fn items(&self) -> &[String] {
        self.items.all()
    }

    /// The name of the item of a row with this split.
    fn item_of(&self, split: Option<u64>) -> Option<&str> {
        let place = usize::try_from(split?).ok()?;
        self.items().get(place).map(String::as_str)
    }

    /// Returns the arm with this name.
    pub fn find(&self, name: &str) -> Option<ArmId> {
        self.arms.find(name).map(ArmId::new)
    }

    /// Returns all records, in the order in which they were read or added.
    pub fn records(&self) -> &Records {
        &self.all
    }

    /// Returns all records, with the names of their arms in place of numbers.
    pub fn named(&self) -> impl ExactSizeIterator<Item = Record<&str>> {
        let name = |arm: ArmId| self.arms()[arm.index()].as_str();
        let named = self.all.iter();
        named.map(move |record| record.with(name(record.arm), record.score))
    }

    /// Returns the evaluations that failed, in the order in which they were read or added.
    pub fn failures(&self) -> &[Failed] {
        &self.failures
    }

    /// Returns the names of the user's own columns that were kept, in their order.
    pub fn columns(&self) -> &[String] {
        self.columns.names()
    }

    /// The number of the column of the user's own with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.find(name)
    }

    /// How many cells of a table with a column for each arm are empty although a score of the same
    /// arm follows, and the line of the first: evaluations that nobody made, unless they failed.
    pub fn gaps(&self) -> Option<(usize, u64)> {
        self.file.gaps
    }

    /// Returns a line on everything that was read in another way than it is written, or left out:
    /// percent signs, words of truth, comments, rows of means. A decimal comma is not worth one.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Reading, read_from};
    /// let csv = "arm,score\nlstm,71.5%\ngru,69%\n";
    /// let records = read_from(csv.as_bytes(), None, &Reading::default(), "runs.csv")?;
    /// assert_eq!(records.by_arm(), [[71.5], [69.0]]);
    /// let remark = "`score`: numbers have percent signs (`71.5%`), and scores are percentages";
    /// assert_eq!(records.remarks(), [remark]);
    /// # Ok::<(), fiesta_records::RecordsError>(())
    /// ```
    pub fn remarks(&self) -> &[String] {
        &self.file.remarks
    }

    /// Returns the text that a user's column has for a record: `record` is an index into
    /// [`records`](Self::records), `column` an index into [`columns`](Self::columns). `None` if the
    /// cell is empty.
    pub fn cell(&self, record: usize, column: usize) -> Option<&str> {
        self.columns.of_records.row(record).get(column)?.as_deref()
    }

    /// Returns what a column of the user's own says of the failure at this place of
    /// [`failures`](Self::failures); none if nothing.
    pub fn failure_cell(&self, failure: usize, column: usize) -> Option<&str> {
        self.columns
            .of_failures
            .row(failure)
            .get(column)?
            .as_deref()
    }

    /// Returns evaluations and failures together, in the order in which they were read or added.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Failed, Record, Evaluations};
    /// let mut records = Evaluations::new("f1")?;
    /// records.push_failure(Failed { duration: Some(2.0), ..Record::failed("gru") })?;
    /// records.push_with(Record::new("gru", 0.69), [("lr", "0.1")])?;
    /// let rows: Vec<_> = records.rows().map(|row| (row.arm, row.score, row.cell(0))).collect();
    /// assert_eq!(rows, [("gru", None, None), ("gru", Some(0.69), Some("0.1"))]);
    /// assert_eq!((records.records().len(), records.failures().len()), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.places().map(|place| match place {
            Place::Record(place) => {
                let record = self.all.at(place);
                let cells = self.columns.of_records.row(place);
                self.row(&record, Some(record.score), cells)
            }
            Place::Failure(place) => {
                let cells = self.columns.of_failures.row(place);
                self.row(&self.failures[place], None, cells)
            }
        })
    }

    fn row<'a, S>(
        &'a self,
        record: &Record<ArmId, S>,
        score: Option<f64>,
        cells: &'a [Option<Box<str>>],
    ) -> Row<'a> {
        Row {
            arm: &self.arms()[record.arm.index()],
            score,
            item: self.item_of(record.split),
            split: record.split,
            seed: record.seed,
            cost: record.cost,
            duration: record.duration,
            line: record.line,
            cells,
        }
    }

    /// Returns the place of every evaluation's row, in the order of reading or adding.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let mut before = self.before.clone().into_iter().peekable();
        let (mut record, mut failure, records) = (0, 0, self.all.len());
        iter::from_fn(move || {
            if before.next_if_eq(&record).is_some() {
                failure += 1;
                return Some(Place::Failure(failure - 1));
            }
            record += 1;
            (record <= records).then(|| Place::Record(record - 1))
        })
    }

    /// The scores of each arm, the arms in the order of [`arms`](Self::arms), the scores in that of
    /// the file.
    pub fn by_arm(&self) -> Vec<Vec<f64>> {
        let mut scores = vec![Vec::new(); self.arms().len()];
        for record in self.all.iter() {
            scores[record.arm.index()].push(record.score);
        }
        scores
    }
}

#[cfg(test)]
mod tests;
