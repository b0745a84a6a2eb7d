//! Metric of a study: the name of its score, its direction and its bounds.

/// Largest score, either way; a number beyond is no score. Squares of scores within, summed over
/// millions and divided by small variances, are finite numbers.
///
/// Code that reads scores and code that computes with them both use this limit, so that no score is
/// accepted first and refused later.
pub const LARGEST_SCORE: f64 = 1e100;

/// Direction in which scores are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Direction {
    /// A larger score is better.
    #[default]
    Maximize,
    /// A smaller score is better.
    Minimize,
}

impl Direction {
    /// Returns the score as selection sees it, where larger is always better; its own inverse.
    pub fn orient(self, score: f64) -> f64 {
        match self {
            Self::Maximize => score,
            Self::Minimize => -score,
        }
    }
}

crate::names! {
    Direction { Maximize = "maximize", Minimize = "minimize" }
    /// The name of a direction is unknown.
    #[error("`{0}` is no direction: use maximize or minimize")]
    UnknownDirection
}

/// A metric: the key of the score in a result, its direction and its range.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Metric {
    name: String,
    direction: Direction,
    bounds: Option<(f64, f64)>,
}

/// The reason why a metric is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// The metric has an empty name.
    #[error("the metric has no name: give the key of the score in the result")]
    Unnamed,
    /// The bounds of the metric are no interval.
    #[error(
        "the bounds [{0}, {1}] are no interval: the first must be below the second, both finite"
    )]
    Bounds(f64, f64),
}

/// The reason why a number is refused as a score.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// The score is NaN or infinite.
    #[error("the score {0} is not a finite number")]
    NotFinite(f64),
    /// The score is beyond [`LARGEST_SCORE`], so large that no variance can be computed with it.
    #[error(
        "the score {0:e} is too large to compute a variance with, beyond {LARGEST_SCORE:e}: report its logarithm"
    )]
    TooLarge(f64),
    /// The score lies outside the metric's bounds.
    #[error(
        "the score {} is outside the bounds [{}, {}] of {metric}",
        crate::in_digits(*score), crate::in_digits(*lower), crate::in_digits(*upper)
    )]
    OutOfBounds {
        /// The score that was refused.
        score: f64,
        /// The name of the metric.
        metric: String,
        /// The smallest score that is possible.
        lower: f64,
        /// The largest score that is possible.
        upper: f64,
    },
}

impl Metric {
    /// Returns a metric; `bounds` are the smallest and the largest possible score.
    ///
    /// # Errors
    /// [`MetricError`] if the name is blank or the bounds are no finite interval.
    pub fn new(
        name: impl Into<String>,
        direction: Direction,
        bounds: Option<(f64, f64)>,
    ) -> Result<Self, MetricError> {
        let name = name.into();
        if name.trim().is_empty() {
            return Err(MetricError::Unnamed);
        }
        if let Some((lower, upper)) = bounds
            && !(lower.is_finite() && upper.is_finite() && lower < upper)
        {
            return Err(MetricError::Bounds(lower, upper));
        }
        Ok(Self {
            name,
            direction,
            bounds,
        })
    }

    /// Returns the key of the score in a result.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the direction in which scores are better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns the smallest and the largest possible score.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        self.bounds
    }

    /// Accepts a number as a score of this metric: whatever reads scores asks here, the results of
    /// runs, files of scores and other tools' results.
    ///
    /// # Errors
    /// [`ScoreError`] if it is not finite, beyond [`LARGEST_SCORE`] either way or outside the
    /// bounds.
    pub fn check(&self, score: f64) -> Result<f64, ScoreError> {
        if !score.is_finite() {
            return Err(ScoreError::NotFinite(score));
        }
        if score.abs() > LARGEST_SCORE {
            return Err(ScoreError::TooLarge(score));
        }
        match self.bounds {
            Some((lower, upper)) if score < lower || score > upper => {
                Err(ScoreError::OutOfBounds {
                    score,
                    metric: self.name.clone(),
                    lower,
                    upper,
                })
            }
            _ => Ok(score),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_scores() {
        let metric = Metric::new("f1", Direction::Maximize, Some((0.0, 1.0))).unwrap();
        assert_eq!(metric.check(1.0), Ok(1.0));
        assert!(matches!(
            metric.check(1.2),
            Err(ScoreError::OutOfBounds { .. })
        ));
        assert!(matches!(
            metric.check(f64::NAN),
            Err(ScoreError::NotFinite(_))
        ));
        let unbounded = Metric::new("loss", Direction::Minimize, None).unwrap();
        assert_eq!(unbounded.check(-LARGEST_SCORE), Ok(-LARGEST_SCORE));
        assert_eq!(unbounded.check(-1e101), Err(ScoreError::TooLarge(-1e101)));
        assert!(Metric::new("f1", Direction::Maximize, Some((1.0, 1.0))).is_err());
        assert_eq!(
            Metric::new(" ", Direction::Maximize, None),
            Err(MetricError::Unnamed)
        );
    }

    #[test]
    fn orientation_is_its_own_inverse() {
        for direction in [Direction::Maximize, Direction::Minimize] {
            let score = 0.25_f64;
            let there_and_back = direction.orient(direction.orient(score));
            assert_eq!(there_and_back.to_bits(), score.to_bits());
        }
        assert!(Direction::Minimize.orient(1.0) < Direction::Minimize.orient(0.5));
    }
}
