//! Synchronous batches of any policy.

use fiesta_core::{ArmId, Next, Policy, View};
use rand::Rng;

/// Lets `policy` choose `size` evaluations, then waits until all have ended.
///
/// With at least `size` workers a whole batch is chosen on what was known when it began; with
/// fewer, its later members are chosen when the first have ended. The stopping rule looks between
/// batches in either case. An evaluation that hangs holds up its batch, and with it every slot:
/// that is what a batch is. The policy without batches uses the slots.
/// `Batched::new(Thompson::default(), b)` is FIESTA's batch Thompson sampling, BTS-b (Moss et al.,
/// ACL 2019, §3.3).
#[derive(Debug, Clone)]
pub struct Batched<P> {
    policy: P,
    size: u32,
    /// Evaluations of the current batch that are still to be chosen.
    left: u32,
}

impl<P> Batched<P> {
    /// Returns the policy in batches of `size` evaluations; a size of 0 counts as 1.
    pub fn new(policy: P, size: u32) -> Self {
        Self {
            policy,
            size: size.max(1),
            left: 0,
        }
    }
}

impl<P: Policy> Policy for Batched<P> {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let left = match self.left {
            0 if view.total_pending() > 0 => return Next::Wait,
            0 => self.size,
            left => left,
        };
        let next = self.policy.next(view, rng);
        if matches!(next, Next::Evaluate(_) | Next::EvaluateOn(..)) {
            self.left = left - 1;
        }
        next
    }

    fn needs_posterior(&self) -> bool {
        self.policy.needs_posterior()
    }

    fn round_complete(&self, view: &View<'_>) -> bool {
        self.left == 0 && view.total_pending() == 0 && self.policy.round_complete(view)
    }

    fn gives_way(&self) -> bool {
        self.policy.gives_way()
    }

    fn readmits(&self, arm: ArmId) -> bool {
        self.policy.readmits(arm)
    }

    fn recommend(&self, view: &View<'_>) -> Option<ArmId> {
        self.policy.recommend(view)
    }
}
