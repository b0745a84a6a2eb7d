//! The record of one evaluation: its attempts, its ending, its origin.

use crate::{
    ledger::{Entry, Origin},
    run::{End, result::wait_before_again},
};
use fiesta_core::{Evaluation, EvaluationId, Event, Observation, Outcome};
use fiesta_policies::random_search::Setting;
use serde_json::{Map, Value};
use std::time::Duration;

/// An evaluation of a study, as far as it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The evaluation: its arm and its case.
    pub evaluation: Evaluation,
    /// The hyperparameters that the evaluation was made with, in a random search. Empty otherwise.
    pub setting: Setting,
    /// The number of the evaluation's latest attempt, from 0.
    pub attempt: u32,
    /// Number, time and cost of the attempts before the latest.
    pub lost: Lost,
    /// How the evaluation ended. `None` while it is pending.
    pub ending: Option<Ending>,
    /// Place of the evaluation among those that ended, from 1. `None` while it is pending.
    pub turn: Option<u64>,
    /// Outcome of the evaluation before it was set aside, as its arm is asked anew. `None` if it
    /// was not.
    pub set_aside: Option<Outcome<Observation>>,
    /// File and line of an evaluation that was made before the study. `None` if the study made it.
    pub origin: Option<Box<Origin>>,
}

impl Record {
    /// Makes the record of an evaluation that was decided on and is pending.
    pub(super) fn new(evaluation: Evaluation, setting: Setting) -> Self {
        Self {
            evaluation,
            setting,
            attempt: 0,
            lost: Lost::default(),
            ending: None,
            turn: None,
            set_aside: None,
            origin: None,
        }
    }

    /// Returns the cost of the evaluation, once it has ended. If it was made before the study, the
    /// cost is what its file says.
    pub fn cost(&self) -> Option<f64> {
        match &self.origin {
            Some(origin) => origin.cost,
            None => Some(self.ending.as_ref()?.cost),
        }
    }

    /// Returns number, time and cost of the attempts that led to no outcome. The latest counts if
    /// it was withdrawn.
    pub fn all_lost(&self) -> Lost {
        let mut lost = self.lost;
        if let Some(ending) = &self.ending
            && ending.outcome == Outcome::Withdrawn
        {
            let (cost, seconds) = (ending.cost, ending.seconds);
            lost.add(Spent { cost, seconds });
        }
        lost
    }

    /// Returns the seconds that the evaluation took, once it has ended. If it was made before the
    /// study, they are what its file says.
    pub fn seconds(&self) -> Option<f64> {
        match &self.origin {
            Some(origin) => origin.seconds,
            None => Some(self.ending.as_ref()?.seconds),
        }
    }
}

/// Time and cost of an attempt that led to no outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Cost of the attempt, in the study's unit.
    pub cost: f64,
    /// Seconds that the attempt took. If it vanished, at least as many.
    pub seconds: f64,
}

impl Spent {
    /// Returns the event that tells the selector of a lost attempt. `None` if the attempt never
    /// began.
    pub(crate) fn event(self, id: EvaluationId) -> Option<Event<Observation>> {
        let Self { cost, seconds } = self;
        (cost > 0.0 || seconds > 0.0).then_some(Event::Lost { id, cost })
    }
}

/// The attempts at an evaluation that were lost, or stopped and made again.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Lost {
    /// Number of lost attempts that had begun.
    pub attempts: u64,
    /// Time and cost of these attempts together.
    pub spent: Spent,
}

impl Lost {
    pub(super) fn add(&mut self, spent: Spent) {
        self.attempts += u64::from(spent.cost > 0.0 || spent.seconds > 0.0);
        self.spent.cost += spent.cost;
        self.spent.seconds += spent.seconds;
    }
}

/// How an evaluation ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// The outcome of the evaluation. Its score is as reported.
    pub outcome: Outcome<Observation>,
    /// Cost of the evaluation, in the study's unit.
    pub cost: f64,
    /// Seconds that the evaluation took.
    pub seconds: f64,
    /// How the evaluation's command ended.
    pub end: Option<End>,
    /// Why the evaluation failed, or a warning.
    pub message: Option<String>,
    /// Other keys of the evaluation's result.
    pub extras: Map<String, Value>,
}

impl Ending {
    /// Returns the end of an evaluation that is given up and has cost this by then.
    pub(crate) fn withdrawn(spent: Spent, end: Option<End>, message: Option<String>) -> Self {
        Self {
            outcome: Outcome::Withdrawn,
            cost: spent.cost,
            seconds: spent.seconds,
            end,
            message,
            extras: Map::new(),
        }
    }

    /// Returns the ledger's entry for the end of an evaluation in its attempt `attempt`.
    pub(crate) fn entry(self, evaluation: EvaluationId, attempt: u32) -> Entry {
        Entry::Ended {
            evaluation,
            attempt,
            outcome: self.outcome,
            cost: self.cost,
            seconds: self.seconds,
            end: self.end,
            message: self.message,
            extras: self.extras,
        }
    }

    /// Returns the wait before a failed request is made again, as its service asked for, or 0.
    /// `None` if the failure will not pass: only a status 408, 409, 425, 429 or 5xx, or a time-out,
    /// does.
    pub(crate) fn wait_before_again(&self) -> Option<Duration> {
        let message = self.message.as_deref().unwrap_or_default();
        match (&self.outcome, &self.end) {
            (Outcome::Failed, Some(End::TimedOut)) => Some(Duration::ZERO),
            (Outcome::Failed, _) => wait_before_again(message, &self.extras),
            _ => None,
        }
    }
}

/// The evaluation of an arm with the best score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best<'a> {
    /// The evaluation, with its setting.
    pub record: &'a Record,
    /// The best score, as reported.
    pub score: f64,
}
