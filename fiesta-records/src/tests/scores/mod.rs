//! Tables of scores that are read and that are refused.

mod failures;
mod forms;
mod items;
mod lines;
mod notations;
mod refusals;
mod rows_as_splits;

use crate::{Evaluations, Format, Reading, RecordsError, read_from};

fn read(text: &str) -> Result<Evaluations, RecordsError> {
    let options = Reading {
        bounds: Some((0.0, 1.0)),
        ..Reading::default()
    };
    read_from(text.as_bytes(), Some(Format::Csv), &options, "s.csv")
}

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

/// Reads a text with its failures and the user's own columns.
fn all(text: &str) -> Result<Evaluations, RecordsError> {
    let options = Reading {
        keep_failures: true,
        keep_missing: true,
        keep_columns: true,
        ..Reading::default()
    };
    read_from(text.as_bytes(), None, &options, "s")
}

/// Reads a table with the columns `a` and `b` as those of arms, and its rows as splits.
fn paired_columns() -> Reading {
    Reading {
        arms: vec!["a".to_owned(), "b".to_owned()],
        paired_rows: true,
        ..Reading::default()
    }
}

fn paired(text: &str) -> Result<Evaluations, RecordsError> {
    let options = Reading {
        keep_failures: true,
        paired_rows: true,
        ..Reading::default()
    };
    read_from(text.as_bytes(), None, &options, "s")
}
