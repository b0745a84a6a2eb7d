//! Reading of results that are no single text: databases, and directories other than directories of logs.

#[cfg(not(feature = "optuna"))]
use crate::error::refused;
use crate::{Imported, Result, SQLITE, Tool, first_line, mlflow_files, optuna_csv, ray};
use fiesta_records::{Reading, RecordsError};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Reads results from a database or from such a directory. `None` for results in a single text file.
pub(crate) fn read(
    path: &Path,
    tool: Tool,
    options: &Reading,
    file: &str,
) -> Option<Result<Imported>> {
    if path.is_dir() {
        return match tool {
            Tool::Mlflow => Some(mlflow_files::read(path, options, file)),
            Tool::Ray => Some(ray::read(path, options, file)),
            _ => None,
        };
    }
    if ![Tool::Optuna, Tool::Mlflow].contains(&tool) {
        return None;
    }
    let is_database = match start(path).map_err(RecordsError::unread(file)) {
        Ok(start) if start.starts_with(SQLITE) => true,
        // A character may be cut off at the end.
        Ok(start) if tool == Tool::Optuna => {
            let text = String::from_utf8_lossy(&start);
            !first_line(text.as_bytes()).is_some_and(optuna_csv::is_like)
        }
        Ok(_) => false,
        Err(error) => return Some(Err(error.into())),
    };
    is_database.then(|| of_database(path, tool, options, file))
}

/// Returns the tool that wrote this directory. `None` for a directory of logs of answers, or of anything else.
pub(crate) fn tool_of_directory(directory: &Path, stated: Option<Tool>) -> Option<Tool> {
    match stated {
        Some(Tool::Mlflow | Tool::Ray) => stated,
        Some(_) => None,
        None if mlflow_files::is(directory) => Some(Tool::Mlflow),
        None => ray::is(directory).then_some(Tool::Ray),
    }
}

/// Returns the first bytes of a file.
fn start(path: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?.take(1 << 16).read_to_end(&mut start)?;
    Ok(start)
}

#[cfg(feature = "optuna")]
fn of_database(path: &Path, tool: Tool, options: &Reading, file: &str) -> Result<Imported> {
    match tool {
        Tool::Mlflow => crate::mlflow_database::read(path, options, file),
        _ => crate::optuna::read(path, options, file),
    }
}

#[cfg(not(feature = "optuna"))]
fn of_database(_: &Path, _: Tool, _: &Reading, file: &str) -> Result<Imported> {
    Err(refused(format!(
        "{file}: this program was built without the feature `optuna`"
    )))
}

/// Returns the tool that wrote a SQLite database.
#[cfg(feature = "optuna")]
pub(crate) use crate::database::tool_of as tool_of_database;

#[cfg(not(feature = "optuna"))]
pub(crate) fn tool_of_database(_: &Path) -> Tool {
    Tool::Optuna
}
