//! Top-two policies: a leader, a challenger, and a rule which of the two to evaluate.

mod challenger;
mod leader;
mod tie_break;

pub use challenger::{Challenger, Resampled};
pub use leader::{Leader, ThompsonLeader};
pub use tie_break::{Coin, CoinError, TieBreak};

use fiesta_core::{Next, Policy, View};
use rand::Rng;

/// A top-two policy as a composition: the leader is who may be best, the challenger who else may be, and
/// the tie-break evaluates one of them.
///
/// Source: Russo, "Simple Bayesian algorithms for best arm identification" (2016).
#[derive(Debug, Clone, Copy)]
pub struct TopTwo<L, C, T> {
    /// Chooses the leader.
    pub leader: L,
    /// Chooses the challenger.
    pub challenger: C,
    /// Chooses between the two.
    pub tie_break: T,
}

impl TopTwo<ThompsonLeader, Resampled, Coin> {
    /// Top-two Thompson sampling, TTTS, with β = ½: FIESTA's policy for a fixed confidence.
    pub fn thompson() -> Self {
        Self {
            leader: ThompsonLeader,
            challenger: Resampled,
            tie_break: Coin::default(),
        }
    }
}

impl<L: Leader, C: Challenger, T: TieBreak> Policy for TopTwo<L, C, T> {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let Some(leader) = self.leader.choose(view, rng) else {
            return Next::Wait;
        };
        match self.challenger.choose(view, leader, rng) {
            Some(challenger) => {
                Next::Evaluate(self.tie_break.choose(view, leader, challenger, rng))
            }
            None => Next::Evaluate(leader),
        }
    }
}
