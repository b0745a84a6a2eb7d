//! Observers of a running study: displays, logs, tests.

use crate::{history::Ending, run::RunId, study::Study};
use fiesta_core::CostUnit;
use fiesta_core::{Evaluation, Observation, Selector};
use std::time::Duration;

/// Progress of a running study.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// The study that runs.
    pub study: &'a Study,
    /// The selector in its present state.
    pub selector: &'a Selector<Observation>,
    /// Number of jobs that run now.
    pub running: usize,
    /// Largest number of jobs that may run at once.
    pub slots: usize,
    /// Whether no job is started any more because somebody asked for that.
    pub draining: bool,
    /// Seconds that the study has run, over all sessions.
    pub elapsed: f64,
    /// Unit of costs. `None` if the study names none.
    pub cost_unit: Option<&'a CostUnit>,
}

/// Observer of a running study, which is told what happens. Every method does nothing by default.
pub trait Observer {
    /// Is called with the study's progress after every turn of the loop, and every
    /// [`tick`](Self::tick).
    fn progress(&mut self, progress: &Progress<'_>) {
        let _ = progress;
    }

    /// Is called when a run was started.
    fn started(&mut self, study: &Study, run: &RunId, evaluation: &Evaluation) {
        let _ = (study, run, evaluation);
    }

    /// Is called when an evaluation ended.
    fn ended(&mut self, study: &Study, evaluation: &Evaluation, ending: &Ending) {
        let _ = (study, evaluation, ending);
    }

    /// Is called with a message that the user should know.
    fn notice(&mut self, message: &str) {
        let _ = message;
    }

    /// How often [`progress`](Self::progress) is wanted while nothing happens.
    fn tick(&self) -> Option<Duration> {
        None
    }
}

/// Observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blind;

impl Observer for Blind {}
