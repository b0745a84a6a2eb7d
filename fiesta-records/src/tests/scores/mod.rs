//! Tables of scores that are read and that are refused.

mod failures;
mod forms;
mod items;
mod refusals;
mod rows_as_splits;

use crate::{Format, ReadOptions, Records, RecordsError, read_from};

fn read(text: &str) -> Result<Records, RecordsError> {
    let options = ReadOptions {
        bounds: Some((0.0, 1.0)),
        ..ReadOptions::default()
    };
    read_from(text.as_bytes(), Some(Format::Csv), &options, "s.csv")
}

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

/// Reads a text with its failures and the user's own columns.
fn all(text: &str) -> Result<Records, RecordsError> {
    let options = ReadOptions {
        keep_failures: true,
        keep_missing: true,
        keep_columns: true,
        ..ReadOptions::default()
    };
    read_from(text.as_bytes(), None, &options, "s")
}

/// Reads a table with the columns `a` and `b` as those of arms, and its rows as splits.
fn paired_columns() -> ReadOptions {
    ReadOptions {
        arms: vec!["a".to_owned(), "b".to_owned()],
        paired_rows: true,
        ..ReadOptions::default()
    }
}

fn paired(text: &str) -> Result<Records, RecordsError> {
    let options = ReadOptions {
        keep_failures: true,
        paired_rows: true,
        ..ReadOptions::default()
    };
    read_from(text.as_bytes(), None, &options, "s")
}
