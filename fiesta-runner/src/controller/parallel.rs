//! The number of jobs at a time, changed while a study runs.
//!
//! Whoever changes it writes what is wanted into a file of the study's state, for the controller
//! that holds the study's lock at that moment; the controller looks there several times a second.
//! The next session begins with the number in the study file again.

use crate::{
    file_error::FileError,
    ledger::{Holder, Ledger},
    status::{Board, current},
    study::Study,
};
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::SystemTime};

const WANTED: Board<Parallel> = Board::named("parallel.json");

/// Number of jobs that a running study may run at a time, and whether it is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parallel {
    /// Largest number of jobs at a time. With 0, no job starts, as in a pause.
    pub jobs: usize,
    /// Whether no job is started for the time being. Jobs that run go on.
    pub paused: bool,
}

/// The reason why the number of jobs of a study cannot be changed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ParallelError(String);

impl Parallel {
    /// Returns how many jobs of a running study may run at a time, and whether it is paused: the
    /// last change, or else what the study file says.
    ///
    /// # Errors
    /// [`ParallelError`] if no controller runs it.
    pub fn of(study: &Study) -> Result<Self, ParallelError> {
        let holder = holder(study)?;
        let wanted = WANTED.read(&study.state_directory(), Some(&holder));
        Ok(wanted.unwrap_or_else(|| Self::first(study)))
    }

    /// Returns the number of parallel jobs with which a session begins.
    fn first(study: &Study) -> Self {
        Self {
            jobs: study.parallel,
            paused: false,
        }
    }

    /// Tells a study's controller to use this number of jobs. Within a second it starts more jobs,
    /// or replaces no job that ends. Jobs that wait in an engine's queue are taken back.
    ///
    /// # Errors
    /// [`ParallelError`] if no controller runs it, or it cannot be told.
    pub fn tell(self, study: &Study) -> Result<(), ParallelError> {
        let directory = study.state_directory();
        let told = WANTED.write_for(&directory, &holder(study)?, self);
        let path = WANTED.path(&directory);
        told.map_err(|error| ParallelError(FileError::of("write", &path)(error).to_string()))
    }

    /// Returns the number of jobs that may run now.
    pub fn now(self) -> usize {
        if self.paused { 0 } else { self.jobs }
    }
}

fn holder(study: &Study) -> Result<Holder, ParallelError> {
    let holder = Ledger::holder(&study.state_directory());
    holder.ok_or_else(|| {
        let history = current(study);
        let is_finished = history.is_ok_and(|known| known.selector.conclusion().is_some());
        let name = study.name();
        ParallelError(if is_finished {
            format!("the study {name} has finished, and has no jobs any more: see `fiesta status`")
        } else {
            format!(
                "nobody runs the study {name}: `parallel` under [design] is the number of jobs that `fiesta run` begins with"
            )
        })
    })
}

/// Orders to a controller about the number of its jobs.
#[derive(Debug)]
pub(super) struct Orders {
    directory: PathBuf,
    in_force: Parallel,
    /// Time at which the last order that was read was written. `None` if none was read.
    read: Option<SystemTime>,
}

impl Orders {
    /// Starts the orders of a session. What an earlier session was told is forgotten.
    pub(super) fn begin(study: &Study) -> Self {
        let directory = study.state_directory();
        WANTED.remove(&directory);
        Self {
            directory,
            in_force: Parallel::first(study),
            read: None,
        }
    }

    pub(super) fn now(&self) -> usize {
        self.in_force.now()
    }

    /// Whether the file with orders was written since the last look.
    pub(super) fn is_changed(&self) -> bool {
        self.written()
            .is_some_and(|written| self.read != Some(written))
    }

    fn written(&self) -> Option<SystemTime> {
        let file = std::fs::metadata(WANTED.path(&self.directory)).ok()?;
        file.modified().ok()
    }

    /// Reads a new order, if there is one. Returns the number of jobs before and after it.
    pub(super) fn look(&mut self) -> Option<(Parallel, Parallel)> {
        if !self.is_changed() {
            return None;
        }
        self.read = self.written();
        let holder = Ledger::holder(&self.directory);
        let wanted = WANTED.read(&self.directory, holder.as_ref())?;
        let before = std::mem::replace(&mut self.in_force, wanted);
        (before != wanted).then_some((before, wanted))
    }
}
