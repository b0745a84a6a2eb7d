//! The errors of a proposal of a study.

use crate::{file_error::FileError, study::ItemsError};

/// The reason why no study can be proposed for a script.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// No study can be proposed, or written to its file: why not, and what to do.
    #[error("{0}")]
    Refused(String),
    /// No script was named, and the directory has none or several of a usual name.
    #[error(
        "name the script that evaluates one candidate, or the command that runs it: fiesta init {}",
        if .0.is_empty() { "train.py".to_owned() } else { format!("{} (here are {})", .0[0], .0.join(", ")) }
    )]
    Unnamed(Vec<String>),
    /// A file of questions cannot be read.
    #[error(transparent)]
    Questions(#[from] ItemsError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}
