//! A policy that begins with a fixed number of evaluations of one arm.

use fiesta_core::{ArmId, Next, Policy, View};
use rand::Rng;

/// Policy that evaluates one arm until it was tried `first` times, and then leaves the choice to another
/// policy.
///
/// The mean of the arm's first evaluations is then unbiased: whether they are made does not depend on
/// any score. The other policy alone would make them sooner or later, or never, by what it saw. A
/// stopping rule still looks in between; one that waits for as many evaluations of the arms that it
/// compares cannot stop before.
///
/// # Example
/// ```
/// use fiesta_core::ArmId;
/// use fiesta_policies::{Opening, Uniform};
/// let policy = Opening::new(Uniform, ArmId::new(2), 8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Opening<P> {
    policy: P,
    arm: ArmId,
    first: u64,
}

impl<P> Opening<P> {
    /// Returns a policy that begins with `first` evaluations of `arm`, failed ones included.
    pub fn new(policy: P, arm: ArmId, first: u64) -> Self {
        Self { policy, arm, first }
    }
}

impl<P: Policy> Policy for Opening<P> {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let made = view
            .attempts(self.arm)
            .saturating_sub(view.recorded(self.arm));
        if made < self.first && view.with_case_left().any(|arm| arm == self.arm) {
            return Next::Evaluate(self.arm);
        }
        self.policy.next(view, rng)
    }

    fn needs_posterior(&self) -> bool {
        self.policy.needs_posterior()
    }

    fn goes_on_alone(&self) -> bool {
        self.policy.goes_on_alone()
    }

    fn round_complete(&self, view: &View<'_>) -> bool {
        self.policy.round_complete(view)
    }

    fn gives_way(&self) -> bool {
        self.policy.gives_way()
    }

    fn readmits(&self, arm: ArmId) -> bool {
        self.policy.readmits(arm)
    }

    fn is_complete(&self, view: &View<'_>) -> bool {
        self.policy.is_complete(view)
    }

    fn recommend(&self, view: &View<'_>) -> Option<ArmId> {
        self.policy.recommend(view)
    }
}
