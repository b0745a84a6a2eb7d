//! Initialization of a selection: evaluations of every candidate until the posterior of its mean is
//! defined.

use super::Selector;
use crate::{ArmId, View};

/// Whether every candidate has the observations that the posterior requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Initialization {
    /// This arm lacks observations and is evaluated next.
    Lacking(ArmId),
    /// Candidates that have the observations that the posterior requires; evaluations that the other candidates lack are running.
    Awaited(Vec<ArmId>),
    /// Some candidate will never have the required observations: it was evaluated on every split or
    /// document, and failed on too many. A policy that needs a posterior cannot be asked then, and
    /// the others are evaluated as [`substitute`] says.
    Impossible,
    /// All candidates have the observations that the posterior requires.
    Made,
}

impl Initialization {
    /// Returns how far the candidates are known. Of several that lack evaluations the one with the
    /// fewest of them is evaluated first, of equals the one that was forgiven the fewest failures,
    /// as it is the likeliest to succeed.
    pub(super) fn of(view: &View<'_>) -> Self {
        let (mut awaited, mut hopeless) = (false, false);
        let mut fewest: Option<((u64, u64), ArmId)> = None;
        for &arm in view.candidates() {
            let required = view.required(arm);
            let expected = view.observed(arm) + view.pending(arm);
            if view.observed(arm) >= required {
                continue;
            }
            if expected >= required {
                awaited = true;
            } else if !view.has_case_left(arm) {
                hopeless = true;
            } else {
                let key = (expected, view.statistics.arms[arm.index()].forgiven);
                if fewest.is_none_or(|(least, _)| key < least) {
                    fewest = Some((key, arm));
                }
            }
        }
        match fewest {
            Some((_, arm)) => Self::Lacking(arm),
            None if awaited => {
                let known = |arm: &&ArmId| view.observed(**arm) >= view.required(**arm);
                let candidates = view.candidates().iter();
                Self::Awaited(candidates.filter(known).copied().collect())
            }
            None if hopeless => Self::Impossible,
            None => Self::Made,
        }
    }
}

/// Returns the arm that is evaluated where the policy's choice has no case left, or the policy
/// cannot be asked: of the candidates with a case left the one that is most probably best, or while
/// there is no belief the one with the fewest attempts; the first of equals. `None` if none has a
/// case left.
pub(super) fn substitute(view: &View<'_>) -> Option<ArmId> {
    let left = view.with_case_left();
    match view.belief() {
        // `max_by` would take the last of equals.
        Some(belief) => left.reduce(|best, arm| {
            if belief.of(arm) > belief.of(best) {
                arm
            } else {
                best
            }
        }),
        None => left.min_by_key(|&arm| view.attempts(arm)),
    }
}

impl<O: Clone> Selector<O> {
    /// Returns how far the candidates are known, of which a policy without a posterior needs nothing.
    pub(super) fn initialization(&self, view: &View<'_>) -> Initialization {
        if self.policy.needs_posterior() {
            Initialization::of(view)
        } else {
            Initialization::Made
        }
    }
}
