//! Packing: the directories of ended runs are moved into the archive, by a thread beside the loop.
//!
//! A run is packed when the end of its evaluation is in the ledger and on the disk, and nobody
//! attends to the run any more. Its directory is removed when the archive has it, on the disk.
//! Nothing that goes wrong here stops a study: runs then stay in their directories.

mod packer;
mod retention;

use super::observer::Observer;
use crate::{
    archive::{self, Archive},
    history::History,
    ledger::Entry,
    run::{RunId, worth_keeping},
    signal::Signals,
    study::Study,
};
use fiesta_core::{EvaluationId, Outcome};
use packer::Packer;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How often it is looked whether the rest is packed.
const LOOK: Duration = Duration::from_millis(2);
/// When it is said that this is waited for.
const NEWS: Duration = Duration::from_secs(2);

/// An evaluation that has ended: all its attempts can be packed.
#[derive(Debug, Clone, Copy)]
struct EndedEvaluation {
    id: EvaluationId,
    /// The number of its last attempt, from 0.
    attempt: u32,
    failed: bool,
}

/// What the thread needs. A study with no more runs than are kept as they are needs no thread.
struct Idle {
    packer: Packer,
    ended: BTreeMap<EvaluationId, bool>,
    ordered: Receiver<Vec<EndedEvaluation>>,
    tell: Sender<String>,
}

/// A session's side of packing.
pub(super) struct Packing {
    state_directory: PathBuf,
    /// Ended in turns that may not be on the disk yet.
    waiting: Vec<EndedEvaluation>,
    orders: Option<Sender<Vec<EndedEvaluation>>>,
    notices: Receiver<String>,
    stop: Arc<AtomicBool>,
    /// The thread before it is started; none afterwards.
    idle: Option<Idle>,
    thread: Option<JoinHandle<()>>,
    /// How many evaluations have ended.
    ended: usize,
    /// Runs in the archive whose evaluations have not ended: the ledger is an older one, or another
    /// one.
    orphans: BTreeSet<String>,
}

impl Packing {
    /// Begins to pack what earlier sessions left, and then what ends in this one. Everything in
    /// `history` is on the disk.
    pub(super) fn begin(study: &Study, history: &History) -> Self {
        let (tell, notices) = mpsc::channel();
        let (orders, ordered) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let ended: BTreeMap<EvaluationId, bool> = history
            .records
            .values()
            .filter(|record| record.origin.is_none())
            .filter_map(|record| {
                Some((
                    record.evaluation.id,
                    is_failure(&record.ending.as_ref()?.outcome),
                ))
            })
            .collect();
        let count = ended.len();
        let (orphans, idle) = match orphans(study, &ended) {
            Ok(orphans) => {
                let packer = Packer::new(study, tell.clone(), Arc::clone(&stop));
                let idle = Idle {
                    packer,
                    ended,
                    ordered,
                    tell,
                };
                (orphans, Some(idle))
            }
            Err(error) => {
                say_left(&tell, &error);
                (BTreeSet::new(), None)
            }
        };
        let mut packing = Self {
            state_directory: study.state_directory(),
            waiting: Vec::new(),
            orders: Some(orders),
            notices,
            stop,
            idle,
            thread: None,
            ended: count,
            orphans,
        };
        packing.start_if_needed();
        packing
    }

    /// Starts the thread once there may be something to pack.
    fn start_if_needed(&mut self) {
        if self.ended <= retention::LAST {
            return;
        }
        if let Some(idle) = self.idle.take() {
            let Idle {
                packer,
                ended,
                ordered,
                tell,
            } = idle;
            let thread = thread::Builder::new().name("packing".to_owned());
            match thread.spawn(move || packer.work(ended, &ordered)) {
                Ok(thread) => self.thread = Some(thread),
                Err(error) => say_left(&tell, &error),
            }
        }
    }

    /// Takes in which evaluations ended in a turn; `on_disk` says whether that turn is on the disk,
    /// and with it all before it.
    pub(super) fn take_in(&mut self, turn: &[Entry], on_disk: bool) {
        self.waiting
            .extend(turn.iter().filter_map(ended_evaluation));
        if on_disk && !self.waiting.is_empty() {
            let waiting = std::mem::take(&mut self.waiting);
            self.ended += waiting.len();
            self.start_if_needed();
            // A thread that has ended has said why.
            let _ = self.orders.as_ref().map(|orders| orders.send(waiting));
        }
    }

    /// What there is to say, if anything.
    pub(super) fn notice(&mut self) -> Option<String> {
        self.notices.try_recv().ok()
    }

    /// Puts a run back into its directory that is packed and asked for again.
    ///
    /// # Errors
    /// If its files cannot be written; it is then still packed.
    pub(super) fn unpack(&mut self, id: &RunId, directory: &Path) -> io::Result<Option<String>> {
        if self.orphans.is_empty() || directory.exists() || !self.orphans.contains(id.as_str()) {
            return Ok(None);
        }
        let found = Archive::open_to_read(&self.state_directory)
            .and_then(|archive| archive.map_or(Ok(None), |archive| archive.get(id.as_str())));
        let notice = match found {
            Ok(Some(files)) => {
                // A directory that has the name of a run is whole.
                let part = directory.with_file_name(format!(".unpacked-{id}"));
                match fs::remove_dir_all(&part) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
                files.write(&part, files.end().as_ref().is_some_and(worth_keeping))?;
                fs::rename(&part, directory)?;
                None
            }
            Ok(None) => None,
            Err(error) => Some(error.to_string()),
        };
        self.orphans.remove(id.as_str());
        Ok(notice)
    }

    /// No further evaluation ends: packs the rest, unless somebody asks to stop.
    pub(super) fn finish(&mut self, signals: &mut Signals, observer: &mut dyn Observer) {
        self.orders = None;
        let before = signals.received();
        let began = Instant::now();
        let mut was_told = false;
        while self
            .thread
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
            && signals.received() == before
        {
            if began.elapsed() >= NEWS && !std::mem::replace(&mut was_told, true) {
                observer.notice(
                    "packing the directories of ended runs; Ctrl-C leaves the rest for the next time",
                );
            }
            thread::sleep(LOOK);
        }
        if let Some(news) = self.notice() {
            observer.notice(&news);
        }
    }
}

/// What is not packed yet is left to the next session.
impl Drop for Packing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.orders = None;
        // One that panicked has packed nothing more; what it removed is in the archive.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Says that nothing is packed in this session, and why.
fn say_left(tell: &Sender<String>, error: &impl std::fmt::Display) {
    // The receiver is there as long as anybody says something.
    let _ = tell.send(format!("{}: {error}", packer::LEFT));
}

fn is_failure<O>(outcome: &Outcome<O>) -> bool {
    matches!(outcome, Outcome::Failed)
}

fn ended_evaluation(entry: &Entry) -> Option<EndedEvaluation> {
    match entry {
        Entry::Ended {
            evaluation,
            attempt,
            outcome,
            ..
        } => Some(EndedEvaluation {
            id: *evaluation,
            attempt: *attempt,
            failed: is_failure(outcome),
        }),
        _ => None,
    }
}

/// The runs in a study's archive whose evaluations have not ended.
fn orphans(
    study: &Study,
    ended: &BTreeMap<EvaluationId, bool>,
) -> Result<BTreeSet<String>, archive::ArchiveError> {
    let Some(archive) = Archive::open_to_read(&study.state_directory())? else {
        return Ok(BTreeSet::new());
    };
    let names = archive.names()?.into_iter();
    let is_orphan = |name: &String| {
        let own = OwnName::parse(study.name(), name);
        own.is_some_and(|own| own.is_of_run() && !ended.contains_key(&own.evaluation))
    };
    Ok(names.filter(is_orphan).collect())
}

/// The name of a directory that a run of a study has, or had before it was moved aside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct OwnName {
    evaluation: EvaluationId,
    attempt: u32,
    /// What was added to the name when the run was moved aside as another study's; empty if it was
    /// not.
    aside: String,
}

impl OwnName {
    fn parse(study: &str, name: &str) -> Option<Self> {
        let number = name.strip_prefix(study)?.strip_prefix('-')?;
        let (run, aside) = match number.find('.') {
            Some(dot) => number.split_at(dot),
            None => (number, ""),
        };
        let (evaluation, attempt) = run.split_once("-a")?;
        let own = Self {
            evaluation: EvaluationId(evaluation.parse().ok()?),
            attempt: attempt.parse().ok()?,
            aside: aside.to_owned(),
        };
        (own.is_of_run() || own.aside.starts_with(ASIDE)).then_some(own)
    }

    fn is_of_run(&self) -> bool {
        self.aside.is_empty()
    }
}

/// What is added to the name of a run that is not this study's.
pub(super) const ASIDE: &str = ".stranger-";

#[cfg(test)]
mod tests;
