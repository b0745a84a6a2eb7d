//! The limit of open files. A controller needs some for each running job, so it raises its own
//! limit; jobs get the usual limit back.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{ffi::OsStr, sync::OnceLock};

/// Prefix of the argument that states the limit of open files for commands of a supervisor or a
/// worker.
const ARGUMENT: &str = "--open-files=";

static BEFORE: OnceLock<u64> = OnceLock::new();

/// Raises this process's limit of open files to the largest value allowed. Jobs started later get
/// the earlier limit.
///
/// For programs that are there to run jobs: the limit is the whole process's.
pub fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    if let Some(before) = limit.current
        && set(limit.maximum)
    {
        // Where it was raised before, the first limit is the one.
        let _ = BEFORE.set(before);
    }
}

/// Returns the argument that states the earlier limit, for supervisors and hosts that this process
/// starts. `None` if the limit was not raised.
pub(crate) fn argument() -> Option<String> {
    Some(format!("{ARGUMENT}{}", BEFORE.get()?))
}

/// Sets the limit of open files that `argument` states. Returns false for other arguments.
pub(crate) fn heed(argument: &OsStr) -> bool {
    let argument = argument
        .to_str()
        .and_then(|text| text.strip_prefix(ARGUMENT));
    if let Some(limit) = argument.and_then(|limit| limit.parse().ok()) {
        set(Some(limit));
    }
    argument.is_some()
}

/// Returns whether `count` more files can be opened after the descriptor `last`, the newest: the
/// system gives the lowest free number to each.
pub(crate) fn has_spare(last: i32, count: u64) -> bool {
    let limit = getrlimit(Resource::Nofile).current;
    limit.is_none_or(|limit| u64::try_from(last).is_ok_and(|last| last + count < limit))
}

fn set(current: Option<u64>) -> bool {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current, ..limit }).is_ok()
}
