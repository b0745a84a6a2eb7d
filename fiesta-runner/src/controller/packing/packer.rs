//! The thread that packs ended runs: its choice of runs, and the removal of their directories.

use super::{EndedRun, retention::Kept};
use crate::{
    executor::is_free,
    ledger::Piece,
    run::{RunDirectory, RunFiles},
};
use fiesta_core::EvaluationId;
use std::{
    collections::{BTreeMap, VecDeque},
    fs, mem,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender},
    },
};

/// Number of ended runs from which packing starts, and the most that are packed at once.
const BATCH: usize = 500;

/// Prefix of directory names whose runs are packed, until the directories are removed.
const PACKED: &str = ".packed-";

/// Suffix of a run's directory that belongs to another study and was moved out of the way.
pub(in crate::controller) const ASIDE: &str = ".stranger-";

/// Packs the runs of one session.
pub(super) struct Packer {
    pub(super) study: String,
    /// The directory with the directories of the study's runs.
    pub(super) runs: PathBuf,
    /// Evaluations that had ended before this session, each with whether it failed.
    pub(super) before: BTreeMap<EvaluationId, bool>,
    /// Receives runs that have ended from the loop.
    pub(super) ended: Receiver<Vec<EndedRun>>,
    /// Sends pieces of packed runs to the loop that writes them.
    pub(super) pieces: Sender<Piece>,
    /// Receives from the loop whether it has written a piece.
    pub(super) written: Receiver<bool>,
    /// Whether the session ends, so that unpacked runs are left to the next one.
    pub(super) stop: Arc<AtomicBool>,
    pub(super) kept: Kept,
    /// Runs that can be packed, the first to end first.
    pub(super) ready: VecDeque<String>,
    /// Number of runs that could not be packed. The next try waits for [`BATCH`] more.
    pub(super) stayed: usize,
}

impl Packer {
    /// Packs the runs that earlier sessions left, then those that end, until no more will.
    pub(super) fn work(mut self) {
        self.take_stock();
        loop {
            while self.ready.len() >= self.stayed + BATCH && self.pack() {}
            let Ok(runs) = self.ended.recv() else {
                break;
            };
            self.add(runs);
        }
        while !self.ready.is_empty() && self.pack() {}
    }

    /// Lists the directories of runs, and removes those whose runs are packed already.
    fn take_stock(&mut self) {
        let ended = mem::take(&mut self.before);
        let Ok(entries) = fs::read_dir(&self.runs) else {
            return;
        };
        let mut found = Vec::new();
        for entry in entries.flatten() {
            if self.is_to_stop() {
                return;
            }
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let packed = name.strip_prefix(PACKED);
            if packed.is_some_and(|run| parsed(&self.study, run).is_some()) {
                // It is tried again by the next session.
                let _ = fs::remove_dir_all(entry.path());
            } else if let Some((id, attempt, is_aside)) = parsed(&self.study, &name) {
                let failed = ended.get(&id).filter(|_| !is_aside);
                if is_aside || failed.is_some() {
                    found.push((id, attempt, name, failed == Some(&true)));
                }
            }
        }
        found.sort();
        self.add(found.into_iter().map(|(.., name, failed)| (name, failed)));
    }

    /// Adds ended runs. The latest of them, and some that failed, stay unpacked.
    fn add(&mut self, runs: impl IntoIterator<Item = EndedRun>) {
        for (run, failed) in runs {
            self.ready.extend(self.kept.add(run, failed));
        }
    }

    fn is_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Packs the next runs. Returns false if they could not be packed: they are tried again when as
    /// many more have ended, or in the next session.
    fn pack(&mut self) -> bool {
        let (mut piece, mut packed, mut looked_at) = (Piece::default(), Vec::new(), 0);
        for name in self.ready.iter().take(BATCH) {
            if self.is_to_stop() {
                return false;
            }
            if piece.is_full() {
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
                piece.add(name, &files);
                packed.push(name.clone());
            }
        }
        if !packed.is_empty() && !self.is_written(piece) {
            self.stayed = self.ready.len();
            return false;
        }
        self.stayed = 0;
        self.ready.drain(..looked_at);
        for name in packed {
            // What has the name of a run is whole at any instant.
            let leaving = self.runs.join(format!("{PACKED}{name}"));
            // One that stays is looked at again by the next session, and then removed.
            if fs::rename(self.runs.join(name), &leaving).is_ok() {
                let _ = fs::remove_dir_all(&leaving);
            }
        }
        true
    }

    /// Has a piece written to the ledger. Returns whether it is on the disk.
    fn is_written(&self, piece: Piece) -> bool {
        self.pieces.send(piece.compressed()).is_ok() && self.written.recv() == Ok(true)
    }
}

/// Parses the name of a run's directory into evaluation, attempt, and whether the run was moved
/// aside as another study's. `None` for other names.
fn parsed(study: &str, name: &str) -> Option<(EvaluationId, u32, bool)> {
    let number = name.strip_prefix(study)?.strip_prefix('-')?;
    let (run, is_aside) = match number.split_once(ASIDE) {
        Some((run, _)) => (run, true),
        None => (number, false),
    };
    let (evaluation, attempt) = run.split_once("-a")?;
    let evaluation = EvaluationId(evaluation.parse().ok()?);
    Some((evaluation, attempt.parse().ok()?, is_aside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_directory_stays_until_its_run_is_written() {
        let runs = tempfile::tempdir().unwrap();
        let run = runs.path().join("s-0-a0");
        fs::create_dir(&run).unwrap();
        fs::write(run.join("spec.json"), r#"{"id": "s-0-a0"}"#).unwrap();
        let (_orders, ended) = mpsc::channel();
        let (pieces, to_write) = mpsc::channel();
        let (answers, written) = mpsc::channel();
        let mut packer = Packer {
            study: "s".to_owned(),
            runs: runs.path().to_owned(),
            before: BTreeMap::new(),
            ended,
            pieces,
            written,
            stop: Arc::default(),
            kept: Kept::default(),
            ready: VecDeque::from(["s-0-a0".to_owned()]),
            stayed: 0,
        };
        answers.send(false).unwrap();
        assert!(!packer.pack() && run.is_dir());
        assert_eq!((packer.ready.len(), packer.stayed), (1, 1));
        answers.send(true).unwrap();
        assert!(packer.pack() && packer.ready.is_empty());
        assert_eq!(fs::read_dir(runs.path()).unwrap().count(), 0);
        assert_eq!(to_write.try_iter().count(), 2);
        // Nobody writes any more.
        fs::create_dir(&run).unwrap();
        fs::write(run.join("spec.json"), r#"{"id": "s-0-a0"}"#).unwrap();
        packer.ready.push_back("s-0-a0".to_owned());
        drop((to_write, answers));
        assert!(!packer.pack() && run.is_dir());
    }

    /// Tests that directories which cannot be packed do not hold up the end of the program.
    #[test]
    fn directories_that_cannot_be_packed_are_left_at_once_when_the_session_ends() {
        let (_orders, ended) = mpsc::channel();
        let (pieces, _to_write) = mpsc::channel();
        let (_answers, written) = mpsc::channel();
        let mut packer = Packer {
            study: "s".to_owned(),
            runs: PathBuf::from("/nowhere"),
            before: BTreeMap::new(),
            ended,
            pieces,
            written,
            stop: Arc::default(),
            kept: Kept::default(),
            ready: VecDeque::from(["s-0-a0".to_owned()]),
            stayed: 0,
        };
        packer.stop.store(true, Ordering::Relaxed);
        assert!(!packer.pack());
        assert_eq!(packer.ready.len(), 1);
        packer.stop.store(false, Ordering::Relaxed);
        assert!(packer.pack() && packer.ready.is_empty());
    }

    #[test]
    fn names_of_runs_are_told_from_others() {
        let parse = |name: &str| {
            parsed("my-study", name).map(|(id, attempt, is_aside)| (id.0, attempt, is_aside))
        };
        assert_eq!(parse("my-study-17-a0"), Some((17, 0, false)));
        assert_eq!(parse("my-study-17-a12"), Some((17, 12, false)));
        assert_eq!(
            parse("my-study-17-a0.stranger-1795355166"),
            Some((17, 0, true))
        );
        for other in [
            "my-study-17",
            "my-study-x-a0",
            "my-study-17-a",
            "my-study-17-a0.txt",
            "other-17-a0",
            ".packed-my-study-17-a0",
            "my-study-2-17-a0",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
