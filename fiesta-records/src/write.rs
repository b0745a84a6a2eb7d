//! From records to a file.

use super::{Records, Row, cell::inert, json_text::as_json};
use std::{fmt, fmt::Write as _, io};

/// A column of this name is the number of the evaluation: it stands first, wherever it was read.
const FIRST: &str = "evaluation";

/// The columns that are written, in their order. Those of records are left out where no row fills them; the user's own are all there.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a column that is there or not"
)]
struct Layout {
    /// The column that stands before the arm.
    first: Option<usize>,
    split: bool,
    seed: bool,
    cost: bool,
    duration: bool,
    status: bool,
    others: Vec<usize>,
}

impl Layout {
    fn of(records: &Records) -> Self {
        let any = |has: fn(&Row<'_>) -> bool| records.rows().any(|row| has(&row));
        let first = records.column(FIRST);
        Self {
            first,
            split: any(|row| row.split.is_some()),
            seed: any(|row| row.seed.is_some()),
            cost: any(|row| row.cost.is_some()),
            duration: any(|row| row.duration.is_some()),
            status: !records.failures().is_empty(),
            others: (0..records.columns().len())
                .filter(|&column| Some(column) != first)
                .collect(),
        }
    }
}

/// Writes records as CSV in the long form: the columns `arm`, `split`, `seed`, the metric's, `cost` and `duration`, without those that
/// no record fills; `status` if an evaluation failed; and then the user's own columns that were kept, of which `evaluation` stands
/// first of all. Failures stand where they stood.
///
/// Reading the file again gives the same arms, the same texts and, to the last bit, the same numbers; only the lines are new. Names
/// and texts that a spreadsheet would take for a formula (`=`, `+`, `-`, `@` at the beginning) get an apostrophe before them, which
/// reading takes away ([`inert`]). Numbers have as many digits as it takes to tell them from their neighbours.
///
/// # Errors
/// Whatever the writer says.
///
/// # Example
/// ```
/// use crate::{Failed, Record, Records, write_csv};
/// let mut records = Records::new("f1")?;
/// records.push(Record { split: Some(0), ..Record::new("lstm, tied", 0.71) })?;
/// records.push_with(Record::new("=gru", 0.69), [("lr", "1e-3")])?;
/// records.push_failure(Failed::new("=gru"))?;
/// let mut csv = Vec::new();
/// write_csv(&mut csv, &records)?;
/// assert_eq!(
///     String::from_utf8(csv)?,
///     "arm,split,f1,status,lr\n\"lstm, tied\",0,0.71,ok,\n'=gru,,0.69,ok,1e-3\n'=gru,,,failed,\n"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_csv(writer: impl io::Write, records: &Records) -> io::Result<()> {
    let layout = Layout::of(records);
    let name = |&column: &usize| records.columns()[column].as_str();
    let mut csv = csv::Writer::from_writer(writer);
    let columns = [
        (layout.first.is_some(), FIRST),
        (true, "arm"),
        (layout.split, "split"),
        (layout.seed, "seed"),
        (true, records.metric()),
        (layout.cost, "cost"),
        (layout.duration, "duration"),
        (layout.status, "status"),
    ];
    let filled = columns.into_iter().filter(|&(filled, _)| filled);
    for name in filled
        .map(|(_, name)| name)
        .chain(layout.others.iter().map(name))
    {
        csv.write_field(&*inert(name))?;
    }
    csv.write_record(None::<&[u8]>)?;

    let mut number = Number::default();
    for row in records.rows() {
        if let Some(first) = layout.first {
            csv.write_field(&*inert(row.cell(first).unwrap_or_default()))?;
        }
        csv.write_field(&*inert(row.arm))?;
        if layout.split {
            csv.write_field(number.show(row.split))?;
        }
        if layout.seed {
            csv.write_field(number.show(row.seed))?;
        }
        csv.write_field(number.show(row.score))?;
        if layout.cost {
            csv.write_field(number.show(row.cost))?;
        }
        if layout.duration {
            csv.write_field(number.show(row.duration))?;
        }
        if layout.status {
            csv.write_field(status(&row))?;
        }
        for &column in &layout.others {
            csv.write_field(&*inert(row.cell(column).unwrap_or_default()))?;
        }
        csv.write_record(None::<&[u8]>)?;
    }
    csv.flush()
}

/// Writes records as JSON lines: an object per row, with the names of the columns as keys, in the order and of the content of
/// [`write_csv`]. What is not known of a record has no key; an empty cell of the user's own columns is `null`.
///
/// Texts of the user's own columns that are JSON themselves (numbers, `true`, `false`, lists and objects without white space) are
/// written as such, all others as strings: reading the file again gives the same texts, though a string `"5"` has become the number 5.
///
/// # Errors
/// Whatever the writer says.
///
/// # Example
/// ```
/// use crate::{Failed, Record, Records, write_jsonl};
/// let mut records = Records::new("f1")?;
/// records.push_with(Record::new("lstm", 0.71), [("lr", "1e-3"), ("optimizer", "adam")])?;
/// records.push_failure(Failed::new("lstm"))?;
/// let mut lines = Vec::new();
/// write_jsonl(&mut lines, &records)?;
/// assert_eq!(String::from_utf8(lines)?, concat!(
///     r#"{"arm":"lstm","f1":0.71,"status":"ok","lr":1e-3,"optimizer":"adam"}"#, "\n",
///     r#"{"arm":"lstm","f1":null,"status":"failed","lr":null,"optimizer":null}"#, "\n",
/// ));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_jsonl(mut writer: impl io::Write, records: &Records) -> io::Result<()> {
    let layout = Layout::of(records);
    let keys: Vec<String> = records.columns().iter().map(|name| quoted(name)).collect();
    let metric = quoted(records.metric());
    let mut line = String::new();
    for row in records.rows() {
        line.clear();
        line.push('{');
        if let Some(first) = layout.first {
            member(&mut line, &keys[first], &json_cell(&row, first));
        }
        member(&mut line, "\"arm\"", &quoted(row.arm));
        number(&mut line, "\"split\"", row.split);
        number(&mut line, "\"seed\"", row.seed);
        match row.score {
            Some(_) => number(&mut line, &metric, row.score),
            None => member(&mut line, &metric, "null"),
        }
        number(&mut line, "\"cost\"", row.cost);
        number(&mut line, "\"duration\"", row.duration);
        if layout.status {
            member(&mut line, "\"status\"", &quoted(status(&row)));
        }
        for &column in &layout.others {
            member(&mut line, &keys[column], &json_cell(&row, column));
        }
        line.push_str("}\n");
        writer.write_all(line.as_bytes())?;
    }
    writer.flush()
}

/// The word for how a row's evaluation ended.
fn status(row: &Row<'_>) -> &'static str {
    match row.score {
        Some(_) => "ok",
        None => "failed",
    }
}

fn json_cell(row: &Row<'_>, column: usize) -> String {
    row.cell(column).map_or_else(|| "null".to_owned(), as_json)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Adds a key, with its quotes, and its value to an object.
fn member(line: &mut String, key: &str, value: &str) {
    if !line.ends_with('{') {
        line.push(',');
    }
    line.push_str(key);
    line.push(':');
    line.push_str(value);
}

fn number(line: &mut String, key: &str, value: Option<impl fmt::Debug>) {
    if let Some(value) = value {
        member(line, key, "");
        let _ = write!(line, "{value:?}"); // a string takes everything
    }
}

/// The text of one number after another, in the same memory.
#[derive(Default)]
pub(super) struct Number {
    text: String,
}

impl Number {
    /// The shortest digits that read as the same number, with an exponent if it is very large or small; no
    /// text for no number.
    pub(super) fn show(&mut self, value: Option<impl fmt::Debug>) -> &str {
        self.text.clear();
        if let Some(value) = value {
            let _ = write!(self.text, "{value:?}"); // a string takes everything
        }
        &self.text
    }
}
