//! Errors of summaries.

/// The reason why scores cannot be summarised.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// There is nothing to summarise.
    #[error("there are no scores: leave the arm out, or say how its failures count")]
    Empty,
    /// A score is no finite number.
    #[error(
        "score number {number} is {score}: leave out what is not known, or say how failures count"
    )]
    NotFinite {
        /// Its place, from 1.
        number: usize,
        /// The score.
        score: f64,
    },
    /// A confidence is none.
    #[error("{0} is no confidence: give a number between 0 and 1, for example 0.95")]
    Confidence(f64),
    /// There is nothing to take percentiles of.
    #[error("{0} resamples tell nothing: 2000 are usual, 50000 are plenty")]
    Resamples(u32),
}

/// A confidence, checked.
pub(super) fn confidence(confidence: f64) -> Result<f64, SummaryError> {
    if confidence > 0.0 && confidence < 1.0 {
        Ok(confidence)
    } else {
        Err(SummaryError::Confidence(confidence))
    }
}
