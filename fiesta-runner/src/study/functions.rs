//! Studies of functions: keys about commands and processes are refused.

use super::{
    ExecutorKind, Study, StudyError,
    error::Source,
    file::StudyFile,
    keys::{Beside, misplaced},
};

/// The kind of executor whose runs are calls of functions.
pub(super) const KIND: &str = "functions";

/// Checks that a study of functions has no key that only applies to commands or processes.
pub(super) fn check_functions(source: &Source<'_>, file: &StudyFile) -> Result<(), StudyError> {
    if !file.is_of_functions() {
        return Ok(());
    }
    let of_worker = file.worker.as_ref().map(|_| "worker".to_owned());
    let Some(path) = of_worker.or_else(|| misplaced(source, file, Beside::Functions)) else {
        return Ok(());
    };
    let advice = match path.as_str() {
        "resources.timeout" => {
            "; a function cannot be stopped from outside, so let it keep to a time limit itself"
        }
        "metric.exit_codes" => {
            "; a function that returns a score has succeeded, and one that returns an error has failed"
        }
        "metric.pattern" | "metric.file" => "; a function returns its score",
        _ => "",
    };
    let key: Vec<&str> = path.split('.').collect();
    let name = key.last().copied().unwrap_or_default();
    let message = format!(
        "`{name}` is of commands, and the arms of this study are functions (executor.kind = \"{KIND}\"): leave it out{advice}"
    );
    Err(source.wrong(&key, message))
}

impl Study {
    /// Whether the study's arms are functions of the program that runs the study, and not commands.
    pub fn is_of_functions(&self) -> bool {
        matches!(self.executor, ExecutorKind::Functions)
    }
}
