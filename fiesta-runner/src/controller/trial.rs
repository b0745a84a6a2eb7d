//! A trial of a study: one job per arm, whose result is shown and not counted.

use super::{
    RunError,
    again::ends_within,
    checkpoints,
    executors::{TRIAL, at, trial_place},
    gpus::Slots,
    interpret::{Meaning, interpret},
    jobs::keep,
    observer::Blind,
    programs::{check_arms, check_variables},
    waits::Waking,
};
use crate::file_error::FileError;
use crate::{
    answers::{Answer, Answers, Kept},
    executor::{Executor, Found, is_left},
    gpu::Lease,
    ledger::owner,
    run::{
        Ended, Meta, RunDirectory, RunId,
        result::{quote, read_score_line},
    },
    signal::{Signals, Stop},
    study::Study,
};
use fiesta_core::{ArmId, Case, Counts, Evaluation, EvaluationId, Observation, Outcome};
use fiesta_policies::random_search::Setting;
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs, io,
    path::Path,
    time::Duration,
};

/// The trial of one arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "TrialReport")
)]
pub struct Trial {
    /// The arm that was tried.
    pub arm: String,
    /// The argument vector that was run.
    pub command: Vec<String>,
    /// The document that was queried, in a study of documents.
    pub document: Option<String>,
    /// The hyperparameters, in a random search; else empty.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")
    )]
    pub setting: Setting,
    /// The score that was parsed, or the F-measure of the counts. `None` if the trial failed or the
    /// F-measure is undefined.
    pub score: Option<f64>,
    /// The confusion counts, where the study is of counts.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<std::collections::BTreeMap<String, u64>>")
    )]
    pub counts: Option<Counts>,
    /// The line in which the study's pattern found the score, shortened, if it has a pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Why there is no result.
    pub error: Option<String>,
    /// A warning about the result.
    pub warning: Option<String>,
    /// The placeholders that the command does not name.
    pub unnamed: Vec<String>,
    /// Seconds that the trial took.
    pub seconds: f64,
    /// What the evaluation would cost, in the study's unit.
    pub cost: f64,
    /// The score or the counts that were parsed. `None` of a failed trial.
    #[serde(skip)]
    pub observed: Option<Observation>,
}

impl Trial {
    /// Returns the trial of an evaluation that had this result, without having run anything.
    fn of(study: &Study, evaluation: &Evaluation, result: Result<Observation, String>) -> Self {
        let observed = result.as_ref().ok().copied();
        let unnamed = study.unnamed(evaluation.arm).into_iter();
        Self {
            arm: study.arms().name(evaluation.arm).to_owned(),
            command: Vec::new(),
            document: study.item(&evaluation.case).map(ToOwned::to_owned),
            setting: study.setting(evaluation),
            score: observed.and_then(|observed| study.score_of(&observed)),
            counts: observed.and_then(|observed| observed.counts()),
            line: None,
            error: result.err(),
            warning: None,
            unnamed: unnamed.map(|unnamed| unnamed.placeholder).collect(),
            seconds: 0.0,
            cost: 0.0,
            observed,
        }
    }

    /// Returns the trial of an evaluation whose answer was paid for before.
    fn answered(study: &Study, evaluation: &Evaluation, answer: &Answer) -> Self {
        Self {
            warning: Some(format!(
                "its answer came from the cache, paid for by the study {}; nothing was asked",
                answer.study
            )),
            cost: answer.cost,
            ..Self::of(study, evaluation, Ok(answer.observation))
        }
    }
}

/// Runs one job per arm, on split 0 with seed 0 or on the first document, and reports the results.
/// Nothing is recorded.
///
/// # Errors
/// [`RunError`] if jobs cannot be run here at all, or somebody asked to stop.
pub fn check(
    study: &Study,
    executor: &mut dyn Executor,
    signals: &mut Signals,
) -> Result<Vec<Trial>, RunError> {
    study.can_be_run()?;
    owner::check(&study.state_directory())?;
    check_variables(study)?;
    check_arms(study)?;
    clear_trials(study)?;
    let place = trial_place(study);
    // One with this process's number may be left of a trial that was killed.
    if place.exists() {
        fs::remove_dir_all(&place).map_err(failed(&place))?;
    }
    // By this, others know whether the trial goes on.
    let directory = RunDirectory::new(&place);
    let claimed = directory
        .create()
        .and_then(|()| directory.claim(&Meta::of_this_process(Vec::new())?));
    let claim = claimed.map_err(FileError::of("begin a trial in", &place))?;
    let trials = run_trials(study, executor, signals, &place);
    executor.close();
    // Only scratch is left there; a directory that stays behind does no harm.
    let _ = fs::remove_dir_all(&place);
    drop(claim);
    let _ = fs::remove_dir(study.state_directory());
    trials
}

/// Returns the trial of a run that has ended, and adds its answer to the cache, if there is one.
fn ended_trial(
    study: &Study,
    answers: Option<&Answers>,
    evaluation: &Evaluation,
    directory: &Path,
    ended: &Ended,
) -> Result<Trial, RunError> {
    let line = read_score_line(directory, ended, study.wanted());
    let (result, warning, cost) = match interpret(study, evaluation, directory, ended) {
        Meaning::Final(ending) => match ending.outcome {
            Outcome::Observed(observation) => {
                if let Some(answers) = answers {
                    study.check_item(&evaluation.case)?;
                    keep(answers, study, evaluation, &ending, (directory, ended))?;
                }
                (Ok(observation), ending.message, ending.cost)
            }
            _ => (Err(ending.message.unwrap_or_default()), None, ending.cost),
        },
        Meaning::Lost(reason)
        | Meaning::Preempted(reason)
        | Meaning::Impossible(reason)
        | Meaning::Short(reason) => (Err(reason), None, 0.0),
        Meaning::Cancelled => (Err("stopped from outside".to_owned()), None, 0.0),
    };
    let trial = Trial::of(study, evaluation, result);
    Ok(Trial {
        command: study.command(evaluation, &trial.setting, directory),
        line: line.map(|found| quote(&found.line)),
        warning,
        seconds: ended.seconds,
        cost,
        ..trial
    })
}

fn run_trials(
    study: &Study,
    executor: &mut dyn Executor,
    signals: &mut Signals,
    place: &Path,
) -> Result<Vec<Trial>, RunError> {
    let mut watching = Blind;
    let mut waking = Waking::new(place, signals, &mut watching);
    let mut gpus = Slots::of(study, executor, &mut waking)?.with_runs_in(place);
    let mut waiting: VecDeque<ArmId> = study.arms().ids().collect();
    let mut running: BTreeMap<RunId, (Evaluation, Option<Lease>)> = BTreeMap::new();
    let mut trials: BTreeMap<ArmId, Trial> = BTreeMap::new();
    let answers = Answers::of(study)?;
    while !waiting.is_empty() || !running.is_empty() {
        gpus.look();
        while running.len() < study.parallel
            && let Some(&arm) = waiting.front()
        {
            let evaluation = Evaluation {
                id: EvaluationId(arm.index() as u64),
                arm,
                case: Case { split: 0, seed: 0 },
            };
            if let Some(answers) = &answers
                && let Kept::Answer(answer) = answers.find(study, &evaluation)?
            {
                waiting.pop_front();
                trials.insert(arm, Trial::answered(study, &evaluation, &answer));
                continue;
            }
            let id = study.run_id(&evaluation, 0);
            let lease = match gpus.to_take(study.gpus_per_job(arm)) {
                None => None,
                Some(per_job) => match gpus.take(per_job, &id) {
                    Some(lease) => Some(lease),
                    None => break,
                },
            };
            waiting.pop_front();
            let setting = study.setting(&evaluation);
            let spec = study.run_spec(id.clone(), place, &evaluation, &setting, lease.as_ref())?;
            // What a trial saves goes with its run.
            let saved_in = spec.directory.join("checkpoint");
            let spec = spec.saving_in(&saved_in, study);
            checkpoints::place_in_run(&spec)?;
            study.place_item(&evaluation.case, &spec.directory)?;
            executor.submit(&spec)?;
            running.insert(id, (evaluation, lease));
        }
        // A study waits for its GPUs; whoever tries it out wants to know.
        let troubles = gpus.troubles();
        if running.is_empty() && !waiting.is_empty() && !troubles.is_empty() {
            let each: String = troubles.iter().flat_map(|of| ["\n  ", of]).collect();
            return Err(RunError::Refused(format!(
                "no GPU is free for a trial:{each}"
            )));
        }
        if running.is_empty() && waiting.is_empty() {
            break;
        }
        for ended in executor.poll(gpus.timeout(), signals.wake())? {
            let Some((evaluation, lease)) = running.remove(&ended.id) else {
                continue;
            };
            if let Some(lease) = lease {
                gpus.give_back(lease, &ended);
            }
            let directory = place.join(ended.id.as_str());
            let trial = ended_trial(study, answers.as_ref(), &evaluation, &directory, &ended);
            trials.insert(evaluation.arm, trial?);
        }
        let requests = signals.received();
        if requests.stop.is_some() || requests.detach {
            let grace = if requests.stop >= Some(Stop::Kill) {
                Duration::ZERO
            } else {
                study.grace
            };
            for id in running.keys() {
                executor.cancel(id, grace)?;
            }
            waiting.clear();
            if running.is_empty() {
                return Err(RunError::Interrupted { left_running: 0 });
            }
        }
    }
    Ok(trials.into_values().collect())
}

/// How long the jobs of a trial whose process was killed may take to stop.
const STOPPING: Duration = Duration::from_secs(10);

/// Stops and removes the jobs that go on after a trial whose own process was killed.
pub(super) fn clear_trials(study: &Study) -> Result<(), RunError> {
    let Ok(entries) = fs::read_dir(study.state_directory()) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let place = entry.path();
        let is_trial = entry.file_name().to_string_lossy().starts_with(TRIAL);
        if is_trial && is_left(&RunDirectory::new(&place)) {
            stop(study, &place)?;
            fs::remove_dir_all(&place).map_err(failed(&place))?;
        }
    }
    Ok(())
}

/// Stops the jobs of a trial.
fn stop(study: &Study, place: &Path) -> Result<(), RunError> {
    // Functions went with their process.
    if study.is_of_functions() {
        return Ok(());
    }
    let mut executor = at(study, place.join("workers"))?;
    let mut stopping = BTreeSet::new();
    for entry in fs::read_dir(place).map_err(failed(place))?.flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<RunId>() else {
            continue;
        };
        let directory = entry.path();
        if !directory.is_dir() {
            continue;
        }
        // Of one whose supervisor is gone, this stops what it left.
        if let Found::Alive(handle) = executor.find(&id, &directory)? {
            executor.adopt(&id, &directory, &handle)?;
            executor.cancel(&id, Duration::ZERO)?;
            stopping.insert(id);
        }
    }
    ends_within(&mut *executor, stopping, STOPPING).map(drop)
}

fn failed(place: &Path) -> impl Fn(io::Error) -> FileError + use<> {
    FileError::of("remove what an earlier trial left in", place)
}
