//! Table of texts, for columns of any meaning.

use crate::{
    Format, RecordsError, RowProblem,
    names::{Empty, Names},
    rows::{self, Problems, Row, Schema, Sheet, check_width},
    words::excerpt,
};

/// Table of texts, for columns of any meaning: what another tool exported, for example. It is read
/// as strictly as files of scores are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Line>,
}

/// A row of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The line of the file on which the row begins, from 1.
    pub line: u64,
    cells: Vec<Option<Box<str>>>,
}

impl Line {
    /// Returns the text in a column, without white space around it. `None` if the cell is empty, or
    /// there is no such column.
    pub fn cell(&self, column: usize) -> Option<&str> {
        self.cells.get(column)?.as_deref()
    }
}

impl Table {
    /// Returns a table of these columns, without rows.
    pub fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row to the table; an empty text is no cell.
    pub fn push<'a>(&mut self, line: u64, cells: impl IntoIterator<Item = Option<&'a str>>) {
        let texts = cells.into_iter().map(|cell| cell.map_or("", str::trim));
        let cells = texts.map(|text| (!text.is_empty()).then(|| text.into()));
        let cells = cells.collect();
        self.rows.push(Line { line, cells });
    }

    /// Reads CSV, JSON lines or a JSON list of objects; without a format, the content decides
    /// ([`Format::of_text`]). `file` stands in messages.
    ///
    /// The values of a JSON object are strings as they are, and others as JSON without white space;
    /// `null` is nothing.
    ///
    /// # Errors
    /// [`RecordsError`] if this is no UTF-8 text, two columns have the same name, there is no row,
    /// or a row is longer or shorter than the header or no object.
    pub fn read(bytes: &[u8], format: Option<Format>, file: &str) -> Result<Self, RecordsError> {
        let mut cells = Cells::default();
        rows::read(bytes, format, &mut cells, file, Vec::new())?;
        let Cells {
            names,
            mut table,
            mut problems,
            ..
        } = cells;
        problems.finish(file, table.rows.is_empty(), "rows")?;
        // The columns of a table are named by its header.
        if table.columns.is_empty() {
            table.columns = names.all().to_vec();
        }
        Ok(table)
    }

    /// Returns the names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the number of the column with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// Returns the rows, in the order of the file.
    pub fn rows(&self) -> &[Line] {
        &self.rows
    }
}

/// Collects the cells of a table while it is read.
#[derive(Default)]
struct Cells {
    names: Names,
    table: Table,
    problems: Problems,
    empty: Empty,
}

impl Schema<0> for Cells {
    const HELD: &'static str = "anything";
    const EXAMPLE: &'static str = r#"{"lr": 0.1, "accuracy": 0.71}"#;
    const DOCUMENT: &'static str = "expected `[`, for a list of objects";

    fn columns(&self) -> [&str; 0] {
        []
    }

    fn keeps_others(&self) -> bool {
        true
    }

    fn row(&mut self, row: &Row<'_, 0>) -> Result<(), RowProblem> {
        let mut cells: Vec<Option<Box<str>>> = Vec::new();
        let mut seen = vec![false; self.names.all().len()];
        for (key, value) in &row.others {
            let key = key.trim();
            let column = self.names.number(key, RowProblem::UnnamedColumn)?;
            seen.resize(self.names.all().len(), false);
            if std::mem::replace(&mut seen[column], true) {
                return Err(RowProblem::DuplicateKey(excerpt(key)));
            }
            let text = value.text()?;
            let text = text.trim();
            if !text.is_empty() {
                cells.resize(cells.len().max(column + 1), None);
                cells[column] = Some(text.into());
            }
        }
        self.empty.count(&cells)?;
        let line = row.line;
        self.table.rows.push(Line { line, cells });
        Ok(())
    }

    fn table(&mut self, mut sheet: Sheet<'_>) -> Result<(), RecordsError> {
        sheet.check_names()?;
        self.table.columns.clone_from(&sheet.names);
        sheet.each(self, |cells, line, row| {
            let row = row?;
            check_width(row, cells.table.columns.len())?;
            cells.table.push(line, row.iter().map(Some));
            Ok(())
        })
    }

    fn problems(&mut self) -> &mut Problems {
        &mut self.problems
    }
}

/// Adds a row to the text of a table that is separated by tabs, and returns on how many lines the row stands.
/// Every cell is in quotes.
///
/// # Example
/// ```
/// let mut text = String::new();
/// let lines = fiesta_records::table::push_row(&mut text, ["q1", "a \"b\"\nc"].into_iter());
/// assert_eq!((lines, &*text), (2, "\"q1\"\t\"a \"\"b\"\"\nc\"\n"));
/// ```
pub fn push_row<'c>(text: &mut String, cells: impl Iterator<Item = &'c str>) -> u64 {
    let from = text.len();
    for (place, cell) in cells.enumerate() {
        let between = if place > 0 { "\t" } else { "" };
        let cell = cell.replace('"', "\"\"");
        text.extend([between, "\"", &cell, "\""]);
    }
    text.push('\n');
    text[from..].matches('\n').count() as u64
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
        assert!(refused("[1]").starts_with("s:1: element 1: `1` is not a record"));
        assert!(refused("{\"a\": [1]}").contains("expected `[`, for a list of objects"));
    }
}
