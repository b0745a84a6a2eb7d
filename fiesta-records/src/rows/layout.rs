//! Tables in one JSON document, in the layouts that pandas writes: by columns, by rows, split into
//! names and values, or with a schema.
//!
//! | `orient=` | the document |
//! |---|---|
//! | `columns` | `{"arm": {"0": "lstm", "1": "gru"}, "score": {"0": 0.71, "1": 0.69}}` |
//! | `list` | `{"arm": ["lstm", "gru"], "score": [0.71, 0.69]}` |
//! | `index` | `{"0": {"arm": "lstm", "score": 0.71}, "1": {"arm": "gru", "score": 0.69}}` |
//! | `split`, `tight` | `{"columns": ["arm", "score"], "index": [0, 1], "data": [["lstm", 0.71], ["gru", 0.69]]}` |
//! | `table` | `{"schema": {…}, "data": [{"index": 0, "arm": "lstm", "score": 0.71}, …]}` |
//! | `records` | `[{"arm": "lstm", "score": 0.71}, …]` |
//! | `values` | `[["lstm", 0.71], …]`: refused, as nothing says what the columns are |

use super::{Cursor, Sheet, cursor::decoded, json::no_object};
use crate::{
    RowProblem,
    proposal::{are_of_systems_alone, names_no_system},
    words::excerpt,
};
use std::collections::HashMap;

/// Table of values, as they stand in the text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct JsonTable<'a> {
    pub(super) names: Vec<String>,
    /// The line of each row, and a value for each of the first columns.
    pub(super) rows: Vec<(u64, Vec<Option<&'a str>>)>,
    places: HashMap<String, usize>,
}

/// A member of an object, with the line of its value.
struct Member<'a> {
    key: String,
    line: u64,
    value: &'a str,
}

const VALUES: &str = "a list of lists does not say what its columns are, as pandas writes it with orient=\"values\": \
     write it with orient=\"records\" or orient=\"split\"";
const UNCLEAR: &str = "this is an object of objects, and nothing says whether it is by columns or by rows (in pandas, \
     orient=\"columns\" or \"index\"): write it with orient=\"records\"";
const MIXED: &str = "pandas' orient=\"split\" has the keys `columns` and `data`, lists of names and of rows as long: write it \
     with orient=\"records\"";

/// Returns the table of a JSON document in one of pandas' layouts. `None` for any other document.
///
/// # Errors
/// A problem and its line, if this is a table whose columns nothing tells, or whose rows are none.
pub(super) fn of<'a>(
    text: &'a str,
    known: &impl Fn(&str) -> bool,
    is_wide: bool,
) -> Result<Option<JsonTable<'a>>, (u64, RowProblem)> {
    let mut cursor = Cursor::new(text);
    match cursor.peek() {
        Some(b'{') => match members(&mut cursor) {
            Ok(members) if cursor.peek().is_none() => of_object(&members, known, is_wide),
            _ => Ok(None),
        },
        Some(b'[') => of_list(&mut cursor, known, is_wide),
        _ => Ok(None),
    }
}

/// Reads the members of an object.
fn members<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Member<'a>>, RowProblem> {
    let mut members = Vec::new();
    cursor.each(*b"{}", |cursor| {
        let key = cursor.key()?.into_owned();
        let line = cursor.line();
        let value = cursor.value()?;
        members.push(Member { key, line, value });
        Ok(())
    })?;
    Ok(members)
}

/// Returns the values of a list, with their lines.
fn values(line: u64, list: &str) -> Result<Vec<(u64, &str)>, RowProblem> {
    let mut values = Vec::new();
    Cursor::starting_on(line, list).each(*b"[]", |cursor| {
        values.push((cursor.line(), cursor.value()?));
        Ok(())
    })?;
    Ok(values)
}

fn of_object<'a>(
    members: &[Member<'a>],
    known: &impl Fn(&str) -> bool,
    is_wide: bool,
) -> Result<Option<JsonTable<'a>>, (u64, RowProblem)> {
    let find = |key: &str| members.iter().find(|member| member.key == key);
    if let (Some(columns), Some(data)) = (find("columns"), find("data"))
        && columns.value.starts_with('[')
        && data.value.starts_with('[')
    {
        return split(columns, data).map(Some);
    }
    if let (Some(schema), Some(data)) = (find("schema"), find("data"))
        && schema.value.starts_with('{')
        && data.value.starts_with('[')
    {
        let mut table = rows(data.line, data.value)?;
        // pandas writes the numbers of rows as a column: no arm is called so.
        if schema.value.contains("\"primaryKey\":[\"index\"]") {
            table.drop_column("index");
        }
        return Ok(Some(table));
    }
    let all = |mark: char| !members.is_empty() && members.iter().all(|m| m.value.starts_with(mark));
    let is_column =
        |m: &Member<'_>| known(m.key.trim()) || is_no_arm(m.key.trim()) || holds_texts(m);
    if all('[') && (members.iter().any(is_column) || is_wide && !are_of_systems(members)) {
        return of_lists(members, usize::MAX).map(Some);
    }
    if !all('{') {
        return Ok(None);
    }
    if is_by_columns(members, known)? {
        return by_columns(members, |member| {
            let cells = self::members(&mut Cursor::starting_on(member.line, member.value))?;
            let cells = cells.into_iter();
            Ok(cells
                .map(|cell| (cell.key, cell.line, cell.value))
                .collect())
        })
        .map(Some);
    }
    let mut table = JsonTable::default();
    for member in members {
        table.add_object(member.line, member.value)?;
    }
    Ok(Some(table))
}

/// Returns whether a key, as a name of a column of a table, would not be an arm's.
fn is_no_arm(key: &str) -> bool {
    key != "item" && names_no_system(key)
}

/// Reads a table of columns that are lists, with no more than this number of rows.
fn of_lists<'a>(members: &[Member<'a>], most: usize) -> Result<JsonTable<'a>, (u64, RowProblem)> {
    by_columns(members, |member| {
        let values = values(member.line, member.value)?;
        let places = values.into_iter().take(most).enumerate();
        Ok(places
            .map(|(place, (line, value))| (place.to_string(), line, value))
            .collect())
    })
}

/// Returns whether lists are certainly the scores of systems, a list for each, by the rules for the columns
/// of a table. Lists that are no columns are told of by their reader.
fn are_of_systems(members: &[Member<'_>]) -> bool {
    const ROWS: usize = 1000;
    of_lists(members, ROWS).is_ok_and(|table| {
        let names = table.names.clone();
        let (_, cells) = Sheet::of_json(table, "").sample(ROWS);
        are_of_systems_alone(names, cells)
    })
}

/// Returns whether a list holds objects, or texts that are not numbers: no scores.
fn holds_texts(member: &Member<'_>) -> bool {
    let Ok(values) = values(member.line, member.value) else {
        return false;
    };
    let is_text = |value: &str| match value.as_bytes().first() {
        Some(b'{') => true,
        Some(b'"') => decoded(value).is_ok_and(|text| text.trim().parse::<f64>().is_err()),
        _ => false,
    };
    let mut known = values
        .iter()
        .filter(|(_, value)| *value != "null")
        .peekable();
    known.peek().is_some() && known.all(|(_, value)| is_text(value))
}

/// Returns whether an object of objects holds columns rather than rows.
fn is_by_columns(
    members: &[Member<'_>],
    known: &impl Fn(&str) -> bool,
) -> Result<bool, (u64, RowProblem)> {
    let first = &members[0];
    let mut cursor = Cursor::starting_on(first.line, first.value);
    let inner = self::members(&mut cursor).map_err(|problem| (first.line, problem))?;
    let is_number = |key: &str| key.trim().parse::<u64>().is_ok();
    let outer_known = members.iter().any(|m| known(m.key.trim()));
    let inner_known = inner.iter().any(|m| known(m.key.trim()));
    let outer_numbers = members.iter().all(|m| is_number(&m.key));
    let inner_numbers = inner.iter().all(|m| is_number(&m.key));
    match (outer_known, inner_known) {
        (true, false) => Ok(true),
        (false, true) => Ok(false),
        _ if outer_numbers != inner_numbers => Ok(inner_numbers),
        _ => Err((first.line, RowProblem::refused(UNCLEAR))),
    }
}

/// Reads a table of columns, each of which names its rows.
fn by_columns<'a>(
    members: &[Member<'a>],
    cells: impl Fn(&Member<'a>) -> Result<Vec<(String, u64, &'a str)>, RowProblem>,
) -> Result<JsonTable<'a>, (u64, RowProblem)> {
    let mut table = JsonTable::default();
    let mut keys: Vec<String> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (column, member) in members.iter().enumerate() {
        let refused = |problem| (member.line, problem);
        table.names.push(member.key.trim().to_owned());
        for (place, (key, line, value)) in cells(member).map_err(refused)?.into_iter().enumerate() {
            // Every column has the same rows in the same order, unless someone wrote it by hand.
            let row = if keys.get(place) == Some(&key) {
                place
            } else if let Some(&row) = places.get(&key) {
                row
            } else {
                places.insert(key.clone(), keys.len());
                keys.push(key);
                table.rows.push((line, Vec::new()));
                keys.len() - 1
            };
            let cells = &mut table.rows[row].1;
            if cells.len() > column {
                return Err((line, RowProblem::DuplicateKey(excerpt(&keys[row]))));
            }
            cells.resize(column, None);
            cells.push(Some(value));
        }
    }
    Ok(table)
}

/// Reads the layout `{"columns": […], "data": [[…], …]}`.
fn split<'a>(columns: &Member<'a>, data: &Member<'a>) -> Result<JsonTable<'a>, (u64, RowProblem)> {
    let mut table = JsonTable::default();
    let refused = |line: u64| move |problem| (line, problem);
    for (line, name) in values(columns.line, columns.value).map_err(refused(columns.line))? {
        let name = if name.starts_with('"') {
            decoded(name).map_err(refused(line))?.into_owned()
        } else if name.starts_with(['[', '{']) {
            return Err((line, RowProblem::refused(MIXED)));
        } else {
            name.to_owned()
        };
        table.names.push(name.trim().to_owned());
    }
    for (line, row) in values(data.line, data.value).map_err(refused(data.line))? {
        if !row.starts_with('[') {
            return Err((line, RowProblem::refused(MIXED)));
        }
        let cells = values(line, row).map_err(refused(line))?;
        if cells.len() != table.names.len() {
            return Err((line, RowProblem::refused(MIXED)));
        }
        let cells = cells.into_iter().map(|(_, value)| Some(value));
        table.rows.push((line, cells.collect()));
    }
    Ok(table)
}

/// Reads a list of objects.
fn rows(line: u64, list: &str) -> Result<JsonTable<'_>, (u64, RowProblem)> {
    let mut table = JsonTable::default();
    for (line, row) in values(line, list).map_err(|problem| (line, problem))? {
        table.add_object(line, row)?;
    }
    Ok(table)
}

/// Reads a table from a list of objects that are no rows of the long form. `None` if they are.
fn of_list<'a>(
    cursor: &mut Cursor<'a>,
    known: &impl Fn(&str) -> bool,
    is_wide: bool,
) -> Result<Option<JsonTable<'a>>, (u64, RowProblem)> {
    let line = cursor.line();
    let Ok(all) = cursor.value() else {
        return Ok(None);
    };
    let Ok(values) = values(line, all) else {
        return Ok(None);
    };
    let Some((line, first)) = values.first() else {
        return Ok(None);
    };
    if first.starts_with('[') {
        return Err((*line, RowProblem::refused(VALUES)));
    }
    if !is_wide || !has_other_keys(*line, first, known) {
        return Ok(None);
    }
    let mut table = JsonTable::default();
    for (line, row) in values {
        if !row.starts_with('{') {
            return Ok(None);
        }
        table.add_object(line, row)?;
    }
    Ok(Some(table))
}

/// Reads a table from lines of objects that are no rows of the long form. `None` if they are.
pub(super) fn of_lines<'a>(
    text: &'a str,
    known: &impl Fn(&str) -> bool,
) -> Result<Option<JsonTable<'a>>, (u64, RowProblem)> {
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let Some((number, first)) = lines.next() else {
        return Ok(None);
    };
    if !has_other_keys(number, first.trim(), known) {
        return Ok(None);
    }
    let mut table = JsonTable::default();
    for (number, line) in std::iter::once((number, first)).chain(lines) {
        let mut cursor = Cursor::starting_on(number, line);
        match cursor.value() {
            Ok(row) if row.starts_with('{') && cursor.peek().is_none() => {
                table.add_object(number, row)?;
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(table))
}

/// Returns whether an object has keys, but none of the long form.
fn has_other_keys(line: u64, object: &str, known: &impl Fn(&str) -> bool) -> bool {
    let mut cursor = Cursor::starting_on(line, object);
    match cursor.peek() {
        Some(b'{') => members(&mut cursor).is_ok_and(|members| {
            !members.is_empty() && !members.iter().any(|m| known(m.key.trim()))
        }),
        _ => false,
    }
}

impl<'a> JsonTable<'a> {
    /// Removes the column with this name, if there is one.
    fn drop_column(&mut self, name: &str) {
        let Some(place) = self.names.iter().position(|column| column == name) else {
            return;
        };
        self.names.remove(place);
        self.places.remove(name);
        for column in self.places.values_mut().filter(|column| **column > place) {
            *column -= 1;
        }
        for (_, cells) in &mut self.rows {
            if place < cells.len() {
                cells.remove(place);
            }
        }
    }

    /// Adds an object as a row.
    fn add_object(&mut self, line: u64, object: &'a str) -> Result<(), (u64, RowProblem)> {
        if !object.starts_with('{') {
            let example = r#"{"arm": "lstm", "score": 0.71}"#;
            return Err((line, no_object(object, example)));
        }
        let mut cursor = Cursor::starting_on(line, object);
        let members = members(&mut cursor).map_err(|problem| (line, problem))?;
        let mut cells = vec![None; self.names.len()];
        for member in members {
            let name = member.key.trim();
            let column = if let Some(&column) = self.places.get(name) {
                column
            } else {
                self.places.insert(name.to_owned(), self.names.len());
                self.names.push(name.to_owned());
                self.names.len() - 1
            };
            if cells.len() <= column {
                cells.resize(column + 1, None);
            }
            if cells[column].replace(member.value).is_some() {
                return Err((line, RowProblem::DuplicateKey(excerpt(name))));
            }
        }
        self.rows.push((line, cells));
        Ok(())
    }
}
