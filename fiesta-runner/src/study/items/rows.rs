//! Items of a pool that are a row of a table each.

use super::{Content, Digest, Item, ItemsError};
use crate::ordinary;
use serde_json::{Map, Value};
use std::{collections::HashSet, path::Path};

/// Reads the rows of a table as items: each an object of texts, by the names of the columns. An
/// item's `id` is the cell of that column, or else the line number.
pub(super) fn read(
    path: &Path,
    separator: u8,
    noun: &str,
    named: &str,
) -> Result<Vec<Item>, ItemsError> {
    let bytes = ordinary::read(path).map_err(|error| ItemsError::read(path, &error))?;
    // A byte order mark is none of the first column's.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.delimiter(separator).from_reader(text);
    let unusable = |error: &csv::Error| {
        ItemsError::Unusable(format!("{named}: {error}; write a row for each {noun}"))
    };
    let header = reader.headers().map_err(|error| unusable(&error))?.clone();
    let mut names = HashSet::new();
    if let Some(twice) = header.iter().find(|name| !names.insert(name.trim())) {
        return Err(ItemsError::Unusable(format!(
            "{named}: the column `{twice}` stands twice in the header: give columns names of their own"
        )));
    }
    let mut items = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| unusable(&error))?;
        let line = row.position().map_or(0, csv::Position::line);
        let cells = header.iter().zip(&row);
        let object: Map<String, Value> = cells
            .map(|(name, cell)| (name.trim().to_owned(), Value::from(cell)))
            .collect();
        let id = match object.get("id").and_then(Value::as_str) {
            None => line.to_string(),
            Some(id) if !id.trim().is_empty() && !id.contains('\0') => id.trim().to_owned(),
            Some(_) => {
                return Err(ItemsError::Unusable(format!(
                    "{named}:{line}: the {noun}'s id is empty: write one, or leave the column `id` out"
                )));
            }
        };
        let content = Value::Object(object).to_string().into_bytes();
        items.push(Item {
            id,
            digest: Digest::of(&content),
            content: Content::Row(content),
        });
    }
    Ok(items)
}
