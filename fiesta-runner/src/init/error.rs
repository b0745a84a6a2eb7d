//! The errors of a proposal of a study.

use crate::study::ItemsError;
use std::{io, path::PathBuf};

/// The reason why no study can be proposed for a script.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// A notebook is no command.
    #[error(
        "{0} is a notebook, and a study runs a command for each evaluation: turn it into a script first (jupyter nbconvert --to script {0}), and let it take its model and seed from its options or environment"
    )]
    Notebook(String),
    /// There is no such script or program.
    #[error("there is no {}{}", path.display(), near.as_ref().map_or_else(String::new, |near| format!("; did you mean {near}?")))]
    NoScript {
        /// The path at which the script was sought.
        path: PathBuf,
        /// An existing file with a similar name.
        near: Option<String>,
    },
    /// No script was named, and the directory has none or several of a usual name.
    #[error(
        "name the script that evaluates one candidate, or the command that runs it: fiesta init {}",
        if .0.is_empty() { "train.py".to_owned() } else { format!("{} (here are {})", .0[0], .0.join(", ")) }
    )]
    Unnamed(Vec<String>),
    /// Two files of questions, or two of prompts.
    #[error(
        "{0} and {1} are files of the same kind: name one of questions, and one of prompts with `prompt` in its name"
    )]
    TwoFiles(String, String),
    /// A file of prompts cannot be read.
    #[error("{0}")]
    Prompts(String),
    /// A file of questions cannot be read.
    #[error(transparent)]
    Questions(#[from] ItemsError),
    /// A file cannot be read or written, or a program not be run.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// The action that failed.
        action: &'static str,
        /// The file of the action.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is a study already.
    #[error("{} is there already: give the new study another name with -o, or --force to replace it", .0.display())]
    Exists(PathBuf),
    /// A study was begun with the file that is to be replaced.
    #[error("{} belongs to a study that was begun, whose results are in {}: give the new study another name with -o", study.display(), state.display())]
    Begun {
        /// The study file.
        study: PathBuf,
        /// The directory with the study's ledger and logs.
        state: PathBuf,
    },
}
