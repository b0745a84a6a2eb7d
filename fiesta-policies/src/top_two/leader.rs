//! Who may be best.

use fiesta_core::{ArmId, View};
use rand::{Rng, RngExt};

/// Chooses the leader of a [`TopTwo`](super::TopTwo) policy.
pub trait Leader: Send {
    /// The leader; none without candidates.
    fn choose(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Option<ArmId>;
}

/// Each arm with its probability of being best.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThompsonLeader;

impl Leader for ThompsonLeader {
    fn choose(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Option<ArmId> {
        let belief = view.belief()?;
        draw(
            view.candidates().iter().map(|&arm| (arm, belief.of(arm))),
            rng,
        )
    }
}

/// One of the arms, with probabilities proportional to their weights; none if no weight is positive.
pub(super) fn draw(
    weighted: impl Iterator<Item = (ArmId, f64)> + Clone,
    rng: &mut dyn Rng,
) -> Option<ArmId> {
    let total: f64 = weighted.clone().map(|(_, weight)| weight).sum();
    let mut left = rng.random::<f64>() * total;
    let mut chosen = None;
    for (arm, weight) in weighted {
        if weight > 0.0 {
            chosen = Some(arm);
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
    }
    chosen
}
