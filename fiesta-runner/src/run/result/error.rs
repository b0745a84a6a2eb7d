//! The errors of results: why a run has no score.

use serde_json::{Map, Value};
use std::io;
use std::path::PathBuf;

/// Why there is no score. Every message shows the line in question and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoScore {
    /// A file of the run cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no result at all; with the end of what was printed.
    #[error("no result: {0}")]
    Missing(String),
    /// The command says itself that it failed.
    #[error("{message}")]
    Reported {
        /// What it says.
        message: String,
        /// What the evaluation cost all the same, if it says so.
        cost: Option<f64>,
        /// The tokens that it took, if it says so.
        tokens: Option<Value>,
        /// What it says of a request that failed: `status`, `retry_after`.
        request: Box<Map<String, Value>>,
    },
    /// The score is NaN or infinite.
    #[error(
        "{place} has \"{metric}\" = {text}, which is not a finite number; the training may have diverged: {line}"
    )]
    NotFinite {
        /// Where.
        place: String,
        /// The metric's name.
        metric: String,
        /// The token.
        text: String,
        /// The line, shortened.
        line: String,
    },
    /// The run gave a result that cannot be used: the place, what is wrong, and the shortened line.
    #[error("{0}")]
    Wrong(String),
}
