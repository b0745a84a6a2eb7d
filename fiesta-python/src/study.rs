//! Studies from documents of Python, and from files.

use crate::{
    error::refused,
    functions::{StudyError, StudyStatus},
    report::Report,
};
use fiesta_runner::{
    Ledger, Study,
    status::{State, current},
};
use pyo3::prelude::*;
use std::{env, path::PathBuf};

/// Checks a study document in JSON, and returns its study. Relative paths begin in the working directory.
pub(crate) fn in_memory(document: &str) -> PyResult<Study> {
    let directory = env::current_dir().map_err(refused)?;
    Study::in_memory(&toml_of(document)?, &directory).map_err(refused)
}

/// Returns a study document in JSON as the text of a study file (TOML).
pub(crate) fn toml_of(document: &str) -> PyResult<String> {
    let document: toml::Value = serde_json::from_str(document).map_err(refused)?;
    toml::to_string(&document).map_err(refused)
}

/// Reads the status of a study from its ledger.
#[pyfunction]
pub(crate) fn study_status(py: Python<'_>, path: PathBuf) -> PyResult<Report> {
    py.detach(|| {
        let study = Study::read_with(&path, fiesta_engines::KINDS).map_err(refused)?;
        let history = current(&study).map_err(|error| StudyError::new_err(error.to_string()))?;
        let is_held = Ledger::holder(&study.state_directory()).is_some();
        let state = match (history.selector.conclusion(), is_held) {
            (Some(_), _) => State::Finished,
            (None, true) => State::Running,
            (None, false) => State::Stopped,
        };
        Ok(Report::new(StudyStatus::new(&study, &history, state)))
    })
}
