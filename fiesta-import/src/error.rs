//! Errors about files of other tools' results.

use crate::Tool;
use fiesta_records::{Choice, RecordsError};
use std::fmt::Display;

/// The reason why another tool's results give no records. Every message about a file names it and,
/// where there is one, the line or trial.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file is no table, or the score cannot have this name.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// The results are not what the tool writes, or the options do not suffice to read them.
    #[error("{message}")]
    Refused {
        /// Message for the user: the file and the line, the mistake, and how to correct it.
        message: String,
        /// Ways to read the results, if they leave a choice.
        choices: Vec<Choice>,
    },
    /// The log has no scores, as its evaluation did not succeed.
    #[error(
        "{file}: no answer has a score, as the evaluation ended with the status `{status}`: leave this log out"
    )]
    Unscored {
        /// The name of the file.
        file: String,
        /// Status in which the evaluation ended, in the tool's word.
        status: String,
    },
}

/// Result of reading another tool's file.
pub type Result<T, E = ImportError> = std::result::Result<T, E>;

impl ImportError {
    /// Returns the ways to read the results, where they leave a choice that the options did not
    /// make; of columns of any numbers those that sound like scores. Empty for any other error.
    ///
    /// # Example
    /// ```
    /// use fiesta_import::{Tool, read_bytes};
    /// use fiesta_records::Reading;
    /// let sample = r#"{"doc_id": 0, "filtered_resps": ["4"], "acc": 1.0, "acc_norm": 0.0}"#;
    /// let options = Reading::default();
    /// let error = read_bytes(sample.as_bytes(), Tool::LmEval, &options, "s.jsonl").unwrap_err();
    /// let choices: Vec<String> = error.choices().iter().map(ToString::to_string).collect();
    /// assert_eq!(choices, ["--metric acc", "--metric acc_norm"]);
    /// ```
    pub fn choices(&self) -> Vec<Choice> {
        match self {
            Self::Records(error) => error.choices(),
            Self::Refused { choices, .. } => choices.clone(),
            Self::Unscored { .. } => Vec::new(),
        }
    }
}

/// Returns an error with this message, for results that can be read in no way.
pub(crate) fn refused(message: impl Into<String>) -> ImportError {
    undecided(message, Vec::new())
}

/// Returns an error with this message, and with the choices of which the user must make one.
pub(crate) fn undecided(message: impl Into<String>, choices: Vec<Choice>) -> ImportError {
    let message = message.into();
    ImportError::Refused { message, choices }
}

/// Returns the error about a text at `place` that this tool does not write.
pub(crate) fn not_log(place: impl Display, tool: Tool, reason: &str) -> ImportError {
    refused(format!("{place}: this is not what {tool} writes: {reason}"))
}

/// Refuses a log in which nothing was answered.
pub(crate) fn no_answer(file: &str, tool: Tool) -> ImportError {
    refused(format!(
        "{file}: there is no answer in this log of {tool}: let it log its samples"
    ))
}

/// Refuses a file without a trial that has ended.
pub(crate) fn nothing_ended(file: &str) -> ImportError {
    refused(format!("{file}: no trial in this file has ended"))
}

/// Returns the error about a score that is no number. The message shows place and value as they are.
pub(crate) fn not_a_score(place: impl Display, metric: &str, found: &str) -> ImportError {
    refused(format!(
        "{place}: the {metric} {found} is no score: name another with --metric"
    ))
}
