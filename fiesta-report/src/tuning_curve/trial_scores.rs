//! Scores of the trials of one arm, checked and sorted.

use super::CurveError;
use fiesta_core::{Direction, LARGEST_SCORE};

/// The scores of one arm: at least one, all finite, sorted.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::tuning_curve::TrialScores;
///
/// let losses = TrialScores::new([0.31, 0.28, 0.40], Direction::Minimize)?;
/// assert_eq!((losses.best(), losses.worst()), (0.28, 0.40));
///
/// let refused = TrialScores::new([0.31, f64::NAN], Direction::Minimize).unwrap_err();
/// assert!(refused.to_string().starts_with("score 2 is NaN"));
/// # Ok::<(), fiesta_report::tuning_curve::CurveError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TrialScores {
    /// Scores in ascending order, where larger is always better.
    oriented: Vec<f64>,
    direction: Direction,
}

impl TrialScores {
    /// Checks and sorts the scores, in any order.
    ///
    /// # Errors
    /// [`CurveError`] if there is none, or with the position of the first that is not finite
    /// or beyond [`LARGEST_SCORE`].
    pub fn new(
        scores: impl IntoIterator<Item = f64>,
        direction: Direction,
    ) -> Result<Self, CurveError> {
        let mut oriented: Vec<f64> = scores
            .into_iter()
            .enumerate()
            .map(|(i, score)| {
                check(i + 1, score)?;
                Ok(direction.orient(score))
            })
            .collect::<Result<_, _>>()?;
        if oriented.is_empty() {
            return Err(CurveError::Refused(
                "there is no score: a tuning curve needs at least one".to_owned(),
            ));
        }
        oriented.sort_unstable_by(f64::total_cmp);
        Ok(Self {
            oriented,
            direction,
        })
    }

    /// Returns B, the number of scores; never 0.
    pub fn count(&self) -> usize {
        self.oriented.len()
    }

    /// Returns which scores are better: larger or smaller ones.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns the best score.
    pub fn best(&self) -> f64 {
        self.direction.orient(self.top())
    }

    /// Returns the worst score.
    pub fn worst(&self) -> f64 {
        self.direction.orient(self.bottom())
    }

    /// Returns the smallest and the largest score.
    pub fn range(&self) -> (f64, f64) {
        let (best, worst) = (self.best(), self.worst());
        (best.min(worst), best.max(worst))
    }

    /// Returns the scores from the worst to the best.
    pub fn from_worst(&self) -> impl ExactSizeIterator<Item = f64> {
        self.oriented
            .iter()
            .map(|&score| self.direction.orient(score))
    }

    /// Returns the scores in ascending order, where larger is always better.
    pub(crate) fn oriented(&self) -> &[f64] {
        &self.oriented
    }

    pub(crate) fn top(&self) -> f64 {
        self.oriented[self.oriented.len() - 1]
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.oriented[0]
    }
}

pub(super) fn check(position: usize, score: f64) -> Result<(), CurveError> {
    if !score.is_finite() {
        return Err(CurveError::Refused(format!(
            "score {position} is {score}, which is no finite number: say what a failed trial counts as"
        )));
    }
    if score.abs() > LARGEST_SCORE {
        return Err(CurveError::Refused(format!(
            "score {position} is {score:e}, too large to compute a variance with, beyond {LARGEST_SCORE:e}: take its logarithm"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_from_the_worst_to_the_best() {
        let scores = [2.0, -1.0, 3.0];
        let up = TrialScores::new(scores, Direction::Maximize).unwrap();
        assert_eq!(up.from_worst().collect::<Vec<_>>(), [-1.0, 2.0, 3.0]);
        let down = TrialScores::new(scores, Direction::Minimize).unwrap();
        assert_eq!(down.from_worst().collect::<Vec<_>>(), [3.0, 2.0, -1.0]);
        assert_eq!(up.range(), down.range());
    }

    #[test]
    fn says_which_score_is_none() {
        let error = |scores: &[f64]| {
            TrialScores::new(scores.iter().copied(), Direction::Maximize)
                .unwrap_err()
                .to_string()
        };
        assert!(error(&[]).contains("no score"));
        assert!(error(&[0.1, f64::NAN]).contains("score 2 is NaN"));
        assert!(error(&[f64::NEG_INFINITY]).contains("score 1 is -inf"));
        assert!(error(&[0.0, 0.0, 1e101]).contains("score 3"));
    }
}
