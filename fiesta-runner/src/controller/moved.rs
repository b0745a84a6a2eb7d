//! The check that a study's directory is still where the study was started.

use super::RunError;
use rustix::fs::{Mode, OFlags, fstat, open};
use std::{
    fs, io,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::fs::MetadataExt,
    },
    path::{Path, PathBuf},
};

/// The directory of a study's state, held open, and the path that every run is told.
pub(super) struct Place {
    path: PathBuf,
    /// None if it had been moved away before it could be held.
    held: Option<OwnedFd>,
}

impl Place {
    pub(super) fn hold(path: PathBuf) -> Self {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let held = open(&path, flags, Mode::empty()).ok();
        Self { path, held }
    }

    /// Whether the directory can still be found by its path.
    ///
    /// # Errors
    /// [`RunError::Moved`] if it was renamed, moved or removed, with the number of jobs that go on.
    pub(super) fn check(&self, left_running: usize) -> Result<(), RunError> {
        let own = self.held.as_ref().and_then(|held| fstat(held).ok());
        let is_gone = match (fs::metadata(&self.path), &own) {
            (Ok(named), Some(own)) => (named.dev(), named.ino()) != (own.st_dev, own.st_ino),
            (Ok(_), None) => false,
            (Err(error), _) => matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
        };
        if !is_gone {
            return Ok(());
        }
        let is_removed = own.is_none_or(|own| own.st_nlink == 0);
        let held = self.held.as_ref().filter(|_| !is_removed);
        let now = held.and_then(|held| {
            let way = format!("/proc/self/fd/{}", held.as_raw_fd());
            fs::read_link(way).ok()
        });
        let to = now.filter(|now| *now != self.path);
        Err(RunError::Moved {
            from: self.path.clone(),
            to,
            left_running,
        })
    }
}

/// What to do after a study was moved away from under its controller.
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
