//! Tables of any columns, for those who read files of other tools.

use super::{
    Format, RecordsError, RowProblem, json,
    objects::{self, Members, Objects},
    problem::excerpt,
    problems::Problems,
    read::text,
    sheet::{Sheet, full},
};
use crate::{cursor::Cursor, header, names::Names};

/// A file as a table of texts, whatever its columns mean: what another tool exported, for example. It is read as strictly as files
/// of scores are.
///
/// # Example
/// ```
/// use crate::Table;
/// let csv = "Name,State,val_acc\nrun-1,finished,0.71\nrun-2,crashed,\n";
/// let table = Table::read(csv.as_bytes(), None, "runs.csv")?;
/// let accuracy = table.column("val_acc").unwrap();
/// let cells: Vec<_> = table.rows().iter().map(|row| (row.line, row.cell(accuracy))).collect();
/// assert_eq!(cells, [(2, Some("0.71")), (3, None)]);
/// # Ok::<(), crate::RecordsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Line>,
}

/// A row of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The line on which it begins in the file, from 1.
    pub line: u64,
    cells: Vec<Option<Box<str>>>,
}

impl Line {
    /// The text in a column, without white space around it; none if there is none, and beyond the last column.
    pub fn cell(&self, column: usize) -> Option<&str> {
        self.cells.get(column)?.as_deref()
    }
}

impl Table {
    /// A table of these columns, without rows.
    pub fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; an empty text is none.
    pub fn push<'a>(&mut self, line: u64, cells: impl IntoIterator<Item = Option<&'a str>>) {
        let texts = cells.into_iter().map(|cell| cell.map_or("", str::trim));
        let cells = texts.map(|text| (!text.is_empty()).then(|| text.into()));
        let cells = cells.collect();
        self.rows.push(Line { line, cells });
    }

    /// Reads CSV, JSON lines or a JSON list of objects; without a format, the content decides ([`Format::of_text`]). `file` stands in
    /// messages.
    ///
    /// The values of a JSON object are strings as they are, and others as JSON without white space; `null` is nothing.
    ///
    /// # Errors
    /// [`RecordsError`] if this is no UTF-8 text, two columns have the same name, there is no row, or a row is longer or shorter than
    /// the header or no object.
    pub fn read(bytes: &[u8], format: Option<Format>, file: &str) -> Result<Self, RecordsError> {
        let text = text(bytes, file)?;
        match format.unwrap_or_else(|| Format::of_text(text)) {
            Format::Csv => sheet(text, b',', file),
            Format::Tsv => sheet(text, b'\t', file),
            format => rows(text, format, file),
        }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The number of the column with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The rows, in the order of the file.
    pub fn rows(&self) -> &[Line] {
        &self.rows
    }
}

fn sheet(text: &str, delimiter: u8, file: &str) -> Result<Table, RecordsError> {
    let empty = || RecordsError::Empty {
        file: file.to_owned(),
        what: "rows",
    };
    let mut sheet = Sheet::open(text, delimiter, file)?.ok_or_else(empty)?;
    let names = sheet.raw_names();
    header::check(&names, delimiter).map_err(|problem| sheet.refused(problem))?;
    let mut table = Table::new(names);
    let width = table.columns.len();
    let mut problems = Problems::default();
    sheet.each("anything", |line, row| {
        let row = row.and_then(|row| full(row, width).map(|()| row));
        match row {
            Ok(row) => table.push(line, row.iter().map(Some)),
            Err(problem) => problems.add(line, problem),
        }
    })?;
    problems.finish(file)?;
    Ok(table)
}

/// What takes the objects of a text.
#[derive(Default)]
struct Collector {
    names: Names,
    rows: Vec<Line>,
    problems: Problems,
}

impl Objects<0> for Collector {
    const EXAMPLE: &'static str = r#"{"lr": 0.1, "accuracy": 0.71}"#;

    fn keys(&self) -> [&str; 0] {
        []
    }

    fn keeps_others(&self) -> bool {
        true
    }

    fn object(&mut self, line: u64, members: &Members<'_, 0>) {
        match self.cells(members) {
            Ok(cells) => self.rows.push(Line { line, cells }),
            Err(problem) => self.problems.add(line, problem),
        }
    }

    fn refuse(&mut self, line: u64, problem: RowProblem) {
        self.problems.add(line, problem);
    }
}

impl Collector {
    fn cells(&mut self, members: &Members<'_, 0>) -> Result<Vec<Option<Box<str>>>, RowProblem> {
        let mut cells: Vec<Option<Box<str>>> = Vec::new();
        let mut seen = vec![false; self.names.all().len()];
        for (key, value) in members.others() {
            let key = key.trim();
            if key.is_empty() {
                continue;
            }
            let column = self.names.number(key, RowProblem::UnnamedColumn)?;
            seen.resize(self.names.all().len(), false);
            if std::mem::replace(&mut seen[column], true) {
                return Err(RowProblem::DuplicateKey(excerpt(key)));
            }
            let text = json::cell(value)?;
            let text = text.trim();
            if !text.is_empty() {
                cells.resize(cells.len().max(column + 1), None);
                cells[column] = Some(text.into());
            }
        }
        Ok(cells)
    }
}

fn rows(text: &str, format: Format, file: &str) -> Result<Table, RecordsError> {
    let mut collector = Collector::default();
    if format == Format::JsonLines {
        objects::lines(text, &mut collector);
    } else {
        let mut cursor = Cursor::new(text);
        let read = match cursor.peek() {
            None => Ok(()),
            Some(b'[') => {
                objects::list(&mut cursor, &mut collector).and_then(|()| objects::end(&mut cursor))
            }
            Some(_) => Err(cursor.problem("expected `[`, for a list of objects")),
        };
        if let Err(problem) = read {
            collector.problems.add(cursor.line(), problem);
        }
    }
    collector.problems.finish(file)?;
    if collector.rows.is_empty() {
        return Err(RecordsError::Empty {
            file: file.to_owned(),
            what: "rows",
        });
    }
    Ok(Table {
        columns: collector.names.all().to_vec(),
        rows: collector.rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let error = Table::read(text.as_bytes(), None, "s").unwrap_err();
        error.to_string()
    }

    #[test]
    fn tables_and_objects_are_the_same() {
        let csv = "lr,=note,,acc\r\n0.10,'=x,7,\r\n,\"a, b\",8,NaN\r\n";
        let table = Table::read(csv.as_bytes(), None, "s").unwrap();
        assert_eq!(table.columns(), ["lr", "=note", "", "acc"]);
        let cells = |table: &Table, row: usize| {
            let columns = ["lr", "=note", "acc"].map(|name| table.column(name).unwrap());
            columns.map(|column| table.rows()[row].cell(column).map(ToOwned::to_owned))
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(cells(&table, 0), [text("0.10"), text("'=x"), None]);
        assert_eq!(cells(&table, 1), [None, text("a, b"), text("NaN")]);
        let lines = "{\"lr\": 0.10, \"=note\": \"'=x\", \"\": 7}\n\n{\"acc\": NaN, \"=note\": \"a, b\", \"lr\": null}";
        let objects = Table::read(lines.as_bytes(), Some(Format::JsonLines), "s").unwrap();
        assert_eq!(cells(&objects, 0), cells(&table, 0));
        assert_eq!(cells(&objects, 1), cells(&table, 1));
        let numbers: Vec<u64> = objects.rows().iter().map(|row| row.line).collect();
        assert_eq!(numbers, [1, 3]);
        let list = format!("[{}]", lines.replace("\n\n", ",\n\n"));
        let list = Table::read(list.as_bytes(), None, "s").unwrap();
        assert_eq!(list, objects);
    }

    #[test]
    fn tables_are_read_strictly() {
        assert_eq!(refused(""), "s: there are no rows in this file");
        assert_eq!(
            refused("a,b\n"),
            "s: there is a header, but no row of anything below it"
        );
        assert!(refused("a,b\n1\n").starts_with("s:2: the row has 1 fields and the header 2"));
        assert!(refused("a,a\n1,2\n").starts_with("s:1: two columns are called `a`"));
        assert!(refused("a,b\n1,\"2\n").starts_with("s:2: a quote is opened"));
        assert!(refused("{\"a\": 1}\n{\"a\": 1, \"a\": 2}").starts_with("s:2: the key `a` occurs"));
        assert!(refused("[1]").starts_with("s:1: `1` is not a record"));
        assert!(refused("{\"a\": [1]}").contains("expected `[`, for a list of objects"));
    }
}
