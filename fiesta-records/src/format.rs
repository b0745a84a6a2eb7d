//! Formats of files of scores, by extension or by content.

use crate::rows::Cursor;
use std::path::Path;

/// The format of a file of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Fields separated by commas, quoted as in RFC 4180.
    Csv,
    /// Fields separated by tabs, quoted as in RFC 4180.
    Tsv,
    /// A JSON object per line.
    JsonLines,
    /// A single JSON document: an object of lists of scores, or a list of objects.
    Json,
}

impl Format {
    /// The format that a file's extension stands for, in whatever case; none for any other
    /// extension.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::Format;
    /// assert_eq!(Format::of_path("runs/scores.CSV"), Some(Format::Csv));
    /// assert_eq!(Format::of_path("scores.txt"), None);
    /// ```
    pub fn of_path(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// Returns the format that a text looks like: JSON if it begins with a bracket, JSON or JSON
    /// lines if it begins with a brace, CSV otherwise.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::Format;
    /// assert_eq!(Format::of_text("arm,score\n"), Format::Csv);
    /// assert_eq!(Format::of_text(r#"{"arm": "lstm", "score": 0.71}"#), Format::JsonLines);
    /// assert_eq!(Format::of_text(r#"{"lstm": [0.71, 0.73]}"#), Format::Json);
    /// ```
    pub fn of_text(text: &str) -> Self {
        match Cursor::new(text).peek() {
            Some(b'[') => Self::Json,
            Some(b'{') if holds_no_values(text) => Self::Json,
            Some(b'{') => Self::JsonLines,
            _ => Self::Csv,
        }
    }
}

/// Returns whether the JSON object at the beginning of a text has only lists, or only objects, as
/// its values, as far as it can be understood. An object of objects is all of the text: on one line
/// of several, it would be a row.
fn holds_no_values(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    cursor.take(b'{');
    let mut has_objects = false;
    loop {
        if cursor.value().is_err() || !cursor.take(b':') {
            return true;
        }
        let mark = cursor.peek();
        if !matches!(mark, Some(b'[' | b'{')) {
            return false;
        }
        has_objects |= mark == Some(b'{');
        if cursor.value().is_err() {
            return true;
        }
        if !cursor.take(b',') {
            cursor.take(b'}');
            return !has_objects || cursor.peek().is_none();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_and_beginnings() {
        assert_eq!(Format::of_path("a.tsv"), Some(Format::Tsv));
        assert_eq!(Format::of_path("a.jsonl"), Some(Format::JsonLines));
        assert_eq!(Format::of_path("a.ndjson"), Some(Format::JsonLines));
        assert_eq!(Format::of_path("a.json"), Some(Format::Json));
        assert_eq!(Format::of_path("json"), None);
        assert_eq!(Format::of_text("\n \t[1"), Format::Json);
        assert_eq!(
            Format::of_text(r#"{"tags": ["x"], "arm": "lstm", "score": 1}"#),
            Format::JsonLines
        );
        assert_eq!(Format::of_text(r#"{"arm": [1], "b": [NaN"#), Format::Json);
        assert_eq!(Format::of_text("{}"), Format::Json);
        assert_eq!(Format::of_text(""), Format::Csv);
    }
}
