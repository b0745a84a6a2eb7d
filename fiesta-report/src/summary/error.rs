//! Errors of summaries.

/// The reason why scores cannot be summarised, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SummaryError(pub(super) String);

/// Checks that a confidence is between 0 and 1, and returns it.
pub(super) fn confidence(confidence: f64) -> Result<f64, SummaryError> {
    if confidence > 0.0 && confidence < 1.0 {
        Ok(confidence)
    } else {
        Err(SummaryError(format!(
            "{confidence} is no confidence: give a number between 0 and 1, for example 0.95"
        )))
    }
}
