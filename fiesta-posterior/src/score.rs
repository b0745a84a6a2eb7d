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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_score_is_refused_in_few_digits() {
        let error = check(-1e300).unwrap_err().to_string();
        assert!(error.starts_with("the score -1e300 is refused"), "{error}");
        assert!(check(1e100).is_ok());
    }
}
