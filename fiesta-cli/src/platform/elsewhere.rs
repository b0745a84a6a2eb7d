//! Refusals of verbs that need the runner, on systems other than Linux.

use crate::{
    exit::{Code, Failure},
    results::{Results, ResultsArguments},
};
use fiesta::{
    Metric,
    report::analysis::{gate::GateReport, study::StudyFacts},
};
use std::{ffi::OsString, path::Path};

/// Stand-in for a study that was read. No value of it exists on this system.
pub(crate) enum Recorded {}

impl Recorded {
    pub(crate) fn metric(&self) -> &Metric {
        match *self {}
    }

    pub(crate) fn is_whole(&self) -> bool {
        match *self {}
    }

    pub(crate) fn facts(&self) -> Result<StudyFacts, Failure> {
        match *self {}
    }
}

/// Stand-in for a failure of the runner. No value of it exists on this system.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunnerFailure {}

impl RunnerFailure {
    pub(crate) fn code(&self) -> Code {
        match *self {}
    }
}

/// Any arguments of a verb that needs Linux; they are ignored.
#[derive(Debug, clap::Args)]
#[command(after_help = "This needs Linux: see PLATFORM.md.")]
pub(crate) struct Ignored {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub(crate) use self::{
    Ignored as ConfirmArguments, Ignored as InitArguments, Ignored as LogArguments,
    Ignored as RunArguments, Ignored as SlotsArguments, Ignored as StatusArguments,
    Ignored as WatchArguments,
};

/// Runs `work` on the stack of the calling thread.
pub(crate) fn on_a_full_stack<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// Does nothing, as there are no jobs on this system.
pub(crate) fn prepare() {}

pub(crate) fn init(_: &Ignored) -> Result<Code, Failure> {
    refuse("fiesta init")
}

pub(crate) fn confirm(_: &Ignored) -> Result<Code, Failure> {
    refuse("fiesta confirm")
}

pub(crate) fn run(_: &Ignored) -> Result<Code, Failure> {
    refuse("fiesta run")
}

/// Refuses the gate of a study, whose ledger is the runner's.
pub(crate) fn run_gate(
    _: &ResultsArguments,
    _: Option<&Path>,
) -> Result<(Option<GateReport>, Option<Code>), Failure> {
    refuse("fiesta gate study.toml").map(|code| (None, Some(code)))
}

pub(crate) fn status(_: &Ignored) -> Result<Code, Failure> {
    refuse("fiesta status")
}

pub(crate) fn slots(_: &Ignored) -> Result<Code, Failure> {
    refuse("fiesta slots")
}

pub(crate) fn log(_: &Ignored) -> Result<Code, Failure> {
    refuse("fiesta log")
}

pub(crate) fn watch(_: &Ignored) -> Result<Code, Failure> {
    refuse("fiesta watch")
}

fn refuse(verb: &str) -> Result<Code, Failure> {
    Err(Failure::Usage(format!(
        "`{verb}` needs Linux: studies are run by its process descriptors, /proc and file locks; use it on a Linux machine (see PLATFORM.md)"
    )))
}

/// Refuses a study file: its ledger is the runner's.
pub(crate) fn read_study(arguments: &ResultsArguments) -> Result<Results, Failure> {
    let file = arguments.results.display();
    Err(Failure::Usage(format!(
        "{file} is a study file, and reading a study needs Linux: on the machine that runs it, `fiesta export {file} -o study.jsonl` writes its evaluations to a file, which can be given here instead (see PLATFORM.md)"
    )))
}
