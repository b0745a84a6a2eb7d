//! Table `[worker]` of a study file: a long-lived command that answers many cases.

use super::{
    StudyError,
    budget::some_time,
    command::{Command, Words},
    error::Source,
    file::{ArmTable, StudyFile},
};
use crate::executor::{BadRate, RateLimit};
use std::time::Duration;

/// How a study's cases are sent to long-lived workers.
#[derive(Debug, Clone, PartialEq)]
pub struct Worker {
    concurrency: usize,
    pub(crate) processes: Option<usize>,
    rate_limit: Option<RateLimit>,
    pub(crate) start_timeout: Option<Duration>,
}

impl Worker {
    /// Returns the number of cases that a worker is given at once.
    pub fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// Returns the limit of the rate at which cases are sent. `None` without a limit.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.rate_limit
    }
}

/// Reads the worker of a study file, with checks. `None` if the file has none.
pub(super) fn worker(source: &Source<'_>, file: &StudyFile) -> Result<Option<Worker>, StudyError> {
    let Some(table) = &file.worker else {
        return Ok(None);
    };
    if file.command.is_some() {
        let message = "the study has a command for each case and a [worker] for all of them: leave one of the two out";
        return Err(source.wrong(&["command"], message));
    }
    if let Some((key, message)) = of_commands(file) {
        return Err(source.wrong(&key, message));
    }
    if table.command.is_none() && file.arm.iter().all(|arm| arm.command.is_none()) {
        let message =
            "the [worker] has no command: give one, such as command = [\"python\", \"worker.py\"]";
        return Err(source.wrong(&["worker"], message));
    }
    let wrong = |key: &str, message: String| source.wrong(&["worker", key], message);
    for (key, number) in [
        ("concurrency", table.concurrency),
        ("processes", table.processes),
    ] {
        if number == Some(0) {
            return Err(wrong(key, format!("{key} must be at least 1")));
        }
    }
    let rate_limit = table.rate_limit.as_ref().map(|text| text.parse());
    let start_timeout = table.start_timeout.as_ref();
    Ok(Some(Worker {
        concurrency: table.concurrency.unwrap_or(1),
        processes: table.processes,
        rate_limit: rate_limit
            .transpose()
            .map_err(|error: BadRate| wrong("rate_limit", format!("rate_limit: {error}")))?,
        start_timeout: start_timeout
            .map(|text| some_time(source, &["worker", "start_timeout"], text))
            .transpose()?,
    }))
}

/// Returns a key that only applies to commands for single cases, and what to do instead. A study
/// with a worker must not have it, as it would have no effect.
fn of_commands(file: &StudyFile) -> Option<([&'static str; 2], &'static str)> {
    if file.resources.silence.is_some() {
        let message = "silence is of a command's output for one case, and a worker's is for many: leave it out, and give the longest that a case may take as [resources] timeout";
        return Some((["resources", "silence"], message));
    }
    if file.metric.as_ref()?.pattern.is_some() {
        let message = "a pattern is of what a command prints for one case, and a worker answers each with a line of JSON: leave pattern out, and let it answer {\"id\": …, \"accuracy\": 0.5}";
        return Some((["metric", "pattern"], message));
    }
    if file.metric.as_ref()?.file.is_some() {
        let message = "a file is written by a command for one case, and a worker answers each with a line of JSON: leave file and key out, and let it answer {\"id\": …, \"accuracy\": 0.5}";
        return Some((["metric", "file"], message));
    }
    file.metric.as_ref()?.exit_codes.as_ref()?;
    let message = "exit_codes is of a command for each case, and a worker answers without one: leave it out; an answer with a score counts, and one with an \"error\" is a failure";
    Some((["metric", "exit_codes"], message))
}

/// Returns the command that evaluates an arm, and its key: the arm's own, the worker's, or the
/// study's.
pub(super) fn command_of<'a>(
    file: &'a StudyFile,
    arm: &'a ArmTable,
) -> Option<(Vec<&'a str>, &'a [String])> {
    let of_worker = file
        .worker
        .as_ref()
        .and_then(|table| table.command.as_ref());
    let own = ["arm", &arm.place, "command"];
    let command = match (&arm.command, of_worker, &file.command) {
        (Some(command), ..) => (own.to_vec(), command),
        (None, Some(command), _) => (vec!["worker", "command"], command),
        (None, None, Some(command)) => (vec!["command"], command),
        // Nothing to be started.
        (None, None, None) if file.is_of_functions() => return Some((own.to_vec(), &[])),
        (None, None, None) => return None,
    };
    Some((command.0, command.1))
}

/// Whether an arm has a worker of its own, rather than one that serves all arms.
pub(super) fn is_of_arm(arm: &ArmTable, command: &Command) -> bool {
    arm.command.is_some()
        || !arm.env.is_empty()
        || arm.gpus_per_job.is_some()
        || command.names("arm")
}

/// Returns the error message for a placeholder that a worker's command cannot have.
pub(super) fn unknown_placeholder(unknown: &str, words: Words<'_>) -> String {
    let known_elsewhere = Words {
        of_worker: false,
        ..words
    };
    if known_elsewhere.is_known(unknown) {
        format!(
            "{{{unknown}}} is another one for each case, and a worker serves many: it finds it in the line of each case; its command may have {{arm}} alone"
        )
    } else {
        format!(
            "unknown placeholder {{{unknown}}} in the worker's command, which may have {{arm}} alone (write {{{{{unknown}}}}} for the braces themselves)"
        )
    }
}
