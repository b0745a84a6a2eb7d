//! Position in a JSON text, with its line.
//!
//! A parser into structures would lose the line of every record but the bad ones, and the digits of
//! every number, which are read here by the same rules as those of CSV. The grammar of single
//! values is left to `serde_json`.

use crate::{RowProblem, words::excerpt};
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// A position in a JSON text. White space before the next token is passed over by every method.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

/// Python's words for numbers that JSON cannot express. They are read as tokens, so that the
/// message can name them.
const NO_NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

impl<'a> Cursor<'a> {
    /// Returns a cursor at the beginning of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self::starting_on(1, text)
    }

    /// Makes a cursor for text that begins on the given line of its file.
    pub(crate) fn starting_on(line: u64, text: &'a str) -> Self {
        Self { text, at: 0, line }
    }

    /// Returns the first byte of the next token. `None` at the end of the text.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        for (skipped, &byte) in rest.iter().enumerate() {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                token => {
                    self.at += skipped;
                    return Some(token);
                }
            }
        }
        self.at = self.text.len();
        None
    }

    /// Returns the line of the next token, from 1.
    pub(crate) fn line(&mut self) -> u64 {
        self.peek();
        self.line
    }

    /// Returns the place of an element in a list, in words: `of` names the list, and the number is
    /// from 1. `None` if the text has several lines, which tell the place.
    pub(crate) fn element(&self, of: &str, number: u64) -> Option<String> {
        let is_one_line = !self.text.trim().contains('\n');
        is_one_line.then(|| format!("{of}element {number}"))
    }

    /// Skips this punctuation mark, if it is the next token, and returns whether it was.
    pub(crate) fn take(&mut self, mark: u8) -> bool {
        let found = self.peek() == Some(mark);
        self.at += usize::from(found);
        found
    }

    /// Skips a punctuation mark, or returns the error that it is missing.
    pub(crate) fn expect(&mut self, mark: u8) -> Result<(), RowProblem> {
        if self.take(mark) {
            Ok(())
        } else {
            Err(self.problem(&format!("expected `{}`", char::from(mark))))
        }
    }

    /// Skips a value of any kind, and returns its text.
    pub(crate) fn value(&mut self) -> Result<&'a str, RowProblem> {
        if self.peek().is_none() {
            return Err(self.problem("expected a value"));
        }
        let rest = &self.text[self.at..];
        let length = match NO_NUMBERS.iter().find(|name| rest.starts_with(**name)) {
            Some(name) => name.len(),
            None => self.length(rest)?,
        };
        let value = &rest[..length];
        self.at += length;
        // Only objects, lists and broken strings span lines.
        if value.starts_with(['{', '[', '"']) {
            self.line += value.bytes().filter(|&byte| byte == b'\n').count() as u64;
        }
        Ok(value)
    }

    fn length(&mut self, rest: &str) -> Result<usize, RowProblem> {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        match values.next() {
            Some(Ok(IgnoredAny)) => Ok(values.byte_offset()),
            Some(Err(error)) => {
                let reason = reason(&error);
                Err(self.problem(&reason))
            }
            None => Err(self.problem("expected a value")),
        }
    }

    /// Steps over the key of an object's member and the colon, and returns the key.
    pub(crate) fn key(&mut self) -> Result<Cow<'a, str>, RowProblem> {
        if self.peek() != Some(b'"') {
            return Err(self.problem("expected a key in double quotes"));
        }
        let key = decoded(self.value()?)?;
        self.expect(b':')?;
        Ok(key)
    }

    /// Steps over a list or an object between these marks; `each` reads an element, or a member with
    /// its key.
    pub(crate) fn each(
        &mut self,
        [open, close]: [u8; 2],
        mut each: impl FnMut(&mut Self) -> Result<(), RowProblem>,
    ) -> Result<(), RowProblem> {
        self.expect(open)?;
        if self.take(close) {
            return Ok(());
        }
        loop {
            each(self)?;
            if !self.take(b',') {
                return self.expect(close);
            }
        }
    }

    /// Returns the problem that the text cannot be understood from here on.
    pub(crate) fn problem(&mut self, reason: &str) -> RowProblem {
        let at = match self.peek() {
            Some(_) => {
                let rest = self.text[self.at..].lines().next().unwrap_or_default();
                format!("`{}`", excerpt(rest))
            }
            None => "its end".to_owned(),
        };
        let reason = reason.to_owned();
        RowProblem::Json { at, reason }
    }
}

/// Returns the text that a JSON string encodes.
pub(crate) fn decoded(string: &str) -> Result<Cow<'_, str>, RowProblem> {
    // Escapes are rare in names, and without one the text stands between its quotes as it is.
    match string.strip_prefix('"').and_then(|s| s.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Ok(Cow::Borrowed(plain)),
        _ => serde_json::from_str(string)
            .map(Cow::Owned)
            .map_err(|error| RowProblem::Json {
                at: format!("`{}`", excerpt(string)),
                reason: reason(&error),
            }),
    }
}

/// Returns the parser's message without its line number, which counts from the value.
fn reason(error: &serde_json::Error) -> String {
    let mut reason = error.to_string();
    if let Some(end) = reason.find(" at line ") {
        reason.truncate(end);
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_and_counts_lines() {
        let mut cursor = Cursor::new("{\n\"a\\u0062\":\r\n [1,\n 2], \"c\": NaN}\n");
        cursor.expect(b'{').unwrap();
        assert_eq!(cursor.line(), 2);
        assert_eq!(cursor.key().unwrap(), "ab");
        assert_eq!(cursor.value().unwrap(), "[1,\n 2]");
        assert!(cursor.take(b','));
        assert_eq!(cursor.line(), 4);
        assert_eq!(cursor.key().unwrap(), "c");
        assert_eq!(cursor.value().unwrap(), "NaN");
        assert!(!cursor.take(b','));
        cursor.expect(b'}').unwrap();
        assert_eq!(cursor.peek(), None);
        assert_eq!(cursor.line(), 5);
    }

    #[test]
    fn says_where_the_text_ends_to_be_json() {
        let message = |text: &str| Cursor::new(text).value().unwrap_err().to_string();
        assert_eq!(
            message(" "),
            "this is not JSON at its end: expected a value"
        );
        assert_eq!(
            message(" nil\nx"),
            "this is not JSON at `nil`: expected ident"
        );
        assert!(message("[1, 2").contains("EOF while parsing a list"));
        let broken = decoded("\"\\ud800\"").unwrap_err().to_string();
        assert!(broken.starts_with("this is not JSON at `\"\\ud800\"`: "));
        assert!(!broken.contains("line"));
    }

    #[test]
    fn nesting_costs_no_stack() {
        let deep = "[".repeat(1_000_000);
        assert!(Cursor::new(&deep).value().is_err());
    }
}
