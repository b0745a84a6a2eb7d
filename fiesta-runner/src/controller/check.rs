//! A trial of a study: one job per arm, whose result is shown and not counted.

use super::{
    RunError,
    interpret::{Meaning, interpret},
    left::clear_trials,
    programs::check_variables,
    slots::Slots,
};
use crate::{
    executor::{Executor, RunId},
    gpu::Lease,
    signal::{Signals, Stop},
    study::Study,
    supervisor::{Meta, RunDirectory},
};
use fiesta_core::{ArmId, Case, Evaluation, EvaluationId, Observation, Outcome};
use fiesta_policies::random_search::Setting;
use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    path::PathBuf,
    time::Duration,
};

/// The beginning of the names of trials' directories.
pub(super) const TRIAL: &str = "check-";

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
    /// A warning about the result.
    pub warning: Option<String>,
    /// How long it took.
    pub seconds: f64,
    /// What it would cost, in the study's unit.
    pub cost: f64,
}

/// Runs one job per arm, on split 0 with seed 0 or on the first document, and says what came of it. Nothing is recorded.
///
/// # Errors
/// [`RunError`] if jobs cannot be run here at all, or somebody asked to stop.
pub fn check(
    study: &Study,
    executor: &mut dyn Executor,
    signals: &mut Signals,
) -> Result<Vec<Trial>, RunError> {
    check_variables(study)?;
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

/// Where the runs of a trial are: a name of this process's own, so that a trial beside a running study disturbs nothing.
pub(super) fn trial_place(study: &Study) -> PathBuf {
    study
        .state_directory()
        .join(format!("{TRIAL}{}", std::process::id()))
}

fn run_trials(
    study: &Study,
    executor: &mut dyn Executor,
    signals: &mut Signals,
    place: &std::path::Path,
) -> Result<Vec<Trial>, RunError> {
    let mut gpus = Slots::of(study, executor)?.with_runs_in(place);
    let mut waiting: VecDeque<ArmId> = study.arms().ids().collect();
    let mut running: BTreeMap<RunId, (Evaluation, Option<Lease>)> = BTreeMap::new();
    let mut trials = Vec::new();
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
            let id = study.run_id(&evaluation, 0);
            let lease = match study.gpus_per_job(arm) {
                None => None,
                Some(per_job) => match gpus.take(per_job, &id) {
                    Some(lease) => Some(lease),
                    None => break,
                },
            };
            waiting.pop_front();
            let setting = study.setting(&evaluation);
            let spec = study.run_spec(id.clone(), place, &evaluation, &setting, lease.as_ref());
            study.place_document(&evaluation.case, &spec.directory)?;
            executor.submit(&spec)?;
            running.insert(id, (evaluation, lease));
        }
        // A study waits for its GPUs; whoever tries it out wants to know.
        if running.is_empty() && !waiting.is_empty() && !gpus.troubles().is_empty() {
            return Err(RunError::NoGpuFree(gpus.troubles()));
        }
        for ended in executor.poll(gpus.failure_limits(), signals.wake())? {
            let Some((evaluation, lease)) = running.remove(&ended.id) else {
                continue;
            };
            if let Some(lease) = lease {
                gpus.give_back(lease, &ended);
            }
            let directory = place.join(ended.id.as_str());
            let (result, warning, cost) = match interpret(study, &evaluation, &directory, &ended) {
                Meaning::Final(ending) => match ending.outcome {
                    Outcome::Observed(observation) => {
                        (Ok(observation), ending.message, ending.cost)
                    }
                    _ => (Err(ending.message.unwrap_or_default()), None, ending.cost),
                },
                Meaning::Lost(reason) | Meaning::Impossible(reason) | Meaning::Short(reason) => {
                    (Err(reason), None, 0.0)
                }
                Meaning::Cancelled => (Err("stopped from outside".to_owned()), None, 0.0),
            };
            trials.push(Trial {
                arm: evaluation.arm,
                command: study.command(&evaluation, &study.setting(&evaluation), &directory),
                setting: study.setting(&evaluation),
                document: study.document(&evaluation.case).map(ToOwned::to_owned),
                result,
                warning,
                seconds: ended.seconds,
                cost,
            });
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
