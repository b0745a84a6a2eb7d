//! Predictions beside the right answers: a table with a column of the right labels and a column of
//! predictions for each arm.
//!
//! ```csv
//! id,label,large,small
//! q1,yes,yes,no
//! q2,no,no,no
//! ```
//!
//! Each row is an item, called by a column of items if one tells all rows apart, and else by its
//! number. A prediction is right if it is the text of the label; white space around both is no part
//! of them. One that differs from a label in capital letters alone is refused, unless
//! [`Reading::arms`] names its column: it is wrong then. An empty prediction is a missing answer.
//! The arms are the columns of [`Reading::arms`], or else all others that hold a label.

mod predictions;

use crate::{
    ColumnRole, CountRecord, CountRecords, Evaluations, Format, HeaderProblem, Missing, Reading,
    Record, RecordsError, RowProblem,
    words::{excerpt, quoted},
};
use fiesta_core::Counts;
use predictions::Predictions;

/// The name of the score, unless another is given: the share of right answers.
const METRIC: &str = "accuracy";

/// Reads whether each prediction is right as a score, 1 or 0; and returns what is to be said of it, and
/// the role of each column.
///
/// # Errors
/// [`RecordsError`] if the file is no table or lacks a named column, the label is missing on a row
/// or the same on all, an item is on two rows, or a prediction is missing and
/// [`Reading::keep_missing`] does not keep it.
///
/// # Example
/// ```
/// use fiesta_records::{Reading, gold};
/// let csv = "id,label,large,small\nq1,yes,yes,no\nq2,no,no,no\n";
/// let options = Reading { gold: Some("label".into()), ..Reading::default() };
/// let (records, _, roles) = gold::scores(csv.as_bytes(), None, &options, "answers.csv")?;
/// assert_eq!(records.by_arm(), [[1.0, 1.0], [0.0, 1.0]]);
/// assert_eq!(records.items(), ["q1", "q2"]);
/// assert_eq!(roles[2].role.name(), "predictions of an arm");
/// # Ok::<(), fiesta_records::RecordsError>(())
/// ```
pub fn scores(
    bytes: &[u8],
    format: Option<Format>,
    options: &Reading,
    file: &str,
) -> Result<(Evaluations, Vec<String>, Vec<ColumnRole>), RecordsError> {
    let found = Predictions::read(bytes, format, options, file)?;
    let mut records = Evaluations::new(options.metric.as_deref().unwrap_or(METRIC))?;
    records.file.wide = true;
    found.each(|arm, item, gold, predicted, line| {
        if predicted.is_none() && !options.keep_missing {
            return Err(RowProblem::NoPrediction(excerpt(arm)));
        }
        let split = Some(records.item(item)?);
        let record = Record {
            split,
            line,
            ..Record::failed(arm)
        };
        let score = predicted.map(|label| f64::from(label == gold));
        records.push_scored(
            record,
            score,
            options.keep_columns.then_some(("gold", gold)),
        )
    })?;
    Ok((records, found.notices(), found.roles(options)))
}

/// Reads how each arm's predictions of one label, the positive one, compare with the right answers:
/// a document with a single count for each item, so that what is computed from them resamples items.
/// A prediction that is missing counts as wrong, or not at all, as [`Reading::missing_as`] says.
///
/// # Errors
/// As [`scores`], and [`RecordsError`] if no right answer is the positive label.
///
/// # Example
/// ```
/// use fiesta_core::Counts;
/// use fiesta_records::{Reading, gold};
/// let csv = "id,label,large,small\nq1,yes,yes,no\nq2,no,no,no\n";
/// let options = Reading { gold: Some("label".into()), ..Reading::default() };
/// let (records, _) = gold::counts(csv.as_bytes(), None, &options, "yes", "answers.csv")?;
/// assert_eq!(records.records()[0].counts, Counts::from_cells([1, 0, 0, 0]));
/// assert_eq!(records.records()[1].counts, Counts::from_cells([0, 0, 0, 1]));
/// # Ok::<(), fiesta_records::RecordsError>(())
/// ```
pub fn counts(
    bytes: &[u8],
    format: Option<Format>,
    options: &Reading,
    positive: &str,
    file: &str,
) -> Result<(CountRecords, Vec<String>), RecordsError> {
    let found = Predictions::read(bytes, format, options, file)?;
    let (positive, labels) = (positive.trim(), found.column(found.gold));
    if !labels.contains(positive) {
        return Err(found.refused(HeaderProblem::refused(format!(
            "no right answer (--gold) is `{}` (--positive), only {}",
            excerpt(positive),
            quoted(labels)
        ))));
    }
    let mut records = CountRecords::default();
    found.each(|arm, item, gold, predicted, line| {
        let is = gold == positive;
        let says = match (predicted, options.missing_as()) {
            (Some(label), _) => label == positive,
            (None, Some(Missing::Fail)) => !is,
            (None, Some(Missing::Drop)) => return Ok(()),
            (None, None) => return Err(RowProblem::NoPrediction(excerpt(arm))),
        };
        let cells = [is && says, !is && says, !is && !says, is && !says].map(u64::from);
        let record = CountRecord::new(arm, item, Counts::from_cells(cells));
        records.push(CountRecord { line, ..record })
    })?;
    Ok((records, found.notices()))
}
