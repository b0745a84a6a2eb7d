//! The directories for checkpoints: one for each evaluation, which all of its attempts share.
//!
//! An attempt that lost its place (preempted, its node failed, its machine was started anew,
//! stopped with Ctrl-C) is followed by another one, which finds there what the one before had
//! saved. Once the evaluation has an outcome nobody needs it any more.

use crate::{
    executor::SubmitError,
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

/// Makes the directory that the command of a run finds in `FIESTA_CHECKPOINT`.
pub(super) fn place(spec: &RunSpec) -> Result<(), SubmitError> {
    let Some(path) = spec
        .variable(JobVariable::Checkpoint.name())
        .map(PathBuf::from)
    else {
        return Ok(());
    };
    let above = path.parent().map_or(Ok(()), private::ensure_dir);
    above
        .and_then(|()| private::ensure_dir(&path))
        .map_err(|source| SubmitError::Directory { path, source })
}

/// Removes the checkpoints of an evaluation that has its outcome.
pub(super) fn remove(study: &Study, evaluation: EvaluationId) {
    // What stays takes room and does no harm; the next session tries again.
    let _ = remove_whole(&study.checkpoint_directory(evaluation));
}

/// Removes the checkpoints that a killed controller left of evaluations which have their outcome,
/// and the directory of all of them if it is empty then.
pub(super) fn sweep(study: &Study, pending: impl Iterator<Item = EvaluationId>) {
    let all = study.checkpoints_directory();
    let kept: BTreeSet<PathBuf> = pending.map(|id| study.checkpoint_directory(id)).collect();
    for entry in fs::read_dir(&all).into_iter().flatten().flatten() {
        if !kept.contains(&entry.path()) {
            let _ = remove_whole(&entry.path());
        }
    }
    let _ = fs::remove_dir(&all);
}

/// Removes a directory with all that is in it; the empty ones of most jobs in one step.
fn remove_whole(path: &Path) -> io::Result<()> {
    match fs::remove_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => fs::remove_dir_all(path),
        _ => Ok(()),
    }
}
