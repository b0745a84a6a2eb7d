//! Where the rows of counts in every format end up: those of one arm on one document as a record.

use super::{CountRecord, CountRecords, missing, too_large};
use crate::{RecordsError, RowProblem, problem::excerpt, problems::Problems};
use fiesta_core::Counts;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

/// A row as it stands in a file.
pub(super) struct Row<'r> {
    pub(super) arm: Cow<'r, str>,
    /// None where rows do not name their documents.
    pub(super) document: Option<Cow<'r, str>>,
    /// None if the counts are of the document as a whole.
    pub(super) class: Option<Cow<'r, str>>,
    pub(super) counts: Counts,
    pub(super) cost: Option<f64>,
    pub(super) duration: Option<f64>,
    pub(super) line: u64,
}

/// Records on their way in.
#[derive(Debug, Default)]
pub(super) struct Collector {
    records: CountRecords,
    /// The lines of the classes of each record that consists of some.
    classes: HashMap<usize, BTreeMap<String, u64>>,
    /// Whether rows name their documents; the first row decides.
    named: Option<bool>,
    /// How many rows of each arm there are, where they do not.
    rows: HashMap<String, u64>,
    problems: Problems,
}

impl Collector {
    /// Adds a row that was understood, or counts one that was not.
    pub(super) fn take(&mut self, line: u64, row: Result<Row<'_>, RowProblem>) {
        if let Err(problem) = row.and_then(|row| self.add(row)) {
            self.refuse(line, problem);
        }
    }

    /// Counts a bad row.
    pub(super) fn refuse(&mut self, line: u64, problem: RowProblem) {
        self.problems.add(line, problem);
    }

    /// All records, if all rows are good.
    pub(super) fn finish(self, file: &str) -> Result<CountRecords, RecordsError> {
        self.problems.finish(file)?;
        if self.records.records().is_empty() {
            return Err(RecordsError::Empty {
                file: file.to_owned(),
                what: "counts",
            });
        }
        Ok(self.records)
    }

    fn add(&mut self, row: Row<'_>) -> Result<(), RowProblem> {
        let named = row.document.is_some();
        if *self.named.get_or_insert(named) != named {
            return Err(RowProblem::DocumentOfSome);
        }
        let document = match row.document {
            Some(document) => document,
            None if row.class.is_some() => return Err(RowProblem::ClassOfNothing),
            None => {
                let rows = self.rows.entry(row.arm.trim().to_owned()).or_default();
                *rows += 1;
                Cow::Owned(rows.to_string())
            }
        };
        let class = row.class.as_deref().map(str::trim);
        if class == Some("") {
            return Err(missing("class"));
        }
        let record = CountRecord {
            arm: row.arm.trim(),
            document: document.trim(),
            counts: row.counts,
            cost: row.cost,
            duration: row.duration,
            line: row.line,
        };
        let place = match self.records.place(record.arm, record.document) {
            // Both of the same whole, or a part and the whole: the record refuses itself.
            Some(place) if class.is_some() && self.classes.contains_key(&place) => place,
            _ => {
                self.records.push(record)?;
                if let Some(class) = class {
                    let lines = BTreeMap::from([(class.to_owned(), row.line)]);
                    self.classes.insert(self.records.all.len() - 1, lines);
                }
                return Ok(());
            }
        };
        self.add_class(place, class.unwrap_or_default(), &record)
    }

    /// Adds the counts of one more class to the record of its document.
    fn add_class(
        &mut self,
        place: usize,
        class: &str,
        added: &CountRecord<&str, &str>,
    ) -> Result<(), RowProblem> {
        let (arm, document) = (excerpt(added.arm), excerpt(added.document));
        let lines = self.classes.entry(place).or_default();
        if let Some(&first) = lines.get(class) {
            return Err(RowProblem::DuplicateClass {
                arm,
                document,
                class: excerpt(class),
                first,
            });
        }
        let record = &mut self.records.all[place];
        let first = record.line;
        let counts = record.counts + added.counts;
        if let Some((field, sum)) = too_large(&counts) {
            return Err(RowProblem::TooManyOfAllClasses {
                field,
                arm,
                document,
                sum,
            });
        }
        for (field, known, given) in [
            ("cost", &mut record.cost, added.cost),
            ("duration", &mut record.duration, added.duration),
        ] {
            match (*known, given) {
                (_, None) => {}
                (None, given) => *known = given,
                (Some(known), Some(given)) if known.total_cmp(&given).is_eq() => {}
                _ => {
                    return Err(RowProblem::Disagreement {
                        field,
                        arm,
                        document,
                        first,
                    });
                }
            }
        }
        record.counts = counts;
        lines.insert(class.to_owned(), added.line);
        Ok(())
    }
}
