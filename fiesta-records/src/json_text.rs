//! JSON values of any kind as the texts of cells, and back.

use serde::de::IgnoredAny;
use std::borrow::Cow;

/// A value, which is known to be JSON, without the white space between its tokens. Numbers keep their digits.
pub(super) fn compact(value: &str) -> Cow<'_, str> {
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

/// A text as a JSON value whose text, when it is read, is the same: the text itself where it is JSON other than a string or `null`,
/// and else a string.
pub(super) fn as_json(text: &str) -> String {
    let itself = text != "null"
        && !text.starts_with('"')
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
        && compact(text) == text;
    if itself {
        text.to_owned()
    } else {
        serde_json::Value::from(text).to_string()
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
