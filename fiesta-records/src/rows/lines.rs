//! Rows of CSV and TSV texts, from the first, each with the line on which it begins.

use crate::RowProblem;
use csv::{Reader, ReaderBuilder, StringRecord};
use std::io::{self, Chain, Read};

/// Bytes put behind a text, so that its last row ends where the text does and one row is left over.
/// If a row contains them, a quote was never closed, which the parser would not report.
const SENTINEL: &[u8] = b"\n\0";

const UNCLOSED: &str =
    "a quote is opened and never closed, so that the rest of the file is one field: close it";

const STRAY: &str = "a quoted field spans several lines, and text follows its closing quote: close the quote where its field ends, and write a quote within it twice";

/// The rows of a text, from the first.
pub(super) struct Rows<'a> {
    text: &'a [u8],
    pub(super) delimiter: u8,
    reader: Reader<Chain<&'a [u8], &'static [u8]>>,
    line: u64,
    /// Place up to which the lines are counted.
    counted: usize,
}

/// Result of reading the next row of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Next {
    /// A row that begins on the given line.
    Row(u64),
    /// A row that cannot be read: the line on which it begins, and the problem. In CSV, a missing
    /// quote may have joined the next rows to it.
    Broken(u64, RowProblem),
    /// The end of the text.
    End,
}

impl<'a> Rows<'a> {
    /// Returns the rows of a text that begins on this line of its file.
    pub(super) fn new(text: &'a str, delimiter: u8, line: u64) -> Self {
        Self::of_bytes(text.as_bytes(), delimiter, line)
    }

    fn of_bytes(text: &'a [u8], delimiter: u8, line: u64) -> Self {
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
            line,
            counted: 0,
        }
    }

    /// Returns the rows that are left, to look ahead.
    pub(super) fn rest(&self) -> Self {
        let start = usize::try_from(self.reader.position().byte()).unwrap_or(usize::MAX);
        let rest = &self.text[start.min(self.text.len())..];
        Self::of_bytes(rest, self.delimiter, self.line)
    }

    /// Reads the next row that is not blank.
    pub(super) fn next(&mut self, row: &mut StringRecord) -> io::Result<Next> {
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
                return Ok(Next::Broken(line, RowProblem::refused(UNCLOSED)));
            }
            // The parser takes a quote within a field for a character like any other. That does no
            // harm on one line, but on several it may be the quote that opens the field of a later
            // row.
            let is_break = |byte| matches!(byte, b'\n' | b'\r');
            if row.as_slice().bytes().any(is_break) && !self.well_quoted(self.counted, end) {
                return Ok(Next::Broken(line, RowProblem::refused(STRAY)));
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

    /// Returns the line of the row that begins at this place. The parser counts blank lines before
    /// the row as its part. `None` at the end of the text.
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
        let mut rows = Rows::new(text, b',', 1);
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
        let unclosed = |line| broken(line, RowProblem::refused(UNCLOSED));
        assert_eq!(rows("a\n\"b\nc\n"), [row(1, "a"), unclosed(2)]);
        assert_eq!(rows("a\n\"b,c"), [row(1, "a"), unclosed(2)]);
        assert_eq!(rows("\""), [unclosed(1)]);
        assert_eq!(rows("a\n\"b\""), [row(1, "a"), row(2, "b")]);
        assert_eq!(rows("a\n\"b\"\"\"\n"), [row(1, "a"), row(2, "b\"")]);
        assert_eq!(rows("a,\n\0"), [row(1, "a|"), row(2, "\0")]);
        let stray = |line| broken(line, RowProblem::refused(STRAY));
        assert_eq!(
            rows("a\n\"b\nc,\"d\"\ne\n"),
            [row(1, "a"), stray(2), row(4, "e")]
        );
        assert_eq!(rows("a,\"b\n\",\"\"\"\n\""), [row(1, "a|b\n|\"\n")]);
        assert_eq!(rows("5\" a,\"b\"c"), [row(1, "5\" a|bc")]);
    }
}
