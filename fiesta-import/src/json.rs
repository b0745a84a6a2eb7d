//! Reading of other tools' JSON: single fields of large values, and `NaN`, which JSON lacks.

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::{
    borrow::Cow,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Text of a JSON value, borrowed where it has no escapes.
#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// JSON value, read only as far as it can be a score or a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Number(f64),
    /// A whole number, kept with all its digits.
    Whole(i128),
    Text(Cow<'a, str>),
    Bool(bool),
    /// An object, without those members that are objects or lists.
    Object(Vec<(Cow<'a, str>, Value<'a>)>),
    List,
}

impl Value<'_> {
    /// Returns the value as a number; true and false are 1 and 0.
    pub(crate) fn number(&self) -> Option<f64> {
        match *self {
            Self::Number(number) => Some(number),
            #[allow(clippy::cast_precision_loss, reason = "a score")]
            Self::Whole(number) => Some(number as f64),
            Self::Bool(is) => Some(f64::from(u8::from(is))),
            _ => None,
        }
    }

    /// Returns the value as the name of an item: a text or a number.
    pub(crate) fn name(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.trim().to_owned()),
            Self::Whole(number) => Some(number.to_string()),
            Self::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Returns the value as text for a column. Empty for null, objects and lists.
    pub(crate) fn cell(&self) -> String {
        match self {
            Self::Number(number) => format!("{number:?}"),
            Self::Bool(is) => is.to_string(),
            value => value.name().unwrap_or_default(),
        }
    }

    /// Returns the value as text for messages.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Object(_) => "an object".to_owned(),
            Self::List => "a list".to_owned(),
            Self::Bool(is) => is.to_string(),
            Self::Text(text) => format!("`{}`", fiesta_records::excerpt(text)),
            Self::Number(_) | Self::Whole(_) => self.name().unwrap_or_default(),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Value<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader { members: true })
    }
}

/// Reads a JSON value, with its members or without them.
struct Reader {
    members: bool,
}

impl<'de> DeserializeSeed<'de> for Reader {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, is: bool) -> Result<Self::Value, E> {
        Ok(Value::Bool(is))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Value::Whole(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Value::Whole(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::Text(text.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::Text(text.to_owned().into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        if self.members {
            while let Some(Text(key)) = map.next_key()? {
                members.push((key, map.next_value_seed(Self { members: false })?));
            }
        } else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        }
        Ok(Value::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::List)
    }
}

/// Reads JSON with `read`. Python's `NaN` and `Infinity` are read as `null`. The error says what is
/// wrong, and where.
pub(crate) fn lenient<T>(
    text: &str,
    mut read: impl FnMut(&str) -> serde_json::Result<T>,
) -> Result<T, String> {
    let error = match read(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    match without_constants(text) {
        Some(plain) => read(&plain).map_err(|error| error.to_string()),
        None => Err(error.to_string()),
    }
}

/// Returns the first characters of a text without white space.
pub(crate) fn start(text: &str) -> String {
    let start = text.chars().take(400);
    start.filter(|c| !c.is_whitespace()).collect()
}

/// Returns a hash: equal contents have equal hashes.
pub(crate) fn fingerprint(content: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

/// Returns JSON with `null` in place of Python's `NaN` and `Infinity`. `None` if it contains
/// neither.
pub(crate) fn without_constants(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some(at) = rest.find(['"', 'N', 'I']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with('"') {
            quoted_length(rest)
        } else if rest.starts_with("NaN") || rest.starts_with("Infinity") {
            found = true;
            if plain.ends_with('-') {
                plain.pop();
            }
            plain.push_str("null");
            rest = &rest[if rest.starts_with('N') { 3 } else { 8 }..];
            0
        } else {
            1
        };
        plain.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    found.then_some(plain)
}

/// Returns the length in bytes of the string with which a text begins, quotes included.
fn quoted_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_none_are_null() {
        let text = r#"{"NaN": [NaN, -Infinity, "a \" NaN", "\\", Infinity], "x": "NaN"}"#;
        let plain = r#"{"NaN": [null, null, "a \" NaN", "\\", null], "x": "NaN"}"#;
        assert_eq!(without_constants(text).as_deref(), Some(plain));
        for text in ["", "N", "\"NaN", "[1]", "\"\\"] {
            assert_eq!(without_constants(text), None, "{text}");
        }
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text);
        let parsed = |text: &str| lenient(text, read);
        assert_eq!(parsed(text), parsed(plain));
        assert!(parsed("[NaN").unwrap_err().contains("line 1 column 5"));
    }

    #[test]
    fn values_are_as_deep_as_scores_are() {
        let text = r#"{"a": 1, "b": {"c": {"d": 2}}, "e": [[1]], "f": "x\n", "g": null, "h": 0.5, "i": true}"#;
        let value: Value<'_> = serde_json::from_str(text).unwrap();
        let expected = [
            ("a", Value::Whole(1)),
            ("b", Value::Object(Vec::new())),
            ("e", Value::List),
            ("f", Value::Text("x\n".into())),
            ("g", Value::Null),
            ("h", Value::Number(0.5)),
            ("i", Value::Bool(true)),
        ];
        let expected = expected.map(|(key, value)| (key.into(), value));
        assert_eq!(value, Value::Object(expected.to_vec()));
    }
}
