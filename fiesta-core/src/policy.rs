//! Sampling policies: the choice of the arm to evaluate next.

use crate::{ArmId, View};
use rand::Rng;

/// Decision of a policy on what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Next {
    /// Evaluate this arm, one of [`View::candidates`], on the case whose turn it is.
    Evaluate(ArmId),
    /// Evaluate this arm on the item with this number, which it has not had ([`View::has_had`])
    /// unless [answers vary](View::repeats); only in a [pool of items](crate::Design::Items).
    EvaluateOn(ArmId, u64),
    /// Start no evaluation before a pending evaluation has ended.
    Wait,
    /// The schedule is complete; this arm is recommended.
    Finished(ArmId),
}

/// A sampling policy: chooses the next arm from what is known.
///
/// One method is required. Evaluations that run at the same time need no second policy: pending
/// ones are visible in the [`View`], and [`Next::Wait`] defers the choice until one of them has
/// ended. Whenever `next` returns [`Next::Wait`] it must leave the policy as it was; the generator
/// is positioned anew for every decision, so that randomness drawn before waiting is not consumed.
///
/// # Example
/// Always the arm with the widest posterior, at most one evaluation each at a time:
/// ```
/// use fiesta_core::{Next, Policy, View};
/// use rand::Rng;
///
/// struct Widest;
///
/// impl Policy for Widest {
///     fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
///         let idle = view.candidates().iter().filter(|&&arm| view.pending(arm) == 0);
///         let scale = |arm| view.marginal(arm).map_or(f64::INFINITY, |m| m.scale);
///         match idle.copied().max_by(|&a, &b| scale(a).total_cmp(&scale(b))) {
///             Some(arm) => Next::Evaluate(arm),
///             None => Next::Wait,
///         }
///     }
/// }
/// ```
pub trait Policy: Send {
    /// Chooses the next arm. `rng` is this decision's own stream.
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next;

    /// Whether the choice needs a posterior. The [`Selector`](crate::Selector) then first brings
    /// every arm to the number of evaluations that the posterior requires, and asks the policy only
    /// afterwards. While the last of these evaluations are running, the policy is asked to choose
    /// among the arms that have theirs ([`View::is_provisional`]): an arm that is no candidate may
    /// be one again.
    fn needs_posterior(&self) -> bool {
        true
    }

    /// Whether the policy is still to be asked when a single candidate is left. Else the selection
    /// then ends, since nothing remains to be compared
    /// ([`Reason::OnlyCandidate`](crate::Reason::OnlyCandidate)).
    fn goes_on_alone(&self) -> bool {
        false
    }

    /// Whether a round of this policy is complete, so that a stopping rule may look. A policy
    /// without rounds is between rounds all the time.
    fn round_complete(&self, view: &View<'_>) -> bool {
        let _ = view;
        true
    }

    /// Whether an evaluation that is all that the stopping rule lacks
    /// ([`StoppingRule::lacking`](crate::StoppingRule::lacking)) may be made in place of the
    /// policy's choice. A schedule that divides a budget has no evaluations left for it.
    fn gives_way(&self) -> bool {
        true
    }

    /// Whether an arm that was retired for failing can be a candidate again. A schedule that has
    /// gone on without it has no evaluations left for it.
    fn readmits(&self, arm: ArmId) -> bool {
        let _ = arm;
        true
    }

    /// Whether every evaluation that the policy's schedule asks for was made. Where splits end with
    /// it, it is the schedule that ends the selection.
    fn is_complete(&self, view: &View<'_>) -> bool {
        let _ = view;
        false
    }

    /// Returns the arm to recommend if a limit ends the selection now: the best mean, unless the
    /// policy has already discarded that arm. `None` only if there is no candidate.
    fn recommend(&self, view: &View<'_>) -> Option<ArmId> {
        view.empirical_best()
    }
}

impl<P: Policy + ?Sized> Policy for Box<P> {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        (**self).next(view, rng)
    }

    fn needs_posterior(&self) -> bool {
        (**self).needs_posterior()
    }

    fn goes_on_alone(&self) -> bool {
        (**self).goes_on_alone()
    }

    fn round_complete(&self, view: &View<'_>) -> bool {
        (**self).round_complete(view)
    }

    fn gives_way(&self) -> bool {
        (**self).gives_way()
    }

    fn readmits(&self, arm: ArmId) -> bool {
        (**self).readmits(arm)
    }

    fn is_complete(&self, view: &View<'_>) -> bool {
        (**self).is_complete(view)
    }

    fn recommend(&self, view: &View<'_>) -> Option<ArmId> {
        (**self).recommend(view)
    }
}
