//! Directories of a study's state that are links, or on a disk of their own: what others have there
//! is told apart from what is this study's.

use super::RunError;
use crate::file_error::FileError;
use crate::{private, study::Study};
use serde::{Deserialize, Serialize};
use std::{fs, io, io::Write, os::unix::fs::MetadataExt, path::Path};

/// Directories of a study's state that a user may move to a larger disk. Runs in them are known by
/// their names, which runs of another study may have as well. Checkpoints have their own check.
const MOVABLE: [&str; 3] = ["runs", "workers", "batches"];

/// Name of the file that marks a directory with the study that it belongs to.
const MARK: &str = ".fiesta.json";

/// Content of a mark in a directory: the study to which the directory belongs, and the id of its state.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) study: String,
    pub(super) id: String,
}

/// Marks the directories that are on another disk as those of the study with this state's id.
///
/// # Errors
/// [`RunError::File`] if one bears the mark of another study, or cannot be marked.
pub(super) fn mark(study: &Study, id: &str) -> Result<(), RunError> {
    let state = study.state_directory();
    let own = Mark {
        study: study.name().to_owned(),
        id: id.to_owned(),
    };
    for name in MOVABLE {
        let path = state.join(name);
        if is_elsewhere(&state, &path) {
            mark_one(&path, &own).map_err(FileError::of("use", &path))?;
        }
    }
    Ok(())
}

/// Returns whether `path` exists and is a link, or lies on another device than the state directory.
fn is_elsewhere(state: &Path, path: &Path) -> bool {
    let device = |path: &Path| fs::metadata(path).map(|status| status.dev());
    match (device(state), device(path)) {
        (Ok(own), Ok(other)) => own != other || path.is_symlink(),
        // A link that leads nowhere is for whoever writes there to tell.
        _ => false,
    }
}

fn mark_one(directory: &Path, own: &Mark) -> io::Result<()> {
    let path = directory.join(MARK);
    match private::create_new(&path) {
        Ok(mut file) => return file.write_all(&serde_json::to_vec(own)?),
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {}
    }
    let found = private::read(&path)?;
    match serde_json::from_slice::<Mark>(&found) {
        Ok(mark) if mark.id == own.id => Ok(()),
        // Torn by a kill before anything else was written there.
        Err(_) if found.is_empty() => private::write(&path, serde_json::to_vec(own)?),
        Ok(mark) => Err(io::Error::other(format!(
            "by its file {MARK}, it is that of another study, {}, whose runs would be mixed up with this one's: give each study a directory of its own",
            mark.study
        ))),
        Err(error) => Err(io::Error::other(format!(
            "its file {MARK}, which says whose it is, cannot be read: {error}"
        ))),
    }
}
