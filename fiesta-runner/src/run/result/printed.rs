//! The output of a run's command: its files, or the end of its run if the disk had no room for it.

use super::{NoScore, text::Tail};
use crate::run::{Ended, Rescued, RunDirectory};
use std::path::{Path, PathBuf};

/// What a run's command printed, and what it wrote as its result.
pub(super) struct Printed<'a> {
    directory: RunDirectory,
    rescued: Option<&'a Rescued>,
}

impl<'a> Printed<'a> {
    /// As it is in the run's directory.
    pub(super) fn in_files(directory: &Path) -> Self {
        Self {
            directory: RunDirectory::new(directory),
            rescued: None,
        }
    }

    /// As it is in the run's directory and in its end.
    pub(super) fn of(directory: &Path, ended: &'a Ended) -> Self {
        Self {
            rescued: ended.rescued.as_ref(),
            ..Self::in_files(directory)
        }
    }

    pub(super) fn result(&self) -> PathBuf {
        self.directory.result()
    }

    pub(super) fn stdout(&self) -> Result<Tail, NoScore> {
        match self.rescued {
            Some(rescued) => Ok(Tail::of(&rescued.stdout)),
            None => Tail::read(&self.directory.stdout()),
        }
    }

    pub(super) fn stderr(&self) -> Result<Tail, NoScore> {
        match self.rescued {
            Some(rescued) => Ok(Tail::of(&rescued.stderr)),
            None => Tail::read(&self.directory.stderr()),
        }
    }

    /// What is to be said of a log that is not whole.
    pub(super) fn warning(&self) -> Option<String> {
        let rescued = self.rescued?;
        Some(format!(
            "the log in {} is not whole ({}); the last lines of it were kept elsewhere",
            self.directory.path().display(),
            rescued.reason
        ))
    }
}
