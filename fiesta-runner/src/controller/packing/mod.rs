//! Packing: the directories of ended runs are moved into the ledger's database.
//!
//! A thread beside the loop reads and compresses the files of runs whose evaluations have ended, if
//! nobody attends to the runs any more. The loop writes them to the ledger, whose connection it has
//! for itself; they are on the disk then, and so is the end of each of these evaluations, which was
//! written before. The thread removes the directories after that. Nothing that goes wrong here stops
//! a study: runs then stay in their directories.

mod packer;
mod retention;

use super::observer::Observer;
use crate::{
    history::History,
    ledger::{Entry, Ledger, Piece},
    run::RunId,
    signal::Signals,
    study::Study,
};
use fiesta_core::Outcome;
pub(super) use packer::ASIDE;
use packer::Packer;
use retention::Kept;
use std::{
    collections::{BTreeMap, VecDeque},
    fmt, mem,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Interval at which a session that ends looks whether all runs are packed.
const LOOK: Duration = Duration::from_millis(2);
/// Time after which the user learns that packing is waited for.
const NEWS: Duration = Duration::from_secs(2);

/// A run that can be packed, and whether its evaluation failed.
type EndedRun = (String, bool);

/// State of packing in a session: the packing thread, and the channels to it.
pub(super) struct Packing {
    study: String,
    /// Sends the packing thread the runs that have ended. `None` when no further one does.
    orders: Option<Sender<Vec<EndedRun>>>,
    /// Channels to the packing thread: pieces to write, and whether each was written. `None` when
    /// the session ends.
    pieces: Option<(Receiver<Piece>, Sender<bool>)>,
    /// The thread that packs, before it is started. `None` afterwards.
    idle: Option<Packer>,
    thread: Option<JoinHandle<()>>,
    /// Tells the packing thread to leave unpacked runs to the next session.
    stop: Arc<AtomicBool>,
    /// Number of evaluations that have ended.
    ended: usize,
    /// Message about packing for the user, if there is one.
    notice: Option<String>,
    was_told: bool,
}

impl Packing {
    /// Begins to pack what earlier sessions left, and then what ends in this one.
    pub(super) fn begin(study: &Study, history: &History) -> Self {
        let (orders, ordered) = mpsc::channel();
        let (pieces, to_write) = mpsc::channel();
        let (written, answers) = mpsc::channel();
        let stop = Arc::<AtomicBool>::default();
        let records = history.records.values();
        let before: BTreeMap<_, _> = records
            .filter(|record| record.origin.is_none())
            .filter_map(|record| {
                let ending = record.ending.as_ref()?;
                Some((record.evaluation.id, is_failure(&ending.outcome)))
            })
            .collect();
        let mut packing = Self {
            study: study.name().to_owned(),
            orders: Some(orders),
            pieces: Some((to_write, written)),
            ended: before.len(),
            idle: Some(Packer {
                study: study.name().to_owned(),
                runs: study.runs_directory(),
                before,
                ended: ordered,
                pieces,
                written: answers,
                stop: Arc::clone(&stop),
                kept: Kept::default(),
                ready: VecDeque::new(),
                stayed: 0,
            }),
            thread: None,
            stop,
            notice: None,
            was_told: false,
        };
        packing.start_if_needed();
        packing
    }

    /// Starts the packing thread once enough runs have ended that some may be packed.
    fn start_if_needed(&mut self) {
        if self.ended <= retention::LAST {
            return;
        }
        if let Some(packer) = self.idle.take() {
            let thread = thread::Builder::new().name("packing".to_owned());
            match thread.spawn(move || packer.work()) {
                Ok(thread) => self.thread = Some(thread),
                Err(error) => self.say_left(&error),
            }
        }
    }

    /// Tells the user once that ended runs are not packed, and why.
    fn say_left(&mut self, error: &dyn fmt::Display) {
        if !mem::replace(&mut self.was_told, true) {
            self.notice = Some(format!(
                "ended runs stay in their directories and are not packed: {error}"
            ));
        }
    }

    /// Passes the runs whose evaluations ended in a recorded turn to the packing thread.
    pub(super) fn take_in(&mut self, turn: &[Entry]) {
        let mut runs: Vec<EndedRun> = Vec::new();
        for entry in turn {
            if let Entry::Ended {
                evaluation,
                attempt,
                outcome,
                ..
            } = entry
            {
                self.ended += 1;
                let run = |attempt| RunId::new(&self.study, evaluation.0, attempt).ok();
                let failed = is_failure(outcome);
                let own = (0..=*attempt).filter_map(run);
                runs.extend(own.map(|run| (run.into(), failed)));
            }
        }
        if !runs.is_empty() {
            self.start_if_needed();
            // A thread that is not there any more packs nothing.
            let _ = self.orders.as_ref().map(|orders| orders.send(runs));
        }
    }

    /// Writes what the thread has compressed to the ledger. Returns what to tell the user. `None` if
    /// there is nothing to tell.
    pub(super) fn write(&mut self, ledger: &mut Ledger) -> Option<String> {
        if let Some((pieces, written)) = &self.pieces
            && let Ok(piece) = pieces.try_recv()
        {
            let packed = ledger.pack(&piece);
            let _ = written.send(packed.is_ok());
            if let Err(error) = packed {
                self.say_left(&error);
            }
        }
        self.notice.take()
    }

    /// Packs the rest of the runs, as no further evaluation ends, unless somebody asks to stop.
    pub(super) fn finish(
        &mut self,
        ledger: &mut Ledger,
        signals: &mut Signals,
        observer: &mut dyn Observer,
    ) {
        self.orders = None;
        let before = signals.received();
        let began = Instant::now();
        let mut was_told = false;
        loop {
            // Looked at first: whatever the thread has sent by its end is written.
            let is_over = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
            if let Some(news) = self.write(ledger) {
                observer.notice(&news);
            }
            if is_over || signals.received() != before {
                return;
            }
            if began.elapsed() >= NEWS && !mem::replace(&mut was_told, true) {
                observer.notice(
                    "packing the directories of ended runs; Ctrl-C leaves the rest for the next time",
                );
            }
            thread::sleep(LOOK);
        }
    }
}

/// Leaves the runs that are not packed yet to the next session.
impl Drop for Packing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.orders = None;
        self.pieces = None;
        // One that panicked has packed nothing more; what it removed is in the ledger.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn is_failure<O>(outcome: &Outcome<O>) -> bool {
    matches!(outcome, Outcome::Failed)
}
