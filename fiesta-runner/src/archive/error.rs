//! Why the archive of ended runs cannot be used, and what to do about it.

use rusqlite::ErrorCode;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Why the archive of ended runs cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Its file cannot be made.
    #[error("cannot create the archive of ended runs {}: {source}", path.display())]
    File {
        /// The archive's file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The database refuses.
    #[error("the archive of ended runs {}: {source}", path.display())]
    Database {
        /// The archive's file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// It was written by a later version.
    #[error(
        "the archive of ended runs {} has format {found}, which this program does not know: use the version of fiesta that wrote it",
        path.display()
    )]
    Format {
        /// The archive's file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// What is in the file is not what was written.
    #[error(
        "the archive of ended runs {} is damaged: {what}; it is left as it is. Put a copy of it back, or move it away if there is none: \
         scores and decisions are in the ledger, and only what the packed runs printed is lost",
        path.display()
    )]
    Damaged {
        /// The archive's file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl ArchiveError {
    /// An error of the database, in our words where they are clearer.
    pub(super) fn of(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
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

    /// Whether it may be gone when the disk has room again, or another program has finished.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::File { source, .. } => crate::supervisor::is_full(source),
            Self::Database { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::SystemIoFailure)
            ),
            _ => false,
        }
    }
}
