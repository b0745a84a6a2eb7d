//! Processes that carry out runs and outlive the controller: supervisors, and hosts of workers.

use crate::process::{Identity, is_readable, send, wait_readable};
use crate::{open_files, run::RunDirectory, supervisor};
use rustix::event::{PollFd, PollFlags};
use rustix::process::Signal;
use std::io;
use std::os::{fd::OwnedFd, unix::process::CommandExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Interval of looks at a run whose supervisor an earlier controller started. Such a supervisor
/// ends with its run, unless its controller is still alive.
pub(super) const LOOK: Duration = Duration::from_millis(500);

/// The program cannot be its own supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this program cannot run jobs: call fiesta_runner::supervisor::take_over() at the top of its main, or give the path of the program fiesta-supervisor"
)]
pub struct NoSupervisor;

/// Returns the path by which this program is started as a supervisor or as a worker's host.
pub(super) fn this_program() -> Result<PathBuf, NoSupervisor> {
    if supervisor::can_take_over() {
        // Not the path that it was started with: the file there may have been replaced meanwhile.
        Ok("/proc/self/exe".into())
    } else {
        Err(NoSupervisor)
    }
}

/// Starts this program as a process called `name`, for the job that the arguments say. Only `stdin`
/// is passed on: no terminal or pipe may stay open because of a run.
pub(super) fn start_own(
    program: &Path,
    name: &str,
    argument: &str,
    directory: Option<&Path>,
    stdin: OwnedFd,
) -> io::Result<Child> {
    Command::new(program)
        .arg0(name)
        .arg(argument)
        .args(open_files::argument())
        .args(directory)
        .stdin(stdin)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Least duration of a run: the seconds that its directory shows for earlier controllers, and those since.
#[derive(Debug)]
pub struct Life {
    before: f64,
    since: Instant,
}

impl Life {
    /// Starts to count the time of a run that begins now.
    pub fn starting() -> Self {
        Self {
            before: 0.0,
            since: Instant::now(),
        }
    }

    /// Continues to count the time of a run that an earlier controller started.
    pub fn adopted(directory: &RunDirectory) -> Self {
        Self {
            before: directory.seconds_of_life(),
            ..Self::starting()
        }
    }

    /// Returns the seconds that the run has lasted at least.
    pub fn seconds(&self) -> f64 {
        self.before + self.since.elapsed().as_secs_f64()
    }
}

/// A process, and the descriptor that tells of its end.
#[derive(Debug)]
pub(super) struct WatchedProcess {
    identity: Identity,
    /// Descriptor that is readable when the process has ended. `None` if it had ended before.
    descriptor: Option<OwnedFd>,
}

impl WatchedProcess {
    pub(super) fn open(identity: Identity) -> io::Result<Self> {
        Ok(Self {
            descriptor: identity.open()?,
            identity,
        })
    }

    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Sends a signal to the process. Does nothing if it has ended.
    pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
        let process = self.descriptor.as_ref();
        process.map_or(Ok(()), |process| send(process, signal))
    }

    /// Returns what to poll for the end of the process. `None` if it has ended already.
    pub(super) fn watched(&self) -> Option<PollFd<'_>> {
        let descriptor = self.descriptor.as_ref();
        descriptor.map(|descriptor| PollFd::new(descriptor, PollFlags::IN))
    }

    pub(super) fn has_ended(&self) -> io::Result<bool> {
        let Some(watched) = self.watched() else {
            return Ok(true);
        };
        let mut polled = [watched];
        wait_readable(&mut polled, Some(Duration::ZERO))?;
        Ok(is_readable(&polled[0]))
    }
}
