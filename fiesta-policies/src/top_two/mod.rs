//! Top-two policies: a leader, a challenger, and a rule that chooses one of the two.

mod challenger;
mod evidence;
mod leader;
mod tie_break;

pub use challenger::{Challenger, Probable, Resampled, Tails, Transportation, rivals};
pub use evidence::{Abreast, LeastEvidence, MostEvidence};
pub use leader::{EmpiricalBest, Leader, ThompsonLeader, UpperConfidence};
pub use tie_break::{Balanced, Coin, CoinError, CostAware, Rule, TieBreak};

use fiesta_core::{Next, Policy, View};
use rand::Rng;

/// A top-two policy as a composition: the leader is who may be best, the challenger who else may
/// be, and the tie-break evaluates one of them.
///
/// | name | leader | challenger | tie-break |
/// |---|---|---|---|
/// | [TTTS](Self::thompson), [PETS(β)](Self::pets) | [`ThompsonLeader`] | [`Resampled`] | [`Coin`] |
/// | [T3C](Self::t3c) | [`ThompsonLeader`] | [`Transportation`] | [`Balanced`] |
/// | [EB-TCI](Self::eb_tci) | [`EmpiricalBest`] | [`Transportation`], improved | [`Balanced`] |
/// | [TTPS](Self::ttps) | [`EmpiricalBest`] | [`Probable`] | [`CostAware`] |
/// | [TTUCB](Self::ttucb) | [`UpperConfidence`] | [`Transportation`] | [`Balanced`] |
///
/// The papers of the last three toss a coin with β = ½, too; any composition is a policy. With a
/// fixed budget, run one until the study's limit with [`Never`](crate::stopping::Never): the arm
/// with the highest mean is recommended.
///
/// Source: Russo, "Simple Bayesian algorithms for best arm identification" (2016).
#[derive(Debug, Clone, Copy)]
pub struct TopTwo<L, C, T> {
    /// The rule that chooses the leader.
    pub leader: L,
    /// The rule that chooses the challenger.
    pub challenger: C,
    /// The rule that chooses between leader and challenger.
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

impl TopTwo<ThompsonLeader, Resampled, Coin> {
    /// Pure-exploration Thompson sampling, PETS(β): TTTS with any β.
    ///
    /// Haffari et al. (EACL 2017) draw all means from the joint posterior, evaluate the arm whose
    /// draw is highest with probability β, and otherwise draw again until another arm wins. An arm
    /// wins a joint draw with its probability π of being best, and wins the first of repeated draws
    /// that the leader l does not win with π/(1 − π_l): that is [`ThompsonLeader`] with
    /// [`Resampled`], without the repetitions, which take 1/(1 − π_l) draws and so the longer the
    /// surer the leader is. Whether the coin falls before or after the challenger is found makes no
    /// difference. They evaluate every arm once before; here it is as often as the posterior
    /// requires. They end as [`Thompson`](crate::Thompson) says.
    ///
    /// # Errors
    /// [`CoinError`] unless 0 < β < 1.
    pub fn pets(beta: f64) -> Result<Self, CoinError> {
        Ok(Self {
            tie_break: Coin::new(beta)?,
            ..Self::thompson()
        })
    }
}

impl TopTwo<ThompsonLeader, Transportation, Balanced> {
    /// Returns T3C: as TTTS, but the challenger is the cheapest to mistake for the leader, without
    /// any draw.
    ///
    /// Source: Shang et al. 2020.
    pub fn t3c() -> Self {
        Self {
            leader: ThompsonLeader,
            challenger: Transportation::default(),
            tie_break: Balanced::default(),
        }
    }
}

impl TopTwo<EmpiricalBest, Transportation, Balanced> {
    /// Returns EB-TCI: the best mean against the cheapest to mistake for it, rarely tried arms
    /// preferred.
    ///
    /// Source: Jourdan et al. 2022.
    pub fn eb_tci() -> Self {
        Self {
            leader: EmpiricalBest,
            challenger: Transportation {
                improved: true,
                ..Transportation::default()
            },
            tie_break: Balanced::default(),
        }
    }
}

impl TopTwo<EmpiricalBest, Probable, CostAware> {
    /// Returns the improved TTPS: the best mean against the arm most probably best for how rarely
    /// it was tried; of the two the one whose next evaluation tells more for its cost. The default
    /// policy.
    ///
    /// Source: after Russo 2016; see [`Probable`].
    pub fn ttps() -> Self {
        Self {
            leader: EmpiricalBest,
            challenger: Probable,
            tie_break: CostAware {
                rule: Rule::Greatest,
            },
        }
    }
}

impl TopTwo<UpperConfidence, Transportation, Balanced> {
    /// Returns TTUCB: the highest upper confidence bound against the cheapest to mistake for it.
    ///
    /// Source: Jourdan & Degenne 2022.
    pub fn ttucb() -> Self {
        Self {
            leader: UpperConfidence::default(),
            challenger: Transportation::default(),
            tie_break: Balanced::default(),
        }
    }
}

impl<L: Leader, C: Challenger, T: TieBreak> Policy for TopTwo<L, C, T> {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        let Some(leader) = self.leader.choose(view, rng) else {
            return Next::Wait;
        };
        match self.challenger.choose(view, leader, rng) {
            // Where documents are queried one of the two may have none left.
            Some(challenger) if !view.has_case_left(leader) => Next::Evaluate(challenger),
            Some(challenger) if view.has_case_left(challenger) => {
                Next::Evaluate(self.tie_break.choose(view, [leader, challenger], rng))
            }
            _ => Next::Evaluate(leader),
        }
    }
}
