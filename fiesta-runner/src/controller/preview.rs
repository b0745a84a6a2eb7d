//! The first jobs of a study, shown and not started.

use super::{RunError, checkpoints::Checkpoints, executors, refused, session};
use crate::{
    history::{Check, History, Record},
    ledger::{Entry, LedgerError, state_id},
    run::RunSpec,
    status::current,
    study::Study,
};
use fiesta_core::{Evaluation, Event, Observation, Selector, SelectorError, Workers, shell_word};
use fiesta_policies::random_search::Setting;
use serde::Serialize;

/// The runs with which the next session of a study would begin.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Preview {
    /// The runs, in their order.
    pub runs: Vec<PlannedRun>,
    /// The texts that an engine would be given for the runs, as a shell or a person reads them.
    /// Empty where the jobs run on this machine.
    pub submissions: Vec<String>,
}

/// A run that would be started.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedRun {
    /// The name of the run.
    pub run: String,
    /// The name of the run's arm.
    pub arm: String,
    /// Description of the evaluation in words: its split or item, and its hyperparameters.
    pub description: String,
    /// The program and its arguments, or those of the worker that makes the evaluation.
    pub command: Vec<String>,
    /// Variables that the run gets beside those that it inherits.
    pub environment: Vec<(String, String)>,
    /// What a long-lived worker is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub request: Option<serde_json::Map<String, serde_json::Value>>,
    /// The directory in which the command starts.
    pub working_directory: String,
    /// Whether an earlier session decided the run, which may go on or have ended by now.
    pub is_pending: bool,
}

impl PlannedRun {
    /// Returns the variables and the command of the run in a line, as a shell reads them.
    pub fn line(&self) -> String {
        let variables = self.environment.iter();
        let words = variables.map(|(name, value)| format!("{name}={}", shell_word(value)));
        let command = self.command.iter().map(|word| shell_word(word));
        words.chain(command).collect::<Vec<_>>().join(" ")
    }
}

/// Decides what the next session of a study begins with: the evaluations that are pending, and as
/// many new ones as there is room for. Nothing is started, asked of an engine, or written down.
///
/// # Errors
/// [`RunError`] if the ledger cannot be read, or the selection cannot go on.
pub fn preview(study: &Study) -> Result<Preview, RunError> {
    study.can_be_run()?;
    study.has_parts().map_err(refused)?;
    let mut history = match current(study) {
        Err(RunError::Ledger(LedgerError::Missing(_))) => first(study)?,
        found => found?,
    };
    let pending: Vec<Evaluation> = history.pending().map(|record| record.evaluation).collect();
    let mut planned = Planned {
        room: study.parallel.saturating_sub(pending.len()),
        new: Vec::new(),
    };
    let driven = history.selector.drive(&mut planned);
    if let Some(trouble) = study.policy_trouble.take() {
        return Err(RunError::Policy(trouble));
    }
    match driven {
        // The study is over: there is nothing to start.
        Ok(_) | Err(Full::Decided) => {}
        Err(Full::Selector(error)) => return Err(error.into()),
    }
    let runs_directory = study.runs_directory();
    // A study that was never run has no id yet.
    let id = state_id(&study.state_directory()).unwrap_or_else(|| "ID".to_owned());
    let checkpoints = Checkpoints::of(study, &id);
    let spec = |evaluation: &Evaluation, record: Option<&Record>| -> Result<RunSpec, RunError> {
        let setting = record.map_or_else(
            || study.setting(evaluation),
            |record: &Record| -> Setting { record.setting.clone() },
        );
        let id = study.run_id(evaluation, record.map_or(0, |record| record.attempt));
        let spec = study.run_spec(id, &runs_directory, evaluation, &setting, None)?;
        Ok(spec.saving_in(&checkpoints.directory(evaluation.id), study))
    };
    let mut runs = Vec::new();
    let mut specs = Vec::new();
    let old = pending
        .iter()
        .map(|evaluation| (evaluation, history.records.get(&evaluation.id)));
    for (evaluation, record) in old.chain(planned.new.iter().map(|new| (new, None))) {
        let spec = spec(evaluation, record)?;
        runs.push(PlannedRun {
            run: spec.id.to_string(),
            arm: study.arms().name(evaluation.arm).to_owned(),
            description: study.describe(evaluation),
            command: spec.command.clone(),
            environment: spec.environment.clone(),
            request: spec.request.clone(),
            working_directory: spec.working_directory.to_string_lossy().into_owned(),
            is_pending: record.is_some(),
        });
        // Of one that is pending nobody knows without the engine whether it is submitted again.
        if record.is_none() {
            specs.push(spec);
        }
    }
    Ok(Preview {
        runs,
        submissions: executors::submissions(study, &specs)?,
    })
}

/// Returns the initial history of a study that was never run.
fn first(study: &Study) -> Result<History, RunError> {
    let mut history = History::begin(study)?;
    let recorded = study.recorded.iter().cloned();
    for entry in std::iter::once(Entry::Opened(session(study, Vec::new()))).chain(recorded) {
        history.take(study, entry, Check::Nothing)?;
    }
    Ok(history)
}

/// Collects the evaluations that the selector decides, until there is room for no more.
struct Planned {
    room: usize,
    new: Vec<Evaluation>,
}

/// Reason for which no further evaluation is decided.
enum Full {
    /// The next decision depends on results that are not there yet.
    Decided,
    Selector(SelectorError),
}

impl From<SelectorError> for Full {
    fn from(error: SelectorError) -> Self {
        Self::Selector(error)
    }
}

impl Workers<Observation> for Planned {
    type Error = Full;

    fn vacancies(&self) -> usize {
        self.room - self.new.len()
    }

    fn start(&mut self, evaluation: Evaluation) -> Result<(), Full> {
        self.new.push(evaluation);
        Ok(())
    }

    fn wait(&mut self, _: &Selector<Observation>) -> Result<Vec<Event<Observation>>, Full> {
        Err(Full::Decided)
    }
}
