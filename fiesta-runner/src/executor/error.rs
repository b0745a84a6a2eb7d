//! The errors of executors.

use super::NoSupervisor;
use crate::{run::RunId, shortage};
use std::io;
use std::path::{Path, PathBuf};

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
        /// What could not be written.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The supervisor does not start.
    #[error("cannot start the supervisor {} of the run {id}: {source}", program.display())]
    Spawn {
        /// The run's name.
        id: RunId,
        /// The supervisor's program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No thread can be started in which a function is called.
    #[error("cannot start a thread for the run {id}: {source}")]
    Thread {
        /// The run's name.
        id: RunId,
        /// Why.
        source: io::Error,
    },
}

/// What to do about a file that cannot be written.
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
    /// A file of a run cannot be read or written.
    #[error("cannot access {}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A run of an engine cannot be followed by an executor of this machine.
    #[error("the run {0} is an engine's: follow it with that engine")]
    Foreign(RunId),
    /// An engine cannot be asked.
    #[error("{name} cannot be asked: {words}")]
    Engine {
        /// What it is called.
        name: &'static str,
        /// Why not, and what to do.
        words: String,
    },
    /// This program cannot be its own supervisor.
    #[error(transparent)]
    NoSupervisor(#[from] NoSupervisor),
    /// This program cannot be copied to where an engine's machines find it.
    #[error("cannot copy this program for the machines of the engine to {}: {source}", path.display())]
    Copy {
        /// Where to.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The system refuses something about processes.
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// Why not.
        source: io::Error,
    },
}

impl ExecutorError {
    /// Returns a function for `map_err`, which turns an I/O error into `File` with this path.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }

    /// Returns a function for `map_err`, which turns an I/O error into `System` with the action
    /// that failed.
    pub fn system(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { action, source }
    }
}
