//! Statistics of every arm: evaluations asked for, observed and failed, and their costs.

use crate::{ArmId, EvaluationId, Moments, Outcome, cases::Pending, numbers::Numbers};
use std::collections::{BTreeMap, VecDeque};

/// How many failures in a row retire an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureLimits {
    /// Failures in a row that retire an arm that has never succeeded.
    pub at_first: u64,
    /// Failures in a row that retire an arm that has succeeded.
    pub later: u64,
}

impl Default for FailureLimits {
    /// Returns the default limits: three failures at first, for a command that cannot work, and ten
    /// in a row later, for one that stopped working.
    fn default() -> Self {
        Self {
            at_first: 3,
            later: 10,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ArmCounts {
    pub(crate) observed: u64,
    pub(crate) failed: u64,
    pub(crate) pending: u64,
    /// Number of observed and failed evaluations that were made before the study.
    pub(crate) recorded: u64,
    /// The costs of evaluations that were observed or failed.
    pub(crate) costs: Moments,
    /// Costs of attempts that led to neither an observation nor a failure.
    pub(crate) lost: Moments,
    /// Cost of an evaluation that is declared beforehand.
    pub(crate) declared_cost: Option<f64>,
    /// Whether an evaluation that the study made has succeeded.
    has_succeeded: bool,
    /// The evaluations of the arm that failed since its latest success or reinstatement.
    failures_in_a_row: Vec<EvaluationId>,
    /// Number of failures that were forgiven, as their evaluations are made again.
    pub(crate) forgiven: u64,
    /// Turns (the k of "k-th evaluation") that were withdrawn or forgiven and come again, first
    /// returned first.
    returned: VecDeque<u64>,
    /// Turns that failed and were asked again: they are due before a verdict.
    due: Vec<u64>,
    /// Turns that the arm has taken.
    turns: Numbers,
}

impl ArmCounts {
    pub(crate) fn attempts(&self) -> u64 {
        self.observed + self.failed + self.pending - self.forgiven
    }

    pub(crate) fn failures_in_a_row(&self) -> u64 {
        self.failures_in_a_row.len() as u64
    }

    /// Whether an evaluation of the arm that failed is still to be made again.
    pub(crate) fn is_due_again(&self) -> bool {
        !self.due.is_empty()
    }

    /// Returns the turn of the arm's next evaluation.
    pub(crate) fn peek_turn(&self) -> u64 {
        let returned = self.returned.front().copied();
        returned.unwrap_or_else(|| self.turns.lowest_free())
    }

    pub(crate) fn take_turn(&mut self) -> u64 {
        let turn = self.peek_turn();
        self.take(turn);
        turn
    }

    /// Takes this turn for an evaluation of the arm, whichever earlier turns are still free.
    pub(crate) fn take(&mut self, turn: u64) {
        self.pending += 1;
        self.due.retain(|&other| other != turn);
        match self.returned.iter().position(|&other| other == turn) {
            Some(place) => drop(self.returned.remove(place)),
            None => self.turns.insert(turn),
        }
    }

    /// Whether this turn of the arm can be taken: it never was, or it was returned.
    pub(crate) fn can_take(&self, turn: u64) -> bool {
        !self.turns.contains(turn) || self.returned.contains(&turn)
    }

    /// Returns the lowest turn that the arm's next evaluation can take, returned turns included.
    pub(crate) fn first_turn(&self) -> u64 {
        let returned = self.returned.iter().copied().min();
        returned.map_or(self.free_turn(), |turn| turn.min(self.free_turn()))
    }

    /// Returns the lowest turn that no evaluation of the arm ever took.
    pub(crate) fn free_turn(&self) -> u64 {
        self.turns.lowest_free()
    }

    /// Returns how many of the arm's turns from `first` on are taken, without those that were returned.
    pub(crate) fn taken_from(&self, first: u64) -> u64 {
        let returned = self.returned.iter().filter(|&&turn| turn >= first);
        self.turns.count_from(first) - returned.count() as u64
    }

    pub(crate) fn is_taken(&self, turn: u64) -> bool {
        self.turns.contains(turn)
    }

    /// Books an evaluation of the arm that was made before the study, on `turn` if it has one. A
    /// failure then is not held against the arm, as its cause may have been mended since.
    pub(crate) fn record(&mut self, turn: Option<u64>, observed: bool) {
        if let Some(turn) = turn {
            self.turns.insert(turn);
        }
        self.recorded += 1;
        if observed {
            self.observed += 1;
        } else {
            self.failed += 1;
        }
    }
}

/// Counts of every arm, candidates, clock and failures: what a selector keeps about its study.
#[derive(Debug, Clone)]
pub(crate) struct ArmStatistics {
    pub(crate) arms: Vec<ArmCounts>,
    pub(crate) candidates: Vec<ArmId>,
    pub(crate) clock: f64,
    /// The evaluations that failed and are not made again.
    pub(crate) failures: BTreeMap<EvaluationId, Pending>,
    failure_limits: FailureLimits,
}

impl ArmStatistics {
    pub(crate) fn new(arms: usize, failure_limits: FailureLimits) -> Self {
        Self {
            arms: vec![ArmCounts::default(); arms],
            candidates: ArmId::all(arms).collect(),
            clock: 0.0,
            failures: BTreeMap::new(),
            failure_limits,
        }
    }

    /// Books the end of a pending evaluation; returns whether that retired the arm.
    pub(crate) fn end<O>(
        &mut self,
        id: EvaluationId,
        ended: Pending,
        outcome: &Outcome<O>,
        cost: f64,
    ) -> bool {
        let Pending { arm, turn, .. } = ended;
        let statistics = &mut self.arms[arm.index()];
        statistics.pending -= 1;
        match outcome {
            Outcome::Withdrawn => {
                statistics.returned.push_back(turn);
                if cost > 0.0 {
                    statistics.lost.push(cost);
                }
                return false;
            }
            Outcome::Observed(_) => {
                statistics.observed += 1;
                statistics.has_succeeded = true;
                statistics.failures_in_a_row.clear();
            }
            Outcome::Failed => {
                statistics.failed += 1;
                statistics.failures_in_a_row.push(id);
                self.failures.insert(id, ended);
            }
        }
        statistics.costs.push(cost);
        let retired = self.fails_too_often(arm);
        if retired {
            self.candidates.retain(|&candidate| candidate != arm);
        }
        retired
    }

    fn fails_too_often(&self, arm: ArmId) -> bool {
        let statistics = &self.arms[arm.index()];
        let most = if statistics.has_succeeded {
            self.failure_limits.later
        } else {
            self.failure_limits.at_first
        };
        statistics.failures_in_a_row() >= most
    }

    /// Forgives one failure, whose turn comes again, and makes its arm a candidate if it was
    /// retired and does not fail too often without it; returns the failure. `None` if there is none
    /// that is not made again already.
    pub(crate) fn ask_again(&mut self, id: EvaluationId) -> Option<Pending> {
        let failure = self.failures.remove(&id)?;
        let statistics = &mut self.arms[failure.arm.index()];
        statistics.forgiven += 1;
        statistics.returned.push_back(failure.turn);
        statistics.due.push(failure.turn);
        statistics.failures_in_a_row.retain(|&other| other != id);
        if !self.fails_too_often(failure.arm) {
            self.readmit(failure.arm);
        }
        Some(failure)
    }

    fn readmit(&mut self, arm: ArmId) {
        if !self.candidates.contains(&arm) {
            self.candidates.push(arm);
            self.candidates.sort_unstable();
        }
    }

    /// Forgives an arm its failures in a row, whose turns come again, and makes it a candidate if
    /// it was none; returns the failures that were forgiven.
    pub(crate) fn reinstate(&mut self, arm: ArmId) -> Vec<Pending> {
        let in_a_row = std::mem::take(&mut self.arms[arm.index()].failures_in_a_row);
        let forgiven = in_a_row.into_iter().filter_map(|id| self.ask_again(id));
        let forgiven = forgiven.collect();
        self.readmit(arm);
        forgiven
    }

    pub(crate) fn sum(&self, of: impl Fn(&ArmCounts) -> u64) -> u64 {
        self.arms.iter().map(of).sum()
    }
}
