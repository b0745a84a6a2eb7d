//! Reading of rows of confusion counts, and of all rows of a file into one collection.

use super::{CELLS, CountRecord, CountRecords, FailedCounts, missing, too_large};
use crate::{
    Format, HeaderProblem, RecordsError, RowProblem,
    number::{count, expense},
    rows::{self, Cell, Problems, Row, Schema, Sheet},
    status::is_failed,
    words::{excerpt, quoted},
};
use fiesta_core::Counts;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

/// The columns that are read, the counts in the order of [`Counts::cells`].
const COLUMNS: [&str; 10] = [
    "arm", "document", "class", "status", CELLS[0], CELLS[1], CELLS[2], CELLS[3], "cost",
    "duration",
];

/// The count that may be left out, for 0: where entities are recognised, there is nothing that was
/// rightly not found.
const OPTIONAL: &str = "tn";

/// Reads the bytes of a file of confusion counts.
///
/// Evaluations whose `status` says that they failed are kept apart, or refused.
pub(crate) fn read(
    bytes: &[u8],
    format: Option<Format>,
    file: &str,
    keep_failures: bool,
) -> Result<(CountRecords, Vec<FailedCounts>), RecordsError> {
    let mut schema = DocumentCounts {
        keep_failures,
        ..DocumentCounts::default()
    };
    rows::read(bytes, format, &mut schema, file, Vec::new())?;
    let empty = schema.records.records().is_empty() && schema.failures.is_empty();
    schema.problems.finish(file, empty, DocumentCounts::HELD)?;
    Ok((schema.records, schema.failures))
}

/// Collects the counts of documents while a file is read.
#[derive(Debug, Default)]
struct DocumentCounts {
    records: CountRecords,
    /// Lines of the classes whose counts were added up to a record: by record, and by the name of the class.
    classes: HashMap<usize, BTreeMap<String, u64>>,
    /// Whether rows name their documents; the first row decides.
    named: Option<bool>,
    /// Number of rows of each arm, in a file whose rows do not name their documents.
    rows: HashMap<String, u64>,
    problems: Problems,
    keep_failures: bool,
    failures: Vec<FailedCounts>,
}

impl Schema<10> for DocumentCounts {
    const HELD: &'static str = "counts";
    const EXAMPLE: &'static str =
        r#"{"arm": "tagger", "document": "d1", "tp": 12, "fp": 4, "fn": 3}"#;
    const DOCUMENT: &'static str =
        "expected `[`, for a list of objects with the keys arm, document, tp, fp and fn";

    fn columns(&self) -> [&str; 10] {
        COLUMNS
    }

    fn row(&mut self, row: &Row<'_, 10>) -> Result<(), RowProblem> {
        let [arm, document, class, status, cells @ .., cost, duration] = row.cells;
        let arm = row.arm(arm)?;
        let document = document.map(|cell| cell.name("document")).transpose()?;
        let status = status.map_or(Ok("".into()), |cell| cell.string(RowProblem::StatusNotText))?;
        if is_failed(&status)? {
            if !self.keep_failures {
                return Err(RowProblem::Failed(excerpt(status.trim())));
            }
            let expense_of = |field, cell: Option<Cell<'_>>| {
                let digits = cell.map(|cell| cell.digits(field)).transpose()?;
                expense(field, digits.unwrap_or_default())
            };
            self.failures.push(FailedCounts {
                arm: arm.trim().to_owned(),
                document: document.map(|document| document.trim().to_owned()),
                cost: expense_of("cost", cost)?,
                duration: expense_of("duration", duration)?,
                line: row.line,
            });
            return Ok(());
        }
        let class = class.map(|cell| cell.name("class")).transpose()?;
        let mut texts = [None; 6];
        let fields = CELLS.into_iter().chain(["cost", "duration"]);
        let values = cells.into_iter().chain([cost, duration]);
        for ((text, key), cell) in texts.iter_mut().zip(fields).zip(values) {
            *text = cell.map(|cell| cell.digits(key)).transpose()?;
            if text.is_none() && CELLS.contains(&key) && key != OPTIONAL {
                return Err(RowProblem::refused(format!(
                    "there is no key `{key}` (keys: {}): an object of counts has the keys `arm`, `document`, `tp`, `fp`, `fn` and, if there are any, `tn`",
                    row.shown_keys()
                )));
            }
        }
        let [texts @ .., cost, duration] = texts;
        let mut counts = [0; 4];
        for ((cell, field), text) in counts.iter_mut().zip(CELLS).zip(texts) {
            *cell = text.map_or(Ok(0), |text| count(field, text))?;
        }
        let cost = expense("cost", cost.unwrap_or_default())?;
        let duration = expense("duration", duration.unwrap_or_default())?;

        let named = document.is_some();
        if *self.named.get_or_insert(named) != named {
            return Err(RowProblem::refused(
                "there is no key `document`, and other rows have one: name the document of every row, or of none",
            ));
        }
        let document = match document {
            Some(document) => document,
            None if class.is_some() => {
                return Err(RowProblem::refused(
                    "there is a key `class`, but none `document`: name the document, so that its classes can be added up",
                ));
            }
            None => {
                let rows = self.rows.entry(arm.trim().to_owned()).or_default();
                *rows += 1;
                Cow::Owned(rows.to_string())
            }
        };
        let class = class.as_deref().map(str::trim);
        if class == Some("") {
            return Err(missing("class"));
        }
        let record = CountRecord {
            arm: arm.trim(),
            document: document.trim(),
            counts: Counts::from_cells(counts),
            cost,
            duration,
            line: row.line,
        };
        self.add(&record, class)
    }

    fn table(&mut self, mut sheet: Sheet<'_>) -> Result<(), RecordsError> {
        sheet.restore_names();
        sheet.check_names()?;
        let absent = |wanted: &str| sheet.names.iter().all(|name| name != wanted);
        let needed = CELLS.into_iter().filter(|&cell| cell != OPTIONAL);
        if let Some(column) = needed.into_iter().find(|cell| absent(cell)) {
            return Err(sheet.refused(HeaderProblem::refused(format!(
                "there is no column `{column}`, only {}: a file of counts has the columns `arm`, `document`, `tp`, `fp`, `fn` and, if there are any, `tn`; read one of scores without --counts",
                quoted(&sheet.names)
            ))));
        }
        if absent("arm") {
            let columns = sheet.names.clone();
            return Err(sheet.refused(HeaderProblem::NoArm { columns }));
        }
        if absent("document") && !absent("class") {
            let problem = "there is a column `class`, but none `document`: name the documents, so that the classes of each can be added up";
            return Err(sheet.refused(HeaderProblem::refused(problem)));
        }
        sheet.rows(self)
    }

    fn problems(&mut self) -> &mut Problems {
        &mut self.problems
    }
}

impl DocumentCounts {
    /// Adds a record, or adds the counts of a further class to the document's record.
    fn add(
        &mut self,
        record: &CountRecord<&str, &str>,
        class: Option<&str>,
    ) -> Result<(), RowProblem> {
        match self.records.place(record.arm, record.document) {
            // Both of the same whole, or a part and the whole: the record refuses itself.
            Some(place) if class.is_some() && self.classes.contains_key(&place) => {
                self.add_class(place, class.unwrap_or_default(), record)
            }
            _ => {
                self.records.push(*record)?;
                if let Some(class) = class {
                    let lines = BTreeMap::from([(class.to_owned(), record.line)]);
                    self.classes.insert(self.records.all.len() - 1, lines);
                }
                Ok(())
            }
        }
    }

    /// Adds the counts of a further class to the document's record.
    fn add_class(
        &mut self,
        place: usize,
        class: &str,
        added: &CountRecord<&str, &str>,
    ) -> Result<(), RowProblem> {
        let of = added.in_words();
        let lines = self.classes.entry(place).or_default();
        if let Some(&first) = lines.get(class) {
            return Err(RowProblem::refused(format!(
                "the counts of {of} in class `{}` are on line {first} already: keep one of the two",
                excerpt(class)
            )));
        }
        let record = &mut self.records.all[place];
        let first = record.line;
        let counts = record.counts + added.counts;
        if let Some((field, sum)) = too_large(&counts) {
            return Err(RowProblem::refused(format!(
                "the {field} of all classes of {of} add up to {sum}, more than {}: correct them",
                Counts::LARGEST
            )));
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
                    return Err(RowProblem::refused(format!(
                        "the {field} of {of} is another one on line {first}: it is that of the document as a whole, so give it on one row of its classes, or the same on all"
                    )));
                }
            }
        }
        record.counts = counts;
        lines.insert(class.to_owned(), added.line);
        Ok(())
    }
}
