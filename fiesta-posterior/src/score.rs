//! Scores that a posterior accepts.

use fiesta_core::{LARGEST_SCORE, ObserveError};

/// Accepts a score whose squares can be summed: a finite number within the largest score.
pub(crate) fn check(score: f64) -> Result<(), ObserveError> {
    if !score.is_finite() {
        return Err(ObserveError::NotFinite(score));
    }
    if score.abs() > LARGEST_SCORE {
        return Err(ObserveError::OutOfDomain {
            score,
            reason: format!(
                "a variance cannot be computed from scores beyond {LARGEST_SCORE:e}; take their logarithm"
            ),
        });
    }
    Ok(())
}
