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
        Field::Null => Value::Null,
        Field::Bool(truth) => Value::from(*truth),
        Field::Byte(number) => Value::from(*number),
        Field::Short(number) => Value::from(*number),
        Field::Int(number) => Value::from(*number),
        Field::Long(number) => Value::from(*number),
        Field::UByte(number) => Value::from(*number),
        Field::UShort(number) => Value::from(*number),
        Field::UInt(number) => Value::from(*number),
        Field::ULong(number) => Value::from(*number),
        // The nearest double of .71 in 32 bits is .7099999785.
        Field::Float16(number) => written(&number.to_string()),
        Field::Float(number) => written(&number.to_string()),
        Field::Double(number) => written(&number.to_string()),
        Field::Decimal(_) => written(&field.to_string()),
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
        // Days and times, which are texts.
        other => Value::from(other.to_string()),
    }
}

/// Returns a decimal fraction as a number. NaN, infinities and what has more digits than a double are
/// texts.
fn written(text: &str) -> Value {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    let number = number.and_then(serde_json::Number::from_f64);
    number.map_or_else(|| Value::from(text), Value::Number)
}
