//! The errors of executors.

use super::NoSupervisor;
use crate::{file_error::FileError, run::RunId, shortage};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The reason why a run could not be submitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// A run of this name is being followed already.
    #[error("the run {0} was submitted already")]
    Twice(RunId),
    /// The run's directory cannot be prepared.
    #[error("cannot write {}: {source}; {}", path.display(), advice(source))]
    Directory {
        /// Path of the file or directory that could not be written.
        path: PathBuf,
        /// Why the file or directory could not be written.
        source: io::Error,
    },
    /// The supervisor of the run, or the thread of its function, does not start.
    #[error("cannot start {what}: {source}")]
    Start {
        /// What does not start, and for which run.
        what: String,
        /// Why the supervisor or the thread does not start.
        source: io::Error,
    },
}

impl SubmitError {
    /// Makes the error of a supervisor that does not start.
    pub(super) fn supervisor(program: &Path, id: &RunId) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Start {
            what: format!("the supervisor {} of the run {id}", program.display()),
            source,
        }
    }
}

/// Returns advice about a file of a run that cannot be written.
fn advice(error: &io::Error) -> &'static str {
    if shortage::is_own_limit(error) {
        "let this program open more files (ulimit -n)"
    } else {
        "check the disk and its permissions"
    }
}

/// The reason why an executor cannot say or do something about its runs. Never a run's failure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecutorError {
    /// A file of a run cannot be read or written, or this program not be copied to where an engine's
    /// machines find it.
    #[error(transparent)]
    File(#[from] FileError),
    /// A run of an engine cannot be followed by an executor of this machine.
    #[error("the run {0} is an engine's: follow it with that engine")]
    Foreign(RunId),
    /// An engine cannot be asked.
    #[error("{name} cannot be asked: {words}")]
    Engine {
        /// Name of the engine.
        name: &'static str,
        /// Why the engine cannot be asked, and what to do.
        words: String,
    },
    /// This program cannot be its own supervisor.
    #[error(transparent)]
    NoSupervisor(#[from] NoSupervisor),
    /// The system refuses something about processes.
    #[error("cannot {action}: {source}")]
    System {
        /// The action that the system refused, for the message.
        action: &'static str,
        /// Why the system refused the action.
        source: io::Error,
    },
}

impl ExecutorError {
    /// Returns a function for `map_err`, which turns an I/O error into `File` with this path.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let failed = FileError::of("access", path);
        move |source| failed(source).into()
    }

    /// Returns a function for `map_err`, which turns an I/O error into `System` with the action
    /// that failed.
    pub fn system(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { action, source }
    }
}
