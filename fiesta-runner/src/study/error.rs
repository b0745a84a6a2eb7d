//! The errors of study files, with the line and what to do.

use super::{goal::SHARES, shapes::is_of_tables};
use crate::file_error::FileError;
use std::{fmt, ops::Range, path::PathBuf};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The reason why a study file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something in the file is wrong.
    #[error("{place}: {message}")]
    Wrong {
        /// Where in the file the error is.
        place: Place,
        /// Message about the mistake, with advice.
        message: String,
    },
    /// Something is wrong in a study that is in no file.
    #[error("{}{message}", key.as_ref().map_or_else(String::new, |key| format!("{key}: ")))]
    WrongKey {
        /// The key, as TOML writes it: `design.parallel`, `arm.0.cost`; none of an error of the
        /// text itself, or of something that is missing.
        key: Option<String>,
        /// What is wrong with the key, and what to do.
        message: String,
    },
    /// Several things are wrong, none of which follows from another one.
    #[error("{}", told(_0))]
    Several(
        /// The errors, in the order of their lines.
        Vec<StudyError>,
    ),
    /// A study cannot be written to its file: why, and what to do.
    #[error("{0}")]
    Refused(String),
}

/// Returns the joint message of several errors, one line each.
fn told(errors: &[StudyError]) -> String {
    let of = errors.iter().find_map(|error| match error {
        StudyError::Wrong { place, .. } => Some(format!("{} has ", place.path.display())),
        _ => None,
    });
    let lines = errors.iter().map(|error| format!("\n  {error}"));
    format!(
        "{}{} mistakes:{}",
        of.unwrap_or_default(),
        errors.len(),
        lines.collect::<String>()
    )
}

/// A file and the number of a line in it, where the line is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The path of the file.
    pub path: PathBuf,
    /// Number of the line, from 1.
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match self.line {
            Some(line) => write!(f, ":{line}"),
            None => Ok(()),
        }
    }
}

/// The text of a study file, from which errors take their lines.
pub(super) struct Source<'a> {
    /// Path of the study file. `None` if the study is in no file, so that its errors name keys.
    pub(super) path: Option<&'a std::path::Path>,
    pub(super) text: &'a str,
    /// Tables of the text. Unknown keys and values of wrong types are removed when they are read.
    /// `None` if the text is no TOML.
    pub(super) table: Option<DeValue<'a>>,
}

impl<'a> Source<'a> {
    /// Reads the tables of a text, if it is TOML.
    pub(super) fn new(path: Option<&'a std::path::Path>, text: &'a str) -> Self {
        let table = DeTable::parse(text).ok();
        let table = table.map(|table| DeValue::Table(table.into_inner()));
        Self { path, text, table }
    }

    /// Makes the error of a key's value. `key` has the names of the tables (in an array, the
    /// number) that lead to it.
    pub(super) fn wrong(&self, key: &[&str], message: impl fmt::Display) -> StudyError {
        let place = self.find(key).map(|(_, value)| value.span());
        self.wrong_at(key, place, message)
    }

    /// Whether the file has this dotted key, other than as an empty table.
    pub(super) fn has(&self, path: &str) -> bool {
        let key: Vec<&str> = path.split('.').collect();
        let is_empty = |value: &DeValue<'_>| value.as_table().is_some_and(DeTable::is_empty);
        self.find(&key)
            .is_some_and(|(_, value)| !is_empty(value.get_ref()))
    }

    /// Makes the error of a key whose own name is wrong.
    pub(super) fn wrong_name(&self, key: &[&str], message: impl fmt::Display) -> StudyError {
        let place = self.find(key).map(|(name, _)| name);
        self.wrong_at(key, place, message)
    }

    /// Returns the place of a key's name and its value, if the key is in the file.
    fn find(&self, key: &[&str]) -> Option<(Range<usize>, &Spanned<DeValue<'a>>)> {
        let mut value = self.table.as_ref()?;
        let mut found = None;
        for part in key {
            let (name, next) = match value {
                DeValue::Table(table) => {
                    let (name, next) = table.get_key_value(*part)?;
                    (name.span(), next)
                }
                DeValue::Array(array) => {
                    let next = array.get(part.parse::<usize>().ok()?)?;
                    (next.span(), next)
                }
                _ => return None,
            };
            found = Some((name, next));
            value = next.get_ref();
        }
        found
    }

    /// Makes the error of a key, at this place of the text.
    pub(super) fn wrong_at(
        &self,
        key: &[&str],
        span: Option<Range<usize>>,
        message: impl fmt::Display,
    ) -> StudyError {
        let Some(path) = self.path else {
            return StudyError::WrongKey {
                key: (!key.is_empty()).then(|| key.join(".")),
                message: message.to_string(),
            };
        };
        let line = span.map(|span| {
            let before = self.text.get(..span.start).unwrap_or(self.text);
            1 + before.matches('\n').count()
        });
        StudyError::Wrong {
            place: Place {
                path: path.to_owned(),
                line,
            },
            message: message.to_string(),
        }
    }

    /// Makes the error of invalid TOML, with the nearest known key in place of an unknown one.
    pub(super) fn not_toml(&self, error: &toml::de::Error) -> StudyError {
        let message = error.message();
        let message = match unknown_key(message) {
            Some((key, known)) => {
                let near = nearest(key, &known)
                    .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                format!(
                    "unknown key `{key}`{near} (known here: {})",
                    known.join(", ")
                )
            }
            None => message.to_owned(),
        };
        let key = error.span().map(|span| self.key_at(span.start));
        let key = key.unwrap_or_default();
        let message = match key.last().map(String::as_str) {
            Some("command") if message.starts_with("invalid type: string") => {
                as_list(self.string_at(&key).unwrap_or_default())
            }
            _ if message.contains("duplicate key") => {
                let name = error.span().and_then(|place| self.text.get(place));
                match name.filter(|name| is_of_tables(name)) {
                    Some(name) => format!(
                        "each {name} is a table of its own: write [[{name}]], with two brackets"
                    ),
                    None => message,
                }
            }
            _ if message.starts_with("invalid type: string ") => {
                let text = self.string_at(&key).unwrap_or_default();
                unquoted(&key, text, &message).unwrap_or(message)
            }
            _ if message.starts_with("invalid value: integer")
                || message.starts_with("invalid type: floating point") =>
            {
                whole(&key, &message).unwrap_or(message)
            }
            _ if message.contains("escape") => format!(
                "{message}; in 'single quotes' backslashes stand for themselves, as a pattern needs them"
            ),
            _ => message,
        };
        let key: Vec<&str> = key.iter().map(String::as_str).collect();
        self.wrong_at(&key, error.span(), message)
    }

    /// Returns the string that a key of the file has.
    fn string_at(&self, key: &[String]) -> Option<&str> {
        let key: Vec<&str> = key.iter().map(String::as_str).collect();
        self.find(&key)?.1.get_ref().as_str()
    }

    /// Returns an error for each line that the user has still to fill in.
    pub(super) fn to_fill_in(&self) -> Vec<StudyError> {
        let mut found = Vec::new();
        let mut place = 0;
        for line in self.text.split_inclusive('\n') {
            let is_comment = line.trim_start().starts_with('#');
            if let Some(at) = line.find(FILL_IN).filter(|_| !is_comment) {
                let rest = &line[at + FILL_IN.len()..];
                let what = rest.split('>').next().unwrap_or_default().trim();
                let message = format!(
                    "this line is still to be filled in: {what} (`fiesta init` could not find that out)"
                );
                found.push(self.wrong_at(&[], Some(place + at..place + at), message));
            }
            place += line.len();
        }
        found
    }

    /// Returns the key whose value contains this byte of the text. Empty if the text is no TOML.
    pub(super) fn key_at(&self, place: usize) -> Vec<String> {
        let mut key = Vec::new();
        let mut value = self.table.as_ref();
        while let Some(within) = value {
            let inner = match within {
                DeValue::Table(table) => table
                    .iter()
                    .find(|(name, inner)| holds(&name.span(), inner, place))
                    .map(|(name, inner)| (name.get_ref().to_string(), inner)),
                DeValue::Array(array) => array
                    .iter()
                    .enumerate()
                    .find(|(_, inner)| holds(&inner.span(), inner, place))
                    .map(|(number, inner)| (number.to_string(), inner)),
                _ => None,
            };
            value = inner.map(|(name, inner)| {
                key.push(name);
                inner.get_ref()
            });
        }
        key
    }
}

/// Whether a byte of the text is in a key's name, in its value, or in a table of it under another
/// heading.
fn holds(name: &Range<usize>, value: &Spanned<DeValue<'_>>, place: usize) -> bool {
    if name.contains(&place) || value.span().contains(&place) {
        return true;
    }
    match value.get_ref() {
        DeValue::Table(table) => table
            .iter()
            .any(|(name, inner)| holds(&name.span(), inner, place)),
        DeValue::Array(array) => array.iter().any(|inner| holds(&inner.span(), inner, place)),
        _ => false,
    }
}

/// Start of a text in a study file that the user has still to fill in, up to a `>`.
pub(crate) const FILL_IN: &str = "<fill in:";

/// Returns the error message for a command that is one string, with the list that it should be.
fn as_list(line: &str) -> String {
    // What only a shell understands.
    let is_for_shell = line.contains(['|', '&', ';', '<', '>', '`', '*', '~'])
        || line.contains("$(")
        || line.contains("${")
        || line
            .match_indices('$')
            .any(|(at, _)| line[at + 1..].starts_with(|c: char| c.is_alphabetic()));
    let words = match shlex::split(line) {
        Some(words) if !is_for_shell && !words.is_empty() => words,
        _ => ["sh", "-c", line].map(ToOwned::to_owned).to_vec(),
    };
    let quoted: Vec<String> = words
        .into_iter()
        .map(|word| toml::Value::String(word).to_string())
        .collect();
    format!(
        "a command is a list of its words, which no shell looks at: write command = [{}]",
        quoted.join(", ")
    )
}

/// Returns advice for a text where a number is wanted. `None` if no number is wanted.
fn unquoted(key: &[String], text: &str, message: &str) -> Option<String> {
    let (_, wanted) = message.rsplit_once("expected ")?;
    let kind = match wanted {
        "f32" | "f64" => "number",
        "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" => "whole number",
        _ => return None,
    };
    let name = key.last().map_or("", String::as_str);
    let is_share = SHARES.contains(&name);
    let percent = text.trim().strip_suffix('%').filter(|_| is_share);
    let percent = percent.and_then(|percent| percent.trim().parse::<f64>().ok());
    let meant = match percent {
        Some(percent) => format!("{}", (percent * 1e4).round() / 1e6),
        None if text.trim().parse::<f64>().is_ok() => text.trim().to_owned(),
        None => format!("a {kind}"),
    };
    Some(format!("{text:?} is a text: write {meant}, without quotes"))
}

/// Returns advice for a number that is negative or has decimals. `None` if it may.
fn whole(key: &[String], message: &str) -> Option<String> {
    let (found, wanted) = message.rsplit_once(", expected ")?;
    let found = found.split('`').nth(1)?;
    if !["u8", "u16", "u32", "u64", "usize"].contains(&wanted) {
        return None;
    }
    let name = key.last().map_or("the value", String::as_str);
    Some(format!(
        "{name} must be a whole number, 0 or more, not {found}"
    ))
}

/// Parses serde's message "unknown field `x`, expected one of `a`, `b`" into its names.
pub(super) fn unknown_key(message: &str) -> Option<(&str, Vec<&str>)> {
    let mut quoted = message
        .strip_prefix("unknown field ")?
        .split('`')
        .skip(1)
        .step_by(2);
    Some((quoted.next()?, quoted.collect()))
}

/// Returns the known word most similar to `word`. `None` if no word is similar.
pub(super) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|&candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|&(likeness, _)| likeness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
