//! The errors of ledgers, and what to do about them.

use super::{Holder, LockError, format::FORMAT, in_place};
use crate::{database::damage, private, shortage::is_disk_full};
use rusqlite::ErrorCode;
use rustix::process::{Resource, getrlimit};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The reason why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// Another process holds the ledger, or the lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The ledger or its directory cannot be used, or an entry could not be read again, so that
    /// nothing of the turn is written: why, and what to do.
    #[error("{0}")]
    Refused(String),
    /// A file of the ledger was removed or replaced while it was being written.
    #[error("{}", in_place::words(path, file, *left_running))]
    Replaced {
        /// The ledger's file.
        path: PathBuf,
        /// The file that was replaced or removed.
        file: PathBuf,
        /// Number of runs that go on without a controller.
        left_running: usize,
    },
    /// Another process is in a transaction, and no earlier consistent state can be read.
    #[error(
        "the ledger {} is locked by {}: nothing consistent can be read from it now; try again",
        path.display(),
        holder.as_ref().map_or_else(|| "another process".to_owned(), Holder::to_string)
    )]
    Busy {
        /// The ledger's file.
        path: PathBuf,
        /// The controller that runs the study, if there is one.
        holder: Option<Holder>,
    },
    /// The ledger does not exist yet, as its study is just being started.
    #[error("there is no ledger {} yet: the study is just being started by {holder}; try again", path.display())]
    Starting {
        /// The ledger's file.
        path: PathBuf,
        /// The controller that starts the study.
        holder: Holder,
    },
    /// The database refuses an access to the ledger.
    #[error("the ledger {}: {source}{}", path.display(), advice(path, source))]
    Database {
        /// The ledger's file.
        path: PathBuf,
        /// Why the database refuses the access.
        source: rusqlite::Error,
    },
    /// The ledger of this path does not exist.
    #[error("there is no ledger {}: the study was never run; `fiesta run` starts it", .0.display())]
    Missing(PathBuf),
    /// The file of the ledger does not contain what was written.
    #[error(
        "the ledger {} is damaged: {what}; it is left as it is. Put a copy of it back, or move it away if there is none: \
         the study then begins anew, and an evaluation that it chooses again counts as it ended, without being made again, if the directory of its run is still there",
        path.display()
    )]
    Damaged {
        /// The ledger's file.
        path: PathBuf,
        /// The damage, in words.
        what: String,
    },
    /// The table of packed runs does not contain what was written.
    #[error(
        "the table of packed runs in the ledger {} is damaged: {what}; it is left as it is. Scores and decisions are in another table, \
         and only what packed runs printed is lost. If ended runs cannot be packed any more, give the table another name: \
         ALTER TABLE packed RENAME TO damaged",
        path.display()
    )]
    Packed {
        /// The ledger's file.
        path: PathBuf,
        /// The damage of the table, in words.
        what: String,
    },
}

impl LedgerError {
    /// Makes the error of a directory that cannot be made or used.
    pub(super) fn directory(path: &Path, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                "there is a file of this name; move it away".to_owned()
            }
            _ => error.to_string(),
        };
        Self::Refused(format!(
            "cannot use the directory {} of the study: {why}",
            path.display()
        ))
    }

    /// Makes the error of a ledger's file that cannot be opened.
    pub(super) fn unopened(path: &Path, error: &io::Error) -> Self {
        let advice = if private::is_link(error) {
            private::NO_LINK
        } else {
            ""
        };
        Self::Refused(format!(
            "cannot open the ledger {}: {error}{advice}",
            path.display()
        ))
    }

    /// Makes the error of a ledger that has the format of another version.
    pub(super) fn format(path: &Path, found: i64) -> Self {
        Self::Refused(format!(
            "the ledger {} has format {found}, and this program knows format {FORMAT}: use the version of fiesta that wrote it",
            path.display()
        ))
    }

    /// Makes an error of the database, in our own words if these are clearer.
    pub(super) fn of(path: PathBuf, source: rusqlite::Error) -> Self {
        if let Some(what) = damage(&source) {
            return Self::Damaged { path, what };
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => match open(&path) {
                // The system says more than SQLite.
                Err(error) => Self::unopened(&path, &error),
                Ok(()) => Self::Database { path, source },
            },
            _ => Self::Database { path, source },
        }
    }
}

/// Opens a file as SQLite does, without following a link.
fn open(path: &Path) -> io::Result<()> {
    private::options().read(true).open(path).map(drop)
}

const FULL: &str = "; its disk is full: free some space there, and run the study again";

/// Returns advice on a database error, to be added to a sentence.
fn advice(path: &Path, error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => FULL,
        // SQLite does not say more. What the disk says to us is the same.
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen)
            if path.parent().is_some_and(is_disk_full) =>
        {
            FULL
        }
        Some(ErrorCode::ReadOnly) => {
            "; nothing can be written there: see its permissions, whether its disk was mounted read-only, as after an error (dmesg), and how many files may be open (ulimit -n)"
        }
        // The index of its log can be read, and not written.
        Some(ErrorCode::CannotOpen | ErrorCode::FileLockingProtocolFailed) => {
            "; see the permissions of its directory, and how many files may be open (ulimit -n)"
        }
        Some(ErrorCode::SystemIoFailure) if has_file_limit() => {
            "; it may be larger than a file may be here (ulimit -f), or its disk does not do as it should (dmesg may say why)"
        }
        Some(ErrorCode::SystemIoFailure) => {
            "; its disk does not do as it should (dmesg may say why)"
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "; another process has it locked and does not finish: stop that one"
        }
        _ => "",
    }
}

/// Whether the files that this process writes are limited in size.
fn has_file_limit() -> bool {
    getrlimit(Resource::Fsize).current.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi::{Error, SQLITE_CANTOPEN, SQLITE_PROTOCOL, SQLITE_READONLY};

    /// Tests that what SQLite says when too many files are open comes with that cause: the log's index,
    /// or the database, is then open for reading alone.
    #[test]
    fn a_file_that_could_not_be_opened_is_told_with_the_limit_of_open_files() {
        for code in [SQLITE_CANTOPEN, SQLITE_PROTOCOL, SQLITE_READONLY] {
            let error = LedgerError::Database {
                path: "/study.fiesta/ledger.db".into(),
                source: rusqlite::Error::SqliteFailure(Error::new(code), None),
            };
            assert!(error.to_string().contains("ulimit -n"), "{error}");
        }
    }
}
