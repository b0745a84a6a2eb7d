//! A study of functions in a directory of its own, and what its ledger says.

use fiesta_core::Outcome;
use fiesta_runner::{
    Finished, History, Ledger, Options, RunError, Study,
    executor::Functions,
    history::{Check, Ending},
    ledger::Entry,
    observer::Observer,
    run,
    signal::{Signals, Stopper},
};
use std::path::PathBuf;
use tempfile::TempDir;

pub(crate) const LIMITED: &str = "goal.budget.evaluations = 30";
pub(crate) const ARMS: [&str; 3] = ["poor", "fair", "good"];

/// Observer that collects messages for the user.
#[derive(Default)]
pub(crate) struct Told(pub(crate) Vec<String>);

impl Observer for Told {
    fn notice(&mut self, message: &str) {
        self.0.push(message.to_owned());
    }
}

pub(crate) struct Bench {
    place: TempDir,
    text: String,
}

/// Returns the score of an evaluation, which depends on its arm and its seed alone.
pub(crate) fn score(arm: &str, seed: u64) -> f64 {
    let place = ARMS.iter().position(|name| *name == arm).unwrap() as u64;
    (3000 + 1000 * place + 5 * (seed % 1000)) as f64 / 10_000.0
}

impl Bench {
    pub(crate) fn new(rest: &str) -> Self {
        let arms = ARMS.map(|name| format!("[[arm]]\nname = \"{name}\"\n"));
        let arms = arms.concat();
        Self {
            place: TempDir::new().unwrap(),
            text: format!(
                "name = \"trial\"\nmetric.name = \"accuracy\"\nexecutor.kind = \"functions\"\n{rest}\n{arms}"
            ),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    pub(crate) fn study(&self) -> Study {
        Study::write(&self.text, &self.path("study.toml")).unwrap()
    }

    /// Runs the study without any request to stop.
    pub(crate) fn run(
        &self,
        executor: &mut Functions,
    ) -> (Result<Finished, RunError>, Vec<String>) {
        let (mut signals, _stopper) = Signals::on_request().unwrap();
        self.run_until(executor, &mut signals)
    }

    pub(crate) fn run_until(
        &self,
        executor: &mut Functions,
        signals: &mut Signals,
    ) -> (Result<Finished, RunError>, Vec<String>) {
        let mut told = Told::default();
        let finished = run(
            &self.study(),
            executor,
            signals,
            &mut told,
            &Options::default(),
        );
        (finished, told.0)
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        Ledger::read(&self.study().state_directory()).unwrap()
    }

    /// Returns the study's history, after a check that its replay makes the recorded decisions.
    pub(crate) fn history(&self) -> History {
        let history = History::replay(&self.study(), self.entries(), Check::Decisions).unwrap();
        assert_eq!(history.differences, Vec::<String>::new());
        history
    }
}

/// Returns signals for a study, and the value that sends them.
pub(crate) fn requests() -> (Signals, Stopper) {
    Signals::on_request().unwrap()
}

/// Returns the endings of all evaluations that have ended.
pub(crate) fn endings(history: &History) -> Vec<Ending> {
    let records = history.records.values();
    records.filter_map(|record| record.ending.clone()).collect()
}

pub(crate) fn failures(history: &History) -> Vec<String> {
    let failed = |ending: &Ending| ending.outcome == Outcome::Failed;
    let endings = endings(history).into_iter().filter(failed);
    endings
        .map(|ending| ending.message.unwrap_or_default())
        .collect()
}
