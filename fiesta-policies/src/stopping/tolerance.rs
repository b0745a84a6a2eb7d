//! Stopping when the probability of being within a tolerance of the best reaches 1 − δ.

use super::{
    Distance, DistanceError, LevelError,
    posterior::{LEAST_EVALUATIONS, are_known, lacking, leaders, may_lack, named, reason, rival},
};
use fiesta_core::{ArmId, Claim, StoppingRule, Verdict, View};

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
    /// Returns the arms that are most probably the best, as many as are sought, and the tolerance in
    /// the unit of the scores. `None` if they are not probably enough within it.
    fn end(&self, view: &View<'_>) -> Option<(Vec<ArmId>, f64)> {
        let (arms, probability) = leaders(view)?;
        let &last = arms.last()?;
        let tolerance = self.in_scores(view, &arms, last);
        // With ε = 0 it is the same probability, but already computed.
        let within = match tolerance {
            Some(tolerance) if tolerance > 0.0 => {
                let within = |&arm: &ArmId| view.within(arm, tolerance).unwrap_or(0.0);
                arms.iter().map(within).sum::<f64>() - (arms.len() - 1) as f64
            }
            _ => probability,
        };
        (within >= self.level).then_some((arms, tolerance.unwrap_or(0.0)))
    }

    fn in_scores(&self, view: &View<'_>, leaders: &[ArmId], last: ArmId) -> Option<f64> {
        let rival = rival(view, leaders).unwrap_or(last);
        self.tolerance.in_scores(view, last, rival)
    }

    /// Decides on a claim of a posterior that itself accounts for repeated looks.
    fn check_claim(&self, view: &View<'_>, exact: Claim) -> Verdict {
        let tolerance = match self.tolerance {
            Distance::Score(tolerance) => tolerance,
            // The rival is that of the whole belief, which takes longer than all the rest.
            Distance::Sd(_) => {
                let leaders = &exact.arms[..view.top().min(exact.arms.len())];
                let last = leaders.last();
                let found = last.and_then(|&last| self.in_scores(view, leaders, last));
                found.unwrap_or(0.0)
            }
        };
        let claim = if tolerance > 0.0 {
            view.claim(tolerance).unwrap_or(exact)
        } else {
            exact
        };
        named(view, &claim, 1.0 - self.level, self.level, Some(tolerance))
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
            Some((arms, tolerance)) if are_known(view, &arms) => {
                Verdict::Stop(arms[0], reason(view, self.level, Some(tolerance), arms))
            }
            _ => Verdict::Continue,
        }
    }

    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        if !may_lack(view, LEAST_EVALUATIONS) {
            return None;
        }
        let (leaders, _) = self.end(view)?;
        lacking(view, &leaders, chosen, LEAST_EVALUATIONS)
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
