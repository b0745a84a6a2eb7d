//! The directories for checkpoints: one for each evaluation, which all of its attempts share.
//!
//! An attempt that lost its place (preempted, its node failed, its machine was started anew,
//! stopped with Ctrl-C) is followed by another one, which finds there what the one before had
//! saved. Once the evaluation has an outcome nobody needs it any more.
//!
//! `checkpoints` may be a link to a larger disk, on which others have directories of any name. All
//! checkpoints of a study are therefore in one directory below it, whose name ends with
//! the [id](crate::ledger::Ledger::state_id) of the study's state, and which bears a mark with that
//! id. Nothing outside that directory is removed, nor what a link in it leads to.

use super::elsewhere::Mark;
use crate::{
    executor::SubmitError,
    held::Held,
    private,
    run::{JobVariable, RunSpec},
    study::Study,
};
use fiesta_core::EvaluationId;
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

/// The file by which FIESTA knows a directory that it made.
const MARK: &str = "fiesta.json";

/// Directory in which the attempts of a study's evaluations save what the next attempts go on from.
#[derive(Debug)]
pub(super) struct Checkpoints {
    /// The directory of all checkpoints, which may be a link.
    all: PathBuf,
    /// The directory of this study's checkpoints, below the directory of all.
    own: PathBuf,
    mark: Mark,
    /// Handle of the study's own directory, once the directory is known to bear the study's mark.
    held: Option<Held>,
}

impl Checkpoints {
    /// The checkpoints of the study whose state has this id.
    pub(super) fn of(study: &Study, id: &str) -> Self {
        let all = study.state_directory().join("checkpoints");
        let (study, id) = (study.name().to_owned(), id.to_owned());
        Self {
            own: all.join(format!("{study}-{id}")),
            all,
            mark: Mark { study, id },
            held: None,
        }
    }

    /// Returns the directory in which the attempts at an evaluation save what the next one is to
    /// find.
    pub(super) fn directory(&self, evaluation: EvaluationId) -> PathBuf {
        self.own.join(name(evaluation))
    }

    /// Makes the directory that the command of a run finds in `FIESTA_CHECKPOINT`.
    pub(super) fn place(&mut self, spec: &RunSpec) -> Result<(), SubmitError> {
        let Some(path) = saved_in(spec) else {
            return Ok(());
        };
        let made = match private::ensure_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.begin().and_then(|()| private::ensure_dir(&path))
            }
            made => made,
        };
        made.map_err(|source| SubmitError::Directory { path, source })
    }

    /// Makes the directory of all checkpoints and marks it.
    fn begin(&mut self) -> io::Result<()> {
        private::ensure_dir(&self.all)?;
        private::ensure_dir(&self.own)?;
        // Whoever was killed before it was marked left it empty. One with something in it and no
        // mark is used, and nothing is ever removed from it.
        if fs::read_dir(&self.own)?.next().is_none() {
            private::write(&self.own.join(MARK), serde_json::to_vec(&self.mark)?)?;
        }
        self.held = None;
        Ok(())
    }

    /// Removes the checkpoints of an evaluation that has its outcome.
    pub(super) fn remove(&mut self, evaluation: EvaluationId) {
        if let Some(way) = self.way() {
            // What stays takes room and does no harm; the next session tries again.
            let _ = remove_whole(&way.join(name(evaluation)));
        }
    }

    /// Removes the checkpoints that a killed controller left of evaluations which have their
    /// outcome, and the directory of all of them if it is empty then.
    pub(super) fn sweep(&mut self, pending: impl Iterator<Item = EvaluationId>) {
        let Some(way) = self.way() else {
            return;
        };
        let kept: BTreeSet<String> = pending.map(name).collect();
        let mut is_empty = true;
        for entry in fs::read_dir(way).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_of_evaluation = name.parse::<u64>().is_ok() && !kept.contains(&name);
            let is_removed = is_of_evaluation && remove_whole(&entry.path()).is_ok();
            is_empty &= is_removed || name == MARK;
        }
        if is_empty {
            let _ = fs::remove_file(way.join(MARK));
            self.held = None;
            let _ = fs::remove_dir(&self.own);
            let _ = fs::remove_dir(&self.all);
        }
    }

    /// Returns the path of this study's checkpoints. `None` if they do not exist, or are not known
    /// to be this study's.
    fn way(&mut self) -> Option<&Path> {
        if self.held.is_none() {
            self.held = self.hold();
        }
        self.held.as_ref().map(Held::way)
    }

    fn hold(&self) -> Option<Held> {
        let held = Held::of_no_link(&self.own)?;
        let mark = private::read(&held.way().join(MARK)).ok()?;
        let mark: Mark = serde_json::from_slice(&mark).ok()?;
        (mark.id == self.mark.id).then_some(held)
    }
}

/// The name of an evaluation's directory.
fn name(evaluation: EvaluationId) -> String {
    (evaluation.0 + 1).to_string()
}

/// Returns the directory that the environment of a run names in `FIESTA_CHECKPOINT`, if any.
fn saved_in(spec: &RunSpec) -> Option<PathBuf> {
    let path = spec.variable(JobVariable::Checkpoint.name());
    path.map(PathBuf::from)
}

/// Makes the directory for the checkpoints of a trial's run, in that of the run.
pub(super) fn place_in_run(spec: &RunSpec) -> Result<(), SubmitError> {
    let Some(path) = saved_in(spec) else {
        return Ok(());
    };
    let above = path.parent().map_or(Ok(()), private::ensure_dir);
    above
        .and_then(|()| private::ensure_dir(&path))
        .map_err(|source| SubmitError::Directory { path, source })
}

/// Removes a directory with all that is in it; the empty ones of most jobs in one step. Of a link,
/// also of one in it, the link alone is removed.
fn remove_whole(path: &Path) -> io::Result<()> {
    match fs::remove_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => fs::remove_dir_all(path),
        _ => Ok(()),
    }
}
