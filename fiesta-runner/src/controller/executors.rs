//! The executors of studies and of their trials.

use super::{RunError, gpus};
use crate::{
    executor::{Executor, Local, Site, WorkerPool, WorkerSettings},
    ledger::owner,
    run::RunSpec,
    study::{ExecutorKind, Study, Worker},
};
use std::path::{Path, PathBuf};

/// The beginning of the names of trials' directories.
pub(super) const TRIAL: &str = "check-";

/// The executor that a study's file asks for: long-lived workers if it has a `[worker]`, else a
/// process for each evaluation.
///
/// # Errors
/// [`RunError::NoSupervisor`] if the program did not call
/// [`take_over`](crate::supervisor::take_over) ([`RunError::Executor`] of an engine), [`RunError::Gpu`] if there are not enough GPUs, and
/// [`RunError::Functions`] for a study of functions, which only its own program can call.
pub fn executor_for(study: &Study) -> Result<Box<dyn Executor>, RunError> {
    at(study, study.workers_directory())
}

/// The executor for a trial of a study, which leaves nothing behind.
///
/// # Errors
/// As [`executor_for`].
pub fn trial_executor_for(study: &Study) -> Result<Box<dyn Executor>, RunError> {
    at(study, trial_place(study).join("workers"))
}

pub(super) fn at(study: &Study, place: PathBuf) -> Result<Box<dyn Executor>, RunError> {
    owner::check(&study.state_directory())?;
    match study.executor() {
        ExecutorKind::Local => {}
        ExecutorKind::Engine(_, keys) => return Ok(keys.open(&site(study, &place))?),
        ExecutorKind::Functions => return Err(RunError::Functions(study.path.clone())),
    }
    Ok(match study.worker() {
        None => Box::new(Local::new()?),
        Some(worker) => {
            let settings = settings(study, worker);
            Box::new(WorkerPool::new(place, settings, gpus::of_workers(study)?)?)
        }
    })
}

/// Returns the place where a study's engine carries out runs: beside the workers' place.
fn site(study: &Study, place: &Path) -> Site {
    Site::new(&study.directory, place.parent().unwrap_or(place))
}

/// Returns what a study's engine would be given for these runs. Empty if they run on this machine.
pub(super) fn submissions(study: &Study, specs: &[RunSpec]) -> Result<Vec<String>, RunError> {
    match study.executor() {
        ExecutorKind::Local | ExecutorKind::Functions => Ok(Vec::new()),
        ExecutorKind::Engine(_, keys) => {
            Ok(keys.preview(specs, &site(study, &study.workers_directory()))?)
        }
    }
}

/// Returns the settings of a study's workers: processes, concurrency, limits and GPUs.
fn settings(study: &Study, worker: &Worker) -> WorkerSettings {
    let arms = study.arms();
    let gpus = arms.ids().filter_map(|arm| {
        let gpus = study.gpus_per_worker(arm)?;
        Some((arms.name(arm).to_owned(), gpus))
    });
    let needed = study.parallel.div_ceil(worker.concurrency());
    let keys = study.wanted().keys().into_iter();
    WorkerSettings {
        concurrency: worker.concurrency(),
        processes: worker.processes.unwrap_or(needed),
        rate_limit: worker.rate_limit(),
        start_timeout: worker.start_timeout,
        grace: study.grace,
        keys: keys.map(ToOwned::to_owned).collect(),
        gpus_per_worker: gpus.collect(),
    }
}

/// Returns the directory of the runs of a trial. It has a name of this process's own, so that a
/// trial beside a running study disturbs nothing.
pub(super) fn trial_place(study: &Study) -> PathBuf {
    study
        .state_directory()
        .join(format!("{TRIAL}{}", std::process::id()))
}
