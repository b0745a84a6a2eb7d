//! What was asked for and told so far, per arm and in all.

use crate::{ArmId, Moments, Outcome};
use std::collections::{BTreeSet, VecDeque};

/// How many failures in a row retire an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For an arm that has never succeeded.
    pub at_first: u64,
    /// For an arm that has.
    pub later: u64,
}

impl Default for Patience {
    /// Three failures at first: a command that cannot work. Ten in a row later: one that stopped working.
    fn default() -> Self {
        Self {
            at_first: 3,
            later: 10,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ArmTally {
    pub(crate) observed: u64,
    pub(crate) failed: u64,
    pub(crate) pending: u64,
    /// Of those observed and failed, how many were made before the study.
    pub(crate) recorded: u64,
    pub(crate) costs: Moments,
    /// What an evaluation is said to cost beforehand.
    pub(crate) declared_cost: Option<f64>,
    /// Whether one that the study made has succeeded.
    has_succeeded: bool,
    failures_in_a_row: u64,
    /// Turns (the k of "k-th evaluation") that were withdrawn and come again, first withdrawn first.
    returned: VecDeque<u64>,
    /// The lowest turn that was never taken.
    turns: u64,
    /// Turns beyond that one which recorded evaluations have.
    taken: BTreeSet<u64>,
}

impl ArmTally {
    pub(crate) fn attempts(&self) -> u64 {
        self.observed + self.failed + self.pending
    }

    /// The turn of the arm's next evaluation.
    pub(crate) fn peek_turn(&self) -> u64 {
        self.returned.front().copied().unwrap_or(self.turns)
    }

    pub(crate) fn take_turn(&mut self) -> u64 {
        self.pending += 1;
        self.returned.pop_front().unwrap_or_else(|| {
            let turn = self.turns;
            self.occupy(turn);
            turn
        })
    }

    /// The lowest turn that was never taken.
    pub(crate) fn free_turn(&self) -> u64 {
        self.turns
    }

    pub(crate) fn is_taken(&self, turn: u64) -> bool {
        turn < self.turns || self.taken.contains(&turn)
    }

    fn occupy(&mut self, turn: u64) {
        self.taken.insert(turn);
        while self.taken.remove(&self.turns) {
            self.turns += 1;
        }
    }

    /// Books an evaluation that was made before the study, on this turn if it has one of its own. What failed then may have been
    /// mended since: it is not held against the arm.
    pub(crate) fn record(&mut self, turn: Option<u64>, observed: bool) {
        if let Some(turn) = turn {
            self.occupy(turn);
        }
        self.recorded += 1;
        if observed {
            self.observed += 1;
        } else {
            self.failed += 1;
        }
    }
}

/// The bookkeeping of a selector.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    pub(crate) arms: Vec<ArmTally>,
    pub(crate) candidates: Vec<ArmId>,
    pub(crate) clock: f64,
    patience: Patience,
}

impl Tally {
    pub(crate) fn new(arms: usize, patience: Patience) -> Self {
        Self {
            arms: vec![ArmTally::default(); arms],
            candidates: ArmId::all(arms).collect(),
            clock: 0.0,
            patience,
        }
    }

    /// Books the end of a pending evaluation; true if it retired the arm.
    pub(crate) fn end<O>(
        &mut self,
        arm: ArmId,
        turn: u64,
        outcome: &Outcome<O>,
        cost: f64,
    ) -> bool {
        let tally = &mut self.arms[arm.index()];
        tally.pending -= 1;
        match outcome {
            Outcome::Withdrawn => {
                tally.returned.push_back(turn);
                return false;
            }
            Outcome::Observed(_) => {
                tally.observed += 1;
                tally.has_succeeded = true;
                tally.failures_in_a_row = 0;
            }
            Outcome::Failed => {
                tally.failed += 1;
                tally.failures_in_a_row += 1;
            }
        }
        tally.costs.push(cost);
        let patience = if tally.has_succeeded {
            self.patience.later
        } else {
            self.patience.at_first
        };
        let retired = tally.failures_in_a_row >= patience;
        if retired {
            self.candidates.retain(|&candidate| candidate != arm);
        }
        retired
    }

    pub(crate) fn sum(&self, of: impl Fn(&ArmTally) -> u64) -> u64 {
        self.arms.iter().map(of).sum()
    }
}
