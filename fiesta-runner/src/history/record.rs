//! The fate of each evaluation.

use crate::{executor::End, study::Origin};
use fiesta_core::{Evaluation, Observation, Outcome};
use fiesta_policies::random_search::Setting;
use serde_json::{Map, Value};

/// One evaluation, as far as it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Which arm on which case.
    pub evaluation: Evaluation,
    /// The hyperparameters it was made with, in a random search; else empty.
    pub setting: Setting,
    /// The number of its latest attempt, from 0.
    pub attempt: u32,
    /// How it ended; none while it is pending.
    pub ending: Option<Ending>,
    /// Where it comes from, if it was made before the study.
    pub origin: Option<Box<Origin>>,
}

impl Record {
    /// What it cost, once it has ended; of one that was made before the study, what its file says.
    pub fn cost(&self) -> Option<f64> {
        match &self.origin {
            Some(origin) => origin.cost,
            None => Some(self.ending.as_ref()?.cost),
        }
    }

    /// How long it took, likewise.
    pub fn seconds(&self) -> Option<f64> {
        match &self.origin {
            Some(origin) => origin.seconds,
            None => Some(self.ending.as_ref()?.seconds),
        }
    }
}

/// How an evaluation ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// Its outcome; a score as reported.
    pub outcome: Outcome<Observation>,
    /// Its cost, in the study's unit.
    pub cost: f64,
    /// How long it took.
    pub seconds: f64,
    /// How its command ended.
    pub end: Option<End>,
    /// Why it failed, or a warning.
    pub message: Option<String>,
    /// What else its result held.
    pub extras: Map<String, Value>,
}

/// The evaluation of an arm with the best score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best<'a> {
    /// The evaluation, with its setting.
    pub record: &'a Record,
    /// Its score, as reported.
    pub score: f64,
}
