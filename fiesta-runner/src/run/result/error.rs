//! The errors of results: why a run has no score.

use crate::file_error::FileError;
use serde_json::{Map, Value};

/// Reason for which a run has no score. Every message shows the line in question and says what to
/// do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoScore {
    /// A file of the run cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The run gave no result. The text is the end of its output.
    #[error("no result: {0}")]
    Missing(String),
    /// The command reports its own failure.
    #[error("{message}")]
    Reported {
        /// The message of the command.
        message: String,
        /// The cost of the evaluation, if the command reports it.
        cost: Option<f64>,
        /// The tokens of the evaluation, if the command reports them.
        tokens: Option<Value>,
        /// The command's report on a failed request: `status`, `retry_after`.
        request: Box<Map<String, Value>>,
    },
    /// The score is NaN or infinite.
    #[error(
        "{place} has \"{metric}\" = {text}, which is not a finite number; the training may have diverged: {line}"
    )]
    NotFinite {
        /// The place of the score.
        place: String,
        /// The name of the metric.
        metric: String,
        /// The text in place of a finite number.
        text: String,
        /// The line with the score, shortened.
        line: String,
    },
    /// The run gave an unusable result. The text has its place, what is wrong, and the line.
    #[error("{0}")]
    Wrong(String),
}
