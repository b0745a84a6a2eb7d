//! The bad rows of a file, of which the first and the number are told.

use super::{RecordsError, RowProblem};

/// The bad rows that were met so far.
#[derive(Debug, Default)]
pub(super) struct Problems {
    /// The one with the lowest line.
    first: Option<(u64, RowProblem)>,
    count: u64,
}

impl Problems {
    /// Counts a bad row.
    pub(super) fn add(&mut self, line: u64, problem: RowProblem) {
        self.count += 1;
        if self.first.as_ref().is_none_or(|&(first, _)| line < first) {
            self.first = Some((line, problem));
        }
    }

    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        self.count > 0
    }

    /// Refuses the file if there is any.
    pub(super) fn finish(self, file: &str) -> Result<(), RecordsError> {
        match self.first {
            None => Ok(()),
            Some((line, problem)) => Err(RecordsError::Row {
                file: file.to_owned(),
                line,
                problem,
                further: self.count - 1,
            }),
        }
    }
}
