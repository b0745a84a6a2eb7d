//! Supervisor processes: those of this controller, which carry out one run after another, and those
//! that an earlier controller left.

use crate::executor::ExecutorError;
use crate::executor::process::{WatchedProcess, start_own};
use crate::open_files;
use crate::process::Identity;
use crate::supervisor::{self, Channel, Received};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::Signal;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::process::Child;

/// Number of files that the controller must be able to open beside those that are open, to collect
/// the ends of runs and record them.
const SPARE: u64 = 16;

/// A supervisor process, which this controller or an earlier one started.
#[derive(Debug)]
pub(super) struct Supervisor {
    process: WatchedProcess,
    own: Option<Own>,
}

/// A supervisor's process and connection, for the controller that started it.
#[derive(Debug)]
struct Own {
    /// Process of the supervisor, which is to be reaped.
    child: Child,
    /// Connection to the supervisor. `None` once its other end is closed: the process is about to
    /// end.
    line: Option<Channel>,
    /// Whether the supervisor was asked to stop, and takes no more runs.
    retired: bool,
}

/// News of the supervisor of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    None,
    /// The supervisor says that it is done with the run.
    Done,
    /// The supervisor's process has ended.
    Gone,
}

impl Supervisor {
    /// Starts a supervisor, which waits for its first order.
    pub(super) fn start(program: &Path) -> io::Result<Self> {
        let (line, stdin) = Channel::pair()?;
        if !open_files::has_spare(line.as_fd().as_raw_fd(), SPARE) {
            return Err(Errno::MFILE.into());
        }
        let child = start_own(
            program,
            "fiesta-supervisor",
            supervisor::ARGUMENT,
            None,
            stdin,
        )?;
        // Until it is reaped, its pid is its own, even if it has ended.
        let identity = Identity::of(child.id().cast_signed())?;
        Ok(Self {
            process: WatchedProcess::open(identity)?,
            own: Some(Own {
                child,
                line: Some(line),
                retired: false,
            }),
        })
    }

    /// Returns a supervisor that an earlier controller started.
    pub(super) fn adopt(identity: Identity) -> Result<Self, ExecutorError> {
        let process =
            WatchedProcess::open(identity).map_err(ExecutorError::system("watch a supervisor"))?;
        Ok(Self { process, own: None })
    }

    pub(super) fn identity(&self) -> &Identity {
        self.process.identity()
    }

    /// Orders the supervisor to carry out a run. Returns false if it is gone already.
    pub(super) fn order(&mut self, directory: &Path) -> bool {
        let line = self.own.as_mut().and_then(|own| own.line.as_mut());
        line.is_some_and(|line| line.send(directory).is_ok())
    }

    /// Asks the supervisor to stop what it does, and itself.
    pub(super) fn stop(&mut self) -> Result<(), ExecutorError> {
        if let Some(own) = &mut self.own {
            own.retired = true;
        }
        let asked = self.process.signal(Signal::TERM);
        asked.map_err(ExecutorError::system("stop a supervisor"))
    }

    /// Returns the descriptors to poll for news of the supervisor: for its end, and for what it
    /// writes.
    pub(super) fn watched(&self) -> impl Iterator<Item = PollFd<'_>> {
        let end = self.process.watched();
        let line = self.own.as_ref().and_then(|own| own.line.as_ref());
        let line = line.map(|line| PollFd::new(line, PollFlags::IN));
        end.into_iter().chain(line)
    }

    /// Reads the news of the supervisor, after [`watched`](Self::watched) was polled.
    pub(super) fn news(&mut self, directory: &Path) -> io::Result<News> {
        if let Some(own) = &mut self.own {
            while let Some(line) = &mut own.line {
                match line.receive()? {
                    Received::Directory(done) if done == directory => return Ok(News::Done),
                    // No answer to the order.
                    Received::Directory(_) => {}
                    Received::Nothing => break,
                    // Its end comes next, and says more.
                    Received::Closed => own.line = None,
                }
            }
        }
        Ok(if self.process.has_ended()? {
            News::Gone
        } else {
            News::None
        })
    }

    /// Whether another controller started the supervisor, which then does not say when it is done
    /// with a run.
    pub(super) fn is_adopted(&self) -> bool {
        self.own.is_none()
    }

    /// Whether the supervisor waits for another run.
    pub(super) fn is_ready(&self) -> bool {
        self.own.as_ref().is_some_and(|own| !own.retired)
    }

    /// Reaps the supervisor after it has ended. Returns its exit code, which says something only
    /// where the run's directory does not.
    pub(super) fn reap(&mut self) -> Option<i32> {
        // An error means that it is reaped already.
        self.own.as_mut()?.child.wait().ok()?.code()
    }

    /// Ends a supervisor that has nothing to do.
    pub(super) fn dismiss(mut self) {
        if let Some(own) = &mut self.own {
            // One that cannot be killed goes by itself, as its line is closed.
            own.line = None;
            let _ = own.child.kill();
        }
        self.reap();
    }
}
