//! Values of a Parquet file as JSON, and as cells of CSV.

use parquet::record::Field;
use serde_json::Value;

/// Returns a value as a cell of CSV.
pub(crate) fn cell(field: &Field) -> String {
    match of(field) {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Returns a value as JSON.
pub(crate) fn of(field: &Field) -> Value {
    match field {
        Field::Str(text) => Value::from(text.as_str()),
        Field::Bytes(bytes) => match std::str::from_utf8(bytes.data()) {
            Ok(text) => Value::from(text),
            Err(_) => Value::from(format!("{} bytes", bytes.len())),
        },
        Field::Group(row) => {
            let parts = row.get_column_iter();
            parts.map(|(name, part)| (name.clone(), of(part))).collect()
        }
        Field::ListInternal(list) => list.elements().iter().map(of).collect(),
        Field::MapInternal(map) => {
            let entries = map.entries().iter();
            entries.map(|(key, part)| (cell(key), of(part))).collect()
        }
        // Null, truths and numbers are printed as JSON, .71 of 32 bits as 0.71. NaN, days and times
        // are texts.
        other => {
            let text = other.to_string();
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        }
    }
}
