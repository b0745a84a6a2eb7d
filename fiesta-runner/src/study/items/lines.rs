//! Items of a pool that are a line of JSON each.

use super::{Content, Digest, Item, ItemsError};
use crate::ordinary;
use fiesta_records::excerpt;
use serde_json::Value;
use std::{
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// Reads the items of a file, one a line. Blank lines are skipped.
pub(super) fn read(path: &Path, noun: &str, named: &str) -> Result<Vec<Item>, ItemsError> {
    let bytes = ordinary::read(path).map_err(|error| ItemsError::read(path, &error))?;
    let mut items = Vec::new();
    let mut start = 0;
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        // A byte order mark is none of the first item's.
        let mark = usize::from(number == 1 && line.starts_with(b"\xef\xbb\xbf")) * 3;
        let text = &line[mark..];
        if !text.trim_ascii().is_empty() {
            items.push(Item {
                id: id(&parsed(text, noun, named, number)?, noun, named, number)?,
                digest: Digest::of(text),
                content: Content::Line {
                    start: start + mark as u64,
                    length: text.len(),
                },
            });
        }
        start += line.len() as u64 + 1;
    }
    Ok(items)
}

/// Parses a line as JSON.
fn parsed(text: &[u8], noun: &str, named: &str, line: usize) -> Result<Value, ItemsError> {
    serde_json::from_slice(text).map_err(|error| {
        let reason = reason(&error);
        ItemsError::Unusable(format!("{named}:{line}: the {noun} is no JSON: {reason}"))
    })
}

/// Returns the `id` of a line, or else its number.
pub(super) fn id(item: &Value, noun: &str, named: &str, line: usize) -> Result<String, ItemsError> {
    match item.get("id") {
        None => Ok(line.to_string()),
        // No program can be given a zero byte.
        Some(Value::String(id)) if !id.trim().is_empty() && !id.contains('\0') => Ok(id.clone()),
        Some(Value::Number(id)) if id.is_i64() || id.is_u64() => Ok(id.to_string()),
        Some(other) => {
            let found = excerpt(&other.to_string());
            Err(ItemsError::Unusable(format!(
                "{named}:{line}: the {noun}'s id is {found}: write a text that is not empty, or a whole number; a text may have no zero byte"
            )))
        }
    }
}

/// Returns serde's message without its line number, which is always 1.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(what) => format!("{what} at column {}", error.column()),
        None => text,
    }
}

/// Reads a line from where it was when all lines were read.
pub(super) fn read_one(path: &Path, start: u64, length: usize) -> Result<Vec<u8>, ItemsError> {
    let read = || {
        let mut file = ordinary::open(path)?;
        file.seek(SeekFrom::Start(start))?;
        let mut content = Vec::with_capacity(length);
        file.take(length as u64).read_to_end(&mut content)?;
        Ok(content)
    };
    read().map_err(|error: io::Error| ItemsError::read(path, &error))
}
