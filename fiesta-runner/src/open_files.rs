//! The limit of open files. Each job that runs costs its controller some, and the usual limit is
//! for programs that have few; the jobs get it back.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{ffi::OsStr, sync::OnceLock};

/// The beginning of an argument that says which limit the commands of a supervisor, or a worker,
/// get.
const ARGUMENT: &str = "--open-files=";

static BEFORE: OnceLock<u64> = OnceLock::new();

/// Lets this process open as many files as it may. The jobs that it starts from then on are limited
/// as it was before.
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

/// The argument for the supervisors and hosts that this process starts, if they would inherit
/// another limit than its own.
pub(crate) fn argument() -> Option<String> {
    Some(format!("{ARGUMENT}{}", BEFORE.get()?))
}

/// Sets the limit of open files that `argument` states. False if it is another argument.
pub(crate) fn heed(argument: &OsStr) -> bool {
    let argument = argument
        .to_str()
        .and_then(|text| text.strip_prefix(ARGUMENT));
    if let Some(limit) = argument.and_then(|limit| limit.parse().ok()) {
        set(Some(limit));
    }
    argument.is_some()
}

/// Tells whether `count` more files can be open than `last`, which was opened last: the lowest free
/// number is given away first.
pub(crate) fn has_spare(last: i32, count: u64) -> bool {
    let limit = getrlimit(Resource::Nofile).current;
    limit.is_none_or(|limit| u64::try_from(last).is_ok_and(|last| last + count < limit))
}

fn set(current: Option<u64>) -> bool {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current, ..limit }).is_ok()
}
