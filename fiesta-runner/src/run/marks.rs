//! Marks of the processes of a run or a worker, those of a study that it runs itself included.

use super::JobVariable;
use crate::digest::Digest;
use std::env;

/// The mark of the processes that bear these variables.
pub(crate) fn mark<'a>(marker: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut digest = Digest::default();
    for (name, value) in marker {
        digest.add(name.as_bytes());
        digest.add(value.as_bytes());
    }
    digest.to_string()
}

/// The variable with the marks of a process that is started now: those of this process, which may
/// be part of a run itself, and the one of these variables.
pub(crate) fn marks(marker: &[(&'static str, String)]) -> (&'static str, String) {
    let own = mark(marker.iter().map(|(name, value)| (*name, value.as_str())));
    let name = JobVariable::Marks.name();
    let around = env::var(name).unwrap_or_default();
    let all = around.split(',').filter(|mark| !mark.is_empty());
    let all: Vec<&str> = all.chain([own.as_str()]).collect();
    (name, all.join(","))
}

/// Whether one of the variables of a process, each as `NAME=VALUE`, names this mark.
pub(crate) fn bears(variables: &[&[u8]], mark: &str) -> bool {
    let name = format!("{}=", JobVariable::Marks.name());
    let marks = variables
        .iter()
        .filter_map(|variable| variable.strip_prefix(name.as_bytes()));
    marks
        .flat_map(|marks| marks.split(|&byte| byte == b','))
        .any(|found| found == mark.as_bytes())
}
