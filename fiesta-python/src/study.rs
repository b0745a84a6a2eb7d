//! Studies from documents that Python writes.

use crate::error::refused;
use fiesta_runner::Study;
use pyo3::prelude::*;
use std::env;

/// The checked study of a document in JSON, whose relative paths begin in the working directory.
pub(crate) fn in_memory(document: &str) -> PyResult<Study> {
    let directory = env::current_dir().map_err(refused)?;
    Study::in_memory(&toml_of(document)?, &directory).map_err(refused)
}

/// A study document in JSON as the text of a study file.
pub(crate) fn toml_of(document: &str) -> PyResult<String> {
    let document: toml::Value = serde_json::from_str(document).map_err(refused)?;
    toml::to_string(&document).map_err(refused)
}
