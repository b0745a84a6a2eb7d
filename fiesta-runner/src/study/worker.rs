//! The table `[worker]`: a long-lived command that answers many cases.

use super::{
    StudyError,
    command::{Command, Words},
    error::Source,
    file::{ArmTable, StudyFile, WorkerTable},
    time::some_time,
};
use crate::{
    executor::{RateLimit, WorkerSettings},
    gpu::GpusPerJob,
};
use std::{collections::BTreeMap, ops::Range, time::Duration};
use toml::Spanned;

/// How a study's cases are sent to long-lived workers.
#[derive(Debug, Clone, PartialEq)]
pub struct Worker {
    concurrency: usize,
    processes: Option<usize>,
    rate_limit: Option<RateLimit>,
    start_timeout: Option<Duration>,
}

impl Worker {
    /// How many cases a worker is given at once.
    pub fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// How fast cases are sent.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.rate_limit
    }

    /// How the study's workers are run.
    pub(crate) fn settings(&self, study: &super::Study) -> WorkerSettings {
        let needed = study.parallel.div_ceil(self.concurrency);
        let arms = study.arms().ids();
        let gpus_per_worker: BTreeMap<String, GpusPerJob> = arms
            .filter_map(|arm| {
                Some((
                    study.arms().name(arm).to_owned(),
                    study.gpus_per_worker(arm)?,
                ))
            })
            .collect();
        WorkerSettings {
            concurrency: self.concurrency,
            processes: self.processes.unwrap_or(needed),
            rate_limit: self.rate_limit,
            start_timeout: self.start_timeout,
            grace: study.grace,
            keys: study
                .wanted()
                .keys()
                .into_iter()
                .map(ToOwned::to_owned)
                .collect(),
            gpus_per_worker,
        }
    }
}

/// The worker of a study file, if it has one; checked.
pub(super) fn worker(source: &Source<'_>, file: &StudyFile) -> Result<Option<Worker>, StudyError> {
    let Some(table) = &file.worker else {
        return Ok(None);
    };
    let WorkerTable {
        command: own,
        concurrency,
        processes,
        rate_limit,
        start_timeout,
        cost,
        env: _,
    } = table.get_ref();
    if let Some(command) = &file.command {
        let message = "the study has a command for each case and a [worker] for all of them: leave one of the two out";
        return Err(source.wrong(Some(command.span()), message));
    }
    if let Some((span, message)) = of_commands(file) {
        return Err(source.wrong(Some(span), message));
    }
    if own.is_none() && file.arm.iter().all(|arm| arm.command.is_none()) {
        let message =
            "the [worker] has no command: give one, such as command = [\"python\", \"worker.py\"]";
        return Err(source.wrong(Some(table.span()), message));
    }
    let at_least_one = |given: &Option<Spanned<usize>>, key: &str| match given {
        Some(number) if *number.get_ref() == 0 => {
            Err(source.wrong(Some(number.span()), format!("{key} must be at least 1")))
        }
        given => Ok(given.as_ref().map(|number| *number.get_ref())),
    };
    let cost_of = |cost: &Spanned<f64>| {
        let value = *cost.get_ref();
        if value.is_finite() && value >= 0.0 {
            Ok(value)
        } else {
            let message = "the cost of an answer must be a number from zero upwards";
            Err(source.wrong(Some(cost.span()), message))
        }
    };
    let rate = |text: &Spanned<String>| {
        let parsed = text.get_ref().parse::<RateLimit>();
        parsed.map_err(|error| source.wrong(Some(text.span()), format!("rate_limit: {error}")))
    };
    cost.as_ref().map(cost_of).transpose()?;
    Ok(Some(Worker {
        concurrency: at_least_one(concurrency, "concurrency")?.unwrap_or(1),
        processes: at_least_one(processes, "processes")?,
        rate_limit: rate_limit.as_ref().map(rate).transpose()?,
        start_timeout: start_timeout
            .as_ref()
            .map(|text| some_time(source, text, "start_timeout"))
            .transpose()?,
    }))
}

/// A key that says how commands for each case are judged, and what to do instead: a worker would quietly do without it.
fn of_commands(file: &StudyFile) -> Option<(Range<usize>, &'static str)> {
    let silence = file.resources.silence.as_ref().map(|silence| {
        let message = "silence is of a command's output for one case, and a worker's is for many: leave it out, and give the longest that a case may take as [resources] timeout";
        (silence.span(), message)
    });
    let metric = file.metric.as_ref();
    let exit_codes = metric.and_then(|metric| metric.exit_codes.as_ref());
    let exit_codes = exit_codes.map(|codes| {
        let message = "exit_codes is of a command for each case, and a worker answers without one: leave it out; an answer with a score counts, and one with an \"error\" is a failure";
        (codes.span(), message)
    });
    silence.or(exit_codes)
}

/// The command that evaluates an arm: its own, its worker's, or that of all cases.
pub(super) fn command_of<'a>(
    file: &'a StudyFile,
    arm: &'a ArmTable,
) -> Option<&'a Spanned<Vec<String>>> {
    let of_worker = file
        .worker
        .as_ref()
        .and_then(|table| table.get_ref().command.as_ref());
    arm.command.as_ref().or(of_worker).or(file.command.as_ref())
}

/// Whether an arm has a worker of its own, rather than one that serves all arms.
pub(super) fn is_of_arm(arm: &ArmTable, command: &Command) -> bool {
    arm.command.is_some()
        || !arm.env.is_empty()
        || arm.gpus_per_job.is_some()
        || command.names("arm")
}

/// Why a worker's command cannot have this placeholder.
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
