//! A table with its header, whatever the columns hold.

use super::{
    HeaderProblem, RecordsError, RowProblem,
    cell::original,
    rows::{Next, Rows},
};
use csv::StringRecord;

/// A table whose header was read, and whose rows come next.
pub(super) struct Sheet<'a> {
    rows: Rows<'a>,
    row: StringRecord,
    names: Vec<String>,
    /// The line of the header.
    line: u64,
    file: &'a str,
}

impl<'a> Sheet<'a> {
    /// Reads the header; none in a text without any row.
    pub(super) fn open(
        text: &'a str,
        delimiter: u8,
        file: &'a str,
    ) -> Result<Option<Self>, RecordsError> {
        let mut sheet = Self {
            rows: Rows::new(text, delimiter),
            row: StringRecord::new(),
            names: Vec::new(),
            line: 1,
            file,
        };
        match sheet.next()? {
            Next::End => Ok(None),
            Next::Row(line) => {
                sheet.line = line;
                let names = sheet.row.iter().map(|name| name.trim().to_owned());
                sheet.names = names.collect();
                Ok(Some(sheet))
            }
            Next::Broken(line, problem) => {
                sheet.line = line;
                Err(sheet.broken(problem))
            }
        }
    }

    /// The names of the columns, without white space around them and without what keeps formulas from being run.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.names.iter();
        names.map(|name| original(name).into_owned()).collect()
    }

    /// The names of the columns as they stand, without white space around them.
    pub(super) fn raw_names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// The header does not say what the columns hold.
    pub(super) fn refused(&self, problem: HeaderProblem) -> RecordsError {
        RecordsError::Header {
            file: self.file.to_owned(),
            line: self.line,
            problem,
        }
    }

    /// The header is bad as a row.
    pub(super) fn broken(&self, problem: RowProblem) -> RecordsError {
        RecordsError::Row {
            file: self.file.to_owned(),
            line: self.line,
            problem,
            further: 0,
        }
    }

    /// Hands over every row with its line, or what is wrong with it; `what` is what there should be at least one row of.
    pub(super) fn each(
        &mut self,
        what: &'static str,
        mut take: impl FnMut(u64, Result<&StringRecord, RowProblem>),
    ) -> Result<(), RecordsError> {
        let mut any = false;
        loop {
            match self.next()? {
                Next::Row(line) => take(line, Ok(&self.row)),
                Next::Broken(line, problem) => take(line, Err(problem)),
                Next::End if any => return Ok(()),
                Next::End => {
                    return Err(RecordsError::NoRows {
                        file: self.file.to_owned(),
                        what,
                    });
                }
            }
            any = true;
        }
    }

    fn next(&mut self) -> Result<Next, RecordsError> {
        let failed = |source| RecordsError::Io {
            file: self.file.to_owned(),
            source,
        };
        self.rows.next(&mut self.row).map_err(failed)
    }
}

/// Refuses a row that is longer or shorter than the header.
pub(super) fn full(row: &StringRecord, width: usize) -> Result<(), RowProblem> {
    if row.len() == width {
        Ok(())
    } else {
        Err(fields(row, width))
    }
}

pub(super) fn fields(row: &StringRecord, width: usize) -> RowProblem {
    RowProblem::Fields {
        found: row.len(),
        expected: width,
    }
}
