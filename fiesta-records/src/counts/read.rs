//! From a file to records of counts.

use super::{
    CELLS, CountRecords,
    collect::{Collector, Row},
};
use crate::{
    Format, HeaderProblem, RecordsError, RowProblem,
    cell::original,
    cursor::{Cursor, decoded},
    header,
    number::{count, expense},
    objects::{self, Members, Objects, bare},
    problem::excerpt,
    read::{all, of_file, text},
    sheet::{Sheet, full},
};
use fiesta_core::Counts;
use std::{borrow::Cow, io, path::Path};

/// The columns that are read, the counts in the order of [`Counts::cells`].
const COLUMNS: [&str; 9] = [
    "arm", "document", "class", CELLS[0], CELLS[1], CELLS[2], CELLS[3], "cost", "duration",
];

/// The count that may be left out, for 0: where entities are recognised, there is nothing that was rightly not found.
const OPTIONAL: &str = "tn";

/// Reads a file of confusion counts ([`CountRecords`]). The format goes by the extension ([`Format::of_path`]), or else by the
/// content ([`Format::of_text`]).
///
/// # Errors
/// [`RecordsError`] if the file cannot be read, is no UTF-8 text, lacks a column, has no row, or has a row that is no record.
///
/// # Example
/// ```no_run
/// use crate;
/// let records = records::read_counts("counts.csv")?;
/// println!("{} systems on {} documents", records.arms().len(), records.documents().len());
/// # Ok::<(), records::RecordsError>(())
/// ```
pub fn read_counts(path: impl AsRef<Path>) -> Result<CountRecords, RecordsError> {
    let (bytes, file) = of_file(path.as_ref())?;
    understand(&bytes, Format::of_path(path), &file)
}

/// Reads confusion counts from anything that can be read, such as the standard input. Without a format, the content decides
/// ([`Format::of_text`]); `name` stands in the messages.
///
/// # Errors
/// As [`read_counts`].
///
/// # Example
/// The counts of two classes are added up.
/// ```
/// use fiesta_core::{Counts, records};
/// let csv = "arm,document,class,tp,fp,fn\ntagger,d1,person,3,0,1\ntagger,d1,place,1,2,0\n";
/// let records = records::read_counts_from(csv.as_bytes(), None, "stdin")?;
/// assert_eq!(records.records()[0].counts, Counts::from_cells([4, 2, 0, 1]));
///
/// let bad = "arm,document,tp,fp,fn\ntagger,d1,3,-1,0\n";
/// let error = records::read_counts_from(bad.as_bytes(), None, "stdin").unwrap_err();
/// assert!(error.to_string().starts_with("stdin:2: the fp `-1` is not a count"));
/// # Ok::<(), records::RecordsError>(())
/// ```
pub fn read_counts_from(
    reader: impl io::Read,
    format: Option<Format>,
    name: &str,
) -> Result<CountRecords, RecordsError> {
    understand(&all(reader, name)?, format, name)
}

fn understand(
    bytes: &[u8],
    format: Option<Format>,
    file: &str,
) -> Result<CountRecords, RecordsError> {
    let text = text(bytes, file)?;
    let mut collector = Collector::default();
    match format.unwrap_or_else(|| Format::of_text(text)) {
        Format::Csv => table(text, b',', &mut collector, file)?,
        Format::Tsv => table(text, b'\t', &mut collector, file)?,
        Format::JsonLines => objects::lines(text, &mut collector),
        Format::Json => document(text, &mut collector),
    }
    collector.finish(file)
}

/// Reads a table with a row per arm, document and class.
fn table(
    text: &str,
    delimiter: u8,
    collector: &mut Collector,
    file: &str,
) -> Result<(), RecordsError> {
    let Some(mut sheet) = Sheet::open(text, delimiter, file)? else {
        return Ok(()); // the collector is empty, and will say so
    };
    let names = sheet.names();
    let width = names.len();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let columns = columns(&names, delimiter).map_err(|problem| sheet.refused(problem))?;
    sheet.each("counts", |line, row| {
        let row = row.and_then(|row| {
            full(row, width)?;
            // The first three are texts.
            let mut texts = columns.map(|column| Some(Cow::Borrowed(row[column?].trim())));
            for (text, column) in texts.iter_mut().zip(columns).take(3) {
                *text = column.map(|column| original(row[column].trim()));
            }
            Row::new(line, texts)
        });
        collector.take(line, row);
    })
}

/// Where the columns stand, counting from 0.
fn columns(names: &[&str], delimiter: u8) -> Result<[Option<usize>; 9], HeaderProblem> {
    header::check(names, delimiter)?;
    let columns = COLUMNS.map(|column| names.iter().position(|name| *name == column));
    let shown = || names.iter().map(|&name| name.to_owned()).collect();
    let absent = |wanted: &str| {
        COLUMNS
            .iter()
            .zip(columns)
            .any(|(c, found)| *c == wanted && found.is_none())
    };
    if let Some(column) = CELLS
        .into_iter()
        .find(|&cell| cell != OPTIONAL && absent(cell))
    {
        let columns = shown();
        return Err(HeaderProblem::NoCount { column, columns });
    }
    if absent("arm") {
        return Err(HeaderProblem::NoArm { columns: shown() });
    }
    if absent("document") && !absent("class") {
        return Err(HeaderProblem::ClassesOfNothing);
    }
    Ok(columns)
}

/// Reads a list of objects.
fn document(text: &str, collector: &mut Collector) {
    let mut cursor = Cursor::new(text);
    let read = match cursor.peek() {
        None => return,
        Some(b'[') => objects::list(&mut cursor, collector),
        Some(_) => Err(cursor.problem(
            "expected `[`, for a list of objects with the keys arm, document, tp, fp and fn",
        )),
    };
    if let Err(problem) = read.and_then(|()| objects::end(&mut cursor)) {
        collector.refuse(cursor.line(), problem);
    }
}

impl Objects<9> for Collector {
    const EXAMPLE: &'static str =
        r#"{"arm": "tagger", "document": "d1", "tp": 12, "fp": 4, "fn": 3}"#;

    fn keys(&self) -> [&str; 9] {
        COLUMNS
    }

    fn object(&mut self, line: u64, members: &Members<'_, 9>) {
        let row = texts(members).and_then(|texts| Row::new(line, texts));
        self.take(line, row);
    }

    fn refuse(&mut self, line: u64, problem: RowProblem) {
        Collector::refuse(self, line, problem);
    }
}

/// The texts of an object's values as the cells of a table would have them.
fn texts<'a>(members: &Members<'a, 9>) -> Result<[Option<Cow<'a, str>>; 9], RowProblem> {
    let mut texts = <[Option<Cow<'a, str>>; 9]>::default();
    for ((text, column), &value) in texts.iter_mut().zip(COLUMNS).zip(members.values()?) {
        *text = match (column, value) {
            ("arm", arm) => Some(members.arm(arm)?),
            ("document" | "class", Some(value)) => Some(name(column, value)?),
            (_, Some(value)) => Some(Cow::Borrowed(bare(column, value)?)),
            (key @ ("tp" | "fp" | "fn"), None) => {
                let keys = members.shown_keys();
                return Err(RowProblem::NoCountKey { key, keys });
            }
            (_, None) => None,
        };
    }
    Ok(texts)
}

/// The name of a document or a class: text, or a number as it stands.
fn name<'a>(field: &'static str, value: &'a str) -> Result<Cow<'a, str>, RowProblem> {
    match value {
        "null" => Ok(Cow::Borrowed("")),
        text if text.starts_with('"') => decoded(text),
        number if number.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
            Ok(Cow::Borrowed(number))
        }
        other => Err(RowProblem::NotAName {
            field,
            found: excerpt(other),
        }),
    }
}

impl<'r> Row<'r> {
    /// A row whose fields have these texts, in the order of [`COLUMNS`]; none where there is no such column.
    fn new(line: u64, texts: [Option<Cow<'r, str>>; 9]) -> Result<Self, RowProblem> {
        let [arm, document, class, tp, fp, tn, fn_, cost, duration] = texts;
        let mut cells = [0; 4];
        for ((cell, field), text) in cells.iter_mut().zip(CELLS).zip([tp, fp, tn, fn_]) {
            *cell = match text {
                Some(text) => count(field, &text)?,
                None => 0,
            };
        }
        Ok(Self {
            arm: arm.unwrap_or_default(),
            document,
            class,
            counts: Counts::from_cells(cells),
            cost: expense("cost", cost.as_deref().unwrap_or_default())?,
            duration: expense("duration", duration.as_deref().unwrap_or_default())?,
            line,
        })
    }
}
