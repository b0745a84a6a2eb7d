//! The executor of studies with a long-lived worker: a few processes that answer many cases each.
//!
//! What is submitted is held back until a worker has room for it, the rate limit allows it, and it is its turn; a controller that
//! dies loses nothing by that, for a run that was not sent is absent. Each worker has a host (see [`crate::wrapper`]) that outlives
//! the controller, publishes the answers, and lives as long as its worker; here it is decided when another one is started.

mod deal;
mod health;
mod host;
mod rate;

pub use rate::{BadRate, RateLimit};

use super::local::{NoWrapper, find, prepare};
use super::{End, Ended, Executor, ExecutorError, Found, Handle, RunId, RunSpec, SubmitError};
use crate::gpu::{GpuPool, GpusPerJob};
use crate::process::{Identity, is_readable, wait_readable};
use crate::wrapper::{self, RunDirectory};
use health::Health;
use host::{Host, Kind, sweep, sweep_dead};
use rate::Pace;
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Signal, pidfd_send_signal};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a run is looked at whose host an earlier controller started.
const LOOK: Duration = Duration::from_millis(500);
/// How long a worker without a case may take to go when nothing more comes; its host sees to it afterwards.
const FAREWELL: Duration = Duration::from_secs(5);
/// How often a run may be given back unmade before it is lost.
const MOST_RETURNS: u32 = 100;

/// How workers are run.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerSettings {
    /// How many cases a worker is given at once.
    pub concurrency: usize,
    /// How many workers there are at once.
    pub processes: usize,
    /// How fast cases are sent, over all workers.
    pub rate_limit: Option<RateLimit>,
    /// How long a worker may take to say that it is ready; none if it need not say it.
    pub start_timeout: Option<Duration>,
    /// How long a worker that is to stop has between the polite signal and the other one.
    pub grace: Duration,
    /// The keys by which a result is known.
    pub keys: Vec<String>,
    /// The GPUs of a worker, by the arm that it is started for.
    pub gpus_per_worker: BTreeMap<String, GpusPerJob>,
}

/// Runs cases on long-lived workers. What a worker was asked outlives it: dropping it stops only workers that have nothing to do.
#[derive(Debug)]
pub struct WorkerPool {
    program: PathBuf,
    /// Where the workers' directories are.
    place: PathBuf,
    settings: WorkerSettings,
    gpus: GpuPool,
    pace: Option<Pace>,
    /// Submitted, and not sent yet.
    held: VecDeque<Held>,
    sent: BTreeMap<RunId, Sent>,
    hosts: BTreeMap<u64, Host>,
    next_host: u64,
    health: BTreeMap<Kind, Health>,
    /// Evaluations that were with others at a worker when it died: each is asked alone, so that only the one that kills is lost again.
    suspects: BTreeSet<String>,
    ended: Vec<Ended>,
    /// When something that is held back may be sent.
    next_move: Option<Instant>,
    /// Whether it was looked what hosts left that were killed together with their controller.
    swept: bool,
}

#[derive(Debug)]
struct Held {
    id: RunId,
    spec: RunSpec,
    returns: u32,
}

/// A run that a host has.
#[derive(Debug)]
struct Sent {
    directory: RunDirectory,
    whose: Whose,
    cancelled: bool,
    returns: u32,
}

#[derive(Debug)]
enum Whose {
    /// A host of this controller.
    Own(u64),
    /// An earlier controller's; with a descriptor that is readable when the host has ended, unless it has already.
    Adopted(Identity, Option<OwnedFd>),
}

impl WorkerPool {
    /// A pool whose hosts are this program itself; they and their workers have directories below `place`.
    ///
    /// # Errors
    /// [`NoWrapper`] if the program did not call [`take_over`](crate::wrapper::take_over).
    pub fn new(
        place: impl Into<PathBuf>,
        settings: WorkerSettings,
        gpus: GpuPool,
    ) -> Result<Self, NoWrapper> {
        if wrapper::can_take_over() {
            Ok(Self::with_wrapper("/proc/self/exe", place, settings, gpus))
        } else {
            Err(NoWrapper)
        }
    }

    /// A pool whose hosts are another program, one that calls [`take_over`](crate::wrapper::take_over) at the top of its `main`.
    pub fn with_wrapper(
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
            next_move: None,
            swept: false,
        }
    }

    /// The runs that are followed.
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
        let own = Identity::current().map_err(|source| SubmitError::Spawn {
            id: spec.id.clone(),
            program: self.program.clone(),
            source,
        })?;
        Ok(Handle::Process(own))
    }

    fn adopt(
        &mut self,
        id: &RunId,
        directory: &Path,
        handle: &Handle,
    ) -> Result<(), ExecutorError> {
        let Handle::Process(identity) = handle;
        let whose = adopted(identity)?;
        self.sent.entry(id.clone()).or_insert_with(|| Sent {
            directory: RunDirectory::new(directory),
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
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            self.deal()?;
            let adopted = self
                .sent
                .values()
                .any(|run| matches!(run.whose, Whose::Adopted(..)));
            let look = adopted.then(|| Instant::now() + LOOK);
            let next = [deadline, self.next_move, look].into_iter().flatten().min();
            let patience = if self.ended.is_empty() {
                next.map(|at| at.saturating_duration_since(Instant::now()))
            } else {
                Some(Duration::ZERO)
            };
            let woken = self.wait(patience, wake)?;
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if woken || late || !self.ended.is_empty() {
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
        run.directory
            .write_cancellation(grace)
            .map_err(|source| file_error(run.directory.path(), source))?;
        run.cancelled = true;
        match &run.whose {
            Whose::Own(number) => {
                if let Some(host) = self.hosts.get_mut(number) {
                    host.send(run.directory.path());
                }
            }
            Whose::Adopted(_, Some(descriptor)) => {
                match pidfd_send_signal(descriptor, Signal::USR1) {
                    Ok(()) | Err(rustix::io::Errno::SRCH) => {}
                    Err(error) => {
                        return Err(system_error("reach the host of a worker", error.into()));
                    }
                }
            }
            Whose::Adopted(_, None) => {}
        }
        Ok(())
    }

    fn find(&mut self, id: &RunId, directory: &Path) -> Result<Found, ExecutorError> {
        let found = find(id, &RunDirectory::new(directory))?;
        if let Found::Vanished { .. } = found {
            // Nobody else looks after the worker that its host left.
            self.sweep_dead()?;
        }
        Ok(found)
    }

    fn let_go(&mut self) -> Vec<RunId> {
        self.held.drain(..).map(|held| held.id).collect()
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
    }
}

/// Workers that have nothing to do go with their controller.
impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.close();
    }
}

impl WorkerPool {
    fn sweep_dead(&self) -> Result<(), ExecutorError> {
        sweep_dead(&self.place).map_err(|error| system_error("stop what a killed host left", error))
    }

    /// Waits for news and takes them in; says whether `wake` is readable.
    fn wait(
        &mut self,
        timeout: Option<Duration>,
        wake: BorrowedFd<'_>,
    ) -> Result<bool, ExecutorError> {
        let mut descriptors = vec![PollFd::from_borrowed_fd(wake, PollFlags::IN)];
        let talking: Vec<u64> = self.hosts.keys().copied().collect();
        descriptors.extend(self.hosts.values().map(Host::watched));
        for run in self.sent.values() {
            if let Whose::Adopted(_, Some(descriptor)) = &run.whose {
                descriptors.push(PollFd::new(descriptor, PollFlags::IN));
            }
        }
        wait_readable(&mut descriptors, timeout)
            .map_err(|error| system_error("wait for the workers", error))?;
        let woken = is_readable(&descriptors[0]);
        let ready = talking.into_iter().zip(&descriptors[1..]);
        let ready: Vec<u64> = ready
            .filter(|(_, descriptor)| is_readable(descriptor))
            .map(|(number, _)| number)
            .collect();
        drop(descriptors);
        for number in ready {
            self.hear(number)?;
        }
        self.look_at_adopted()?;
        Ok(woken)
    }

    /// Takes in what a host of this controller has to say.
    fn hear(&mut self, number: u64) -> Result<(), ExecutorError> {
        let Some(host) = self.hosts.get_mut(&number) else {
            return Ok(());
        };
        let news = host.news();
        if host.ready && self.settings.start_timeout.is_some() {
            self.health.entry(host.kind.clone()).or_default().prove();
        }
        for path in news.of {
            let id = path
                .file_name()
                .and_then(|name| name.to_str()?.parse::<RunId>().ok());
            if let Some(id) = id {
                self.settle(&id)?;
            }
        }
        if news.gone {
            self.bury(number)?;
        }
        Ok(())
    }

    /// Takes in the end of a host of this controller.
    fn bury(&mut self, number: u64) -> Result<(), ExecutorError> {
        let Some(host) = self.hosts.get_mut(&number) else {
            return Ok(());
        };
        host.reap();
        let end = host.directory.read_end();
        let survivors = match &end {
            Some(end) => end.survivors.clone(),
            None => sweep(&host.directory)
                .map_err(|error| system_error("stop what a killed host left", error))?,
        };
        let of_host = |run: &Sent| matches!(run.whose, Whose::Own(own) if own == number);
        let runs = self.sent.iter().filter(|(_, run)| of_host(run));
        let runs: Vec<RunId> = runs.map(|(id, _)| id.clone()).collect();
        for id in &runs {
            self.settle(id)?;
        }
        let Some(host) = self.hosts.remove(&number) else {
            return Ok(());
        };
        if let Some(lease) = host.lease
            && survivors.is_empty()
        {
            // What cannot be removed holds its GPU; nobody else is sent there.
            self.gpus.give_back(lease);
        }
        let health = self.health.entry(host.kind.clone()).or_default();
        if let Some(reason) = health.take_in(end.as_ref()) {
            self.give_up(&host.kind, &reason);
        }
        Ok(())
    }

    /// Ends every run that waits for a worker which cannot be had.
    fn give_up(&mut self, kind: &Kind, reason: &str) {
        let (hopeless, held): (VecDeque<Held>, VecDeque<Held>) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|held| Kind::of(&held.spec) == *kind);
        self.held = held;
        let not_started = |id| {
            let reason = reason.to_owned();
            Ended::unmeasured(id, End::NotStarted { reason })
        };
        if hopeless.is_empty() {
            // Those that were just lost would be tried again, to no avail.
            for ended in &mut self.ended {
                if matches!(ended.end, End::Lost { .. }) {
                    *ended = not_started(ended.id.clone());
                }
            }
        }
        self.ended
            .extend(hopeless.into_iter().map(|held| not_started(held.id)));
        self.health.remove(kind);
    }

    /// Looks whether runs of earlier controllers' hosts have ended.
    fn look_at_adopted(&mut self) -> Result<(), ExecutorError> {
        let news = |run: &Sent| match &run.whose {
            Whose::Own(_) => false,
            Whose::Adopted(host, _) => {
                run.directory.end().exists() || !host.is_alive() || !run.directory.meta().exists()
            }
        };
        let runs = self.sent.iter().filter(|(_, run)| news(run));
        let runs: Vec<RunId> = runs.map(|(id, _)| id.clone()).collect();
        runs.iter().try_for_each(|id| self.settle(id))
    }

    /// Takes in what became of a run of which there is news.
    fn settle(&mut self, id: &RunId) -> Result<(), ExecutorError> {
        let Some(run) = self.sent.get(id) else {
            return Ok(());
        };
        let published = run
            .directory
            .read_end()
            .map_err(|source| file_error(&run.directory.end(), source))?;
        let path = run.directory.path().to_owned();
        let found = match published {
            Some(ended) => Found::Ended(ended),
            None => Executor::find(self, id, &path)?,
        };
        let ended = match found {
            Found::Ended(ended) => {
                self.suspect(&ended);
                ended
            }
            Found::Alive(Handle::Process(identity)) => {
                // Another host has it, or its own is still at it.
                let whose = adopted(&identity)?;
                if let Some(run) = self.sent.get_mut(id)
                    && !matches!(run.whose, Whose::Own(_))
                {
                    run.whose = whose;
                }
                return Ok(());
            }
            Found::Absent => return self.take_back(id),
            Found::Vanished { reason } => lost(id, reason),
            Found::Elsewhere { host } => lost(id, format!("its worker on {host} is out of sight")),
        };
        self.forget(id);
        self.ended.push(ended);
        Ok(())
    }

    /// Notes which evaluations were lost together.
    fn suspect(&mut self, ended: &Ended) {
        let evaluation = evaluation(&ended.id);
        if !matches!(ended.end, End::Lost { .. }) {
            self.suspects.remove(&evaluation);
            return;
        }
        let whose = self.sent.get(&ended.id).map(|run| &run.whose);
        if let Some(Whose::Own(number)) = whose
            && let Some(host) = self.hosts.get_mut(number)
        {
            host.lost.push(evaluation);
            if host.lost.len() > 1 {
                self.suspects.extend(host.lost.iter().cloned());
            }
        }
    }

    /// Takes back a run that its host gave back unmade, or never took.
    fn take_back(&mut self, id: &RunId) -> Result<(), ExecutorError> {
        let Some(run) = self.forget(id) else {
            return Ok(());
        };
        if run.cancelled {
            self.ended
                .push(Ended::unmeasured(id.clone(), End::Cancelled));
            return Ok(());
        }
        let returns = run.returns + 1;
        if returns > MOST_RETURNS {
            let reason = format!("it was given back unmade {MOST_RETURNS} times");
            self.ended.push(lost(id, reason));
            return Ok(());
        }
        let spec = run
            .directory
            .read_spec()
            .map_err(|source| file_error(&run.directory.spec(), source))?;
        let id = id.clone();
        // It has waited longest.
        self.held.push_front(Held { id, spec, returns });
        Ok(())
    }

    /// Forgets a run that was sent.
    fn forget(&mut self, id: &RunId) -> Option<Sent> {
        let run = self.sent.remove(id)?;
        if let Whose::Own(number) = run.whose
            && let Some(host) = self.hosts.get_mut(&number)
        {
            host.busy = host.busy.saturating_sub(1);
            host.alone &= host.busy > 0;
        }
        Some(run)
    }
}

/// A run without the number of its attempt.
fn evaluation(id: &RunId) -> String {
    let name = id.as_str();
    name.rsplit_once("-a")
        .map_or(name, |(evaluation, _)| evaluation)
        .to_owned()
}

fn adopted(identity: &Identity) -> Result<Whose, ExecutorError> {
    let descriptor = identity
        .open()
        .map_err(|error| system_error("watch the host of a worker", error))?;
    Ok(Whose::Adopted(identity.clone(), descriptor))
}

fn lost(id: &RunId, reason: String) -> Ended {
    Ended::unmeasured(id.clone(), End::Lost { reason })
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
