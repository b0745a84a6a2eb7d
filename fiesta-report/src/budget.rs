//! The number of trials that a score takes: the smallest n with E\[best of n\] at a value.
//!
//! # Example
//! ```
//! use fiesta_core::Direction;
//! use fiesta_report::{budget::Budget, tuning_curve::{Estimator, TrialScores}};
//!
//! let sample = TrialScores::new([0.1, 0.2, 0.4], Direction::Maximize)?;
//! let budget = |value| sample.budget(Estimator::PlugIn, value).unwrap();
//! assert!(matches!(budget(0.3), Budget::Within(found) if found.n == 2));
//! assert!(matches!(budget(0.36), Budget::Beyond(found) if found.n == 5)); // more than the three trials there were
//! assert_eq!(budget(0.4), Budget::OnlyAsymptotically);
//! assert_eq!(budget(0.41), Budget::BeyondTheBest);
//! # Ok::<(), fiesta_report::tuning_curve::CurveError>(())
//! ```
//!
//! Source: Dodge et al., "Show your work" (EMNLP 2019), section 4.2.

use crate::tuning_curve::{CurveError, Estimator, Powers, Steps, TrialScores};

/// Rounding of a value that was written in decimals, in units of its last place.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Budget that it takes to expect a value of the best of n trials.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Budget {
    /// The budget is no more trials than there were.
    Within(Reached),
    /// The budget is more trials than there were: the curve is extrapolated, and what was never
    /// seen is not in it.
    Beyond(Reached),
    /// The value is the best score itself, which the curve approaches and never reaches.
    OnlyAsymptotically,
    /// The value is better than every score: these trials do not tell how to reach it.
    BeyondTheBest,
}

/// Budget at which a curve reaches a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// The smallest number of trials with which the value may be expected.
    pub n: u64,
    /// The real n ≥ 1 at which x_B − Σ (i/B)ⁿ g_i is the value; none of the unbiased estimator,
    /// which knows only whole n.
    pub real: Option<f64>,
    /// Budget at which the straight line from n − 1 to n is at the value, ≥ 1.
    pub interpolated: f64,
}

impl Budget {
    /// Returns the budget at which the curve reaches the value. `None` if it does not.
    pub fn reached(&self) -> Option<&Reached> {
        match self {
            Self::Within(reached) | Self::Beyond(reached) => Some(reached),
            Self::OnlyAsymptotically | Self::BeyondTheBest => None,
        }
    }

    /// Returns `reached`, `asymptote_only` or `above_observed_best`, for programs.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Within(_) | Self::Beyond(_) => "reached",
            Self::OnlyAsymptotically => "asymptote_only",
            Self::BeyondTheBest => "above_observed_best",
        }
    }
}

impl TrialScores {
    /// Returns the budget that a value takes. A value that the curve misses by rounding alone, as
    /// decimals may, counts as reached.
    ///
    /// # Errors
    /// [`CurveError`] if the value is NaN or infinite.
    pub fn budget(&self, estimator: Estimator, value: f64) -> Result<Budget, CurveError> {
        if !value.is_finite() {
            return Err(CurveError::Refused(format!(
                "the value {value} to be reached is not a finite number"
            )));
        }
        let (value, top) = (self.direction().orient(value), self.top());
        if value > top {
            return Ok(Budget::BeyondTheBest);
        }
        let allowed = top - value;
        // The best score itself leaves no room for rounding.
        let with_rounding = if allowed > 0.0 {
            allowed + ROUNDING * top.abs().max(value.abs())
        } else {
            0.0
        };
        let steps = Steps::new(self);
        let shortfall = |n| steps.shortfall(estimator, n);
        if allowed <= 0.0 && estimator == Estimator::PlugIn && shortfall(1) > 0.0 {
            return Ok(Budget::OnlyAsymptotically);
        }
        let n = first(|n| shortfall(n) <= with_rounding);
        let reached = if n == 1 {
            Reached {
                n,
                real: (estimator == Estimator::PlugIn).then_some(1.0),
                interpolated: 1.0,
            }
        } else {
            let (before, at) = (shortfall(n - 1), shortfall(n));
            let share = ((before - allowed) / (before - at)).clamp(0.0, 1.0);
            Reached {
                n,
                real: (estimator == Estimator::PlugIn)
                    .then(|| real(&steps.powers(), steps.gaps(), allowed, n)),
                interpolated: (n - 1) as f64 + share,
            }
        };
        Ok(if n <= self.count() as u64 {
            Budget::Within(reached)
        } else {
            Budget::Beyond(reached)
        })
    }
}

/// Finds the smallest n ≥ 1 at which a condition holds. The condition has to hold for some n, and for all larger ones.
fn first(holds: impl Fn(u64) -> bool) -> u64 {
    let (mut not, mut yes) = (0, 1);
    while !holds(yes) {
        not = yes;
        yes *= 2;
    }
    while yes - not > 1 {
        let middle = not + (yes - not) / 2;
        if holds(middle) {
            yes = middle;
        } else {
            not = middle;
        }
    }
    yes
}

/// Finds the real n in (`n` − 1, `n`] at which the shortfall of the curve is `allowed`. The
/// shortfall falls and is convex, so that Newton's method from the left never passes that n.
fn real(powers: &Powers, gaps: &[f64], allowed: f64, n: u64) -> f64 {
    let (mut at, end) = ((n - 1) as f64, n as f64);
    for _ in 0..64 {
        let (shortfall, slope) = powers.sum_and_slope(gaps, at);
        let step = (shortfall - allowed) / -slope;
        // NaN, where both are nothing, is no step.
        if step.is_nan() || step <= f64::EPSILON * at {
            break;
        }
        at += step;
    }
    at.min(end)
}
