//! Who else may be best.

use super::leader::draw;
use fiesta_core::{ArmId, View};
use rand::Rng;

/// Chooses the challenger of a [`TopTwo`](super::TopTwo) policy.
pub trait Challenger: Send {
    /// The challenger, another arm than the leader; none if there is no other candidate.
    fn choose(&mut self, view: &View<'_>, leader: ArmId, rng: &mut dyn Rng) -> Option<ArmId>;
}

/// Each other arm with its probability of being best, given that the leader is not.
///
/// This is what drawing from the posterior again and again until another arm wins converges to, in one
/// step however sure the leader is. Should no other arm have a probability that floating point can tell from 0,
/// the one with the highest mean challenges.
#[derive(Debug, Clone, Copy, Default)]
pub struct Resampled;

impl Challenger for Resampled {
    fn choose(&mut self, view: &View<'_>, leader: ArmId, rng: &mut dyn Rng) -> Option<ArmId> {
        let belief = view.belief()?;
        let others = view
            .candidates()
            .iter()
            .copied()
            .filter(|&arm| arm != leader);
        let by_belief = draw(others.clone().map(|arm| (arm, belief.of(arm))), rng);
        by_belief.or_else(|| {
            let mean = |arm: &ArmId| view.mean(*arm).unwrap_or(f64::NEG_INFINITY);
            others.max_by(|a, b| mean(a).total_cmp(&mean(b)))
        })
    }
}
