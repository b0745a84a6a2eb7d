//! Runs on a few machines that share a directory and have no scheduler, through the system's `ssh`.
//!
//! Each host has slots and GPUs, which are given away here: a task waits until one is free, gets a
//! place, and keeps it until its host says that nothing of it is left. Places are written down
//! before a host hears of them. A host is told what to begin, to stop and to look at in one
//! message, whatever the number of jobs; supervisors that it starts do not depend on the
//! connection.
//!
//! A host that is out of reach says nothing of its runs: they may go on. A run is given up only
//! when its directory, which all machines share, has shown no sign of life for a time; its place
//! stays taken until its host is back and has stopped what is left of it.
//!
//! Source: the manual pages ssh(1) and `ssh_config(5)` of OpenSSH 9.2.

mod allotment;
mod call;
mod exchange;
mod failure;
mod host;
mod line;
mod message;
pub(crate) mod remote;
mod slots;
mod task;

pub use host::Host;

use super::{
    ExecutorError,
    engine::{Batch, Engine, LIST, LOG, SubmissionError, Task, TaskEnd, TaskState},
};
use crate::{run::RunDirectory, study::RUNS};
use call::Way;
use line::{Acquaintance, Heard, Line};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, channel},
    },
    thread,
    time::{Duration, Instant},
};
use task::{Entry, Part};

/// What a study says of its hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshSettings {
    /// The machines, each of another name.
    pub hosts: Vec<Host>,
    /// Further options of `ssh`.
    pub options: Vec<String>,
    /// Lines of shell before a supervisor: modules, an environment.
    pub prologue: Vec<String>,
    /// How long a run on a host that is out of reach may show no sign of life before it is given
    /// up.
    pub lost_after: Duration,
}

impl SshSettings {
    /// The time after which a run is given up, unless the study file has another one. A supervisor
    /// leaves a sign each 10 s; file systems may show it a minute late.
    pub const LOST_AFTER: Duration = Duration::from_mins(10);
}

/// How long hosts are waited for that have not been asked yet, or are to stop something.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long hosts are waited for that were given up, at the end of a study.
const LAST: Duration = Duration::from_secs(5);
/// How long hosts that answered before may delay a listing.
const LISTING: Duration = Duration::from_secs(2);

/// What the hosts would be asked to start runs, as a shell reads it. None of them is asked.
pub(crate) fn preview(settings: &SshSettings, state: &Path, program: &Path) -> String {
    let way = Way {
        options: settings.options.clone(),
        prologue: settings.prologue.clone(),
        program: program.to_owned(),
        place: state.to_owned(),
        sockets: None,
    };
    let hosts = settings.hosts.iter().map(|host| way.preview(host));
    hosts.collect::<Vec<_>>().join("\n")
}

/// Machines that are reached by `ssh`.
#[derive(Debug)]
pub struct Ssh {
    way: Arc<Way>,
    lost_after: Duration,
    /// Where the batches have their directories.
    batches: PathBuf,
    /// The file of the places that are taken.
    slots: PathBuf,
    lines: Vec<Line>,
    answers: Receiver<Heard>,
    tasks: BTreeMap<Task, Entry>,
    known: BTreeSet<String>,
    notices: Vec<String>,
}

impl Ssh {
    /// Hosts that find `program` and the study's directory `state` at these paths. Batches have
    /// their directories below `batches`.
    ///
    /// # Errors
    /// [`ExecutorError`] if the places that an earlier controller gave away cannot be read.
    pub fn new(
        settings: SshSettings,
        state: &Path,
        batches: &Path,
        program: &Path,
    ) -> Result<Self, ExecutorError> {
        let slots = state.join("ssh-slots.json");
        let way = Arc::new(Way {
            options: settings.options,
            prologue: settings.prologue,
            program: program.to_owned(),
            place: state.to_owned(),
            sockets: call::sockets(),
        });
        let (told, answers) = channel();
        let lines = settings.hosts.into_iter().enumerate();
        let lines = lines.map(|(number, host)| Line::open(number, host, &way, told.clone()));
        let lines: Result<Vec<Line>, _> = lines.collect();
        let taken = slots::read(&slots).map_err(ExecutorError::file(&slots))?;
        let placed = taken.into_iter().map(|(task, mut place)| {
            place.run = where_it_is(place.run, batches);
            let log = batches.join(&task.batch).join(LOG);
            (task, Entry::placed(place, log))
        });
        Ok(Self {
            tasks: placed.collect(),
            way,
            lost_after: settings.lost_after,
            batches: batches.to_owned(),
            slots,
            lines: lines.map_err(ExecutorError::system("start a thread for a host"))?,
            answers,
            known: BTreeSet::new(),
            notices: Vec::new(),
        })
    }

    /// Takes in the tasks of a batch that is written down.
    fn take_up(&mut self, name: &str) {
        if !self.known.insert(name.to_owned()) {
            return;
        }
        let directory = self.batches.join(name);
        let list = fs::read_to_string(directory.join(LIST)).unwrap_or_default();
        for (run, number) in list.lines().zip(1..) {
            let batch = name.to_owned();
            self.tasks.entry(Task { batch, number }).or_insert_with(|| {
                let run = where_it_is(PathBuf::from(run), &self.batches);
                let directory_of_run = RunDirectory::new(&run);
                let spec = directory_of_run.read_spec().ok();
                let gpus = spec.as_ref().and_then(|spec| spec.gpus).unwrap_or(0);
                let mut entry = Entry::new(
                    run,
                    usize::try_from(gpus).unwrap_or(usize::MAX),
                    directory.join(LOG),
                );
                // Begun, and without a place: it has ended.
                if spec.is_none() || directory_of_run.meta().exists() {
                    entry.withdrawn = Some(TaskEnd::Completed);
                }
                entry
            });
        }
    }
}

/// The directory of a run of the study whose batches are here: where it was, unless the study was
/// moved since.
fn where_it_is(run: PathBuf, batches: &Path) -> PathBuf {
    let now = || Some(batches.parent()?.join(RUNS).join(run.file_name()?));
    match now().filter(|now| !run.exists() && now.exists()) {
        Some(now) => now,
        None => run,
    }
}

impl Engine for Ssh {
    fn name(&self) -> &'static str {
        "ssh"
    }

    fn most_tasks(&self) -> usize {
        1000
    }

    fn submit(&mut self, batch: &Batch) -> Result<(), SubmissionError> {
        let gpus = usize::try_from(batch.needs.gpus.unwrap_or(0)).unwrap_or(usize::MAX);
        if let Some(words) = self.too_much(gpus) {
            return Err(SubmissionError::Refused(words));
        }
        self.take_up(&batch.name);
        if !self.lines.iter().any(Line::is_ready) {
            for number in 0..self.lines.len() {
                self.dispatch(number, true);
            }
            let began = Instant::now();
            self.hear(PATIENCE, |lines| {
                let is_asked = |line: &Line| line.is_busy;
                // One that is slow takes part from when it answers.
                let is_ready = lines.iter().any(Line::is_ready);
                lines.iter().any(is_asked)
                    && !(is_ready && began.elapsed() > Duration::from_secs(1))
            });
            if let Some(words) = self.hopeless() {
                self.tasks
                    .retain(|task, entry| task.batch != batch.name || entry.holds());
                return Err(SubmissionError::Refused(words));
            }
        }
        self.hear(Duration::ZERO, |_| false);
        self.allot();
        for number in 0..self.lines.len() {
            self.dispatch(number, false);
        }
        Ok(())
    }

    fn list(&mut self, batches: &BTreeSet<String>) -> Result<BTreeMap<Task, TaskState>, String> {
        for name in batches {
            self.take_up(name);
        }
        self.known.retain(|name| batches.contains(name));
        self.tasks
            .retain(|task, entry| batches.contains(&task.batch) || entry.holds());
        self.hear(Duration::ZERO, |_| false);
        let has_waiting = self.tasks.values().any(Entry::is_waiting);
        for number in 0..self.lines.len() {
            let is_wanted = has_waiting && !self.lines[number].is_ready();
            self.dispatch(number, is_wanted);
        }
        self.hear(LISTING, |lines| {
            lines.iter().any(|line| line.is_busy && line.is_ready())
        });
        self.give_up();
        self.allot();
        // Those that got something are told at once.
        for number in 0..self.lines.len() {
            let host = self.lines[number].host.clone();
            let mut entries = self.tasks.values();
            if entries.any(|entry| entry.is_on(&host) && entry.part() == Part::Start) {
                self.dispatch(number, false);
            }
        }
        let nowhere = {
            let troubles: Vec<String> = self.lines.iter().filter_map(Line::trouble).collect();
            (troubles.len() == self.lines.len()).then(|| troubles.join("; "))
        };
        let is_hopeless = self.hopeless().is_some();
        let states = self.tasks.iter().map(|(task, entry)| {
            let trouble = match &entry.place {
                Some(place) => self.trouble_of(&place.host),
                None => nowhere.clone(),
            };
            (task.clone(), entry.state(trouble, is_hopeless))
        });
        Ok(states.collect())
    }

    fn cancel(&mut self, tasks: &[Task]) -> Result<(), String> {
        let latest = self.latest();
        let mut hosts = BTreeSet::new();
        for task in tasks {
            let Some(entry) = self.tasks.get_mut(task) else {
                continue;
            };
            if entry.is_waiting() {
                entry.withdrawn = Some(TaskEnd::Cancelled);
            } else if entry.holds() && latest[&entry.run] == *task && !entry.look_here() {
                entry.stop = true;
                hosts.extend(entry.place.as_ref().map(|place| place.host.clone()));
            }
        }
        let deadline = Instant::now() + PATIENCE / 2;
        let is_of = |line: &Line| hosts.contains(&line.host.name);
        let numbers: Vec<usize> = (0..self.lines.len())
            .filter(|&at| is_of(&self.lines[at]))
            .collect();
        // Also those that are busy with another message; those that are out of reach hear it later.
        let left = || deadline.saturating_duration_since(Instant::now());
        for is_second in [false, true] {
            if is_second {
                for &number in &numbers {
                    if self.lines[number].is_ready() {
                        self.dispatch(number, false);
                    }
                }
            }
            self.hear(left(), |lines| {
                lines
                    .iter()
                    .any(|line| line.is_busy && line.is_ready() && is_of(line))
            });
        }
        Ok(())
    }

    fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }
}

/// What was given up is stopped if its host can be reached by now; connections that are kept open
/// are of no use to anybody else.
impl Drop for Ssh {
    fn drop(&mut self) {
        let mut hosts = BTreeSet::new();
        for entry in self.tasks.values_mut() {
            if let Some(place) = entry.place.as_ref().filter(|place| !place.free)
                && (entry.stop || place.end.is_some())
            {
                hosts.insert(place.host.clone());
                entry.stop = true;
            }
        }
        let is_of = |line: &Line| hosts.contains(&line.host.name);
        for number in 0..self.lines.len() {
            if is_of(&self.lines[number]) && !self.lines[number].is_busy {
                self.send(number, false);
            }
        }
        self.hear(LAST, |lines| {
            lines.iter().any(|line| line.is_busy && is_of(line))
        });
        let called = self
            .lines
            .iter()
            .filter(|line| line.acquaintance > Acquaintance::None);
        thread::scope(|scope| {
            for line in called {
                scope.spawn(|| self.way.hang_up(&line.host));
            }
        });
        if let Some(sockets) = &self.way.sockets {
            let _ = fs::remove_dir_all(&sockets.path);
        }
    }
}
