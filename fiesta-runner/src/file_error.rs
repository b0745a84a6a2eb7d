//! Error messages about files and directories: the action that failed, the path, and the reason.

use std::{
    io,
    path::{Path, PathBuf},
};

/// The reason why something cannot be done with a file or directory.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
pub struct FileError {
    /// What was tried, in words that follow "cannot".
    pub action: &'static str,
    /// The file or directory that cannot be used.
    pub path: PathBuf,
    /// Why the file or directory cannot be used.
    pub source: io::Error,
}

impl FileError {
    /// Returns a function for `map_err`, which says what was tried with which file.
    pub fn of(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self {
            action,
            path: path.clone(),
            source,
        }
    }
}
