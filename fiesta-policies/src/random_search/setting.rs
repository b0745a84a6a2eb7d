//! Setting of hyperparameters that was drawn.

use std::{collections::BTreeMap, fmt};

/// The value of a hyperparameter.
///
/// Its [`Display`](fmt::Display) is what a command is given: integers without a point, other
/// numbers as the shortest decimal that reads back as the same number (`0.1`, `2.0`, `1e-6`),
/// `true` and `false`, text as it is.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(untagged)
)]
pub enum Value {
    /// A value that is true or false.
    Boolean(bool),
    /// A value that is a whole number.
    Integer(i64),
    /// A finite number that is not whole.
    Number(f64),
    /// A value that is text.
    Text(String),
}

impl Value {
    /// Returns the value among other words: a number in at most six significant digits; a text in
    /// quotation marks and with control characters written out, unless it is a plain word.
    pub fn in_words(&self) -> String {
        match self {
            Self::Text(text) if !is_plain(text) => format!("{text:?}"),
            Self::Number(value) => {
                let rounded = format!("{value:.5e}").parse().unwrap_or(*value);
                Self::Number(rounded).to_string()
            }
            other => other.to_string(),
        }
    }
}

fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._+-/".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            // Not `{}`, which writes 1e-300 as three hundred digits and 2.0 as an integer.
            Self::Number(value) => write!(f, "{value:?}"),
            Self::Text(value) => f.write_str(value),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

/// A value for every hyperparameter of a space, in the order of their names.
///
/// Its [`Display`](fmt::Display) is for people: `dropout = 0.25, layers = 2`, numbers in at most six
/// significant digits, with `{:#}` in all of them.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub struct Setting(BTreeMap<String, Value>);

impl Setting {
    /// Returns the value of the hyperparameter with this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns the names with their values, in the order of the names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns how many hyperparameters the setting has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the setting is empty: that of an arm without a search space.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<String>> FromIterator<(N, Value)> for Setting {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(values: I) -> Self {
        Self(values.into_iter().map(|(n, v)| (n.into(), v)).collect())
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, value)) in self.iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            match value {
                Value::Number(number) if f.alternate() => write!(f, "{comma}{name} = {number:?}")?,
                _ => write!(f, "{comma}{name} = {}", value.in_words())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_they_can_be_read_back() {
        for (value, text) in [
            (Value::from(512), "512"),
            (Value::from(-3), "-3"),
            (Value::from(2.0), "2.0"),
            (Value::from(0.1 + 0.2), "0.30000000000000004"),
            (Value::from(1e-6), "1e-6"),
            (Value::from(1e22), "1e22"),
            (Value::from(true), "true"),
            (Value::from("adam w"), "adam w"),
        ] {
            assert_eq!(value.to_string(), text);
            if let Value::Number(number) = value {
                let back: f64 = text.parse().unwrap();
                assert_eq!(back.to_bits(), number.to_bits());
            }
        }
    }

    #[test]
    fn numbers_are_short_among_words() {
        for (value, words) in [
            (0.000_635_297_111_227_740_4, "0.000635297"),
            (0.1 + 0.2, "0.3"),
            (1e-6, "1e-6"),
            (2.0, "2.0"),
            (1_234_567.8, "1234570.0"),
        ] {
            assert_eq!(Value::from(value).in_words(), words);
        }
    }

    #[test]
    fn text_is_harmless_among_words() {
        let setting: Setting = [
            ("b", Value::from("two\nlines, = \u{1b}[31m")),
            ("a", Value::from("relu-6")),
            ("c", Value::from("")),
        ]
        .into_iter()
        .collect();
        assert_eq!(
            setting.to_string(),
            r#"a = relu-6, b = "two\nlines, = \u{1b}[31m", c = """#
        );
    }

    /// Tests that settings keep the form that they have in ledgers.
    #[cfg(feature = "serde")]
    #[test]
    fn settings_keep_their_form() {
        let setting: Setting = [
            ("lr", Value::from(1e-6)),
            ("layers", Value::from(2)),
            ("factor", Value::from(1.0)),
            ("bias", Value::from(false)),
            ("optimizer", Value::from("adam")),
        ]
        .into_iter()
        .collect();
        let text = serde_json::to_string(&setting).unwrap();
        assert_eq!(
            text,
            r#"{"bias":false,"factor":1.0,"layers":2,"lr":1e-6,"optimizer":"adam"}"#
        );
        assert_eq!(serde_json::from_str::<Setting>(&text).unwrap(), setting);
    }
}
