//! Who else may be best.

use super::{
    foresight::variances,
    leader::{draw, least},
};
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

/// The arm that is the cheapest to mistake for the leader: with the least transportation cost
/// W = max(0, m_l − m_j)²/(2·Var(m_l − m_j)), and ln n_j added to it in the improved version.
///
/// Var is the variance of the difference as it is foreseen to be once what is running has ended, so that several workers
/// do not all choose the same challenger and correlated arms (shared splits) are compared by what
/// tells them apart; n_j counts observed and running evaluations, and ln n_j challenges arms that were rarely tried. An
/// arm whose mean is not below the leader's, or of which nothing is known, costs nothing. Equal costs are broken
/// at random, so that the order of the arms plays no role.
///
/// Source: Shang et al., "Fixed-confidence guarantees for Bayesian best-arm identification" (2020), T3C; improved
/// Jourdan et al., "Top two algorithms revisited" (2022), TCI.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Transportation {
    /// Whether ln n_j is added.
    pub improved: bool,
}

impl Challenger for Transportation {
    fn choose(&mut self, view: &View<'_>, leader: ArmId, rng: &mut dyn Rng) -> Option<ArmId> {
        let variances = variances(view, leader, None);
        let cost = |arm: ArmId| {
            let variance = variances.as_ref().map(|variances| variances[arm.index()]);
            let cost = match (view.mean(leader), view.mean(arm), variance) {
                (Some(leading), Some(mean), Some(variance)) => transport(leading - mean, variance),
                _ => 0.0,
            };
            if self.improved {
                let count = view.observed(arm) + view.pending(arm);
                cost + (count as f64).ln()
            } else {
                cost
            }
        };
        let others = view.candidates().iter().filter(|&&arm| arm != leader);
        least(others.map(|&arm| (arm, cost(arm))), rng)
    }
}

/// max(0, d)²/(2v), +∞ for a lead beyond doubt (v = 0).
fn transport(lead: f64, variance: f64) -> f64 {
    if lead <= 0.0 {
        0.0
    } else if variance > 0.0 {
        lead * lead / (2.0 * variance)
    } else {
        f64::INFINITY
    }
}
