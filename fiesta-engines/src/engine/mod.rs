//! Runs on an engine: a program such as Slurm that queues jobs and starts them, perhaps on other
//! machines.
//!
//! Every run is a task of a **batch**, the runs that were submitted together. The engine starts a
//! supervisor for each task, in the run's directory, which all machines share; what the supervisor
//! publishes there is the truth about the run, as on one machine. What the engine says of a task
//! only tells when to look, and why nothing was published. An engine that is silent, that answers
//! with an error and accepts the batch all the same, or that starts a task twice does no harm: of
//! two supervisors one gets the claim to the run.

mod batch;
mod desk;
mod hearing;
mod outcome;
mod run;
mod state;
mod submission;

pub use batch::{Batch, Needs};
pub(crate) use batch::{quoted, quoted_path};
pub use state::SubmissionError;

use batch::Batches;
use desk::{Desk, News};
use fiesta_runner::{
    executor::{
        Executor, ExecutorError, Found, Handle, RunState, SubmitError, Task, TaskState,
        parts::{
            Life, claim, find, never_began, prepare, published, vanished, was_taken_back,
            write_cancellation,
        },
    },
    process::readable,
    run::{Ended, RunDirectory, RunId, RunSpec},
};
use run::{Known, Run};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    os::{fd::BorrowedFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A program that queues tasks and starts them.
///
/// FIESTA calls its methods from a separate thread; each call may take as long as its own timeout.
pub trait Engine: fmt::Debug + Send + 'static {
    /// Returns the name of the engine in messages.
    fn name(&self) -> &'static str;

    /// Largest number of tasks in a batch.
    fn most_tasks(&self) -> usize;

    /// Submits the tasks of a batch.
    ///
    /// # Errors
    /// [`SubmissionError`] says whether the batch may have been accepted all the same.
    fn submit(&mut self, batch: &Batch) -> Result<(), SubmissionError>;

    /// Returns the states of the tasks of these batches, in one call. Tasks that the engine does
    /// not know (any more) are left out.
    ///
    /// # Errors
    /// The engine's own words, if it does not answer.
    fn list(&mut self, batches: &BTreeSet<String>) -> Result<BTreeMap<Task, TaskState>, String>;

    /// Stops tasks. Waiting tasks are withdrawn, and the supervisors of running tasks are asked to
    /// stop.
    ///
    /// # Errors
    /// The engine's own words, if it does not answer.
    fn cancel(&mut self, tasks: &[Task]) -> Result<(), String>;

    /// Returns whether the engine removes ended tasks from its listing. If it does not, a task that
    /// is no longer listed was lost with the engine's memory, and costs the run no retry.
    fn forgets(&self) -> bool {
        true
    }

    /// Removes ended tasks from the engine's memory. Nothing more is asked about their runs.
    fn discard(&mut self, tasks: &[Task]) {
        let _ = tasks;
    }
}

/// Settings for requests to an engine.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// Shortest time between two requests to the engine.
    pub interval: Duration,
    /// Longest time until a file that another machine wrote is visible on this one.
    pub visibility: Duration,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(5),
            visibility: Duration::from_secs(30),
        }
    }
}

/// Executor that carries out runs on an engine. Runs go on when it is dropped.
#[derive(Debug)]
pub struct OnEngine {
    name: &'static str,
    most_tasks: usize,
    forgets: bool,
    settings: EngineSettings,
    batches: Batches,
    desk: Desk,
    runs: BTreeMap<RunId, Run>,
    /// Runs that are to be submitted, and are in no batch yet.
    waiting: Vec<RunId>,
    /// Tasks of ended runs, which the engine might start again after it preempted them or lost its
    /// memory.
    over: BTreeSet<Task>,
    /// Tasks to stop, of which the engine has not been told yet.
    stopping: BTreeSet<Task>,
    /// Names of batches whose submission the engine has not answered yet.
    unanswered: BTreeSet<String>,
    next_look: Instant,
    /// Time until which nothing is submitted, as the engine was busy.
    held_until: Option<Instant>,
    /// Time of the latest request for a listing.
    listing: Option<Instant>,
    listings: u64,
    notices: Vec<String>,
    /// Reasons of waiting jobs that the user was told.
    told: BTreeSet<String>,
    is_silent: bool,
    /// Whether the state of a run may have changed since states were last reported.
    has_moved: bool,
}

impl OnEngine {
    /// Returns an executor on this engine, which keeps its batches in directories below `place`.
    ///
    /// # Errors
    /// [`ExecutorError`] if the batches of an earlier controller cannot be read.
    pub fn new(
        engine: impl Engine,
        place: impl Into<PathBuf>,
        program: impl Into<PathBuf>,
        settings: EngineSettings,
    ) -> Result<Self, ExecutorError> {
        Ok(Self {
            name: engine.name(),
            most_tasks: engine.most_tasks().max(1),
            forgets: engine.forgets(),
            batches: Batches::read(place.into(), program.into())?,
            desk: Desk::open(engine).map_err(ExecutorError::system("ask an engine"))?,
            settings,
            runs: BTreeMap::new(),
            waiting: Vec::new(),
            over: BTreeSet::new(),
            stopping: BTreeSet::new(),
            unanswered: BTreeSet::new(),
            next_look: Instant::now(),
            held_until: None,
            listing: None,
            listings: 0,
            notices: Vec::new(),
            told: BTreeSet::new(),
            is_silent: false,
            has_moved: true,
        })
    }
}

/// Tells the engine, when the executor is dropped, which tasks to stop and which not to start again.
impl Drop for OnEngine {
    fn drop(&mut self) {
        self.stopping.extend(self.over.iter().cloned());
        self.stop_now();
        self.desk.discard(self.over.iter().cloned().collect());
    }
}

impl Executor for OnEngine {
    fn submit(&mut self, spec: &RunSpec) -> Result<Handle, SubmitError> {
        if self.runs.contains_key(&spec.id) {
            return Err(SubmitError::Twice(spec.id.clone()));
        }
        let directory = RunDirectory::new(&spec.directory);
        let spec = &RunSpec {
            carries_output: true,
            ..spec.clone()
        };
        prepare(&directory, spec)?;
        let run = Run::new(
            directory,
            Needs::of(spec),
            Life::starting(),
            None,
            Known::Unsubmitted,
        );
        self.has_moved = true;
        self.runs.insert(spec.id.clone(), run);
        self.waiting.push(spec.id.clone());
        Ok(Handle::Queued)
    }

    fn adopt(
        &mut self,
        id: &RunId,
        directory: &Path,
        handle: &Handle,
    ) -> Result<(), ExecutorError> {
        let directory = RunDirectory::new(directory);
        let task = match handle {
            Handle::Task(task) => Some(task.clone()),
            _ => None,
        };
        let needs = directory.read_spec().map(|spec| Needs::of(&spec));
        let needs = needs.unwrap_or_default();
        let state = Known::Submitted {
            missed: 0,
            since: Instant::now(),
        };
        self.runs.entry(id.clone()).or_insert_with(|| {
            let life = Life::adopted(&directory);
            Run::new(directory, needs, life, task, state)
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
            self.flush()?;
            let mut ended = Vec::new();
            let mut was_listed = false;
            for news in self.desk.news() {
                was_listed |= matches!(news, News::Listed(_));
                ended.extend(self.take_in(news));
            }
            let is_due = Instant::now() >= self.next_look;
            if was_listed || is_due {
                ended.extend(self.look()?);
            }
            if is_due {
                self.next_look = Instant::now() + self.settings.interval;
                let names = self.names();
                if self.listing.is_none() && !names.is_empty() {
                    self.listing = Some(Instant::now());
                    self.desk.list(names);
                }
                let live = self.runs.values().filter_map(|run| run.task.as_ref());
                self.batches
                    .forget_but(live.chain(&self.over), &self.unanswered);
            }
            let now = Instant::now();
            let is_late = deadline.is_some_and(|deadline| now >= deadline);
            if !ended.is_empty() {
                return Ok(ended);
            }
            let until = [deadline, Some(self.next_look)].into_iter().flatten().min();
            let pause = until.map(|until| until.saturating_duration_since(now));
            let pause = if is_late { Some(Duration::ZERO) } else { pause };
            let are_readable = readable(&[wake, self.desk.bell()], pause)
                .map_err(ExecutorError::system("wait for the runs"))?;
            if are_readable[0] || is_late {
                return Ok(Vec::new());
            }
        }
    }

    fn cancel(&mut self, id: &RunId, grace: Duration) -> Result<(), ExecutorError> {
        let Some(run) = self.runs.get_mut(id) else {
            return Ok(());
        };
        write_cancellation(&run.directory, grace)?;
        run.cancelled = true;
        match &run.task {
            Some(task) => {
                self.stopping.insert(task.clone());
            }
            None => self.waiting.retain(|waiting| waiting != id),
        }
        self.next_look = Instant::now();
        Ok(())
    }

    fn find(&mut self, id: &RunId, directory: &Path) -> Result<Found, ExecutorError> {
        let run = RunDirectory::new(directory);
        if let Some(ended) = published(&run)? {
            return Ok(Found::Ended(ended));
        }
        let is_taken_back = was_taken_back(&run)?;
        match self.batches.task_of(directory) {
            _ if is_taken_back => Ok(never_began(&run)),
            // Its job would look for places that are no more.
            Some(task) if was_moved(&run) && claim(&run)? => {
                self.stopping.insert(task.clone());
                self.over.insert(task);
                Ok(vanished(
                    "the study was moved before its job began",
                    Vec::new(),
                    &run,
                ))
            }
            Some(task) => Ok(Found::Alive(Handle::Task(task))),
            // Never in a batch: whoever began it was of this machine.
            None => find(id, &run),
        }
    }

    fn gives_gpus(&self) -> bool {
        true
    }

    fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn states(&mut self) -> Option<Vec<RunState>> {
        std::mem::take(&mut self.has_moved).then(|| {
            let states = self.runs.iter().map(|(id, run)| RunState {
                run: id.clone(),
                state: run.told(),
                since: run.since,
            });
            states.collect()
        })
    }

    fn out_of_reach(&self) -> Option<&str> {
        self.is_silent.then_some(self.name)
    }

    fn let_go(&mut self) -> Vec<RunId> {
        let mut gone = std::mem::take(&mut self.waiting);
        // Those that wait in the engine may do so for days.
        let queued = |run: &Run| {
            matches!(
                run.state,
                Known::Submitted { .. } | Known::Listed(TaskState::Queued { .. })
            )
        };
        let waiting = self
            .runs
            .iter()
            .filter(|(_, run)| run.task.is_some() && queued(run));
        for (id, run) in waiting {
            // Should the engine start it all the same, it finds the claim taken.
            if claim(&run.directory).is_ok_and(|claimed| claimed) {
                self.stopping.extend(run.task.clone());
                gone.push(id.clone());
            }
        }
        for id in &gone {
            self.forget(id);
        }
        self.stop_now();
        gone
    }
}

/// Returns whether a run's directory is no longer at the path that its job was given.
fn was_moved(run: &RunDirectory) -> bool {
    let own = |path: &Path| fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    let told = run.read_spec().ok().map(|spec| spec.directory);
    told.is_some_and(|told| own(&told) != own(run.path()))
}
