//! Stopping when the probability of being within a tolerance of the best reaches 1 − δ.

use super::{
    Distance, DistanceError, LevelError,
    posterior::{LEAST_EVALUATIONS, are_known, lacking, may_lack, named, rival},
};
use fiesta_core::{ArmId, Claim, Reason, StoppingRule, Verdict, View};

/// Stops when the arm that is most probably the best is within ε of the best with posterior
/// probability 1 − δ: P(no other mean exceeds its mean by more than ε) ≥ 1 − δ.
///
/// Two equal arms otherwise run up to the budget, whichever of them is taken. With ε = 0 this is
/// [`PosteriorThreshold`](super::PosteriorThreshold), and it is as Bayesian: no frequentist
/// guarantee under repeated looks. ε is in the unit of the scores, or in standard deviations of the
/// difference between leader and runner-up.
///
/// # Example
/// ```
/// use fiesta_policies::stopping::Tolerance;
/// let rule = Tolerance::new(0.95, 0.002)?;
/// assert_eq!(rule.tolerance(), 0.002.into());
/// assert!(Tolerance::new(0.95, -0.1).is_err());
/// # Ok::<(), fiesta_policies::stopping::ToleranceError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    level: f64,
    tolerance: Distance,
}

/// The error for a level that is no confidence, or a distance that is no tolerance.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ToleranceError {
    /// The level of confidence is out of range.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// The tolerance is negative or not finite.
    #[error("the tolerance: {0}")]
    Tolerance(#[from] DistanceError),
    /// The tolerance is in standard deviations, but the rule holds for any and does not know them.
    #[error(
        "the tolerance {0} is in standard deviations, and the stopping rule anytime wants one in the unit of the scores"
    )]
    InSd(Distance),
    /// The tolerance is a shortfall of 0, which is never reached.
    #[error(
        "an expected shortfall of 0 is never reached: give what choosing may be expected to lose"
    )]
    NoShortfall,
}

impl Tolerance {
    /// Stops at the probability `level` = 1 − δ of being within `tolerance` = ε of the best.
    ///
    /// # Errors
    /// [`ToleranceError`] unless ½ < level < 1 and 0 ≤ ε < ∞.
    pub fn new(level: f64, tolerance: impl Into<Distance>) -> Result<Self, ToleranceError> {
        Ok(Self {
            level: super::posterior::checked(level)?,
            tolerance: tolerance.into().checked()?,
        })
    }

    /// Returns the level 1 − δ.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Returns the tolerance ε.
    pub fn tolerance(&self) -> Distance {
        self.tolerance
    }
}

impl Tolerance {
    /// Returns the arm that is most probably best, and the reason to recommend it. `None` if it is
    /// not probably enough within the tolerance.
    fn end(&self, view: &View<'_>) -> Option<(ArmId, Reason)> {
        let (arm, probability) = view.belief()?.leader();
        let rival = rival(view, arm).unwrap_or(arm);
        let tolerance = self.tolerance.in_scores(view, arm, rival);
        // With ε = 0 it is the same probability, but already computed.
        let within = match tolerance {
            Some(tolerance) if tolerance > 0.0 => view.within(arm, tolerance).unwrap_or(0.0),
            _ => probability,
        };
        let (level, tolerance) = (self.level, tolerance.unwrap_or(0.0));
        (within >= level).then_some((arm, Reason::Tolerance { level, tolerance }))
    }

    /// Decides on a claim of a posterior that itself accounts for repeated looks.
    fn check_claim(&self, view: &View<'_>, exact: Claim) -> Verdict {
        let tolerance = match self.tolerance {
            Distance::Score(tolerance) => tolerance,
            // The rival is that of the whole belief, which takes longer than all the rest.
            in_sd @ Distance::Sd(_) => {
                let arm = exact.arms[0];
                let rival = rival(view, arm).unwrap_or(arm);
                in_sd.in_scores(view, arm, rival).unwrap_or(0.0)
            }
        };
        let claim = if tolerance > 0.0 {
            view.claim(tolerance).unwrap_or(exact)
        } else {
            exact
        };
        let level = self.level;
        named(
            &claim,
            1.0 - level,
            level,
            Reason::Tolerance { level, tolerance },
        )
    }
}

/// Checks a tolerance in the unit of the scores: finite and not negative.
pub(super) fn checked(tolerance: f64) -> Result<f64, ToleranceError> {
    Distance::Score(tolerance).checked()?;
    Ok(tolerance)
}

impl<O> StoppingRule<O> for Tolerance {
    fn check(&self, view: &View<'_>) -> Verdict {
        if let Some(claim) = view.claim(0.0) {
            return self.check_claim(view, claim);
        }
        match self.end(view) {
            Some((arm, reason)) if are_known(view, arm, rival(view, arm)) => {
                Verdict::Stop(arm, reason)
            }
            _ => Verdict::Continue,
        }
    }

    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        if !may_lack(view, LEAST_EVALUATIONS) {
            return None;
        }
        let (leader, _) = self.end(view)?;
        lacking(view, leader, chosen, LEAST_EVALUATIONS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_tolerance_is_refused() {
        for tolerance in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                Tolerance::new(0.9, tolerance),
                Err(ToleranceError::Tolerance(_))
            ));
        }
        assert!(matches!(
            Tolerance::new(1.0, 0.1),
            Err(ToleranceError::Level(_))
        ));
    }
}
