//! Writing of scores, as CSV and JSON lines, and of confusion counts, as CSV.

use crate::{CountRecords, Evaluations, Row, counts::CELLS, formula::inert, rows::as_json};
use std::{borrow::Cow, fmt, fmt::Write as _, io};

/// A column of this name is the number of the evaluation: it stands first, wherever it was read.
const FIRST: &str = "evaluation";

/// A column of the long form.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Column {
    Arm,
    Item,
    Split,
    Seed,
    Score,
    Cost,
    Duration,
    Status,
    /// A column of the user's own, by number.
    Own(usize),
}

/// Content of a cell that is written to a file.
enum Value<'a> {
    Text(&'a str),
    /// A number, whose digits are written elsewhere.
    Number,
    /// A number that is not known.
    Unknown,
    Cell(Option<&'a str>),
}

impl Column {
    /// Returns the columns in their order. Columns of records are left out if no row fills them;
    /// the user's own are always included.
    fn of(records: &Evaluations) -> Vec<Self> {
        let any = |has: fn(&Row<'_>) -> bool| records.rows().any(|row| has(&row));
        let first = records.column(FIRST);
        let own = (0..records.columns().len()).filter(|&column| Some(column) != first);
        let filled = [
            (Self::Arm, true),
            (Self::Item, any(|row| row.item.is_some())),
            (
                Self::Split,
                any(|row| row.split.is_some() && row.item.is_none()),
            ),
            (Self::Seed, any(|row| row.seed.is_some())),
            (Self::Score, true),
            (Self::Cost, any(|row| row.cost.is_some())),
            (Self::Duration, any(|row| row.duration.is_some())),
            (Self::Status, !records.failures().is_empty()),
        ];
        let filled = filled.into_iter().filter(|&(_, filled)| filled);
        let columns = first.map(Self::Own).into_iter();
        columns
            .chain(filled.map(|(column, _)| column))
            .chain(own.map(Self::Own))
            .collect()
    }

    fn name(self, records: &Evaluations) -> &str {
        match self {
            Self::Arm => "arm",
            Self::Item => "item",
            Self::Split => "split",
            Self::Seed => "seed",
            Self::Score => records.metric(),
            Self::Cost => "cost",
            Self::Duration => "duration",
            Self::Status => "status",
            Self::Own(column) => &records.columns()[column],
        }
    }

    /// Returns the content of this column on a row; a number's digits replace those in `digits`.
    fn value<'a>(self, row: &Row<'a>, digits: &mut String) -> Value<'a> {
        match self {
            Self::Arm => Value::Text(row.arm),
            Self::Item => row.item.map_or(Value::Unknown, Value::Text),
            Self::Status => Value::Text(row.score.map_or("failed", |_| "ok")),
            Self::Own(column) => Value::Cell(row.cell(column)),
            Self::Split => number(row.split, digits),
            Self::Seed => number(row.seed, digits),
            Self::Score => number(row.score, digits),
            Self::Cost => number(row.cost, digits),
            Self::Duration => number(row.duration, digits),
        }
    }
}

/// Returns the name of a column in quotes where it needs some: also where it has a mark in it that
/// could be taken for the separator of the columns.
fn quoted(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.contains([',', ';', '\t', '"', '\n', '\r']) {
        return format!("\"{}\"", name.replace('"', "\"\"")).into();
    }
    name
}

/// Writes a number into `digits`, in the shortest form that reads as the same number, with an
/// exponent if it is very large or small.
fn number<'a>(value: Option<impl fmt::Debug>, digits: &mut String) -> Value<'a> {
    digits.clear();
    value.map_or(Value::Unknown, |value| {
        let _ = write!(digits, "{value:?}"); // a string takes everything
        Value::Number
    })
}

/// Writes records as CSV in the long form: the columns `arm`, `item` or `split`, `seed`, the
/// metric's, `cost` and `duration`, without those that no record fills; `status` if an evaluation
/// failed; and then the user's own columns that were kept, of which `evaluation` stands first of
/// all. Failures stand where they stood.
///
/// Reading the file again gives the same arms, the same texts and, to the last bit, the same
/// numbers; only the lines are new. There is no row for an item that no arm was evaluated on. Names
/// and texts that a spreadsheet would take for a formula (`=`, `+`, `-`, `@` at the beginning) get
/// an apostrophe before them, which reading takes away ([`inert`]). Numbers have as many digits as
/// it takes to tell them from their neighbours.
///
/// # Errors
/// Whatever the writer says.
///
/// # Example
/// ```
/// use fiesta_records::{Record, Evaluations, write_csv};
/// let mut records = Evaluations::new("f1")?;
/// records.push(Record { split: Some(0), ..Record::new("lstm, tied", 0.71) })?;
/// records.push_with(Record::new("=gru", 0.69), [("lr", "1e-3")])?;
/// records.push_failure(Record::failed("=gru"))?;
/// let mut csv = Vec::new();
/// write_csv(&mut csv, &records)?;
/// assert_eq!(
///     String::from_utf8(csv)?,
///     "arm,split,f1,status,lr\n\"lstm, tied\",0,0.71,ok,\n'=gru,,0.69,ok,1e-3\n'=gru,,,failed,\n"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_csv(mut writer: impl io::Write, records: &Evaluations) -> io::Result<()> {
    let columns = Column::of(records);
    let names = columns.iter().map(|column| column.name(records));
    let names: Vec<Cow<'_, str>> = names.map(|name| quoted(inert(name))).collect();
    writer.write_all((names.join(",") + "\n").as_bytes())?;
    let mut csv = csv::Writer::from_writer(writer);
    let mut digits = String::new();
    for row in records.rows() {
        for column in &columns {
            match column.value(&row, &mut digits) {
                Value::Number => csv.write_field(&digits)?,
                Value::Unknown | Value::Cell(None) => csv.write_field("")?,
                Value::Text(text) | Value::Cell(Some(text)) => csv.write_field(&*inert(text))?,
            }
        }
        csv.write_record(None::<&[u8]>)?;
    }
    csv.flush()
}

/// Writes records as JSON lines: an object per row, with the names of the columns as keys, in the
/// order and of the content of [`write_csv`]. What is not known of a record has no key; an empty
/// cell of the user's own columns is `null`.
///
/// Texts of the user's own columns that are JSON themselves (numbers, `true`, `false`, lists and
/// objects without white space) are written as such, all others as strings: reading the file again
/// gives the same texts, though a string `"5"` has become the number 5.
///
/// # Errors
/// Whatever the writer says.
///
/// # Example
/// ```
/// use fiesta_records::{Record, Evaluations, write_jsonl};
/// let mut records = Evaluations::new("f1")?;
/// records.push_with(Record::new("lstm", 0.71), [("lr", "1e-3"), ("optimizer", "adam")])?;
/// records.push_failure(Record::failed("lstm"))?;
/// let mut lines = Vec::new();
/// write_jsonl(&mut lines, &records)?;
/// assert_eq!(String::from_utf8(lines)?, concat!(
///     r#"{"arm":"lstm","f1":0.71,"status":"ok","lr":1e-3,"optimizer":"adam"}"#, "\n",
///     r#"{"arm":"lstm","f1":null,"status":"failed","lr":null,"optimizer":null}"#, "\n",
/// ));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_jsonl(mut writer: impl io::Write, records: &Evaluations) -> io::Result<()> {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let columns = Column::of(records).into_iter();
    let columns: Vec<_> = columns
        .map(|column| (column, quoted(column.name(records))))
        .collect();
    let (mut line, mut digits) = (String::new(), String::new());
    for row in records.rows() {
        line.clear();
        for (column, key) in &columns {
            let value = match column.value(&row, &mut digits) {
                Value::Number => digits.as_str().into(),
                Value::Unknown if *column != Column::Score => continue,
                Value::Unknown | Value::Cell(None) => "null".into(),
                Value::Cell(Some(text)) => as_json(text),
                Value::Text(text) => quoted(text).into(),
            };
            line.push(if line.is_empty() { '{' } else { ',' });
            line.push_str(key);
            line.push(':');
            line.push_str(&value);
        }
        line.push_str("}\n");
        writer.write_all(line.as_bytes())?;
    }
    writer.flush()
}

/// Writes records as CSV: the columns `arm`, `document`, `tp`, `fp`, `tn`, `fn`, `cost` and
/// `duration`, the last two without those that no record fills.
///
/// Reading the file again gives the same arms, documents, counts and, to the last bit, the same
/// numbers; only the lines are new. Names that a spreadsheet would take for a formula get an
/// apostrophe before them, which reading takes away ([`inert`]).
///
/// # Errors
/// Whatever the writer says.
///
/// # Example
/// ```
/// use fiesta_core::Counts;
/// use fiesta_records::{CountRecord, CountRecords, write_counts_csv};
/// let mut records = CountRecords::default();
/// records.push(CountRecord::new("tagger", "d1", Counts::from_cells([12, 4, 6, 3])))?;
/// let mut csv = Vec::new();
/// write_counts_csv(&mut csv, &records)?;
/// assert_eq!(csv, b"arm,document,tp,fp,tn,fn\ntagger,d1,12,4,6,3\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_counts_csv(writer: impl io::Write, records: &CountRecords) -> io::Result<()> {
    let all = records.records();
    let cost = all.iter().any(|record| record.cost.is_some());
    let duration = all.iter().any(|record| record.duration.is_some());
    let expenses = [(cost, "cost"), (duration, "duration")];
    let expenses = expenses.into_iter().filter(|&(filled, _)| filled);
    let names = ["arm", "document"].into_iter().chain(CELLS);

    let mut csv = csv::Writer::from_writer(writer);
    csv.write_record(names.chain(expenses.map(|(_, name)| name)))?;
    let mut digits = String::new();
    for record in records.named() {
        csv.write_field(&*inert(record.arm))?;
        csv.write_field(&*inert(record.document))?;
        for count in record.counts.cells() {
            csv.write_field(count.to_string())?;
        }
        for (filled, value) in [(cost, record.cost), (duration, record.duration)] {
            if filled {
                number(value, &mut digits);
                csv.write_field(&digits)?;
            }
        }
        csv.write_record(None::<&[u8]>)?;
    }
    csv.flush()
}
