//! Words of the column `status`: whether an evaluation ended with a score or failed.

use crate::{RowProblem, excerpt};

/// Words for an evaluation that succeeded.
const OK: &str = "ok done complete completed finished success succeeded";

/// Parts of words for an evaluation that failed: `runtime_error`, `timed out`, `OOM`.
const FAILED: &str = "error fail crash timeout timed exception abort killed oom diverged";

/// Parts of words for an evaluation that has not ended, or was ended before it failed.
const NOT_ENDED: &str =
    "running pend queue wait schedul start progress pause prune skip todo unknown";

/// Returns whether a row with this status says that its evaluation failed. Capital letters do not
/// matter; an empty status says that it did not.
pub(crate) fn is_failed(text: &str) -> Result<bool, RowProblem> {
    let word = text.trim();
    let is_ok = |known: &str| known.eq_ignore_ascii_case(word);
    match word {
        "" => Ok(false),
        _ if OK.split(' ').any(is_ok) => Ok(false),
        _ if tells_of_failure(word) => Ok(true),
        _ => Err(RowProblem::refused(format!(
            "the status `{}` is unknown: write `ok` where there is a score, `failed` where the evaluation failed, and leave out rows of what has not ended",
            excerpt(word)
        ))),
    }
}

/// Returns whether a row with this status and without a score is an evaluation that failed. Words
/// of success, and of evaluations that have not ended, are none.
pub(crate) fn is_without_score(text: &str) -> Result<bool, RowProblem> {
    let word = text.trim().to_lowercase();
    let has_not_ended = NOT_ENDED.split(' ').any(|known| word.contains(known));
    match is_failed(text) {
        Err(_) if !has_not_ended => Ok(true),
        found => found,
    }
}

/// Returns whether a word means a failed evaluation.
pub(crate) fn tells_of_failure(word: &str) -> bool {
    let word = word.to_lowercase();
    FAILED.split(' ').any(|part| word.contains(part))
}
