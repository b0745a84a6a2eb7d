//! Argument for the study file of a verb, by default `study.toml`.

use super::exit::Failure;
#[cfg(target_os = "linux")]
use fiesta::{
    engines::KINDS,
    runner::{Study, study::StudyError},
};
use std::path::{Path, PathBuf};

/// Study file if the arguments name none.
const DEFAULT: &str = "study.toml";

/// Argument that names the study of a verb.
#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "studies run on Linux alone")
)]
#[derive(Debug, clap::Args)]
pub(super) struct StudyArgument {
    /// The study file (default: study.toml in the current directory)
    study: Option<PathBuf>,
}

#[cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "studies run on Linux alone")
)]
impl StudyArgument {
    /// Names this study file.
    pub(super) fn of(file: &Path) -> Self {
        Self {
            study: Some(file.to_owned()),
        }
    }

    /// Returns the path of the study file.
    ///
    /// # Errors
    /// [`Failure::Usage`] if none is named, and there is no `study.toml`.
    pub(super) fn file(&self) -> Result<&Path, Failure> {
        match &self.study {
            Some(file) => Ok(file),
            None => default_file(),
        }
    }
}

/// Reads a study file, whose executor may be any that this program knows.
#[cfg(target_os = "linux")]
pub(super) fn read_study(file: &Path) -> Result<Study, StudyError> {
    Study::read_with(file, KINDS)
}

/// Returns `study.toml`, or an error if this file does not exist.
pub(super) fn default_file() -> Result<&'static Path, Failure> {
    let file = Path::new(DEFAULT);
    if file.exists() {
        return Ok(file);
    }
    Err(Failure::Usage(format!(
        "no study file is named, and there is no {DEFAULT} in this directory: name the file after the verb, or write one with `fiesta init SCRIPT` or `fiesta example`"
    )))
}
