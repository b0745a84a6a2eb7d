//! A number of queries of each system before anything is decided.

use fiesta::core::{ArmId, Next, Policy, StoppingRule, Verdict, View};
use rand::Rng;

/// Queries every system so often first, and leaves the rest to a policy; or keeps a stopping rule from looking before.
pub(super) struct Initially<T> {
    pub(super) queries: u64,
    pub(super) then: T,
}

impl<P: Policy> Policy for Initially<P> {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let fewest = view.with_case_left().min_by_key(|&arm| view.attempts(arm));
        match fewest {
            Some(arm) if view.attempts(arm) < self.queries => Next::Evaluate(arm),
            _ => self.then.next(view, rng),
        }
    }

    fn needs_posterior(&self) -> bool {
        self.then.needs_posterior()
    }

    fn round_complete(&self, view: &View<'_>) -> bool {
        self.then.round_complete(view)
    }

    fn recommend(&self, view: &View<'_>) -> Option<ArmId> {
        self.then.recommend(view)
    }
}

impl<O, R: StoppingRule<O>> StoppingRule<O> for Initially<R> {
    fn check(&self, view: &View<'_>) -> Verdict {
        let mut candidates = view.candidates().iter();
        if candidates.any(|&arm| view.observed(arm) < self.queries) {
            Verdict::Continue
        } else {
            self.then.check(view)
        }
    }
}
