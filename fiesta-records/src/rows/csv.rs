//! Rows of CSV and TSV texts, each with the line on which it begins, below a header.

use super::{
    Cell, Row, Schema,
    cursor::decoded,
    decimal::{Tally, restore},
    json::compact,
    layout::JsonTable,
};
use crate::{
    HeaderProblem, RecordsError, RowProblem,
    formula::{inert, original},
    words::excerpt,
};
use csv::{Reader, ReaderBuilder, StringRecord};
use std::{
    borrow::Cow,
    io::{self, Chain, Read},
};

/// A table whose header was read, and whose rows come next.
pub(crate) struct Sheet<'a> {
    source: Source<'a>,
    row: StringRecord,
    /// The columns whose numbers have a decimal comma.
    commas: Vec<bool>,
    /// The names of the columns, without surrounding white space.
    pub(crate) names: Vec<String>,
    /// Columns whose cells are joined into an additional last column; empty if there is none.
    joined: Vec<usize>,
    /// The line of the header.
    line: u64,
    /// Whether all rows are on one line, as in most JSON documents.
    is_one_line: bool,
    file: &'a str,
}

/// Source of the rows of a table.
enum Source<'a> {
    Text(Rows<'a>),
    Json(std::vec::IntoIter<(u64, Vec<Option<&'a str>>)>),
}

impl<'a> Sheet<'a> {
    /// A table of a JSON document.
    pub(super) fn of_json(table: JsonTable<'a>, file: &'a str) -> Self {
        let line = table.rows.first().map_or(1, |(line, _)| *line);
        Self {
            row: StringRecord::new(),
            commas: Vec::new(),
            names: table.names,
            joined: Vec::new(),
            is_one_line: table.rows.len() > 1 && table.rows.iter().all(|(of, _)| *of == line),
            source: Source::Json(table.rows.into_iter()),
            line,
            file,
        }
    }

    /// Reads the header, below the line that states the separator if there is one; none in a text
    /// without any row.
    pub(super) fn open(
        text: &'a str,
        delimiter: u8,
        is_stated: bool,
        file: &'a str,
    ) -> Result<Option<Self>, RecordsError> {
        let mut sheet = Self {
            source: Source::Text(Rows::new(text, delimiter)),
            row: StringRecord::new(),
            commas: Vec::new(),
            names: Vec::new(),
            joined: Vec::new(),
            line: 1,
            is_one_line: false,
            file,
        };
        if is_stated {
            sheet.next()?;
        }
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

    /// Takes away what keeps the names of columns from being run as formulas.
    pub(crate) fn restore_names(&mut self) {
        for name in &mut self.names {
            if let Cow::Owned(restored) = original(name) {
                *name = restored;
            }
        }
    }

    /// Finds the columns whose numbers have a decimal comma, in all rows that are left.
    ///
    /// # Errors
    /// [`RecordsError`] if that is not certain of the columns that are `wanted` as numbers.
    pub(super) fn commas(
        mut self,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<bool>, RecordsError> {
        self.restore_names();
        let mut tally = Tally::default();
        loop {
            match self.next()? {
                Next::Row(_) => tally.add(&self.row),
                Next::Broken(..) => {}
                Next::End => break,
            }
        }
        tally
            .columns(&self.names, wanted)
            .map_err(|problem| self.refused(problem))
    }

    /// Takes commas for decimal points in these columns of the table.
    pub(super) fn with_commas(mut self, columns: Vec<bool>) -> Self {
        self.commas = columns;
        self
    }

    /// Returns the header and the first rows as texts.
    pub(super) fn sample(mut self, most: usize) -> (Vec<String>, Vec<Vec<String>>) {
        self.restore_names();
        let mut rows = Vec::new();
        while rows.len() < most {
            match self.next() {
                Ok(Next::Row(_)) => {
                    rows.push(self.row.iter().map(|cell| cell.trim().to_owned()).collect());
                }
                Ok(Next::Broken(..)) => {}
                Ok(Next::End) | Err(_) => break,
            }
        }
        (self.names, rows)
    }

    /// Refuses names that occur twice, and columns that are separated by something else.
    pub(crate) fn check_names(&self) -> Result<(), RecordsError> {
        if let ([only], Source::Text(rows)) = (&self.names[..], &self.source) {
            separator(only, rows.delimiter).map_err(|problem| self.refused(problem))?;
        }
        let mut sorted: Vec<&String> = self.names.iter().filter(|n| !n.is_empty()).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(self.refused(HeaderProblem::Duplicate(excerpt(pair[0])))),
            None => Ok(()),
        }
    }

    /// Adds a column of this name that joins the cells of these columns.
    pub(crate) fn join(&mut self, name: &str, columns: Vec<usize>) {
        self.names.push(name.to_owned());
        self.joined = columns;
    }

    /// The header does not say what the columns hold.
    pub(crate) fn refused(&self, problem: HeaderProblem) -> RecordsError {
        RecordsError::Header {
            file: self.file.to_owned(),
            line: self.line,
            problem,
        }
    }

    /// The header is bad as a row.
    pub(crate) fn broken(&self, problem: RowProblem) -> RecordsError {
        RecordsError::Row {
            file: self.file.to_owned(),
            line: self.line,
            problem,
            further: 0,
        }
    }

    /// Hands over all rows to the schema of their columns.
    pub(crate) fn rows<const N: usize>(
        &mut self,
        schema: &mut impl Schema<N>,
    ) -> Result<(), RecordsError> {
        let names = self.names.clone();
        let mut columns = [None; N];
        let mut others = Vec::new();
        for (column, name) in names.iter().enumerate() {
            let place = schema.columns().iter().position(|wanted| wanted == name);
            match place {
                Some(place) => columns[place] = Some(column),
                None if name.is_empty() || !schema.keeps_others() => {}
                None => others.push(column),
            }
        }
        self.each(schema, |schema, line, row| {
            let row = row?;
            check_width(row, names.len())?;
            let cell = |column: usize| Cell::Field(row[column].trim());
            schema.row(&Row {
                line,
                cells: columns.map(|column| column.map(cell)),
                others: others
                    .iter()
                    .map(|&column| (Cow::Borrowed(&*names[column]), cell(column)))
                    .collect(),
                keys: Vec::new(),
            })
        })
    }

    /// Passes on every row with its line, or with its fault.
    pub(crate) fn each<const N: usize, S: Schema<N>>(
        &mut self,
        schema: &mut S,
        mut take: impl FnMut(&mut S, u64, Result<&StringRecord, RowProblem>) -> Result<(), RowProblem>,
    ) -> Result<(), RecordsError> {
        let mut any = false;
        let mut number = 0_u64;
        loop {
            let (line, taken) = match self.next()? {
                Next::Row(line) => (line, take(schema, line, Ok(&self.row))),
                Next::Broken(line, problem) => (line, take(schema, line, Err(problem))),
                Next::End if any => return Ok(()),
                Next::End => {
                    return Err(RecordsError::NoRows {
                        file: self.file.to_owned(),
                        what: S::HELD,
                    });
                }
            };
            any = true;
            number += 1;
            if let Err(problem) = taken {
                let place = self.is_one_line.then(|| format!("row {number}"));
                schema.problems().add(line, problem.within(place));
            }
        }
    }

    fn next(&mut self) -> Result<Next, RecordsError> {
        let next = self.next_as_it_stands()?;
        if !self.joined.is_empty() && self.row.len() + 1 == self.names.len() {
            let cells = self.joined.iter().map(|&column| self.row[column].trim());
            let cells: Vec<&str> = cells.collect();
            // Without one of its parts, an item has no name.
            let is_whole = cells.iter().all(|cell| !cell.is_empty());
            let name = if is_whole {
                cells.join("/")
            } else {
                String::new()
            };
            self.row.push_field(&name);
        }
        Ok(next)
    }

    fn next_as_it_stands(&mut self) -> Result<Next, RecordsError> {
        let width = self.names.len() - usize::from(!self.joined.is_empty());
        let rows = match &mut self.source {
            Source::Text(rows) => rows,
            Source::Json(rows) => {
                let Some((line, cells)) = rows.next() else {
                    return Ok(Next::End);
                };
                return Ok(match of_json(&mut self.row, &cells, width) {
                    Ok(()) => Next::Row(line),
                    Err(problem) => Next::Broken(line, problem),
                });
            }
        };
        let next = rows.next(&mut self.row);
        let next = next.map_err(RecordsError::unread(self.file))?;
        if self.commas.contains(&true) && matches!(next, Next::Row(_)) {
            self.row = restore(&self.row, &self.commas);
        }
        Ok(next)
    }
}

/// Makes a row of the values of JSON: what a table would hold.
fn of_json(row: &mut StringRecord, cells: &[Option<&str>], width: usize) -> Result<(), RowProblem> {
    row.clear();
    for place in 0..width {
        match cells.get(place).copied().flatten() {
            None | Some("null") => row.push_field(""),
            Some(text) if text.starts_with('"') => row.push_field(&inert(&decoded(text)?)),
            Some(other) => row.push_field(&compact(other)),
        }
    }
    Ok(())
}

/// Refuses a row that is longer or shorter than the header.
pub(crate) fn check_width(row: &StringRecord, expected: usize) -> Result<(), RowProblem> {
    match row.len() {
        found if found == expected => Ok(()),
        found => Err(RowProblem::Fields { found, expected }),
    }
}

/// Refuses a single column whose name contains what other files separate their columns by.
fn separator(name: &str, delimiter: u8) -> Result<(), HeaderProblem> {
    let expected = match delimiter {
        b'\t' => "tabs",
        _ => "commas, and write numbers with a decimal point",
    };
    let others = [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs")];
    let found = others
        .into_iter()
        .find(|&(other, _)| other != delimiter && name.as_bytes().contains(&other));
    match found {
        Some((_, found)) => Err(HeaderProblem::Separator { found, expected }),
        None => Ok(()),
    }
}

/// Follows the text, so that its last row ends where the text does, and a row after it is left
/// over: one that contains this row has a quote that was never closed, of which the parser would
/// say nothing.
const SENTINEL: &[u8] = b"\n\0";

/// The rows of a text, from the first.
struct Rows<'a> {
    text: &'a [u8],
    delimiter: u8,
    reader: Reader<Chain<&'a [u8], &'static [u8]>>,
    line: u64,
    /// Up to where the lines are counted.
    counted: usize,
}

/// Next part of a text.
#[derive(Debug, Clone, PartialEq)]
enum Next {
    /// A row that begins on this line.
    Row(u64),
    /// A row that cannot be read: the line on which it begins, and the problem. In CSV, a missing
    /// quote may have joined the next rows to it.
    Broken(u64, RowProblem),
    /// Nothing.
    End,
}

impl<'a> Rows<'a> {
    fn new(text: &'a str, delimiter: u8) -> Self {
        let text = text.as_bytes();
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .buffer_capacity(1 << 16)
            .from_reader(text.chain(SENTINEL));
        Self {
            text,
            delimiter,
            reader,
            line: 1,
            counted: 0,
        }
    }

    /// Reads the next row that is not blank.
    fn next(&mut self, row: &mut StringRecord) -> io::Result<Next> {
        loop {
            if !self.reader.read_record(row)? {
                return Ok(Next::End);
            }
            let start = row.position().map_or(0, csv::Position::byte);
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            let Some(line) = self.line_of(start) else {
                return Ok(Next::End);
            };
            let end = self.reader.position().byte();
            if end > self.text.len() as u64 + 1 {
                return Ok(Next::Broken(line, RowProblem::UnclosedQuote));
            }
            // The parser takes a quote within a field for a character like any other. That does no
            // harm on one line, but on several it may be the quote that opens the field of a later
            // row.
            if row.as_slice().contains(['\n', '\r']) && !self.well_quoted(self.counted, end) {
                return Ok(Next::Broken(line, RowProblem::StrayQuote));
            }
            // Spreadsheets write rows of separators alone.
            if row.iter().any(|field| !field.trim().is_empty()) {
                return Ok(Next::Row(line));
            }
        }
    }

    /// Whether every quoted field of the row between these two places ends with its closing quote.
    fn well_quoted(&self, start: usize, end: u64) -> bool {
        let end = usize::try_from(end).map_or(self.text.len(), |end| end.min(self.text.len()));
        let mut row = self.text[start..end].iter().copied().peekable();
        let ends_field = |byte| byte == self.delimiter || byte == b'\n' || byte == b'\r';
        while let Some(first) = row.next() {
            if first == b'"' {
                // A doubled quote stands for one within the field.
                while row.find(|&byte| byte == b'"').is_some() && row.next_if_eq(&b'"').is_some() {}
                if row.next().is_some_and(|byte| !ends_field(byte)) {
                    return false;
                }
            } else if !ends_field(first) {
                row.find(|&byte| ends_field(byte));
            }
        }
        true
    }

    /// The line of the row that begins here or, as the parser counts blank lines in, a few line
    /// breaks later; none if that is the end of the text.
    fn line_of(&mut self, mut start: usize) -> Option<u64> {
        while let Some(b'\n' | b'\r') = self.text.get(start) {
            start += 1;
        }
        self.text.get(start)?;
        // A row ends with LF, CRLF or CR. The two bytes of CRLF count once, by the second.
        let bytes = &self.text[self.counted..=start];
        let breaks = bytes
            .windows(2)
            .filter(|pair| pair[0] == b'\n' || (pair[0] == b'\r' && pair[1] != b'\n'));
        self.line += breaks.count() as u64;
        self.counted = start;
        Some(self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(Next, String)> {
        let mut rows = Rows::new(text, b',');
        let mut row = StringRecord::new();
        let mut found = Vec::new();
        loop {
            let next = rows.next(&mut row).unwrap();
            match next {
                Next::Row(_) => found.push((next, row.iter().collect::<Vec<_>>().join("|"))),
                Next::Broken(..) => found.push((next, String::new())),
                Next::End => return found,
            }
        }
    }

    fn row(line: u64, text: &str) -> (Next, String) {
        (Next::Row(line), text.to_owned())
    }

    #[test]
    fn lines_are_those_of_an_editor() {
        let expected = [row(1, "a|b"), row(4, "c\nd|e"), row(6, "f")];
        for text in [
            "a,b\n\n\n\"c\nd\",e\nf",
            "a,b\r\n\r\n\r\n\"c\nd\",e\r\nf\r\n",
            "a,b\r\r\r\"c\nd\",e\rf\r\r",
            "a,b\n \n\t\n\"c\nd\",e\nf\n \n",
        ] {
            assert_eq!(rows(text), expected, "{text:?}");
        }
        assert_eq!(rows("\n\r\n a,b"), [row(3, " a|b")]);
        assert_eq!(rows(""), []);
        assert_eq!(rows("\n \r\n"), []);
    }

    #[test]
    fn finds_the_quote_that_is_not_closed() {
        let broken = |line, problem| (Next::Broken(line, problem), String::new());
        let unclosed = |line| broken(line, RowProblem::UnclosedQuote);
        assert_eq!(rows("a\n\"b\nc\n"), [row(1, "a"), unclosed(2)]);
        assert_eq!(rows("a\n\"b,c"), [row(1, "a"), unclosed(2)]);
        assert_eq!(rows("\""), [unclosed(1)]);
        assert_eq!(rows("a\n\"b\""), [row(1, "a"), row(2, "b")]);
        assert_eq!(rows("a\n\"b\"\"\"\n"), [row(1, "a"), row(2, "b\"")]);
        assert_eq!(rows("a,\n\0"), [row(1, "a|"), row(2, "\0")]);
        let stray = |line| broken(line, RowProblem::StrayQuote);
        assert_eq!(
            rows("a\n\"b\nc,\"d\"\ne\n"),
            [row(1, "a"), stray(2), row(4, "e")]
        );
        assert_eq!(rows("a,\"b\n\",\"\"\"\n\""), [row(1, "a|b\n|\"\n")]);
        assert_eq!(rows("5\" a,\"b\"c"), [row(1, "5\" a|bc")]);
    }
}
