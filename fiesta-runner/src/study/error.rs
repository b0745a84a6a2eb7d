//! The errors of study files, with the line and what to do.

use std::{fmt, io, ops::Range, path::PathBuf};
use toml::de::{DeTable, DeValue};

/// Why a study file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The file cannot be read.
    #[error("cannot read the study file {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something in the file is wrong.
    #[error("{place}: {message}")]
    Wrong {
        /// Where.
        place: Place,
        /// What, and what to do.
        message: String,
    },
}

/// A file and, where it is known, a line in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
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

/// The text of a study file, for errors that say where.
pub(super) struct Source<'a> {
    pub(super) path: &'a std::path::Path,
    pub(super) text: &'a str,
}

impl Source<'_> {
    /// What is wrong with the value of a key, which the names (for an array, the number) in the
    /// tables lead to.
    pub(super) fn wrong(&self, key: &[&str], message: impl fmt::Display) -> StudyError {
        let place = self.find(key).map(|(_, value)| value);
        self.wrong_at(place, message)
    }

    /// What is wrong with the name of a key itself.
    pub(super) fn wrong_name(&self, key: &[&str], message: impl fmt::Display) -> StudyError {
        let place = self.find(key).map(|(name, _)| name);
        self.wrong_at(place, message)
    }

    /// Where a key's name and its value stand, if it is in the file.
    fn find(&self, key: &[&str]) -> Option<(Range<usize>, Range<usize>)> {
        let mut value = DeValue::Table(DeTable::parse(self.text).ok()?.into_inner());
        let mut found = None;
        for part in key {
            let (name, next) = match value {
                DeValue::Table(table) => {
                    let mut keys = table.into_iter();
                    let (name, next) = keys.find(|(name, _)| name.get_ref() == part)?;
                    (name.span(), next)
                }
                DeValue::Array(array) => {
                    let next = array.into_iter().nth(part.parse().ok()?)?;
                    (next.span(), next)
                }
                _ => return None,
            };
            found = Some((name, next.span()));
            value = next.into_inner();
        }
        found
    }

    fn wrong_at(&self, span: Option<Range<usize>>, message: impl fmt::Display) -> StudyError {
        let line = span.map(|span| {
            let before = self.text.get(..span.start).unwrap_or(self.text);
            1 + before.matches('\n').count()
        });
        StudyError::Wrong {
            place: Place {
                path: self.path.to_owned(),
                line,
            },
            message: message.to_string(),
        }
    }

    /// A TOML error with its line and, for an unknown key, the nearest one that is known.
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
        self.wrong_at(error.span(), message)
    }
}

/// serde's message "unknown field `x`, expected one of `a`, `b`" taken apart.
fn unknown_key(message: &str) -> Option<(&str, Vec<&str>)> {
    let mut quoted = message
        .strip_prefix("unknown field ")?
        .split('`')
        .skip(1)
        .step_by(2);
    Some((quoted.next()?, quoted.collect()))
}

/// The known word that is most like this one, if any is alike at all.
pub(super) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|&candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|&(likeness, _)| likeness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
