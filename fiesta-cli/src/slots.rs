//! `fiesta slots`: the jobs of a study that run or wait, and how many may run at a time.

use super::{
    Format,
    exit::{Code, Failure},
    output::print_json,
    print,
    study_argument::{StudyArgument, read_study},
    width,
};
use fiesta::runner::{
    History, Study,
    parallel::Parallel,
    status::{Slot, SlotTable, current, slots as slots_of},
};
use serde::Serialize;

/// The arguments of `fiesta slots`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta slots study.toml                what runs and what waits, and how many may run at a time
  fiesta slots study.toml --parallel 8   up to eight jobs at a time from now on
  fiesta slots study.toml --drain 2      give up two slots, as the jobs on them end
  fiesta slots study.toml --pause        start nothing more; --resume goes on

Changes hold until the study stops; the next `fiesta run` begins with `parallel` of the study file.")]
pub(super) struct Arguments {
    #[command(flatten)]
    study: StudyArgument,
    /// Let this number of jobs run at a time
    #[arg(long, value_name = "JOBS", group = "change")]
    parallel: Option<usize>,
    /// Give up this number of slots: the jobs on them end, and no others are started there
    #[arg(long, value_name = "SLOTS", group = "change")]
    drain: Option<usize>,
    /// Start nothing more; running jobs go on, and jobs that wait in an engine's queue are taken back
    #[arg(long, group = "change")]
    pause: bool,
    /// Start jobs again after --pause
    #[arg(long, group = "change")]
    resume: bool,
    /// How to print the slots
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Slots of a running study, and how many jobs may run at a time.
#[derive(Debug, Serialize)]
struct SlotsReport {
    #[serde(flatten)]
    parallel: Parallel,
    slots: Vec<Slot>,
}

pub(super) fn slots(arguments: &Arguments) -> Result<Code, Failure> {
    let study = read_study(arguments.study.file()?)?;
    let before = Parallel::of(&study)?;
    let after = changed(before, arguments)?;
    if after != before {
        after.tell(&study)?;
    }
    let history = current(&study)?;
    if arguments.format == Format::Json {
        print_json(&SlotsReport {
            parallel: after,
            slots: slots_of(&study, &history),
        })?;
        return Ok(Code::Done);
    }
    if after == before
        && let Some(text) = text(&study, &history)
    {
        print(text)?;
    }
    print(match (after.paused, after.jobs) {
        (true, jobs) => format!("paused; --resume goes on with {jobs} jobs at a time"),
        (false, 1) => "1 job at a time".to_owned(),
        (false, jobs) if after == before => format!("{jobs} jobs at a time"),
        (false, jobs) => format!(
            "{jobs} jobs at a time from now on ({} before)",
            before.now()
        ),
    })?;
    Ok(Code::Done)
}

/// Returns the number of jobs at a time that the arguments ask for.
fn changed(before: Parallel, arguments: &Arguments) -> Result<Parallel, Failure> {
    let jobs = match (arguments.parallel, arguments.drain) {
        (Some(0), _) => {
            return Err(Failure::Usage(
                "--parallel must be at least 1: --pause starts nothing more for the time being"
                    .to_owned(),
            ));
        }
        (Some(jobs), _) => jobs,
        (None, Some(slots)) if slots >= before.jobs => {
            return Err(Failure::Usage(format!(
                "the study has {} slots, and one must stay: --pause starts nothing more for the time being",
                before.jobs
            )));
        }
        (None, Some(slots)) => before.jobs - slots,
        (None, None) => before.jobs,
    };
    let paused = arguments.pause || before.paused && !arguments.resume;
    Ok(Parallel { jobs, paused })
}

/// Returns the table of a study's slots for people. `None` if nothing runs and there is no GPU.
pub(super) fn text(study: &Study, history: &History) -> Option<String> {
    SlotTable::new(slots_of(study, history)).text_within(width())
}
