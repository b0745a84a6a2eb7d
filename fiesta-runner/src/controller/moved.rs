//! The check that a study's directory is still where the study was started.

use super::RunError;
use crate::held::{Held, is_absence};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Directory of a study's state, held open, with the path that every run was given.
pub(super) struct Place {
    path: PathBuf,
    /// The open directory. `None` if it had been moved away before it could be held.
    held: Option<Held>,
}

impl Place {
    pub(super) fn hold(path: PathBuf) -> Self {
        let held = Held::of(&path);
        Self { path, held }
    }

    /// Checks that the directory can still be found by its path.
    ///
    /// # Errors
    /// [`RunError::Moved`] if it was renamed, moved or removed, with the number of jobs that go on.
    pub(super) fn check(&self, left_running: usize) -> Result<(), RunError> {
        let is_there = match &self.held {
            Some(held) => held.is_at(&self.path),
            None => !fs::metadata(&self.path).is_err_and(|error| is_absence(&error)),
        };
        if is_there {
            return Ok(());
        }
        let now = self.held.as_ref().and_then(Held::now_at);
        let to = now.filter(|now| *now != self.path);
        Err(RunError::Moved {
            from: self.path.clone(),
            to,
            left_running,
        })
    }
}

/// Returns the advice for a user who moved a study while its controller ran.
pub(super) fn advice(to: Option<&Path>, left_running: usize) -> String {
    let jobs = match left_running {
        0 => String::new(),
        jobs => format!("; the {jobs} jobs that run go on"),
    };
    match to {
        Some(to) => format!(
            "and is now {}: nothing more is started{jobs}; the same command goes on there, and finds what ran",
            to.display()
        ),
        None => format!("and is gone: nothing more is started{jobs}"),
    }
}
