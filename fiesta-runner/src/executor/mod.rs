//! Executors: where runs are started, found again, and followed to their end.
//!
//! The truth about a [run](mod@crate::run) is what its supervisor published in its directory; an
//! executor only knows when to look. [`Local`] runs commands on this machine, and [`Functions`] calls
//! functions of this process. Programs add further kinds, each an [`EngineKind`]; those for Slurm and
//! Ray are in the crate `fiesta-engines`.

mod error;
mod find;
mod functions;
mod kind;
mod local;
#[doc(hidden)]
pub mod parts;
mod process;
mod stopped;
mod task;
pub(crate) use stopped::stopped_attendant;
mod worker;

pub use error::{ExecutorError, SubmitError};
pub(crate) use find::{has_begun, is_free, is_left};
pub use functions::{Call, Calls, Functions, NoCall, Output};
pub(crate) use kind::Engine;
pub use kind::{EngineKeys, EngineKind, Site, WrongKey};
#[doc(hidden)]
pub use local::Local;
pub use process::NoSupervisor;
pub use task::{Task, TaskEnd, TaskState};
pub(crate) use worker::gpus_of_hosts;
pub(crate) use worker::{BadRate, RateLimit};
#[doc(hidden)]
pub use worker::{WorkerPool, WorkerSettings};

use crate::gpu::{Monitor, MonitorError};
use crate::process::Identity;
use crate::run::{Ended, RunId, RunSpec};
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::Duration;

/// What an executor needs to find a run again, also after a restart of the controller.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Handle {
    /// The process on this machine that attends to the run: its supervisor, the host of its worker,
    /// or the controller as long as the run is held back.
    Process(Identity),
    /// The engine's task that carries out the run.
    Task(Task),
    /// The run waits here to be handed to an engine.
    Queued,
}

/// State of a run, as its directory and its engine tell it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one at a time, which is taken apart at once"
)]
pub enum Found {
    /// The run was never started: submit it.
    Absent,
    /// The run goes on: adopt it.
    Alive(Handle),
    /// The run ended, and its end was published.
    Ended(Ended),
    /// The run was started, runs no more, and published nothing; infrastructure, to be tried again
    /// under another name.
    Vanished {
        /// Why nothing was published, as far as that is known.
        reason: String,
        /// How many seconds the run took at least, by the last sign of life in its directory.
        seconds: f64,
        /// Processes of the run that cannot be stopped.
        survivors: Vec<Identity>,
    },
    /// The run was started on another machine, where it may still run.
    Elsewhere {
        /// Name of the machine that the run is on.
        host: String,
    },
}

/// State of a run that was handed to an engine, as the engine tells it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RunState {
    /// The run that was handed to the engine.
    pub run: RunId,
    /// State of the run's task. `None` as long as the engine has not said anything.
    pub state: Option<TaskState>,
    /// Since when the run waits, or is on its node, as far as this controller knows: in seconds
    /// since 1970.
    pub since: f64,
}

/// A place where runs are carried out.
///
/// A submission is safe to repeat: look with [`find`](Self::find) first, submit what is absent,
/// adopt what is alive. Should two submissions of a run meet nevertheless, the run is carried out
/// once.
pub trait Executor {
    /// Starts a run and follows it.
    ///
    /// # Errors
    /// [`SubmitError`] if it cannot be started; nothing runs then.
    fn submit(&mut self, spec: &RunSpec) -> Result<Handle, SubmitError>;

    /// Follows a run that an earlier controller started. If it has ended meanwhile, the next
    /// [`poll`](Self::poll) says so.
    ///
    /// # Errors
    /// [`ExecutorError`] if the system refuses.
    fn adopt(&mut self, id: &RunId, directory: &Path, handle: &Handle)
    -> Result<(), ExecutorError>;

    /// Waits until a run that is followed has ended, `wake` is readable or closed, or the time is
    /// up. Returns every run that ended, each once. They are followed no longer.
    ///
    /// # Errors
    /// [`ExecutorError`] if the system refuses to wait or a run's directory cannot be read; the
    /// runs are then still followed.
    fn poll(
        &mut self,
        timeout: Option<Duration>,
        wake: BorrowedFd<'_>,
    ) -> Result<Vec<Ended>, ExecutorError>;

    /// Asks a run to stop: politely now, by force after the grace. Its end comes from
    /// [`poll`](Self::poll), and may be another one if the run was faster. A second call can
    /// shorten the grace. Does nothing for a run that is not followed.
    ///
    /// # Errors
    /// [`ExecutorError`] if the request cannot be passed on.
    fn cancel(&mut self, id: &RunId, grace: Duration) -> Result<(), ExecutorError>;

    /// Looks what became of a run, by its directory. Of a run that vanished, what it left running
    /// is stopped.
    ///
    /// # Errors
    /// [`ExecutorError`] if the directory cannot be read: then nothing is known about the run.
    fn find(&mut self, id: &RunId, directory: &Path) -> Result<Found, ExecutorError>;

    /// Returns the monitor of the GPUs on the machine where runs are carried out. `None` if there
    /// is none, or the controller does not give GPUs to runs.
    ///
    /// # Errors
    /// [`MonitorError`] if there is somebody who does not answer.
    fn gpus(&self) -> Result<Option<Box<dyn Monitor>>, MonitorError> {
        Ok(None)
    }

    /// Whether the executor gives GPUs to runs, instead of the controller.
    fn gives_gpus(&self) -> bool {
        false
    }

    /// Takes the executor's new messages for the user, one line each.
    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Returns what the engine says of the runs that are followed, if that may have changed since
    /// this was last asked. `None` if it has not, or where there is no engine.
    fn states(&mut self) -> Option<Vec<RunState>> {
        None
    }

    /// Returns the engine's name if it does not answer: the runs that are followed cannot be told
    /// to stop now. `None` if they can.
    fn out_of_reach(&self) -> Option<&str> {
        None
    }

    /// Takes back submitted runs that have not started, as if they had never been submitted, and
    /// returns them. Does nothing if every submission starts a run at once.
    fn let_go(&mut self) -> Vec<RunId> {
        Vec::new()
    }

    /// Prepares for `runs` runs at a time, such as by starting more worker processes.
    fn prepare_for(&mut self, runs: usize) {
        let _ = runs;
    }

    /// Ends the processes that the executor keeps for later runs. Runs that are followed go on.
    fn close(&mut self) {}
}
