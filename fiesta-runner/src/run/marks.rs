//! Marks of a run's or worker's processes, also of those that belong to a study within the run.

use super::JobVariable;
use crate::digest::Digest;
use std::env;

/// Returns the mark that stands for these variables, a digest of their names and values.
pub(crate) fn mark<'a>(marker: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut digest = Digest::default();
    for (name, value) in marker {
        digest.add(name.as_bytes());
        digest.add(value.as_bytes());
    }
    digest.to_string()
}

/// Returns the variable with the marks for a new process: those of this process, which may itself
/// belong to a run, and the one of `marker`.
pub(crate) fn marks(marker: &[(&'static str, String)]) -> (&'static str, String) {
    let own = mark(marker.iter().map(|(name, value)| (*name, value.as_str())));
    let name = JobVariable::Marks.name();
    let around = env::var(name).unwrap_or_default();
    let all = around.split(',').filter(|mark| !mark.is_empty());
    let all: Vec<&str> = all.chain([own.as_str()]).collect();
    (name, all.join(","))
}

/// Whether a process with these variables, each `NAME=VALUE`, has this mark.
pub(crate) fn bears(variables: &[&[u8]], mark: &str) -> bool {
    let name = format!("{}=", JobVariable::Marks.name());
    let marks = variables
        .iter()
        .filter_map(|variable| variable.strip_prefix(name.as_bytes()));
    marks
        .flat_map(|marks| marks.split(|&byte| byte == b','))
        .any(|found| found == mark.as_bytes())
}
