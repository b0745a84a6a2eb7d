//! The errors of a cache of answers.

use std::{io, path::PathBuf};

/// The reason why a cache of answers cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswersError {
    /// The file of the cache cannot be created.
    #[error("cannot open {}, which the cache of answers needs: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// SQLite returned an error.
    #[error("the cache of answers {}: {source}; nothing is paid while it cannot be asked (leave `cache` out to go on without it)", path.display())]
    Database {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The file is another database, or a cache of another version.
    #[error("{} is no cache of answers of this version: name another file as `cache`", .0.display())]
    NoCache(PathBuf),
}
