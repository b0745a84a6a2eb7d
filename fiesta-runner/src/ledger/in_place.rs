//! The check that the files that a controller writes still have their names. One that was deleted
//! or replaced can be written as before, and nobody who looks for it would find what is written.

use super::{Ledger, LedgerError};
use crate::{clock, private, run::files::with_suffix};
use std::{
    cell::Cell,
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Interval at which the files' names are checked while nothing is written.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Identity of the file that has a name: its device and its number there.
type Which = (u64, u64);

/// The files of a ledger that is open.
#[derive(Debug)]
pub(super) struct InPlace {
    database: Option<Which>,
    /// Device and number of the log's file. `None` until it is made, when it is first needed.
    log: Cell<Option<Which>>,
    looked: Cell<Instant>,
}

impl InPlace {
    /// Notes which files have the ledger's names now.
    pub(super) fn of(path: &Path) -> Self {
        Self {
            database: which(path).ok(),
            log: Cell::new(which(&log(path)).ok()),
            looked: Cell::new(clock::now()),
        }
    }
}

pub(super) fn log(path: &Path) -> PathBuf {
    path.with_extension("db-wal")
}

fn which(path: &Path) -> io::Result<Which> {
    let status = fs::symlink_metadata(path)?;
    Ok((status.dev(), status.ino()))
}

/// Whether the file at a path is another one than `own`, or missing. Returns false if the path
/// cannot be examined.
fn is_gone(path: &Path, own: Which) -> bool {
    match which(path) {
        Ok(found) => found != own,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

impl Ledger {
    /// Checks that the ledger and its lock were not removed or replaced, at most every two seconds.
    ///
    /// # Errors
    /// [`LedgerError::Replaced`] if not, with the number of jobs that go on.
    pub(crate) fn is_in_place_by_now(&self, left_running: usize) -> Result<(), LedgerError> {
        if clock::since(self.in_place.looked.get()) < LOOK_EVERY {
            return Ok(());
        }
        self.is_in_place(left_running)
    }

    /// Checks at once that the ledger and its lock were not removed or replaced.
    ///
    /// # Errors
    /// As [`is_in_place_by_now`](Self::is_in_place_by_now).
    pub(crate) fn is_in_place(&self, left_running: usize) -> Result<(), LedgerError> {
        let path = &self.path;
        let directory = path.parent().unwrap_or(Path::new(""));
        let in_place = &self.in_place;
        in_place.looked.set(clock::now());
        let log = log(path);
        let gone = if in_place.database.is_some_and(|own| is_gone(path, own)) {
            path.clone()
        } else if in_place.log.get().is_some_and(|own| is_gone(&log, own)) {
            log
        } else if !self.lock.is_in_place(directory) {
            directory.join("lock")
        } else {
            if in_place.log.get().is_none() {
                in_place.log.set(which(&log).ok());
            }
            return Ok(());
        };
        Err(LedgerError::Replaced {
            path: path.clone(),
            file: gone,
            left_running,
        })
    }

    /// Writes the ledger's content to another file beside it. `None` if that fails.
    pub(crate) fn rescue(&self) -> Option<PathBuf> {
        let copy = with_suffix(&self.path, &format!(".rescued-{}", std::process::id()));
        // SQLite fills an empty file, and would give another one more permissions.
        private::create_new(&copy).ok()?;
        let written = self
            .connection
            .execute("VACUUM INTO ?1", [copy.to_string_lossy()]);
        if written.is_ok() {
            return Some(copy);
        }
        let _ = fs::remove_file(&copy);
        None
    }
}

/// Returns the message about a replaced file, with advice.
pub(super) fn words(path: &Path, file: &Path, left_running: usize) -> String {
    let jobs = match left_running {
        0 => String::new(),
        jobs => format!("; the {jobs} jobs that run go on, and are found again"),
    };
    let (what, advice) = if file == path || file == log(path) {
        (
            "what is written to it would be lost",
            "put the file back if you have it, and run the study again",
        )
    } else {
        (
            "another controller could run the study at the same time",
            "stop any other `fiesta run` of this study, and run it again",
        )
    };
    format!(
        "{} was deleted or replaced while the study ran, and {what}: nothing more is started{jobs}. {advice}",
        file.display()
    )
}
