//! Why a ledger cannot be used, and what to do about it.

use super::{LockError, format::FORMAT};
use rusqlite::ErrorCode;
use std::{io, path::PathBuf};

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// Another process holds it, or the lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The directory cannot be made.
    #[error("cannot create {}: {source}", path.display())]
    Directory {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The database refuses.
    #[error("the ledger {}: {source}{}", path.display(), advice(source))]
    Database {
        /// The ledger's file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// There is no ledger.
    #[error("there is no ledger {}: the study was never run; `fiesta run` starts it", .0.display())]
    Missing(PathBuf),
    /// The ledger was written by a later version.
    #[error(
        "the ledger {} has format {found}, this program knows formats up to {FORMAT}: use the version of fiesta that wrote it",
        path.display()
    )]
    Format {
        /// The ledger's file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// What an older ledger was cannot be kept beside the one that it is to become.
    #[error("cannot keep the old ledger as {}: {source}", path.display())]
    Copy {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What is in the file is not what was written.
    #[error(
        "the ledger {} is damaged: {what}; it is left as it is. Put a copy of it back, or move it away if there is none: \
         the study then begins anew, and an evaluation that it chooses again counts as it ended, without being made again",
        path.display()
    )]
    Damaged {
        /// The ledger's file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl LedgerError {
    /// An error of the database, in our words where they are clearer.
    pub(super) fn of(path: PathBuf, source: rusqlite::Error) -> Self {
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Damaged {
                path,
                what: "it is no SQLite database, or its beginning is overwritten".to_owned(),
            },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged {
                path,
                what: source.to_string(),
            },
            _ => Self::Database { path, source },
        }
    }
}

/// What to do, to be added to a sentence.
fn advice(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "; free some space on its disk, and run the study again",
        Some(ErrorCode::ReadOnly) => {
            "; nothing can be written there: see its permissions, and whether its disk was mounted read-only, as after an error (dmesg)"
        }
        Some(ErrorCode::SystemIoFailure) => {
            "; its disk does not do as it should (dmesg may say why)"
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "; another program reads it and does not finish: stop that one"
        }
        _ => "",
    }
}
