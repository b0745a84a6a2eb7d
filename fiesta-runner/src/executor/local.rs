//! The executor of this machine: one wrapper process for every run.

mod find;

use super::{Ended, Executor, ExecutorError, Found, Handle, RunId, RunSpec, SubmitError};
use crate::executor::End;
use crate::process::{Identity, is_readable, wait_readable};
use crate::wrapper::{self, RunDirectory};
use find::complaint;
pub(super) use find::find;
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Signal, pidfd_send_signal};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs commands on this machine. Runs outlive it: dropping it stops none.
#[derive(Debug)]
pub struct Local {
    program: PathBuf,
    runs: BTreeMap<RunId, Run>,
}

/// The program cannot be its own wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this program cannot run jobs: call fiesta_runner::wrapper::take_over() at the top of its main, or give the path of the program fiesta-wrapper"
)]
pub struct NoWrapper;

/// A run that is followed.
#[derive(Debug)]
struct Run {
    directory: RunDirectory,
    wrapper: Wrapper,
    cancelled: bool,
}

#[derive(Debug)]
struct Wrapper {
    /// Readable when the process has ended; none if it had before it was opened.
    descriptor: Option<OwnedFd>,
    /// To be reaped, if it is ours.
    child: Option<Child>,
}

impl Local {
    /// An executor whose wrapper is this program itself.
    ///
    /// # Errors
    /// [`NoWrapper`] if the program did not call [`take_over`](crate::wrapper::take_over): started as a
    /// wrapper it would begin its own work again, without end.
    pub fn new() -> Result<Self, NoWrapper> {
        if wrapper::can_take_over() {
            // Not the path that it was started with: the file there may have been replaced meanwhile.
            Ok(Self::with_wrapper("/proc/self/exe"))
        } else {
            Err(NoWrapper)
        }
    }

    /// An executor whose wrapper is another program, one that calls
    /// [`take_over`](crate::wrapper::take_over) at the top of its `main`, such as `fiesta-wrapper`.
    pub fn with_wrapper(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            runs: BTreeMap::new(),
        }
    }

    /// The runs that are followed.
    pub fn followed(&self) -> impl Iterator<Item = &RunId> {
        self.runs.keys()
    }
}

impl Executor for Local {
    fn submit(&mut self, spec: &RunSpec) -> Result<Handle, SubmitError> {
        if self.runs.contains_key(&spec.id) {
            return Err(SubmitError::Twice(spec.id.clone()));
        }
        let directory = RunDirectory::new(&spec.directory);
        prepare(&directory, spec)?;
        let refused = |source| SubmitError::Spawn {
            id: spec.id.clone(),
            program: self.program.clone(),
            source,
        };
        // No descriptor of ours goes along: a terminal or a pipe must not stay open because of a run.
        let child = Command::new(&self.program)
            .arg0("fiesta-wrapper")
            .arg(wrapper::ARGUMENT)
            .arg(directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(refused)?;
        // Until it is reaped, its pid is its own, even if it has ended.
        let identity = Identity::of(child.id().cast_signed()).map_err(refused)?;
        let descriptor = identity.open().map_err(refused)?;
        let wrapper = Wrapper {
            descriptor,
            child: Some(child),
        };
        self.runs.insert(
            spec.id.clone(),
            Run {
                directory,
                wrapper,
                cancelled: false,
            },
        );
        Ok(Handle::Process(identity))
    }

    fn adopt(
        &mut self,
        id: &RunId,
        directory: &Path,
        handle: &Handle,
    ) -> Result<(), ExecutorError> {
        let Handle::Process(identity) = handle;
        let wrapper = Wrapper::of(identity)?;
        self.runs.entry(id.clone()).or_insert_with(|| Run {
            directory: RunDirectory::new(directory),
            wrapper,
            cancelled: false,
        });
        Ok(())
    }

    fn poll(
        &mut self,
        timeout: Option<Duration>,
        wake: BorrowedFd<'_>,
    ) -> Result<Vec<Ended>, ExecutorError> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            let (ready, woken) = self.wait(left, wake)?;
            let mut ended = Vec::new();
            for id in ready {
                match self.settle(&id) {
                    Ok(settled) => ended.extend(settled),
                    // What is known already must not be lost with it; the error will come again.
                    Err(_) if !ended.is_empty() => break,
                    Err(error) => return Err(error),
                }
            }
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if woken || late || !ended.is_empty() {
                return Ok(ended);
            }
        }
    }

    fn cancel(&mut self, id: &RunId, grace: Duration) -> Result<(), ExecutorError> {
        let Some(run) = self.runs.get_mut(id) else {
            return Ok(());
        };
        let directory = &run.directory;
        directory
            .write_cancellation(grace)
            .map_err(|source| file_error(directory.path(), source))?;
        run.cancelled = true;
        if let Some(descriptor) = &run.wrapper.descriptor {
            match pidfd_send_signal(descriptor, Signal::TERM) {
                Ok(()) | Err(rustix::io::Errno::SRCH) => {}
                Err(error) => return Err(system_error("stop a wrapper", error.into())),
            }
        }
        Ok(())
    }

    fn find(&mut self, id: &RunId, directory: &Path) -> Result<Found, ExecutorError> {
        find(id, &RunDirectory::new(directory))
    }
}

impl Local {
    /// Waits; says which runs' wrappers have ended, and whether `wake` is readable.
    fn wait(
        &self,
        timeout: Option<Duration>,
        wake: BorrowedFd<'_>,
    ) -> Result<(Vec<RunId>, bool), ExecutorError> {
        let gone: Vec<RunId> = self
            .runs
            .iter()
            .filter(|(_, run)| run.wrapper.descriptor.is_none())
            .map(|(id, _)| id.clone())
            .collect();
        let watched: Vec<(&RunId, &OwnedFd)> = self
            .runs
            .iter()
            .filter_map(|(id, run)| Some((id, run.wrapper.descriptor.as_ref()?)))
            .collect();
        let mut descriptors = vec![PollFd::from_borrowed_fd(wake, PollFlags::IN)];
        descriptors.extend(
            watched
                .iter()
                .map(|&(_, descriptor)| PollFd::new(descriptor, PollFlags::IN)),
        );
        let timeout = if gone.is_empty() {
            timeout
        } else {
            Some(Duration::ZERO)
        };
        wait_readable(&mut descriptors, timeout)
            .map_err(|error| system_error("wait for the runs", error))?;
        let ready = watched
            .iter()
            .zip(&descriptors[1..])
            .filter(|(_, descriptor)| is_readable(descriptor))
            .map(|(&(id, _), _)| id.clone());
        Ok((
            gone.into_iter().chain(ready).collect(),
            is_readable(&descriptors[0]),
        ))
    }

    /// What became of a run whose wrapper has ended. `None` if another wrapper has it, which is followed
    /// from now on.
    fn settle(&mut self, id: &RunId) -> Result<Option<Ended>, ExecutorError> {
        let Some(run) = self.runs.get_mut(id) else {
            return Ok(None);
        };
        if let Some(child) = &mut run.wrapper.child {
            // Its status says nothing that its directory does not. An error means that it is reaped already.
            let _ = child.wait();
        }
        // The usual case first: it ended during this boot, so what it published is all there is to know.
        let published = run
            .directory
            .read_end()
            .map_err(|source| file_error(&run.directory.end(), source))?;
        let found = match published {
            Some(ended) => Found::Ended(ended),
            None => find(id, &run.directory)?,
        };
        let ended = match found {
            Found::Ended(ended) => ended,
            Found::Alive(Handle::Process(identity)) => {
                run.wrapper = Wrapper::of(&identity)?;
                return Ok(None);
            }
            // The request came before the wrapper could hear it, hence before the command was started.
            Found::Absent if run.cancelled => Ended::unmeasured(id.clone(), End::Cancelled),
            Found::Absent => lost(
                id,
                format!(
                    "the wrapper ended before it began{}",
                    complaint(&run.directory)
                ),
            ),
            Found::Elsewhere { host } => lost(id, format!("its wrapper on {host} is out of sight")),
            Found::Vanished { reason } => lost(id, reason),
        };
        self.runs.remove(id);
        Ok(Some(ended))
    }
}

impl Wrapper {
    fn of(identity: &Identity) -> Result<Self, ExecutorError> {
        Ok(Self {
            descriptor: identity
                .open()
                .map_err(|error| system_error("watch a wrapper", error))?,
            child: None,
        })
    }
}

fn lost(id: &RunId, reason: String) -> Ended {
    Ended::unmeasured(id.clone(), End::Lost { reason })
}

pub(super) fn prepare(directory: &RunDirectory, spec: &RunSpec) -> Result<(), SubmitError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| SubmitError::Directory { path, source }
    };
    if directory.path().is_relative() {
        let source = io::Error::new(
            io::ErrorKind::InvalidInput,
            "the directory of a run must be an absolute path",
        );
        return Err(failed(directory.path())(source));
    }
    match fs::create_dir(directory.path()) {
        Ok(()) => Ok(()),
        // A submission that was given up before a wrapper took it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            directory.remove_cancellation()
        }
        Err(_) => fs::create_dir_all(directory.path()),
    }
    .map_err(failed(directory.path()))?;
    directory
        .write_spec(spec)
        .map_err(failed(&directory.spec()))
}

fn file_error(path: &Path, source: io::Error) -> ExecutorError {
    ExecutorError::File {
        path: path.to_owned(),
        source,
    }
}

fn system_error(action: &'static str, source: io::Error) -> ExecutorError {
    ExecutorError::System { action, source }
}
