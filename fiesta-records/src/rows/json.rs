//! Rows of JSON texts, which are objects: one on each line, or all in a list; and JSON values as
//! texts of cells.

use super::{Cell, Cursor, Row, Schema};
use crate::{RowProblem, words::excerpt};
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// Reads an object per line.
pub(super) fn lines<const N: usize, S: Schema<N>>(text: &str, schema: &mut S) {
    let mut row = Row::default();
    for (number, text) in (1..).zip(text.lines()) {
        let mut cursor = Cursor::starting_on(number, text);
        if cursor.peek().is_none() {
            continue;
        }
        let read = object(&mut cursor, schema, &mut row).and_then(|twice| {
            end(&mut cursor)?;
            row.line = number;
            take(&row, twice, schema)
        });
        if let Err(problem) = read {
            schema.problems().add(number, problem);
        }
    }
}

/// Reads a text that is a single JSON document.
pub(super) fn document<const N: usize, S: Schema<N>>(text: &str, schema: &mut S) {
    let mut cursor = Cursor::new(text);
    let read = schema.document(&mut cursor).and_then(|()| end(&mut cursor));
    if let Err(problem) = read {
        schema.problems().add(cursor.line(), problem);
    }
}

/// Reads a list of objects: `[{"arm": "lstm", "score": 0.71}, …]`. The error is a fault of the text
/// itself, after which nothing can be understood.
pub(crate) fn list<const N: usize, S: Schema<N>>(
    cursor: &mut Cursor,
    schema: &mut S,
) -> Result<(), RowProblem> {
    let mut row = Row::default();
    let mut number = 0;
    cursor.each(*b"[]", |cursor| {
        let line = cursor.line();
        number += 1;
        let place =
            |problem: RowProblem, cursor: &Cursor| problem.within(cursor.element("", number));
        let taken = if cursor.peek() == Some(b'{') {
            let twice = object(cursor, schema, &mut row);
            let twice = twice.map_err(|problem| place(problem, cursor))?;
            row.line = line;
            take(&row, twice, schema)
        } else {
            let value = cursor.value();
            let value = value.map_err(|problem| place(problem, cursor))?;
            Err(no_object(value, S::EXAMPLE))
        };
        if let Err(problem) = taken {
            let problem = place(problem, cursor);
            schema.problems().add(line, problem);
        }
        Ok(())
    })
}

/// Checks that a JSON text ends here, but for white space.
fn end(cursor: &mut Cursor) -> Result<(), RowProblem> {
    match cursor.peek() {
        None => Ok(()),
        Some(b'{') => Err(cursor.problem(
            "expected the end; a file with several objects should have one per line and end in .jsonl",
        )),
        Some(_) => Err(cursor.problem("expected the end")),
    }
}

impl<const N: usize> Default for Row<'_, N> {
    fn default() -> Self {
        Self {
            line: 0,
            cells: [None; N],
            others: Vec::new(),
            keys: Vec::new(),
        }
    }
}

/// Reads an object, whose members become the cells of the row, and returns the place of a key that
/// occurs twice. Values are not checked. The error is a fault of the text itself.
fn object<'a, const N: usize, S: Schema<N>>(
    cursor: &mut Cursor<'a>,
    schema: &S,
    row: &mut Row<'a, N>,
) -> Result<Option<usize>, RowProblem> {
    row.cells = [None; N];
    row.others.clear();
    row.keys.clear();
    if cursor.peek() != Some(b'{') {
        return Err(no_object(cursor.value()?, S::EXAMPLE));
    }
    let wanted = schema.columns();
    let mut twice = None;
    cursor.each(*b"{}", |cursor| {
        let key = cursor.key()?;
        let name = key.trim();
        let value = Cell::Json(cursor.value()?);
        let name = schema.of_long_form(name);
        match wanted.iter().position(|wanted| *wanted == name) {
            Some(place) if row.cells[place].replace(value).is_some() => {
                twice = twice.or(Some(row.keys.len()));
            }
            None if schema.keeps_others() && !name.is_empty() => {
                row.others.push((key.clone(), value));
            }
            _ => {}
        }
        row.keys.push(key);
        Ok(())
    })?;
    Ok(twice)
}

fn take<const N: usize>(
    row: &Row<'_, N>,
    twice: Option<usize>,
    schema: &mut impl Schema<N>,
) -> Result<(), RowProblem> {
    match twice {
        Some(key) => Err(RowProblem::DuplicateKey(excerpt(&row.keys[key]))),
        None => schema.row(row),
    }
}

pub(super) fn no_object(value: &str, example: &str) -> RowProblem {
    let found = excerpt(value);
    RowProblem::refused(format!(
        "`{found}` is not a record: write an object such as {example}"
    ))
}

/// A value, which is known to be JSON, without the white space between its tokens. Numbers keep
/// their digits.
pub(crate) fn compact(value: &str) -> Cow<'_, str> {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    if !value.contains(is_space) {
        return Cow::Borrowed(value);
    }
    let mut written = String::with_capacity(value.len());
    let mut in_string = false;
    let mut escaped = false;
    for character in value.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        if in_string || !is_space(character) {
            written.push(character);
        }
    }
    Cow::Owned(written)
}

/// Returns a text as a JSON value from which the same text is read: the text itself if it is JSON
/// other than a string or `null`, and else a string.
pub(crate) fn as_json(text: &str) -> Cow<'_, str> {
    let itself = text != "null"
        && !text.starts_with('"')
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
        && compact(text) == text;
    if itself {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(serde_json::Value::from(text).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_space_between_tokens_goes() {
        assert_eq!(
            compact("{\"a b\" : [1.0,\n 2e400 , \"c \\\" d\"]\t}"),
            "{\"a b\":[1.0,2e400,\"c \\\" d\"]}"
        );
        assert_eq!(
            compact("12345678901234567890123"),
            "12345678901234567890123"
        );
    }

    #[test]
    fn texts_that_are_json_stay_themselves() {
        for text in ["0.10", "-1e-7", "true", "[1,2]", "{\"a\":null}"] {
            assert_eq!(as_json(text), text);
        }
        for text in ["null", "007", "[1, 2]", "adam", "\"x\"", "NaN", "+1", ""] {
            assert_eq!(as_json(text), serde_json::json!(text).to_string());
        }
    }
}
