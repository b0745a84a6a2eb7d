//! The hosts of this controller's workers.

use crate::executor::process::start_own;
use crate::gpu::Lease;
use crate::private;
use crate::process::{self, Identity, Trace};
use crate::supervisor::{
    self, Channel, Received,
    worker::{WorkerDirectory, WorkerSpec},
};
use rustix::event::{PollFd, PollFlags};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

/// Number of workers whose logs are kept.
const LOGS_KEPT: u64 = 32;
/// Longest wait for the processes of a killed host to die.
const SWEEP: Duration = Duration::from_secs(5);

/// Kind of worker: command, variables and what else two workers share if they serve the same cases.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    pub(super) command: Vec<String>,
    pub(super) environment: Vec<(String, String)>,
    pub(super) of_caller: Vec<(String, String)>,
    pub(super) working_directory: PathBuf,
}

/// A host and its worker.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) kind: Kind,
    pub(super) directory: WorkerDirectory,
    child: Child,
    line: Channel,
    pub(super) lease: Option<Lease>,
    /// Whether the worker is ready for cases.
    pub(super) ready: bool,
    /// Whether the host was told to take no more cases.
    dismissed: bool,
    /// Names of the evaluations that were lost with the host's worker.
    pub(super) lost: Vec<String>,
    /// Number of cases that the host has now.
    pub(super) busy: usize,
    /// Whether the host has a case that must be its only one.
    pub(super) alone: bool,
    /// Number of kinds of unexpected output that the user was told of.
    told: usize,
}

/// News that a host has sent.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Directories of the runs of which there is news.
    pub(super) of: Vec<PathBuf>,
    /// Whether the worker printed something unexpected, which counts as no answer.
    pub(super) unexpected: bool,
    pub(super) gone: bool,
}

impl Host {
    /// Starts a host in a directory of its own below `place`, and it starts its worker.
    pub(super) fn start(
        program: &Path,
        place: &Path,
        spec: &WorkerSpec,
        kind: Kind,
    ) -> io::Result<Self> {
        let directory = new_directory(place)?;
        Self::start_in(directory.clone(), program, spec, kind).inspect_err(|_| {
            // Nothing ever happened there.
            let _ = fs::remove_dir_all(directory.path());
        })
    }

    fn start_in(
        directory: WorkerDirectory,
        program: &Path,
        spec: &WorkerSpec,
        kind: Kind,
    ) -> io::Result<Self> {
        directory.write_spec(&WorkerSpec {
            directory: directory.path().to_owned(),
            ..spec.clone()
        })?;
        let (line, stdin) = Channel::pair()?;
        let (name, argument) = ("fiesta-worker-host", supervisor::WORKER_ARGUMENT);
        let child = start_own(program, name, argument, Some(directory.path()), stdin)?;
        Ok(Self {
            kind,
            directory,
            child,
            line,
            lease: None,
            ready: false,
            dismissed: false,
            lost: Vec::new(),
            busy: 0,
            alone: false,
            told: 0,
        })
    }

    /// Sends the directory of a run to the host, which asks its worker, or looks at the run again.
    /// Returns false if the host is gone.
    pub(super) fn send(&mut self, run: &Path) -> bool {
        self.line.send(run).is_ok()
    }

    /// Tells the host that nothing more comes: it finishes what it has, and goes.
    pub(super) fn dismiss(&mut self) {
        // Only our half is closed: what it says until it goes is still heard.
        let _ = self.line.say_no_more();
        self.ready = false;
        self.dismissed = true;
    }

    /// Whether the worker has been started and is not ready yet.
    pub(super) fn is_starting(&self) -> bool {
        !self.ready && !self.dismissed
    }

    pub(super) fn watched(&self) -> PollFd<'_> {
        PollFd::new(&self.line, PollFlags::IN)
    }

    /// Reads the news of the host.
    pub(super) fn news(&mut self) -> News {
        let mut news = News::default();
        loop {
            match self.line.receive() {
                Ok(Received::Directory(path)) if path == self.directory.path() => {
                    // The first time it means that cases can be sent, the second that they cannot
                    // any more.
                    self.dismissed |= self.ready;
                    self.ready = !self.dismissed;
                }
                Ok(Received::Directory(path)) if path == self.directory.unexpected() => {
                    news.unexpected = true;
                }
                Ok(Received::Directory(path)) => news.of.push(path),
                Ok(Received::Nothing) => return news,
                // Only its end closes the line.
                Ok(Received::Closed) | Err(_) => {
                    news.gone = true;
                    return news;
                }
            }
        }
    }

    /// Returns messages about unexpected output of the worker that the user was not told of. At the
    /// end, the messages also say how often each kind occurred, if more than once.
    pub(super) fn unexpected(&mut self, is_the_end: bool) -> Vec<String> {
        let name = self.directory.path().file_name().unwrap_or_default();
        let name = format!("worker {}", name.to_string_lossy());
        let unexpected = self.directory.read_unexpected();
        let news = unexpected.iter().skip(self.told);
        let mut told: Vec<String> = news
            .map(|unexpected| format!("{name} {}", unexpected.what))
            .collect();
        self.told = self.told.max(unexpected.len());
        if is_the_end {
            let often = unexpected.iter().filter(|unexpected| unexpected.count > 1);
            told.extend(often.map(|unexpected| {
                format!(
                    "{name} did so {} times: it {}",
                    unexpected.count, unexpected.what
                )
            }));
        }
        told
    }

    /// Returns the identity of the host's process. `None` if the system does not tell it.
    pub(super) fn identity(&self) -> Option<Identity> {
        // Until it is reaped, its pid is its own.
        Identity::of(self.child.id().cast_signed()).ok()
    }

    /// Whether the host is the process with this identity.
    pub(super) fn is(&self, identity: &Identity) -> bool {
        self.child.id() == identity.pid.cast_unsigned()
    }

    /// Reaps the host's process after its end.
    pub(super) fn reap(&mut self) {
        let _ = self.child.wait();
    }

    /// Whether the host's process has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

/// Makes the directory for another worker, and removes old ones beyond those with the latest logs.
fn new_directory(place: &Path) -> io::Result<WorkerDirectory> {
    match private::create_dir(place) {
        // Not what it is in: a study that was moved away is not begun anew.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let there = numbered(place)?;
    let mut number = there
        .iter()
        .map(|(number, _)| number + 1)
        .max()
        .unwrap_or(1);
    for (old, directory) in there {
        let is_over = directory.read_host().is_none();
        // What it was told to start tells it from somebody else's.
        if old + LOGS_KEPT < number && is_over && directory.read_spec().is_ok() {
            // It is in nobody's way.
            let _ = fs::remove_dir_all(directory.path());
        }
    }
    loop {
        let path = place.join(number.to_string());
        match private::create_dir(&path) {
            Ok(()) => return Ok(WorkerDirectory::new(path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Returns the directories of workers with their numbers. Empty if there are none.
pub(super) fn numbered(place: &Path) -> io::Result<Vec<(u64, WorkerDirectory)>> {
    let entries = match fs::read_dir(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let numbered = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let number = entry.file_name().to_str()?.parse().ok()?;
        Some((number, WorkerDirectory::new(entry.path())))
    });
    Ok(numbered.collect())
}

/// Returns the live hosts of any controller, each with the GPUs of its worker.
pub(crate) fn gpus_of_hosts(place: &Path) -> Vec<(Identity, Vec<String>)> {
    let directories = numbered(place).unwrap_or_default();
    let of_host = |(_, directory): (u64, WorkerDirectory)| {
        let host = directory.read_host().filter(Identity::is_alive)?;
        Some((host, directory.read_spec().ok()?.gpus))
    };
    directories.into_iter().filter_map(of_host).collect()
}

/// Kills the processes that are left of a worker. Returns those that cannot be killed.
pub(super) fn sweep(directory: &WorkerDirectory) -> io::Result<Vec<Identity>> {
    let (name, value) = directory.marker();
    let trace = Trace {
        marker: &[(name, &value)],
        session: directory.read_host().map(|host| host.pid),
        of_session_alone: Path::new(&value) != directory.path() && Path::new(&value).exists(),
    };
    let left = process::sweep(trace, SWEEP)?;
    directory.forget_host();
    Ok(left)
}
