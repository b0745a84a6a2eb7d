//! Leaders of top-two policies: choices of the first arm that may be best.

use fiesta_core::{ArmId, Marginal, View};
use rand::{Rng, RngExt};

/// Chooses the leader of a [`TopTwo`](super::TopTwo) policy.
pub trait Leader: Send {
    /// Returns the arm that leads. `None` without candidates.
    fn choose(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Option<ArmId>;
}

/// Leader by a draw: each arm with its probability of being best.
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

/// Leader with the highest mean, the first of equals: the arm that would be recommended now. Where k
/// arms are sought ([`View::top`]), the one of the k highest means that was tried most rarely for how
/// probably it is none of the best: (1 − π_i)/n_i is largest, with P(among the best) π_i.
///
/// The leader of EB-TCI (Jourdan et al., "Top two algorithms revisited", 2022).
#[derive(Debug, Clone, Copy, Default)]
pub struct EmpiricalBest;

impl Leader for EmpiricalBest {
    fn choose(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Option<ArmId> {
        let Some(belief) = view.belief().filter(|_| view.top() > 1) else {
            return view.empirical_best();
        };
        let doubtful = |arm| (arm, rareness(view, arm, 1.0 - belief.of(arm)));
        least(view.inside().into_iter().map(doubtful), rng)
    }
}

/// Returns ln n − ln p for an arm with n observed and running evaluations: the less, the more rarely
/// it was tried for the probability p that it matters.
pub(super) fn rareness(view: &View<'_>, arm: ArmId, probability: f64) -> f64 {
    let count = view.observed(arm) + view.pending(arm);
    (count as f64).ln() - probability.max(f64::MIN_POSITIVE).ln()
}

/// Leader with the highest upper confidence bound m + s·√(2·c·ln n).
///
/// m is an arm's mean and s the scale of its posterior, as it is foreseen to be once what is
/// running has ended (for independent arms s² = σ²/n of that arm); n counts the evaluations of all
/// arms, running ones included. An arm of which nothing is known has no bound and leads. Equal
/// bounds are broken at random.
///
/// Source: Jourdan & Degenne, "Non-asymptotic analysis of a UCB-based top two algorithm" (2022).
/// Their guarantee takes c above 2, for known variances; the default is the usual c = 1, where a
/// single bound fails with probability at most 1/n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpperConfidence {
    /// The constant c, above 0: the larger, the more often an arm leads of which little is known.
    pub exploration: f64,
}

impl Default for UpperConfidence {
    fn default() -> Self {
        Self { exploration: 1.0 }
    }
}

impl Leader for UpperConfidence {
    fn choose(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Option<ArmId> {
        let count = |arm| view.observed(arm) + view.pending(arm);
        let all: u64 = ArmId::all(view.arms()).map(count).sum();
        let width = (2.0 * self.exploration * (all.max(1) as f64).ln()).sqrt();
        let bound = |arm| match (view.mean(arm), view.marginal(arm)) {
            (Some(mean), Some(marginal)) => {
                let variance = variance_after(marginal, view.observed(arm), view.pending(arm));
                mean + variance.sqrt() * width
            }
            _ => f64::INFINITY,
        };
        // The least of the negated bounds.
        least(view.candidates().iter().map(|&arm| (arm, -bound(arm))), rng)
    }
}

/// Returns the variance of a mean now known from `observed` scores, after `more` further ones:
/// scale²·n/(n + more).
fn variance_after(marginal: Marginal, observed: u64, more: u64) -> f64 {
    // A posterior that knows something before any score takes what it knows for one.
    let n = observed.max(1) as f64;
    marginal.scale * marginal.scale * (n / (n + more as f64))
}

/// Returns the arm with the least number, one of equals at random. `None` without arms. NaN counts
/// as +∞.
pub(super) fn least(
    numbered: impl Iterator<Item = (ArmId, f64)>,
    rng: &mut dyn Rng,
) -> Option<ArmId> {
    let mut least = f64::INFINITY;
    let mut equals: Vec<ArmId> = Vec::new();
    for (arm, number) in numbered {
        let number = if number.is_nan() {
            f64::INFINITY
        } else {
            number
        };
        if number < least {
            least = number;
            equals.clear();
        }
        if number <= least {
            equals.push(arm);
        }
    }
    match *equals {
        [] => None,
        [only] => Some(only),
        _ => Some(equals[rng.random_range(0..equals.len())]),
    }
}

/// Draws one of the arms, with probabilities proportional to their weights. `None` if no weight is
/// positive.
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
