//! Rows of files in every format: a schema names its columns and takes the cells that stand in
//! them.

mod comments;
mod csv;
mod cursor;
mod header;
mod json;
mod layout;
mod lines;
mod marks;
mod notation;
mod separator;

pub(crate) use csv::{Sheet, check_width, joined_name};
pub(crate) use cursor::Cursor;
pub(crate) use json::{as_json, list};
pub(crate) use marks::without_marks;
pub(crate) use notation::{Notation, Use};

use crate::{
    Format, RecordsError, RowProblem,
    formula::original,
    words::{excerpt, quoted},
};
use ::csv::StringRecord;
use cursor::decoded;
use json::compact;
use std::borrow::Cow;

/// A kind of rows: the N columns of a table, or keys of JSON objects, that say something about a
/// row.
pub(crate) trait Schema<const N: usize> {
    /// Content of the rows, for the message about a table without rows.
    const HELD: &'static str;
    /// A row as a JSON object, for messages.
    const EXAMPLE: &'static str;
    /// Description of the start of a JSON document, for messages.
    const DOCUMENT: &'static str;

    /// Returns the names of the columns. A column of the file is one thing only: the first of this
    /// name.
    fn columns(&self) -> [&str; N];

    /// Returns whether the cells of other columns are kept. Otherwise they are not read.
    fn keeps_others(&self) -> bool {
        false
    }

    /// Returns the name of a file's column among [`columns`](Self::columns). Empty if the column is
    /// not read.
    fn of_long_form<'n>(&self, name: &'n str) -> &'n str {
        name
    }

    /// Returns whether objects without a key of the long form are read as a column for each arm.
    fn takes_wide_objects(&self) -> bool {
        false
    }

    /// Returns whether the user joined columns: then rows of every format are read as those of a table.
    fn joins_columns(&self) -> bool {
        false
    }

    /// Takes one row of the file.
    fn row(&mut self, row: &Row<'_, N>) -> Result<(), RowProblem>;

    /// Receives a table when its header is read; [`Sheet::rows`] passes on its rows.
    fn table(&mut self, sheet: Sheet<'_>) -> Result<(), RecordsError>;

    /// Reads a JSON document. The error is a fault of the text itself, after which nothing can be understood.
    fn document(&mut self, cursor: &mut Cursor) -> Result<(), RowProblem>
    where
        Self: Sized,
    {
        match cursor.peek() {
            None => Ok(()),
            Some(b'[') => list(cursor, self),
            Some(_) => Err(cursor.problem(Self::DOCUMENT)),
        }
    }

    /// Returns the bad rows so far.
    fn problems(&mut self) -> &mut Problems;
}

/// Reads the bytes of a file. Without a format, the content decides. The columns of a table may have
/// [`notations`] of their own.
pub(crate) fn read<const N: usize, S: Schema<N>>(
    bytes: &[u8],
    format: Option<Format>,
    schema: &mut S,
    file: &str,
    notations: Vec<Notation>,
) -> Result<(), RecordsError> {
    let text = text(bytes, file)?;
    let format = format.unwrap_or_else(|| Format::of_text(text));
    let has_notations = !notations.is_empty();
    if let Some(sheet) = sheet(text, format, file, schema, has_notations)? {
        return schema.table(sheet.with_notations(notations));
    }
    match format {
        Format::JsonLines => json::lines(text, schema),
        Format::Json => json::document(text, schema),
        // A text without a header has no rows, which is told of once for all formats.
        Format::Csv | Format::Tsv => {}
    }
    Ok(())
}

/// Reads the header of the table in a text. `None` if the text is no table. With `as_table`, JSON
/// objects in the long form are a table, too.
fn sheet<'a, const N: usize, S: Schema<N>>(
    text: &'a str,
    format: Format,
    file: &'a str,
    schema: &S,
    as_table: bool,
) -> Result<Option<Sheet<'a>>, RecordsError> {
    if matches!(format, Format::Csv | Format::Tsv) {
        return of_text(text, format, file);
    }
    let by_names = |name: &str| {
        let name = schema.of_long_form(name);
        !schema.joins_columns() && !name.is_empty() && schema.columns()[..2.min(N)].contains(&name)
    };
    let table = json_table(text, format, file, &by_names, schema.takes_wide_objects())?;
    if table.is_none() && as_table {
        return json_table(text, format, file, &|_| false, true);
    }
    Ok(table)
}

/// Returns the table in a JSON text. `None` if a row has a `known` key.
fn json_table<'a>(
    text: &'a str,
    format: Format,
    file: &'a str,
    known: &impl Fn(&str) -> bool,
    is_wide: bool,
) -> Result<Option<Sheet<'a>>, RecordsError> {
    let table = match format {
        Format::JsonLines if is_wide => layout::of_lines(text, known),
        Format::Json => layout::of(text, known, is_wide),
        _ => Ok(None),
    };
    let table = table.map_err(|(line, problem)| problem.at(file, line))?;
    Ok(table.map(|table| Sheet::of_json(table, file)))
}

/// Returns the table of a text with a header, below its comments.
fn of_text<'a>(
    text: &'a str,
    format: Format,
    file: &'a str,
) -> Result<Option<Sheet<'a>>, RecordsError> {
    let comments = comments::before_header(text);
    let text = &text[comments.length..];
    if format == Format::Tsv {
        return Sheet::open(text, b'\t', false, &comments, file);
    }
    let found = separator::of(text).map_err(|problem| problem.at(file, 1 + comments.lines))?;
    Sheet::open(text, found.by, found.is_stated, &comments, file)
}

/// Returns the notations of a table's columns, and a notice on each that the user should know. `of`
/// tells the use of a column. Empty if all columns are plain, or the file is no table.
///
/// # Errors
/// [`RecordsError`] if the notation of columns that are read as numbers is not certain.
pub(crate) fn notations<const N: usize, S: Schema<N>>(
    bytes: &[u8],
    format: Option<Format>,
    file: &str,
    schema: &S,
    of: impl Fn(&str) -> Use,
) -> Result<(Vec<Notation>, Vec<String>), RecordsError> {
    let text = text(bytes, file)?;
    let format = format.unwrap_or_else(|| Format::of_text(text));
    let sheet = sheet(text, format, file, schema, true)?;
    sheet.map_or_else(|| Ok(Default::default()), |sheet| sheet.notations(of))
}

/// The names of the columns or keys of a file, and its first rows as texts, whatever they mean;
/// numbers in another notation as plain ones.
pub(crate) fn sample(
    bytes: &[u8],
    format: Option<Format>,
    file: &str,
    most: usize,
) -> Option<(Vec<String>, Vec<StringRecord>)> {
    let text = text(bytes, file).ok()?;
    let format = format.unwrap_or_else(|| Format::of_text(text));
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = match format {
        Format::JsonLines => lines.take(most).collect::<Vec<&str>>().join("\n"),
        _ => String::new(),
    };
    let sheet = match format {
        Format::Csv | Format::Tsv => of_text(text, format, file),
        Format::JsonLines => json_table(&first, format, file, &|_| false, true),
        Format::Json => json_table(text, format, file, &|_| false, true),
    };
    let sheet = sheet.ok()??;
    Some(sheet.sample(most))
}

/// Returns the bytes of a file as text.
///
/// # Errors
/// [`RecordsError::NotUtf8`] with the line of the first byte that is no text.
pub fn text<'a>(bytes: &'a [u8], file: &str) -> Result<&'a str, RecordsError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        RecordsError::NotUtf8 {
            file: file.to_owned(),
            line: before.split(|&byte| byte == b'\n').count() as u64,
        }
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Row of a file of any format.
pub(crate) struct Row<'r, const N: usize> {
    /// The line on which the row begins.
    pub(crate) line: u64,
    /// The cells in the columns of the schema; none where there is no such column or key.
    pub(crate) cells: [Option<Cell<'r>>; N],
    /// Cells of other columns that have a name, if the schema keeps them.
    pub(crate) others: Vec<(Cow<'r, str>, Cell<'r>)>,
    /// All keys of a JSON object.
    keys: Vec<Cow<'r, str>>,
}

impl<'r, const N: usize> Row<'r, N> {
    /// Returns all keys of a JSON object, for a message.
    pub(crate) fn shown_keys(&self) -> String {
        quoted(&self.keys)
    }

    /// Whether a JSON object has this key, be it one of the schema or not.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|other| other.trim() == key)
    }

    /// Returns the name of the arm in a cell.
    pub(crate) fn arm(&self, cell: Option<Cell<'r>>) -> Result<Cow<'r, str>, RowProblem> {
        match cell {
            None => Err(RowProblem::NoArmKey {
                key: "arm".to_owned(),
                keys: self.shown_keys(),
            }),
            Some(Cell::Json("null")) => Err(RowProblem::EmptyArm),
            Some(cell) => cell.string(RowProblem::ArmNotText),
        }
    }
}

/// A cell as it stands in its file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell<'r> {
    /// A field of a table, without white space around it.
    Field(&'r str),
    /// The text of a JSON value.
    Json(&'r str),
}

impl<'r> Cell<'r> {
    /// Returns the text of a cell of any kind: strings as they are, other JSON values without white
    /// space, nothing for `null`.
    pub(crate) fn text(self) -> Result<Cow<'r, str>, RowProblem> {
        match self {
            Self::Field(text) => Ok(original(text)),
            Self::Json("null") => Ok(Cow::Borrowed("")),
            Self::Json(string) if string.starts_with('"') => decoded(string),
            Self::Json(other) => Ok(compact(other)),
        }
    }

    /// Returns the text of a string. Empty for `null`. `wrong` makes the error for any other JSON
    /// value.
    pub(crate) fn string(
        self,
        wrong: impl FnOnce(String) -> RowProblem,
    ) -> Result<Cow<'r, str>, RowProblem> {
        match self {
            Self::Json(value) if value != "null" && !value.starts_with('"') => {
                Err(wrong(excerpt(value)))
            }
            text => text.text(),
        }
    }

    /// Returns the text of a name: of a string or a number.
    pub(crate) fn name(self, field: &'static str) -> Result<Cow<'r, str>, RowProblem> {
        match self {
            Self::Json(number) if number.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                Ok(Cow::Borrowed(number))
            }
            cell => cell.string(|found| {
                RowProblem::refused(format!(
                    "the {field} {found} is no name: write text or a number"
                ))
            }),
        }
    }

    /// Returns the digits of a number.
    pub(crate) fn digits(self, field: &'static str) -> Result<&'r str, RowProblem> {
        match self {
            Self::Json("null") => Ok(""),
            Self::Json(text) if text.starts_with('"') => Err(RowProblem::QuotedNumber {
                field,
                found: excerpt(text),
            }),
            Self::Field(text) | Self::Json(text) => Ok(text),
        }
    }
}

/// The bad rows of a file, of which the first and the number are told.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    /// The line and the fault of the bad row with the lowest line.
    first: Option<(u64, RowProblem)>,
    count: u64,
    /// Whether some cell may be written in another notation.
    notations: bool,
    /// Whether reading a table ends at the first cell that may be written in another notation.
    pub(crate) end_at_notations: bool,
}

impl Problems {
    /// Counts a bad row.
    pub(crate) fn add(&mut self, line: u64, problem: RowProblem) {
        self.count += 1;
        self.notations |= problem.is_notation();
        if self.first.as_ref().is_none_or(|&(first, _)| line < first) {
            self.first = Some((line, problem));
        }
    }

    /// Returns whether some cell may be written in another notation than plain numbers.
    pub(crate) fn has_notations(&self) -> bool {
        self.notations
    }

    /// Returns whether any row is bad.
    pub(crate) fn any(&self) -> bool {
        self.count > 0
    }

    /// Refuses the file if a row is bad, or there is no row of `what`.
    pub(crate) fn finish(
        &mut self,
        file: &str,
        empty: bool,
        what: &'static str,
    ) -> Result<(), RecordsError> {
        let file = file.to_owned();
        match self.first.take() {
            None if empty => Err(RecordsError::Refused(format!(
                "{file}: there are no {what} in this file"
            ))),
            None => Ok(()),
            Some((line, problem)) => Err(RecordsError::Row {
                file,
                line,
                problem,
                further: self.count - 1,
            }),
        }
    }
}
