//! Keywords of Python about how scores are read, and tables that are given with them.

use crate::error::refused;
use fiesta_import::{VersionTable, plain_path, read_unpacked};
use fiesta_records::{
    ColumnNames, CountRecords, Format, Missing, Reading, RecordsError, gold, words,
};
use fiesta_report::tuning_curve::Failed;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Keywords about how scores are read, common to all analyses.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReadingKeywords {
    pub(crate) metric: Option<String>,
    /// Names of the columns that are arms, in a table with a column for each arm.
    arms: Vec<String>,
    pub(crate) bounds: Option<(f64, f64)>,
    paired_rows: bool,
    arm: Option<String>,
    split: Option<String>,
    seed: Option<String>,
    item: Option<String>,
    /// Name of the column of the right answers, in a table of predictions.
    gold: Option<String>,
    failed: Option<String>,
    /// Whether failures are kept for an analysis that counts them itself.
    keep_failures: bool,
}

impl ReadingKeywords {
    pub(crate) fn failed(&self) -> PyResult<Option<Failed>> {
        let failed = self.failed.as_deref();
        failed.map(|name| name.parse().map_err(refused)).transpose()
    }

    pub(crate) fn options(&self) -> Reading {
        let is_kept = self
            .failed
            .as_deref()
            .is_some_and(|failed| failed != "error");
        Reading {
            metric: self.metric.clone(),
            columns: ColumnNames {
                arm: self.arm.clone(),
                item: self.item.clone(),
                split: self.split.clone(),
                seed: self.seed.clone(),
            },
            arms: self.arms.clone(),
            bounds: self.bounds,
            keep_failures: self.keep_failures || is_kept,
            keep_missing: self.keep_failures || is_kept,
            keep_columns: true,
            paired_rows: self.paired_rows,
            gold: self.gold.clone(),
            ..Reading::default()
        }
    }

    /// Returns the arms' counts for the positive label, notices about them, and the source's name
    /// for messages.
    pub(crate) fn counts(
        &self,
        predictions: &GivenTable,
        positive: &str,
    ) -> PyResult<(CountRecords, Vec<String>, String)> {
        let options = Reading {
            missing: match self.failed()? {
                Some(Failed::Drop) => Some(Missing::Drop),
                Some(Failed::Worst) => Some(Missing::Fail),
                _ => None,
            },
            ..self.options()
        };
        let (bytes, format, source) = match predictions {
            GivenTable::Json { lines } => (
                lines.as_bytes().to_vec(),
                Some(Format::JsonLines),
                "row".to_owned(),
            ),
            GivenTable::File(path) => {
                let source = words::file(path);
                let bytes = read_unpacked(path).map_err(RecordsError::unread(&source));
                let format = Format::of_path(plain_path(path));
                (bytes.map_err(refused)?, format, source)
            }
        };
        let counts = gold::counts(&bytes, format, &options, positive, &source);
        let (counts, notices) = counts.map_err(refused)?;
        Ok((counts, notices, source))
    }
}

/// A table as JSON lines, or in a file.
#[derive(FromPyObject)]
pub(crate) enum GivenTable {
    File(PathBuf),
    Json {
        #[pyo3(item)]
        lines: String,
    },
}

impl GivenTable {
    pub(crate) fn of_version(&self) -> VersionTable<'_> {
        match self {
            Self::File(path) => VersionTable::File(path),
            Self::Json { lines } => VersionTable::JsonLines(lines),
        }
    }
}
