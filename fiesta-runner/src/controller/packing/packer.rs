//! The thread that packs ended runs: which of them, when, and how their directories go.

use super::{EndedEvaluation, OwnName, retention::Kept};
use crate::{
    archive::{Archive, ArchiveError, RunFiles},
    executor::is_free,
    run::{RunDirectory, RunId},
    study::Study,
};
use fiesta_core::EvaluationId;
use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, TryRecvError},
    },
};

/// Runs are packed when there are this many, or no further evaluation ends; and so many at once,
/// which is one wait for the disk.
const BATCH: usize = 500;
/// The most bytes that are added to the archive at once: they are in its journal as well.
const MOST_BYTES: usize = 64 << 20;

/// The beginning of the names that directories get whose runs are packed, until they are removed.
const PACKED: &str = ".packed-";

/// What is said when runs are not packed.
pub(super) const LEFT: &str = "ended runs stay in their directories and are not packed";

/// Packs the runs of one session.
pub(super) struct Packer {
    study: String,
    state_directory: PathBuf,
    runs: PathBuf,
    notices: Sender<String>,
    stop: Arc<AtomicBool>,
    archive: Option<Archive>,
    kept: Kept,
    /// Runs that can be packed, the first to end first.
    ready: VecDeque<String>,
    /// How many runs there must be before the next try.
    enough: usize,
    was_told: bool,
}

impl Packer {
    pub(super) fn new(study: &Study, notices: Sender<String>, stop: Arc<AtomicBool>) -> Self {
        Self {
            study: study.name().to_owned(),
            state_directory: study.state_directory(),
            runs: study.runs_directory(),
            notices,
            stop,
            archive: None,
            kept: Kept::default(),
            ready: VecDeque::new(),
            enough: BATCH,
            was_told: false,
        }
    }

    /// Packs what earlier sessions left of the evaluations that had ended, each with whether it
    /// failed; then those that end, until no further one does.
    pub(super) fn work(
        mut self,
        before: BTreeMap<EvaluationId, bool>,
        ended: &Receiver<Vec<EndedEvaluation>>,
    ) {
        self.take_stock(&before);
        drop(before);
        loop {
            let more = if self.ready.len() >= self.enough {
                ended.try_recv()
            } else {
                ended.recv().map_err(|_| TryRecvError::Disconnected)
            };
            match more {
                Ok(evaluations) => self.add(&evaluations),
                Err(TryRecvError::Empty) if self.is_stopped() => return,
                Err(TryRecvError::Empty) => {
                    if !self.pack() {
                        return;
                    }
                }
                Err(TryRecvError::Disconnected) => break,
            }
        }
        while !self.ready.is_empty() && !self.is_stopped() {
            let before = self.ready.len();
            if !self.pack() || self.ready.len() == before {
                return;
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Looks which directories there are, and finishes to remove those that are packed.
    fn take_stock(&mut self, ended: &BTreeMap<EvaluationId, bool>) {
        let Ok(entries) = fs::read_dir(&self.runs) else {
            return;
        };
        let mut found = Vec::new();
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let packed = name.strip_prefix(PACKED);
            if packed.is_some_and(|run| OwnName::parse(&self.study, run).is_some()) {
                // It is tried again by the next session.
                let _ = fs::remove_dir_all(entry.path());
            } else if let Some(own) = OwnName::parse(&self.study, &name)
                && (!own.is_of_run() || ended.contains_key(&own.evaluation))
            {
                found.push((own, name));
            }
            if self.is_stopped() {
                return;
            }
        }
        found.sort();
        for (own, name) in found {
            let failed = own.is_of_run() && ended.get(&own.evaluation) == Some(&true);
            self.ready.extend(self.kept.add(name, failed));
        }
    }

    fn add(&mut self, evaluations: &[EndedEvaluation]) {
        for ended in evaluations {
            for attempt in 0..=ended.attempt {
                if let Ok(run) = RunId::new(&self.study, ended.id.0, attempt) {
                    self.ready.extend(self.kept.add(run.into(), ended.failed));
                }
            }
        }
    }

    /// Packs the next batch. False if there is no use in trying it again in this session.
    fn pack(&mut self) -> bool {
        match self.pack_batch() {
            Ok(()) => {
                self.enough = BATCH;
                true
            }
            Err(error) => {
                if !std::mem::replace(&mut self.was_told, true) {
                    // Whoever does not listen any more has other worries.
                    let _ = self.notices.send(format!("{LEFT}: {error}"));
                }
                self.enough = self.ready.len() + BATCH;
                error.may_pass()
            }
        }
    }

    fn pack_batch(&mut self) -> Result<(), ArchiveError> {
        let archive = match &mut self.archive {
            Some(archive) => archive,
            none => none.insert(Archive::open(&self.state_directory)?),
        };
        let mut batch = archive.begin()?;
        let (mut packed, mut looked_at) = (Vec::new(), 0);
        for name in self.ready.iter().take(BATCH) {
            if batch.bytes() >= MOST_BYTES || self.stop.load(Ordering::Relaxed) {
                break;
            }
            looked_at += 1;
            let path = self.runs.join(name);
            // What cannot be packed now stays where it is; the next session looks at it again.
            if path.is_dir()
                && is_free(&RunDirectory::new(&path))
                && let Ok(Some(files)) = RunFiles::read(&path)
                && files.are_of(name)
            {
                batch.add(name, &files)?;
                packed.push(path);
            }
        }
        if !packed.is_empty() {
            batch.commit()?;
        }
        self.ready.drain(..looked_at);
        for path in packed {
            remove(&path);
        }
        Ok(())
    }
}

/// Removes the directory of a run that is packed. What has the name of a run is whole at any
/// instant.
fn remove(path: &Path) {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return;
    };
    let leaving = path.with_file_name(format!("{PACKED}{name}"));
    // One that stays is packed again by the next session, and then removed.
    if fs::rename(path, &leaving).is_ok() {
        let _ = fs::remove_dir_all(&leaving);
    }
}
