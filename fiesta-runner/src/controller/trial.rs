//! A trial of a study: one job per arm, whose result is shown and not counted.

use super::{
    RunError, checkpoints,
    executors::{TRIAL, at, trial_place},
    gpus::Slots,
    interpret::{Meaning, interpret},
    jobs::keep,
    observer::Blind,
    programs::{check_arms, check_variables},
    waits::Waking,
};
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
use fiesta_core::{ArmId, Case, Evaluation, EvaluationId, Observation, Outcome};
use fiesta_policies::random_search::Setting;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs, io,
    os::fd::AsFd,
    path::Path,
    time::{Duration, Instant},
};

/// What one arm's trial showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The arm.
    pub arm: ArmId,
    /// The argument vector that was run.
    pub command: Vec<String>,
    /// The hyperparameters that it was run with, in a random search; else empty.
    pub setting: Setting,
    /// The document that was queried, in a study of documents.
    pub document: Option<String>,
    /// The score or the counts that were parsed, or why there are none.
    pub result: Result<Observation, String>,
    /// The line in which the study's pattern found the score, shortened, if it has a pattern.
    pub line: Option<String>,
    /// A warning about the result.
    pub warning: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// What it would cost, in the study's unit.
    pub cost: f64,
}

impl Trial {
    /// The trial of an evaluation whose answer was paid for before.
    fn answered(study: &Study, evaluation: &Evaluation, answer: &Answer) -> Self {
        Self {
            arm: evaluation.arm,
            command: Vec::new(),
            setting: study.setting(evaluation),
            document: study.item(&evaluation.case).map(ToOwned::to_owned),
            result: Ok(answer.observation),
            line: None,
            warning: Some(format!(
                "its answer came from the cache, paid for by the study {}; nothing was asked",
                answer.study
            )),
            seconds: 0.0,
            cost: answer.cost,
        }
    }
}

/// Runs one job per arm, on split 0 with seed 0 or on the first document, and says what came of it.
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
        fs::remove_dir_all(&place).map_err(|source| RunError::File {
            action: "remove what an earlier trial left in",
            path: place.clone(),
            source,
        })?;
    }
    // By this, others know whether the trial goes on.
    let directory = RunDirectory::new(&place);
    let claimed = directory
        .create()
        .and_then(|()| directory.claim(&Meta::of_this_process(Vec::new())?));
    let claim = claimed.map_err(|source| RunError::File {
        action: "begin a trial in",
        path: place.clone(),
        source,
    })?;
    let trials = run_trials(study, executor, signals, &place);
    executor.close();
    // Only scratch is left there; a directory that stays behind does no harm.
    let _ = fs::remove_dir_all(&place);
    drop(claim);
    let _ = fs::remove_dir(study.state_directory());
    trials
}

/// What a run that has ended gave; its answer is kept, where answers are.
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
    let setting = study.setting(evaluation);
    Ok(Trial {
        arm: evaluation.arm,
        command: study.command(evaluation, &setting, directory),
        setting,
        document: study.item(&evaluation.case).map(ToOwned::to_owned),
        line: line.map(|found| quote(&found.line)),
        result,
        warning,
        seconds: ended.seconds,
        cost,
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
    let mut trials = Vec::new();
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
                trials.push(Trial::answered(study, &evaluation, &answer));
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
        if running.is_empty() && !waiting.is_empty() && !gpus.troubles().is_empty() {
            return Err(RunError::NoGpuFree(gpus.troubles()));
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
            let answers = answers.as_ref();
            trials.push(ended_trial(
                study,
                answers,
                &evaluation,
                &directory,
                &ended,
            )?);
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
    trials.sort_by_key(|trial| trial.arm);
    Ok(trials)
}

/// How long the jobs of a trial whose process was killed may take to stop.
const STOPPING: Duration = Duration::from_secs(10);

/// Stops and removes what trials left whose process was killed: jobs that run on, on GPUs perhaps,
/// and nobody waits for.
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
    let (quiet, _open) = io::pipe().map_err(failed(place))?;
    let deadline = Instant::now() + STOPPING;
    while !stopping.is_empty() && Instant::now() < deadline {
        for ended in executor.poll(Some(Duration::from_millis(100)), quiet.as_fd())? {
            stopping.remove(&ended.id);
        }
    }
    Ok(())
}

fn failed(place: &Path) -> impl FnOnce(io::Error) -> RunError {
    |source| RunError::File {
        action: "remove what an earlier trial left in",
        path: place.to_owned(),
        source,
    }
}
