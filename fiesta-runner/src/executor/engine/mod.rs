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
mod state;

pub use batch::{Batch, Needs, Task};
pub(super) use batch::{LIST, LOG, quoted};
pub use state::{SubmissionError, TaskEnd, TaskState};

use super::find::{complaint, find, never_began, prepare, published, write_cancellation};
use super::process::Life;
use super::{Executor, ExecutorError, Found, Handle, SubmitError};
use crate::process::{is_readable, wait_readable};
use crate::run::{End, Ended, Meta, RunDirectory, RunId, RunSpec};
use batch::Batches;
use desk::{Desk, News};
use rustix::event::{PollFd, PollFlags};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    os::fd::BorrowedFd,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A program that queues tasks and starts them.
///
/// It is asked from a thread of its own; each call may take as long as its own timeout.
pub trait Engine: fmt::Debug + Send + 'static {
    /// What it is called in messages.
    fn name(&self) -> &'static str;

    /// The most tasks that a batch may have.
    fn most_tasks(&self) -> usize;

    /// Submits the tasks of a batch.
    ///
    /// # Errors
    /// [`SubmissionError`] says whether the batch may have been accepted all the same.
    fn submit(&mut self, batch: &Batch) -> Result<(), SubmissionError>;

    /// What the engine knows of the tasks of these batches, in one call. A task that it does not
    /// know (any more) is left out.
    ///
    /// # Errors
    /// The engine's own words, if it does not answer.
    fn list(&mut self, batches: &BTreeSet<String>) -> Result<BTreeMap<Task, TaskState>, String>;

    /// Stops tasks: those that wait are withdrawn, and the supervisors of those that run are asked
    /// to stop.
    ///
    /// # Errors
    /// The engine's own words, if it does not answer.
    fn cancel(&mut self, tasks: &[Task]) -> Result<(), String>;

    /// What the user is to be told of parts of the engine, such as a machine of several, since this
    /// was last asked: a line each.
    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// How an engine is asked.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// How often, at most.
    pub interval: Duration,
    /// How long a file may take to be seen here that was written on another machine.
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

/// So many supervisors of a run that the engine started and that did not begin.
const FALSE_STARTS: u32 = 3;
/// How many listings in a row must lack a task of a batch that the engine accepted.
const LISTINGS: u32 = 2;
/// How long a job waits for what will not come before that is an error: the cluster may just be
/// starting.
const HOPELESS: Duration = Duration::from_secs(30);
/// How long a job waits before it is told why.
const LONG: Duration = Duration::from_secs(30);
/// So many tasks of runs that have ended are kept in sight.
const MOST_OVER: usize = 5000;
/// How long a silent engine is waited for before a run's failure counts without its word.
const WORD: Duration = Duration::from_mins(1);

/// Carries out runs on an engine. Runs outlive it: dropping it stops none.
#[derive(Debug)]
pub struct OnEngine {
    name: &'static str,
    most_tasks: usize,
    settings: EngineSettings,
    batches: Batches,
    desk: Desk,
    runs: BTreeMap<RunId, Run>,
    /// Submitted, and in no batch yet.
    waiting: Vec<RunId>,
    /// Tasks of runs that have ended: an engine that takes their places away, or loses its memory, may
    /// start them anew.
    over: BTreeSet<Task>,
    /// To be stopped, and not told the engine yet.
    stopping: BTreeSet<Task>,
    /// Batches that the engine has not answered for.
    unanswered: BTreeSet<String>,
    next_look: Instant,
    /// Nothing is submitted before, as the engine was busy.
    held_until: Option<Instant>,
    /// When the latest listing was asked for, and the number of listings that came.
    listing: Option<Instant>,
    listings: u64,
    notices: Vec<String>,
    /// Why jobs wait, as far as it was told.
    told: BTreeSet<String>,
    is_silent: bool,
}

/// A run that is followed.
#[derive(Debug)]
struct Run {
    directory: RunDirectory,
    needs: Needs,
    /// None until it is in a batch, or where another executor began it.
    task: Option<Task>,
    state: Known,
    cancelled: bool,
    false_starts: u32,
    /// Why it waits, and since when.
    waits: Option<(String, Instant)>,
    life: Life,
    /// The number of listings when it was first seen to wait although it had begun.
    queued_again: Option<u64>,
    /// A failure that the engine may know the reason of: what was published, and since when it is.
    doubted: Option<(Ended, Instant, u64)>,
}

/// What is known of a run's task.
#[derive(Debug, Clone, PartialEq)]
enum Known {
    /// In no batch yet, or in one that the engine did not take.
    Unsubmitted,
    /// Perhaps accepted: so many listings did not have it.
    Submitted { missed: u32, since: Instant },
    /// As the engine said last.
    Listed(TaskState),
    /// No longer listed, or ended by what the engine says.
    Gone { since: Instant, end: TaskEnd },
}

impl OnEngine {
    /// Runs on this engine, whose batches have directories below `place`.
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
        })
    }

    /// Submits what waits, in batches of runs that need the same, and passes on what is to stop.
    fn flush(&mut self) -> Result<(), ExecutorError> {
        let mut alike: Vec<(Needs, Vec<RunId>)> = Vec::new();
        if self.held_until.is_some_and(|until| Instant::now() < until) {
            return Ok(());
        }
        self.held_until = None;
        for id in std::mem::take(&mut self.waiting) {
            let Some(run) = self.runs.get(&id) else {
                continue;
            };
            let group = alike
                .iter_mut()
                .find(|(needs, runs)| *needs == run.needs && runs.len() < self.most_tasks);
            match group {
                Some((_, runs)) => runs.push(id),
                None => alike.push((run.needs.clone(), vec![id])),
            }
        }
        for (needs, runs) in alike {
            let directories = runs.iter().map(|id| self.runs[id].directory.path());
            let batch = self.batches.begin(needs, directories.map(Path::to_owned))?;
            for (id, number) in runs.iter().zip(1..) {
                if let Some(run) = self.runs.get_mut(id) {
                    run.task = Some(batch.task(number));
                    run.state = Known::Submitted {
                        missed: 0,
                        since: Instant::now(),
                    };
                }
            }
            self.unanswered.insert(batch.name.clone());
            self.desk.submit(batch);
        }
        if !self.stopping.is_empty() {
            let tasks = std::mem::take(&mut self.stopping);
            self.desk.cancel(tasks.into_iter().collect());
        }
        Ok(())
    }

    /// Follows a run no longer.
    fn forget(&mut self, id: &RunId) {
        let run = self.runs.remove(id);
        self.over.extend(run.and_then(|run| run.task));
    }

    /// The batches of runs that are followed.
    fn names(&self) -> BTreeSet<String> {
        let tasks = self.runs.values().filter_map(|run| run.task.as_ref());
        let tasks = tasks.chain(&self.over);
        tasks.map(|task| task.batch.clone()).collect()
    }

    fn take_in(&mut self, news: News) -> Vec<Ended> {
        match news {
            News::Submitted { batch, result } => {
                self.unanswered.remove(&batch);
                return self.answered(&batch, result);
            }
            News::Listed(Ok(listing)) => {
                if std::mem::take(&mut self.is_silent) {
                    self.notices.push(format!("{} answers again", self.name));
                }
                self.listing = None;
                self.listings += 1;
                self.note(&listing);
            }
            News::Told(notices) => self.notices.extend(notices),
            News::Listed(Err(words)) => {
                self.listing = None;
                self.complain(&format!("does not answer: {words}"));
            }
            News::Cancelled { tasks, result } => {
                if let Err(words) = result {
                    // Until it is heard.
                    self.stopping.extend(tasks);
                    self.complain(&format!("does not stop jobs: {words}"));
                }
            }
        }
        Vec::new()
    }

    fn complain(&mut self, words: &str) {
        if !std::mem::replace(&mut self.is_silent, true) {
            self.notices.push(format!(
                "{} {words}; it is asked again, and what runs goes on",
                self.name
            ));
        }
    }

    /// What the engine made of a batch.
    fn answered(&mut self, batch: &str, result: Result<(), SubmissionError>) -> Vec<Ended> {
        match result {
            Ok(()) => Vec::new(),
            Err(SubmissionError::Unclear(words)) => {
                self.complain(&format!(
                    "did not say whether it took a batch of jobs: {words}"
                ));
                Vec::new()
            }
            Err(SubmissionError::Busy(words)) => {
                self.complain(&format!("takes no further jobs now: {words}"));
                self.held_until = Some(Instant::now() + self.settings.interval);
                for (id, run) in &mut self.runs {
                    if run.task.as_ref().is_some_and(|task| task.batch == batch) {
                        run.task = None;
                        run.state = Known::Unsubmitted;
                        self.waiting.push(id.clone());
                    }
                }
                Vec::new()
            }
            Err(SubmissionError::Refused(words)) => {
                let is_of = |run: &Run| run.task.as_ref().is_some_and(|task| task.batch == batch);
                let refused = self.runs.iter().filter(|(_, run)| is_of(run));
                let refused: Vec<RunId> = refused.map(|(id, _)| id.clone()).collect();
                let reason = format!("{} refuses the job: {words}", self.name);
                let ended = refused.into_iter().map(|id| {
                    self.runs.remove(&id);
                    let reason = reason.clone();
                    Ended::unmeasured(id, End::NotStarted { reason })
                });
                ended.collect()
            }
        }
    }

    /// Takes in what the engine says of each task.
    fn note(&mut self, listing: &BTreeMap<Task, TaskState>) {
        let again = |task: &&Task| {
            matches!(
                listing.get(task),
                Some(TaskState::Queued { .. } | TaskState::Held { .. })
            )
        };
        self.stopping
            .extend(self.over.iter().filter(again).cloned());
        // An engine that lost its memory may start anew what it had called ended; the latest are kept
        // in sight.
        while self.over.len() > MOST_OVER {
            self.over.pop_first();
        }
        for run in self.runs.values_mut() {
            let Some(task) = &run.task else {
                continue;
            };
            let now = Instant::now();
            run.state = match (listing.get(task), &run.state) {
                (Some(TaskState::Ended(end)), Known::Gone { since, .. }) => Known::Gone {
                    since: *since,
                    end: end.clone(),
                },
                (Some(TaskState::Ended(end)), _) => Known::Gone {
                    since: now,
                    end: end.clone(),
                },
                (Some(state), _) => Known::Listed(state.clone()),
                (None, Known::Submitted { missed, since }) => Known::Submitted {
                    missed: missed + 1,
                    since: *since,
                },
                (None, Known::Listed(_)) => Known::Gone {
                    since: now,
                    end: TaskEnd::Unlisted,
                },
                (None, known) => known.clone(),
            };
            run.waits = match &run.state {
                Known::Listed(TaskState::Queued { reason, .. }) => {
                    let before = run.waits.take().filter(|(before, _)| before == reason);
                    Some(before.unwrap_or_else(|| (reason.clone(), now)))
                }
                _ => None,
            };
        }
        self.tell_who_waits();
    }

    /// Tells why jobs wait that have waited long, each reason once.
    fn tell_who_waits(&mut self) {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (reason, since) in self.runs.values().filter_map(|run| run.waits.as_ref()) {
            if since.elapsed() >= LONG && !self.told.contains(reason) {
                *reasons.entry(reason).or_default() += 1;
            }
        }
        let name = self.name;
        let said = reasons.iter().map(|(reason, count)| {
            let (s, verb) = if *count == 1 {
                ("", "waits")
            } else {
                ("s", "wait")
            };
            format!("{count} job{s} {verb} in {name}: {reason}")
        });
        let said: Vec<String> = said.collect();
        let told: Vec<String> = reasons.into_keys().map(ToOwned::to_owned).collect();
        self.notices.extend(said);
        self.told.extend(told);
    }

    /// Looks what became of every run that is followed.
    fn look(&mut self) -> Result<Vec<Ended>, ExecutorError> {
        let ids: Vec<RunId> = self.runs.keys().cloned().collect();
        let mut ended = Vec::new();
        for id in ids {
            match self.settle(&id) {
                Ok(settled) => ended.extend(settled),
                // What is known already must not be lost with it; the error will come again.
                Err(_) if !ended.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(ended)
    }

    /// What became of a run; none if it goes on.
    fn settle(&mut self, id: &RunId) -> Result<Option<Ended>, ExecutorError> {
        let Some(run) = self.runs.get_mut(id) else {
            return Ok(None);
        };
        if run.task.is_none() && run.state != Known::Unsubmitted {
            return self.settle_elsewhere(id);
        }
        // A directory that is opened is asked for anew, where its content is kept for a while.
        let _ = std::fs::read_dir(run.directory.path());
        if let Some(ended) = published(&run.directory)? {
            return Ok(self.explained(id, ended));
        }
        let verdict = match &run.state {
            Known::Unsubmitted if run.cancelled => Verdict::Never(End::Cancelled),
            Known::Listed(TaskState::Held { .. }) if run.cancelled => Verdict::GoesOn,
            Known::Listed(TaskState::Held { .. }) => Verdict::Again,
            Known::Listed(TaskState::Queued { .. }) if run.directory.meta().exists() => {
                // The listing may be older than the beginning.
                let first = *run.queued_again.get_or_insert(self.listings);
                if self.listings >= first + 2 {
                    Verdict::Requeued
                } else {
                    Verdict::GoesOn
                }
            }
            Known::Listed(TaskState::Queued {
                reason,
                hopeless: true,
            }) if !run.cancelled
                && run
                    .waits
                    .as_ref()
                    .is_some_and(|(_, since)| since.elapsed() >= HOPELESS) =>
            {
                let reason = format!(
                    "{} can never start its job ({reason}): ask for what there is, with cpus, memory, time, partition and options under [executor], and gpus_per_job",
                    self.name
                );
                self.stopping.extend(run.task.clone());
                Verdict::Never(End::NotStarted { reason })
            }
            Known::Unsubmitted | Known::Listed(_) => Verdict::GoesOn,
            Known::Submitted { missed, since } => {
                let is_due = *missed >= LISTINGS && since.elapsed() >= 2 * self.settings.interval;
                let has_begun = run.directory.meta().exists();
                match is_due && !has_begun {
                    true if run.cancelled => Verdict::Never(End::Cancelled),
                    true => Verdict::Again,
                    false if has_begun && *missed >= LISTINGS => Verdict::Lost(TaskEnd::Unlisted),
                    false => Verdict::GoesOn,
                }
            }
            Known::Gone { since, end } => {
                let has_begun = run.directory.meta().exists();
                let is_seen = since.elapsed() >= self.settings.visibility;
                match (has_begun, end) {
                    (false, _) if run.cancelled => Verdict::Never(End::Cancelled),
                    // The supervisor was still to write down that it began.
                    (_, TaskEnd::Completed | TaskEnd::Unlisted) if !is_seen => Verdict::GoesOn,
                    (true, _) if !is_seen && !is_left(&run.directory) => Verdict::GoesOn,
                    (true, end) => Verdict::Lost(end.clone()),
                    (false, end) => Verdict::FalseStart(end.clone()),
                }
            }
        };
        self.carry_out(id, verdict)
    }

    fn carry_out(&mut self, id: &RunId, verdict: Verdict) -> Result<Option<Ended>, ExecutorError> {
        let name = self.name;
        let Some(run) = self.runs.get_mut(id) else {
            return Ok(None);
        };
        let ended = match verdict {
            Verdict::GoesOn => return Ok(None),
            Verdict::Again => {
                self.submit_again(id);
                return Ok(None);
            }
            Verdict::Never(end) => {
                // Should the engine start it all the same, it finds the claim taken.
                if !claimed(&run.directory)? {
                    return Ok(None);
                }
                Ended::unmeasured(id.clone(), end)
            }
            Verdict::Requeued => {
                self.stopping.extend(run.task.clone());
                let reason = format!("{name} took its place away and queues it again");
                let seconds = run.directory.seconds_of_life();
                preempted(Ended::lost(id.clone(), reason, seconds, Vec::new()))
            }
            Verdict::Lost(end) => {
                let seconds = run.directory.seconds_of_life().max(run.life.seconds());
                let reason = format!("{}{}", end.words(name), complaint(&run.directory));
                let lost = Ended::lost(id.clone(), reason, seconds, Vec::new());
                match end {
                    _ if run.cancelled => Ended {
                        end: End::Cancelled,
                        ..lost
                    },
                    end if end.is_no_fault() => preempted(lost),
                    _ => lost,
                }
            }
            Verdict::FalseStart(end) => {
                run.false_starts += 1;
                if run.false_starts < FALSE_STARTS || end.is_no_fault() {
                    self.submit_again(id);
                    return Ok(None);
                }
                if !claimed(&run.directory)? {
                    return Ok(None);
                }
                let task = run.task.clone();
                let log = task.map_or_else(String::new, |task| self.batches.log(&task));
                let reason = format!(
                    "{name} started its job {FALSE_STARTS} times, and fiesta did not begin there ({}): the program must run on the nodes and see the study's directory{log}",
                    end.words(name)
                );
                Ended::unmeasured(id.clone(), End::NotStarted { reason })
            }
        };
        self.forget(id);
        Ok(Some(ended))
    }

    /// Submits a run again, in another batch; the one before is withdrawn, should it be there.
    fn submit_again(&mut self, id: &RunId) {
        if let Some(run) = self.runs.get_mut(id) {
            self.stopping.extend(run.task.take());
            run.state = Known::Unsubmitted;
            self.waiting.push(id.clone());
        }
    }

    /// A published end, with the reason that the engine gives for it: a command that ends as the
    /// engine takes its place away has not failed. None while the engine is waited for.
    fn explained(&mut self, id: &RunId, ended: Ended) -> Option<Ended> {
        let (listings, name) = (self.listings, self.name);
        let run = self.runs.get_mut(id)?;
        let is_doubtful = match &ended.end {
            End::Exited(code) => *code != 0,
            End::Signaled(_) => true,
            End::Cancelled => !run.cancelled,
            _ => false,
        };
        if is_doubtful && run.task.is_some() && !run.cancelled {
            let (_, since, before) = run
                .doubted
                .get_or_insert_with(|| (ended.clone(), Instant::now(), listings));
            // The listing that was on its way may have been made before.
            let is_heard = listings >= *before + 2;
            if !is_heard && since.elapsed() < WORD {
                return None;
            }
            let engine_s = match &run.state {
                Known::Gone { end, .. } => end.is_no_fault().then(|| end.words(name)),
                // It is queued again, and what ended was taken away.
                Known::Listed(TaskState::Queued { .. }) => {
                    Some(format!("{name} took its place away and queues it again"))
                }
                _ => None,
            };
            self.stopping.extend(
                run.task
                    .clone()
                    .filter(|_| matches!(run.state, Known::Listed(TaskState::Queued { .. }))),
            );
            if let Some(reason) = engine_s {
                self.forget(id);
                return Some(preempted(Ended {
                    end: End::Lost { reason },
                    ..ended
                }));
            }
        }
        self.forget(id);
        Some(ended)
    }

    /// What became of a run that another executor of this machine began.
    fn settle_elsewhere(&mut self, id: &RunId) -> Result<Option<Ended>, ExecutorError> {
        let run = &self.runs[id];
        let ended = match find(id, &run.directory)? {
            Found::Alive(_) => return Ok(None),
            Found::Ended(ended) => ended,
            Found::Absent => Ended::unmeasured(id.clone(), End::Cancelled),
            Found::Elsewhere { host } => {
                let reason = format!("its supervisor on {host} is out of sight");
                Ended::lost(id.clone(), reason, run.life.seconds(), Vec::new())
            }
            Found::Vanished {
                reason,
                seconds,
                survivors,
            } => Ended::lost(id.clone(), reason, seconds, survivors),
        };
        self.forget(id);
        Ok(Some(ended))
    }
}

/// What is to be done about a run of which nothing was published.
#[derive(Debug)]
enum Verdict {
    GoesOn,
    /// It did not begin, and is submitted again.
    Again,
    /// It did not begin, and never will.
    Never(End),
    /// The engine started it, and no supervisor began.
    FalseStart(TaskEnd),
    /// It began, and its task waits again.
    Requeued,
    /// It began, and is gone.
    Lost(TaskEnd),
}

/// A loss that is nobody's fault.
fn preempted(lost: Ended) -> Ended {
    let End::Lost { reason } = lost.end else {
        return lost;
    };
    Ended {
        end: End::Preempted { reason },
        ..lost
    }
}

/// Claims a run, so that nobody begins it later; false if somebody has.
fn claimed(directory: &RunDirectory) -> Result<bool, ExecutorError> {
    let meta = Meta::of_this_process(Vec::new())
        .map_err(ExecutorError::system("identify this process"))?;
    let claim = directory.claim(&meta);
    Ok(claim
        .map_err(ExecutorError::file(&directory.meta()))?
        .is_some())
}

/// Whether nobody attends to a run that somebody began, as far as the file system tells.
fn is_left(directory: &RunDirectory) -> bool {
    directory.is_claim_held() == Some(false)
}

/// Whoever leaves tells the engine what is to stop, and what must not start anew.
impl Drop for OnEngine {
    fn drop(&mut self) {
        self.stopping.append(&mut self.over);
        if !self.stopping.is_empty() {
            let tasks = std::mem::take(&mut self.stopping);
            self.desk.cancel(tasks.into_iter().collect());
        }
    }
}

impl Executor for OnEngine {
    fn submit(&mut self, spec: &RunSpec) -> Result<Handle, SubmitError> {
        if self.runs.contains_key(&spec.id) {
            return Err(SubmitError::Twice(spec.id.clone()));
        }
        let directory = RunDirectory::new(&spec.directory);
        prepare(&directory, spec)?;
        let run = Run {
            directory,
            needs: Needs::of(spec),
            task: None,
            state: Known::Unsubmitted,
            cancelled: false,
            false_starts: 0,
            life: Life::new(),
            doubted: None,
            waits: None,
            queued_again: None,
        };
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
            Handle::Process(_) | Handle::Queued => None,
        };
        let needs = directory.read_spec().map(|spec| Needs::of(&spec));
        self.runs.entry(id.clone()).or_insert_with(|| Run {
            life: Life::adopted(&directory),
            needs: needs.unwrap_or_default(),
            directory,
            task,
            state: Known::Submitted {
                missed: 0,
                since: Instant::now(),
            },
            cancelled: false,
            false_starts: 0,
            doubted: None,
            waits: None,
            queued_again: None,
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
            let mut descriptors = [
                PollFd::from_borrowed_fd(wake, PollFlags::IN),
                PollFd::from_borrowed_fd(self.desk.bell(), PollFlags::IN),
            ];
            let pause = if is_late { Some(Duration::ZERO) } else { pause };
            wait_readable(&mut descriptors, pause)
                .map_err(ExecutorError::system("wait for the runs"))?;
            if is_readable(&descriptors[0]) || is_late {
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
        // Whoever took it back had nothing to carry out.
        let meta = run.read_meta().map_err(ExecutorError::file(&run.meta()))?;
        let is_taken_back = meta.is_some_and(|meta| meta.argv.is_empty());
        match self.batches.task_of(directory) {
            _ if is_taken_back => Ok(never_began(&run)),
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
            if claimed(&run.directory).is_ok_and(|claimed| claimed) {
                self.stopping.extend(run.task.clone());
                gone.push(id.clone());
            }
        }
        for id in &gone {
            self.forget(id);
        }
        if !self.stopping.is_empty() {
            let tasks = std::mem::take(&mut self.stopping);
            self.desk.cancel(tasks.into_iter().collect());
        }
        gone
    }
}
