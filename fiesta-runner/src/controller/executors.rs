//! The executors of studies and of their trials.

use super::{RunError, gpus};
use crate::{
    executor::{
        Executor, ExecutorError, Local, NoSupervisor, WorkerPool, WorkerSettings,
        engine::{Batch, Engine, OnEngine},
        ray::Ray,
        slurm::Slurm,
    },
    ledger::owner,
    private,
    run::RunSpec,
    study::{ExecutorKind, Study, Worker},
    supervisor::can_take_over,
};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The beginning of the names of trials' directories.
pub(super) const TRIAL: &str = "check-";

/// The executor that a study's file asks for: long-lived workers if it has a `[worker]`, else a
/// process for each evaluation.
///
/// # Errors
/// [`RunError::NoSupervisor`] if the program did not call
/// [`take_over`](crate::supervisor::take_over), [`RunError::Gpu`] if there are not enough GPUs, and
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
        ExecutorKind::Slurm(settings) => {
            return on_engine(study, &place, |_| Ok(Slurm::new(settings.clone())));
        }
        ExecutorKind::Ray(settings) => {
            return on_engine(study, &place, |batches| {
                let ray = Ray::new(settings.clone()).and_then(|ray| {
                    // Where jobs may wait or run already, a head that is gone is waited for.
                    if !batches.exists() {
                        ray.check()?;
                    }
                    Ok(ray)
                });
                Ok(ray.map_err(of_ray)?)
            });
        }
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

fn of_ray(words: String) -> ExecutorError {
    let name = "Ray";
    ExecutorError::Engine { name, words }
}

/// Where an engine's batches are: beside the workers' place.
fn batches(place: &Path) -> PathBuf {
    place.parent().unwrap_or(place).join("batches")
}

/// The executor of a study's engine, which is told the directory of its batches, beside the workers'
/// place.
fn on_engine<E: Engine>(
    study: &Study,
    place: &Path,
    engine: impl FnOnce(&Path) -> Result<E, RunError>,
) -> Result<Box<dyn Executor>, RunError> {
    let program = match study.node_program() {
        Some(program) => program,
        None => shipped(place.parent().unwrap_or(place))?,
    };
    let batches = batches(place);
    let engine = engine(&batches)?;
    let settings = study.engine_settings();
    Ok(Box::new(OnEngine::new(engine, batches, program, settings)?))
}

/// What a study's engine would be given for these runs; nothing where they run on this machine.
pub(super) fn submissions(study: &Study, specs: &[RunSpec]) -> Result<Vec<String>, RunError> {
    let state = study.state_directory();
    let program = study.node_program().unwrap_or_else(|| copy_in(&state));
    let place = batches(&study.workers_directory());
    let planned = |most| Batch::planned(specs, most, &place, &program);
    Ok(match study.executor() {
        ExecutorKind::Local | ExecutorKind::Functions => Vec::new(),
        ExecutorKind::Slurm(settings) => {
            let slurm = Slurm::new(settings.clone());
            let batches = planned(slurm.most_tasks());
            batches.iter().map(|batch| slurm.preview(batch)).collect()
        }
        ExecutorKind::Ray(settings) => {
            let ray = Ray::new(settings.clone()).map_err(of_ray)?;
            let batches = planned(ray.most_tasks());
            batches.iter().map(|batch| ray.preview(batch)).collect()
        }
    })
}

/// Where the copy of this program for an engine's machines is.
fn copy_in(state: &Path) -> PathBuf {
    state.join(format!("fiesta-{}", env!("CARGO_PKG_VERSION")))
}

/// A copy of this program in the study's directory, where all machines find it, and which stays as
/// it is when a later version is installed.
fn shipped(state: &Path) -> Result<PathBuf, RunError> {
    if !can_take_over() {
        return Err(NoSupervisor.into());
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| RunError::File {
            action: "copy this program for the machines of the engine to",
            path,
            source,
        }
    };
    let own = Path::new("/proc/self/exe");
    let copy = copy_in(state);
    let size = |path: &Path| fs::metadata(path).ok().map(|file| file.len());
    if size(&copy).is_none() || size(&copy) != size(own) {
        private::ensure_dir(state).map_err(failed(state))?;
        let temporary = copy.with_extension(std::process::id().to_string());
        // What a killed process left may be a link to anything.
        let _ = fs::remove_file(&temporary);
        fs::copy(own, &temporary)
            .and_then(|_| fs::set_permissions(&temporary, fs::Permissions::from_mode(0o700)))
            .and_then(|()| fs::rename(&temporary, &copy))
            .map_err(failed(&copy))?;
    }
    Ok(copy)
}

/// How a study's workers are run.
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

/// Where the runs of a trial are: a name of this process's own, so that a trial beside a running
/// study disturbs nothing.
pub(super) fn trial_place(study: &Study) -> PathBuf {
    study
        .state_directory()
        .join(format!("{TRIAL}{}", std::process::id()))
}
