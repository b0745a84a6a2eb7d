//! The executors of studies and of their trials.

use super::{RunError, gpus};
use crate::{
    executor::{Executor, Local, WorkerPool},
    study::Study,
};
use std::path::PathBuf;

/// The beginning of the names of trials' directories.
pub(super) const TRIAL: &str = "check-";

/// The executor that a study's file asks for: long-lived workers if it has a `[worker]`, else a process for each evaluation.
///
/// # Errors
/// [`RunError::NoSupervisor`] if the program did not call [`take_over`](crate::supervisor::take_over), and [`RunError::Gpu`] if there are not
/// enough GPUs.
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
    Ok(match study.worker() {
        None => Box::new(Local::new()?),
        Some(worker) => {
            let settings = worker.settings(study);
            Box::new(WorkerPool::new(place, settings, gpus::of_workers(study)?)?)
        }
    })
}

/// Where the runs of a trial are: a name of this process's own, so that a trial beside a running study disturbs nothing.
pub(super) fn trial_place(study: &Study) -> PathBuf {
    study
        .state_directory()
        .join(format!("{TRIAL}{}", std::process::id()))
}
