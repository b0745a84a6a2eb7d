//! Challengers of top-two policies: choices of the second arm that may be best.

use super::leader::{draw, least, rareness};
use fiesta_core::{ArmId, View};
use rand::Rng;

/// Chooses the challenger of a [`TopTwo`](super::TopTwo) policy.
pub trait Challenger: Send {
    /// Returns the challenger, one of the leader's [`rivals`]. `None` if it has none.
    fn choose(&mut self, view: &View<'_>, leader: ArmId, rng: &mut dyn Rng) -> Option<ArmId>;
}

/// Returns the leader's rivals: the other candidates of which, or of the leader, evaluations are
/// left. A leader that has queried every document has only rivals that have not. Where several arms
/// are sought ([`View::top`]), those that would be recommended now are no rivals of each other.
pub fn rivals<'a>(view: &View<'a>, leader: ArmId) -> impl Iterator<Item = ArmId> + Clone + use<'a> {
    let view = *view;
    let leader_can = view.has_case_left(leader);
    let inside = if view.top() > 1 {
        view.inside()
    } else {
        vec![leader]
    };
    let candidates = view.candidates().iter().copied();
    candidates.filter(move |arm| {
        !inside.contains(arm) && *arm != leader && (leader_can || view.has_case_left(*arm))
    })
}

/// Challenger by a draw: each other arm with its probability of being best, given that the leader is not.
///
/// This is what drawing from the posterior again and again until another arm wins converges to, in
/// one step however sure the leader is. Should no other arm have a probability that floating point
/// can tell from 0, the one with the highest mean challenges.
#[derive(Debug, Clone, Copy, Default)]
pub struct Resampled;

impl Challenger for Resampled {
    fn choose(&mut self, view: &View<'_>, leader: ArmId, rng: &mut dyn Rng) -> Option<ArmId> {
        let belief = view.belief()?;
        let others = rivals(view, leader);
        let by_belief = draw(others.clone().map(|arm| (arm, belief.of(arm))), rng);
        by_belief.or_else(|| {
            let mean = |arm: &ArmId| view.mean(*arm).unwrap_or(f64::NEG_INFINITY);
            others.max_by(|a, b| mean(a).total_cmp(&mean(b)))
        })
    }
}

/// Challenger by probability: the arm that is most probably best for how rarely it was tried:
/// π_j/n_j is largest, where π_j is P(j is best).
///
/// That is [`Transportation`], improved, with −ln π_j for its cost: the two agree in the limit, but
/// π_j also knows how little a few scores tell of their variance and what arms have in common. n_j
/// counts observed and running evaluations. Equal values are broken at random.
///
/// Source: after Russo's top-two probability sampling (2016), whose challenger has the second
/// largest π, and the improvement of Jourdan et al. (2022).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Probable;

impl Challenger for Probable {
    fn choose(&mut self, view: &View<'_>, leader: ArmId, rng: &mut dyn Rng) -> Option<ArmId> {
        let belief = view.belief()?;
        let cost = |arm: ArmId| rareness(view, arm, belief.of(arm));
        least(rivals(view, leader).map(|arm| (arm, cost(arm))), rng)
    }
}

/// Challenger that is the cheapest to mistake for the leader: with the least transportation cost W,
/// and ln n_j added to it in the improved version.
///
/// For the lead d = m_l − m_j, W is 0 unless d > 0, and else how much less likely a lead of 0 is
/// than the one seen, ln f(d) − ln f(0): with [`Tails::Normal`] W = d²/(2·Var), with
/// [`Tails::Student`] W = (ν + 1)/2·ln(1 + d²/(ν·Var)).
///
/// Var is the variance of the difference as it is foreseen to be once what is running has ended, so
/// that several workers do not all choose the same challenger and correlated arms (shared splits)
/// are compared by what tells them apart; n_j counts observed and running evaluations, and ln n_j
/// challenges arms that were rarely tried. An arm whose mean is not below the leader's, or of which
/// nothing is known, costs nothing. Equal costs are broken at random, so that the order of the arms
/// plays no role.
///
/// Source: Shang et al., "Fixed-confidence guarantees for Bayesian best-arm identification" (2020),
/// T3C; improved Jourdan et al., "Top two algorithms revisited" (2022), TCI.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Transportation {
    /// Whether ln n_j is added to the cost of transportation.
    pub improved: bool,
    /// Form of the distribution of the difference.
    pub tails: Tails,
}

/// The form of a difference's distribution in [`Transportation`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tails {
    /// Tails are normal, as if the variances were known.
    Normal,
    /// Tails are Student's, with the posterior's degrees of freedom ν: the difference from an arm
    /// with few scores weighs less.
    #[default]
    Student,
}

impl Challenger for Transportation {
    fn choose(&mut self, view: &View<'_>, leader: ArmId, rng: &mut dyn Rng) -> Option<ArmId> {
        let variances = view.variances(leader, None);
        let degrees_of_freedom = |arm| match self.tails {
            Tails::Normal => f64::INFINITY,
            Tails::Student => view
                .difference(leader, arm)
                .map_or(f64::INFINITY, |difference| difference.degrees_of_freedom),
        };
        let cost = |arm: ArmId| {
            let variance = variances.as_ref().map(|variances| variances[arm.index()]);
            let cost = match (view.mean(leader), view.mean(arm), variance) {
                (Some(leading), Some(mean), Some(variance)) => {
                    transport(leading - mean, variance, degrees_of_freedom(arm))
                }
                _ => 0.0,
            };
            if self.improved {
                let count = view.observed(arm) + view.pending(arm);
                cost + (count as f64).ln()
            } else {
                cost
            }
        };
        least(rivals(view, leader).map(|arm| (arm, cost(arm))), rng)
    }
}

/// Returns ln f(d) − ln f(0) if d > 0, else 0; +∞ for a lead beyond doubt (v = 0).
fn transport(lead: f64, variance: f64, degrees_of_freedom: f64) -> f64 {
    if lead <= 0.0 {
        0.0
    } else if variance <= 0.0 {
        f64::INFINITY
    } else if degrees_of_freedom.is_finite() {
        let square = lead * lead / (degrees_of_freedom * variance);
        0.5 * (degrees_of_freedom + 1.0) * square.ln_1p()
    } else {
        lead * lead / (2.0 * variance)
    }
}
