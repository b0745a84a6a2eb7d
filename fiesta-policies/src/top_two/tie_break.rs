//! Choice between leader and challenger.

use crate::stopping::posterior::LEAST_EVALUATIONS;
use fiesta_core::{ArmId, View};
use rand::{Rng, RngExt};

/// Chooses between leader and challenger of a [`TopTwo`](super::TopTwo) policy.
pub trait TieBreak: Send {
    /// Chooses one of the pair of leader and challenger.
    fn choose(&mut self, view: &View<'_>, pair: [ArmId; 2], rng: &mut dyn Rng) -> ArmId;
}

impl<T: TieBreak + ?Sized> TieBreak for Box<T> {
    fn choose(&mut self, view: &View<'_>, pair: [ArmId; 2], rng: &mut dyn Rng) -> ArmId {
        (**self).choose(view, pair, rng)
    }
}

/// Tie-break that takes the leader with probability β.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coin {
    beta: f64,
}

/// The error for a β of a top-two policy that is no probability.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("beta, the share of the leader, is {0}: it must lie between 0 and 1, both excluded")]
pub struct CoinError(f64);

impl Coin {
    /// Returns a coin that shows the leader with probability `beta`.
    ///
    /// # Errors
    /// [`CoinError`] unless 0 < β < 1.
    pub fn new(beta: f64) -> Result<Self, CoinError> {
        if beta > 0.0 && beta < 1.0 {
            Ok(Self { beta })
        } else {
            Err(CoinError(beta))
        }
    }
}

impl Default for Coin {
    /// Returns the coin with β = ½, within a factor of 2 of the optimum whatever the problem (Russo 2016).
    fn default() -> Self {
        Self { beta: 0.5 }
    }
}

impl TieBreak for Coin {
    fn choose(&mut self, _view: &View<'_>, pair: [ArmId; 2], rng: &mut dyn Rng) -> ArmId {
        let [leader, challenger] = pair;
        if rng.random::<f64>() < self.beta {
            leader
        } else {
            challenger
        }
    }
}

/// Rule that chooses between two arms by how much the next evaluation of each would tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// Chooses each arm with a probability proportional to its share of the variance of the
    /// difference, f·(n + 1) with f the fall of that variance by the next evaluation; for
    /// independent arms that is σ²/n, as of Qin & Russo.
    #[default]
    Share,
    /// Chooses the arm whose next evaluation tells more, one of equals at random.
    Greatest,
}

/// Tie-break by what one more evaluation of either arm would tell about which of the two is better.
///
/// f_a is the fall of Var(m_leader − m_challenger) by one more evaluation of a, on the case that it
/// would get, after all that is running. An arm with fewer than eight evaluations goes before one
/// with three times as many: the stopping rule asks for eight of either. Under shared splits an arm
/// on a split that its rival has seen tells more, and f_a knows. For two independent arms with
/// standard deviations σ, either rule leads to n_i/n_j → σ_i/σ_j, the allocation with the smallest
/// variance of the difference (Neyman 1934). Before the posterior can say anything, or if neither
/// evaluation would tell anything, a fair coin decides.
///
/// Source: information-directed selection of You, Qin, Wang, Yang, "Information-directed selection
/// for top-two algorithms" (2023), by variances that are foreseen instead of σ²/n.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Balanced {
    /// Rule by which the choice is made.
    pub rule: Rule,
}

impl TieBreak for Balanced {
    fn choose(&mut self, view: &View<'_>, pair: [ArmId; 2], rng: &mut dyn Rng) -> ArmId {
        weigh(view, pair, [1.0; 2], self.rule, rng)
    }
}

/// Tie-break by what one more evaluation of either arm would tell, per unit of its cost.
///
/// As [`Balanced`], divided by the mean cost of the arm's ended evaluations; an arm without any
/// counts with the mean over all arms. For independent arms n_i/n_j → (σ_i/σ_j)·√(c_j/c_i), the
/// allocation with the smallest variance of the difference for what it costs. Where nothing costs
/// anything, evaluations are counted instead; beside an arm that costs something, one that costs
/// less than a thousandth of it counts with that thousandth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CostAware {
    /// Rule by which the choice is made.
    pub rule: Rule,
}

/// Largest ratio of two arms' evaluations while the arm with fewer of them lacks evaluations for a
/// stop.
const AHEAD: u64 = 3;

/// The least cost that counts, as a share of the dearer arm's.
const LEAST_COST: f64 = 1e-3;

impl TieBreak for CostAware {
    fn choose(&mut self, view: &View<'_>, pair: [ArmId; 2], rng: &mut dyn Rng) -> ArmId {
        weigh(view, pair, costs(view, pair), self.rule, rng)
    }
}

/// Returns the mean costs of an evaluation of leader and challenger, above 0.
fn costs(view: &View<'_>, pair: [ArmId; 2]) -> [f64; 2] {
    let costs = pair.map(|arm| {
        let costs = view.costs(arm);
        if costs.count() == 0 {
            view.mean_cost()
        } else {
            costs.mean()
        }
    });
    let dearer = costs[0].max(costs[1]);
    if dearer > 0.0 && dearer.is_finite() {
        costs.map(|cost| cost.max(dearer * LEAST_COST))
    } else {
        [1.0; 2]
    }
}

/// Chooses one of the pair, the leader first, by what the next evaluation of each would tell for
/// its cost.
fn weigh(
    view: &View<'_>,
    pair: [ArmId; 2],
    costs: [f64; 2],
    rule: Rule,
    rng: &mut dyn Rng,
) -> ArmId {
    let [leader, challenger] = pair;
    // Of an arm with one score, or two equal ones, a posterior may foresee that another tells
    // nothing.
    let [of_leader, of_challenger] = pair.map(|arm| view.observed(arm) + view.pending(arm));
    let lags = |own: u64, other: u64| own < LEAST_EVALUATIONS && other >= AHEAD * (own + 1);
    if lags(of_leader, of_challenger) {
        return leader;
    }
    if lags(of_challenger, of_leader) {
        return challenger;
    }
    let falls = view.variances(leader, None).and_then(|now| {
        let fall = |arm| {
            let then = view.variances(leader, Some(arm))?;
            let fall = now[challenger.index()] - then[challenger.index()];
            (fall.is_finite()).then_some(fall.max(0.0))
        };
        Some([fall(leader)?, fall(challenger)?])
    });
    let Some(falls) = falls else {
        return Coin::default().choose(view, pair, rng);
    };
    let per_cost = |place: usize| falls[place] / costs[place];
    let [for_leader, for_challenger] = match rule {
        Rule::Share => [0, 1].map(|place| {
            let count = view.observed(pair[place]) + view.pending(pair[place]);
            per_cost(place) * (count + 1) as f64
        }),
        Rule::Greatest => [0, 1].map(per_cost),
    };
    let beta = match rule {
        Rule::Greatest if for_leader > for_challenger => return leader,
        Rule::Greatest if for_leader < for_challenger => return challenger,
        Rule::Share if for_leader + for_challenger > 0.0 => {
            for_leader / (for_leader + for_challenger)
        }
        _ => 0.5,
    };
    Coin { beta }.choose(view, pair, rng)
}
