//! Stopping when choosing now is expected to lose little.

use super::{
    Distance, ToleranceError,
    posterior::{LEAST_EVALUATIONS, are_known, lacking, rival},
};
use fiesta_core::{ArmId, Reason, StoppingRule, Verdict, View};

/// Stops when the expected shortfall of some arm, E[max_j μ_j − μ_a] under the posterior, is no
/// more than a bound, and recommends the arm with the least.
///
/// Where arms are nearly equal this ends soon, as either may be chosen then: what is limited is not
/// how often another arm is chosen than the best, but how much that costs. The arm and its closest
/// rival must have eight evaluations each, as of
/// [`PosteriorThreshold`](super::PosteriorThreshold). The bound is in the unit of the scores or in
/// standard deviations of the difference between the two.
///
/// # Example
/// ```
/// use fiesta_policies::stopping::{Distance, Shortfall};
/// let rule = Shortfall::new(Distance::Sd(0.02))?;
/// assert_eq!(rule.bound(), Distance::Sd(0.02));
/// # Ok::<(), fiesta_policies::stopping::ToleranceError>(())
/// ```
///
/// Source: expected opportunity cost, as of Chick and Inoue, "New two-stage and sequential
/// procedures for selecting the best simulated system" (2001).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortfall {
    bound: Distance,
}

impl Shortfall {
    /// Returns a rule that stops at this expected shortfall.
    ///
    /// # Errors
    /// [`ToleranceError`] unless it is a distance above 0.
    pub fn new(bound: Distance) -> Result<Self, ToleranceError> {
        let bound = bound.checked()?;
        if bound.is_zero() {
            return Err(ToleranceError::NoShortfall);
        }
        Ok(Self { bound })
    }

    /// Returns the bound of the expected loss.
    pub fn bound(&self) -> Distance {
        self.bound
    }
}

impl<O> StoppingRule<O> for Shortfall {
    fn check(&self, view: &View<'_>) -> Verdict {
        let end = end(self.bound, view);
        let known = end.filter(|&(arm, _)| are_known(view, &[arm]));
        known.map_or(Verdict::Continue, |(arm, reason)| {
            Verdict::Stop(arm, reason)
        })
    }

    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        let (leader, _) = end(self.bound, view)?;
        lacking(view, &[leader], chosen, LEAST_EVALUATIONS)
    }
}

/// Returns the arm that is expected to lose the least, and the reason to recommend it. `None` if it
/// is expected to lose more than the bound.
fn end(bound: Distance, view: &View<'_>) -> Option<(ArmId, Reason)> {
    let belief = view.belief()?;
    let of = |arm: &&ArmId| belief.shortfall_of(**arm);
    let mut candidates = view.candidates().iter();
    let first = candidates.next()?;
    let &arm = candidates.fold(
        first,
        |least, arm| if of(&arm) < of(&least) { arm } else { least },
    );
    let bound = bound.in_scores(view, arm, rival(view, &[arm]).unwrap_or(arm))?;
    let shortfall = belief.shortfall_of(arm);
    (shortfall <= bound).then_some((arm, Reason::Shortfall { bound, shortfall }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_of_nothing_is_refused() {
        assert!(matches!(
            Shortfall::new(Distance::ZERO),
            Err(ToleranceError::NoShortfall)
        ));
        assert!(Shortfall::new(Distance::Sd(-1.0)).is_err());
    }
}
