//! The executor of studies with a long-lived worker: a few processes that answer many cases each.
//!
//! What is submitted is held back until a worker has room for it, the rate limit allows it, and it
//! is its turn; a controller that dies loses nothing by that, for a run that was not sent is
//! absent. Each worker has a host (see [`crate::supervisor`]) that outlives the controller,
//! publishes the answers, and lives as long as its worker; here it is decided when another one is
//! started.

mod assign;
mod earlier;
mod ended;
mod health;
mod host;
mod rate;

pub(crate) use host::gpus_of_hosts;
pub(crate) use rate::{BadRate, RateLimit};

use super::find::{find, prepare, write_cancellation};
use super::process::{LOOK, Life, NoSupervisor, WatchedProcess, this_program};
use super::stopped::Stopped;
use super::{Executor, ExecutorError, Found, Handle, SubmitError};
use crate::clock::{after, first_of, has_come, until};
use crate::gpu::{GpuPool, GpusPerJob};
use crate::process::{Identity, is_readable, wait_readable};
use crate::run::RunDirectory;
use crate::run::{End, Ended, RunId, RunSpec};
use earlier::Earlier;
use health::Health;
use host::{Host, Kind};
use rate::Pace;
use rustix::event::{PollFd, PollFlags};
use rustix::process::Signal;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest wait for idle workers to end when the executor is closed. Their hosts stop them
/// afterwards.
const FAREWELL: Duration = Duration::from_secs(5);

/// Settings of the workers of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerSettings {
    /// Number of cases that a worker is given at once.
    pub concurrency: usize,
    /// Number of workers that may run at once.
    pub processes: usize,
    /// Limit of the rate at which cases are sent, over all workers.
    pub rate_limit: Option<RateLimit>,
    /// Time within which a worker must say that it is ready. `None` if it need not say so.
    pub start_timeout: Option<Duration>,
    /// Time between the polite signal to a worker that is to stop and the signal that kills it.
    pub grace: Duration,
    /// Keys that mark a line of a worker as a result.
    pub keys: Vec<String>,
    /// The GPUs of a worker, by the arm that it is started for.
    pub gpus_per_worker: BTreeMap<String, GpusPerJob>,
}

/// Executor that gives cases to long-lived workers. Cases that a worker has go on when the executor
/// is dropped. Only idle workers are stopped.
#[derive(Debug)]
pub struct WorkerPool {
    program: PathBuf,
    /// The directory that holds the workers' directories.
    place: PathBuf,
    settings: WorkerSettings,
    gpus: GpuPool,
    pace: Option<Pace>,
    /// Runs that were submitted, and not sent to a worker yet.
    held: VecDeque<Held>,
    sent: BTreeMap<RunId, Sent>,
    hosts: BTreeMap<u64, Host>,
    next_host: u64,
    health: BTreeMap<Kind, Health>,
    /// Evaluations that were at one worker together when it died. Each is sent alone from now on,
    /// so that only the one that kills its worker is lost again.
    suspects: BTreeSet<String>,
    ended: Vec<Ended>,
    /// Runs of which a host has told once that they are done, and that are not settled yet.
    heard: VecDeque<RunId>,
    /// Notices about the workers.
    notices: Vec<String>,
    stopped: Stopped,
    /// Time at which a run that is held back may be sent.
    next_move: Option<Instant>,
    /// The hosts of earlier controllers that are not known to be gone.
    earlier: Vec<Earlier>,
    /// Whether the hosts of earlier controllers have been listed.
    met: bool,
    /// Whether the user was told that no worker can be started for lack of room.
    short: bool,
}

#[derive(Debug)]
struct Held {
    id: RunId,
    spec: RunSpec,
    returns: u32,
}

/// A run that was sent to a worker's host.
#[derive(Debug)]
struct Sent {
    directory: RunDirectory,
    whose: Whose,
    cancelled: bool,
    returns: u32,
    life: Life,
}

#[derive(Debug)]
enum Whose {
    /// A host that this controller started, by its number.
    Own(u64),
    /// The worker's host is a process that an earlier controller started.
    Adopted(WatchedProcess),
}

impl Whose {
    fn adopted(host: Identity) -> Result<Self, ExecutorError> {
        let host = WatchedProcess::open(host);
        let host = host.map_err(ExecutorError::system("watch the host of a worker"))?;
        Ok(Self::Adopted(host))
    }

    /// Tells an earlier controller's host, by a signal, to look whether its run is cancelled.
    fn look_again(&self) -> Result<(), ExecutorError> {
        match self {
            Self::Own(_) => Ok(()),
            Self::Adopted(host) => host
                .signal(Signal::USR1)
                .map_err(ExecutorError::system("reach the host of a worker")),
        }
    }
}

impl WorkerPool {
    /// A pool whose hosts are this program itself; they and their workers have directories below
    /// `place`.
    ///
    /// # Errors
    /// [`NoSupervisor`] if the program did not call [`take_over`](crate::supervisor::take_over).
    pub fn new(
        place: impl Into<PathBuf>,
        settings: WorkerSettings,
        gpus: GpuPool,
    ) -> Result<Self, NoSupervisor> {
        let program = this_program()?;
        Ok(Self::with_supervisor(program, place, settings, gpus))
    }

    /// A pool whose hosts are another program, one that calls
    /// [`take_over`](crate::supervisor::take_over) at the top of its `main`.
    pub fn with_supervisor(
        program: impl Into<PathBuf>,
        place: impl Into<PathBuf>,
        settings: WorkerSettings,
        gpus: GpuPool,
    ) -> Self {
        let place = place.into();
        Self {
            program: program.into(),
            pace: settings.rate_limit.map(|limit| Pace::new(limit, &place)),
            place,
            settings,
            gpus,
            held: VecDeque::new(),
            sent: BTreeMap::new(),
            hosts: BTreeMap::new(),
            next_host: 0,
            health: BTreeMap::new(),
            suspects: BTreeSet::new(),
            ended: Vec::new(),
            heard: VecDeque::new(),
            notices: Vec::new(),
            stopped: Stopped::default(),
            next_move: None,
            earlier: Vec::new(),
            met: false,
            short: false,
        }
    }

    /// Returns the names of the runs that are followed.
    pub fn followed(&self) -> impl Iterator<Item = &RunId> {
        self.held
            .iter()
            .map(|held| &held.id)
            .chain(self.sent.keys())
    }
}

impl Executor for WorkerPool {
    fn submit(&mut self, spec: &RunSpec) -> Result<Handle, SubmitError> {
        if self.followed().any(|id| *id == spec.id) {
            return Err(SubmitError::Twice(spec.id.clone()));
        }
        prepare(&RunDirectory::new(&spec.directory), spec)?;
        self.held.push_back(Held {
            id: spec.id.clone(),
            spec: spec.clone(),
            returns: 0,
        });
        let own = Identity::current().map_err(SubmitError::supervisor(&self.program, &spec.id))?;
        Ok(Handle::Process(own))
    }

    fn adopt(
        &mut self,
        id: &RunId,
        directory: &Path,
        handle: &Handle,
    ) -> Result<(), ExecutorError> {
        let Handle::Process(identity) = handle else {
            return Err(ExecutorError::Foreign(id.clone()));
        };
        let whose = Whose::adopted(identity.clone())?;
        let directory = RunDirectory::new(directory);
        self.sent.entry(id.clone()).or_insert_with(|| Sent {
            life: Life::adopted(&directory),
            directory,
            whose,
            cancelled: false,
            returns: 0,
        });
        Ok(())
    }

    fn poll(
        &mut self,
        timeout: Option<Duration>,
        wake: BorrowedFd<'_>,
    ) -> Result<Vec<Ended>, ExecutorError> {
        let deadline = timeout.and_then(after);
        loop {
            self.assign()?;
            let adopted = self
                .sent
                .values()
                .any(|run| matches!(run.whose, Whose::Adopted(..)));
            let look = adopted.then(|| Instant::now() + LOOK);
            let of_stopped =
                (!self.sent.is_empty()).then(|| Instant::now() + self.stopped.due_in());
            let next = first_of([deadline, self.next_move, look, of_stopped]);
            let timeout = if self.ended.is_empty() && self.heard.is_empty() {
                until(next)
            } else {
                Some(Duration::ZERO)
            };
            let woken = self.wait(timeout, wake)?;
            let is_told = self.look_at_stopped();
            let late = has_come(deadline);
            if woken || late || is_told || !self.ended.is_empty() {
                return Ok(std::mem::take(&mut self.ended));
            }
        }
    }

    fn cancel(&mut self, id: &RunId, grace: Duration) -> Result<(), ExecutorError> {
        if let Some(at) = self.held.iter().position(|held| held.id == *id) {
            self.held.remove(at);
            self.ended
                .push(Ended::unmeasured(id.clone(), End::Cancelled));
            return Ok(());
        }
        let Some(run) = self.sent.get_mut(id) else {
            return Ok(());
        };
        write_cancellation(&run.directory, grace)?;
        run.cancelled = true;
        if let Whose::Own(number) = &run.whose
            && let Some(host) = self.hosts.get_mut(number)
        {
            host.send(run.directory.path());
        }
        run.whose.look_again()
    }

    fn find(&mut self, id: &RunId, directory: &Path) -> Result<Found, ExecutorError> {
        let found = find(id, &RunDirectory::new(directory))?;
        if let Found::Vanished { .. } = found {
            // Nobody else looks after the worker that its host left.
            self.look_after_earlier()?;
        }
        Ok(found)
    }

    fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn let_go(&mut self) -> Vec<RunId> {
        self.held.drain(..).map(|held| held.id).collect()
    }

    fn prepare_for(&mut self, runs: usize) {
        self.settings.processes = runs.div_ceil(self.settings.concurrency);
    }

    fn close(&mut self) {
        for host in self.hosts.values_mut() {
            host.dismiss();
        }
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline
            && self
                .hosts
                .values_mut()
                .any(|host| host.busy == 0 && !host.has_ended())
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        for host in self.hosts.values_mut() {
            self.notices.extend(host.unexpected(true));
        }
    }
}

/// Stops the idle workers when the pool is dropped.
impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.close();
    }
}

impl WorkerPool {
    /// Looks for stopped hosts among those that have runs. Returns whether there is a new message.
    fn look_at_stopped(&mut self) -> bool {
        let of_run = |run: &Sent| match &run.whose {
            Whose::Adopted(host) => Some(host.identity().clone()),
            Whose::Own(_) => None,
        };
        let adopted = self.sent.values().filter_map(of_run);
        let busy = self.hosts.values().filter(|host| host.busy > 0);
        let own = busy.filter_map(Host::identity);
        let notices = self.stopped.look(adopted.chain(own));
        let is_told = !notices.is_empty();
        self.notices.extend(notices);
        is_told
    }

    /// Waits for news of hosts and runs, and handles the news. Returns whether `wake` is readable.
    fn wait(
        &mut self,
        timeout: Option<Duration>,
        wake: BorrowedFd<'_>,
    ) -> Result<bool, ExecutorError> {
        let mut descriptors = vec![PollFd::from_borrowed_fd(wake, PollFlags::IN)];
        let talking: Vec<u64> = self.hosts.keys().copied().collect();
        descriptors.extend(self.hosts.values().map(Host::watched));
        for run in self.sent.values() {
            if let Whose::Adopted(host) = &run.whose {
                descriptors.extend(host.watched());
            }
        }
        descriptors.extend(self.earlier.iter().filter_map(Earlier::watched));
        wait_readable(&mut descriptors, timeout)
            .map_err(ExecutorError::system("wait for the workers"))?;
        let woken = is_readable(&descriptors[0]);
        let ready = talking.into_iter().zip(&descriptors[1..]);
        let ready: Vec<u64> = ready
            .filter(|(_, descriptor)| is_readable(descriptor))
            .map(|(number, _)| number)
            .collect();
        drop(descriptors);
        self.settle_heard()?;
        for number in ready {
            self.hear(number)?;
        }
        self.look_at_adopted()?;
        Ok(woken)
    }
}

/// Returns the name of a run without the number of its attempt, which names the evaluation.
fn evaluation(id: &RunId) -> String {
    let name = id.as_str();
    name.rsplit_once("-a")
        .map_or(name, |(evaluation, _)| evaluation)
        .to_owned()
}
