//! How an evaluation ended, in the words of files.

use super::{RowProblem, problem::excerpt};

/// The words for an evaluation that has its score.
pub(super) const OK: [&str; 6] = [
    "ok",
    "complete",
    "completed",
    "finished",
    "success",
    "succeeded",
];

/// The words for one that failed.
pub(super) const FAILED: [&str; 7] = [
    "failed", "fail", "failure", "crashed", "killed", "error", "timeout",
];

/// Whether a row with this status says that its evaluation failed. Capital letters do not matter; no status says that it did not.
pub(super) fn is_failed(text: &str) -> Result<bool, RowProblem> {
    let word = text.trim();
    let is = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    match word {
        "" => Ok(false),
        _ if is(&OK) => Ok(false),
        _ if is(&FAILED) => Ok(true),
        _ => Err(RowProblem::UnknownStatus(excerpt(word))),
    }
}
