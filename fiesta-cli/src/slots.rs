//! `fiesta slots`: the jobs of a study that run or wait, and how many may run at a time.

use super::{
    Format,
    display::words,
    exit::{Code, Failure},
    output::print_json,
    print, width,
};
use fiesta::{
    report::{Align, Table},
    runner::{
        History, Study,
        parallel::Parallel,
        status::{Running, Slot, SlotState, current, slots as slots_of},
    },
};
use serde::Serialize;
use std::{collections::BTreeMap, path::PathBuf, time::Duration};

/// The arguments of `fiesta slots`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta slots study.toml                what runs and what waits, and how many may run at a time
  fiesta slots study.toml --parallel 8   up to eight jobs at a time from now on
  fiesta slots study.toml --drain 2      give up two slots, as the jobs on them end
  fiesta slots study.toml --pause        start nothing more; --resume goes on

Changes hold until the study stops; the next `fiesta run` begins with `parallel` of the study file.")]
pub(super) struct Arguments {
    /// The study file
    study: PathBuf,
    /// Let so many jobs run at a time
    #[arg(long, value_name = "JOBS", group = "change")]
    parallel: Option<usize>,
    /// Give up so many slots: the jobs on them end, and no others are started there
    #[arg(long, value_name = "SLOTS", group = "change")]
    drain: Option<usize>,
    /// Start nothing more; what runs goes on, and what waits in an engine's queue is taken back
    #[arg(long, group = "change")]
    pause: bool,
    /// Start jobs again after --pause
    #[arg(long, group = "change")]
    resume: bool,
    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The slots of a study that runs.
#[derive(Debug, Serialize)]
struct SlotsReport {
    #[serde(flatten)]
    parallel: Parallel,
    slots: Vec<Slot>,
}

pub(super) fn slots(arguments: &Arguments) -> Result<Code, Failure> {
    let study = Study::read(&arguments.study)?;
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

/// The number of jobs that the arguments ask for.
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

/// More lines than this would push away what the study has found.
const MOST: usize = 40;

/// A study's slots for people; none if nothing runs and there is no GPU.
pub(super) fn text(study: &Study, history: &History) -> Option<String> {
    let slots = slots_of(study, history);
    let has_gpus = slots.iter().any(|slot| slot.gpu.is_some());
    let (queued, slots): (Vec<Slot>, Vec<Slot>) = slots
        .into_iter()
        .partition(|slot| slot.state == SlotState::Queued);
    let mut runs = slots.iter().flat_map(|slot| &slot.runs);
    let has_nodes = runs.any(|run| run.node.is_some());
    let mut header = vec![("arm", Align::Left), ("evaluates", Align::Left)];
    header.extend([("for", Align::Right), ("run", Align::Left)]);
    if has_gpus {
        header.insert(0, ("GPU", Align::Left));
    }
    if has_nodes {
        header.push(("node", Align::Left));
    }
    let mut table = Table::new(header);
    let rows = slots.iter().flat_map(|slot| rows(slot, has_nodes));
    let mut rows: Vec<Vec<String>> = rows
        .map(|(gpu, mut cells)| {
            if has_gpus {
                cells.insert(0, gpu);
            }
            cells
        })
        .collect();
    let waiting = waiting(&queued);
    if rows.is_empty() {
        return waiting;
    }
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    for row in rows {
        table.row(row, false);
    }
    let mut text = table
        .dispensable(&["run", "node"])
        .text_within(width())
        .trim_end()
        .to_owned();
    if more > 0 {
        text = format!("{text}\nand {more} more");
    }
    for slot in &slots {
        if let (Some(reason), Some(word)) = (&slot.reason, trouble(slot.state)) {
            text = format!("{text}\nGPU {} {word}: {reason}", gpu(slot));
        }
    }
    Some(waiting.map_or_else(|| text.clone(), |waiting| format!("{text}\n{waiting}")))
}

/// The jobs that wait for an engine to start them, a line for each reason; none if none does.
fn waiting(queued: &[Slot]) -> Option<String> {
    let mut reasons: BTreeMap<Option<&str>, Vec<f64>> = BTreeMap::new();
    for slot in queued {
        let seconds = slot.runs.iter().map(|run| run.seconds);
        reasons
            .entry(slot.reason.as_deref())
            .or_default()
            .extend(seconds);
    }
    let lines = reasons.into_iter().map(|(reason, seconds)| {
        let jobs = match seconds.len() {
            1 => "1 job waits".to_owned(),
            jobs => format!("{jobs} jobs wait"),
        };
        let longest = seconds.into_iter().fold(0.0, f64::max);
        let longest = words(Duration::try_from_secs_f64(longest).unwrap_or_default());
        match reason {
            Some(reason) => format!("{jobs} for the engine ({reason}), for {longest} at most"),
            None => format!("{jobs} for the engine's answer, for {longest} at most"),
        }
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A line for each run, or one that says why there is none.
fn rows(slot: &Slot, has_nodes: bool) -> Vec<(String, Vec<String>)> {
    let gpu = gpu(slot);
    if slot.runs.is_empty() {
        let word = match slot.state {
            // Between two cases, or for the next ones.
            SlotState::Busy => "is a worker's",
            state => trouble(state).unwrap_or("is free"),
        };
        return vec![(gpu, vec![format!("– {word}")])];
    }
    let row = |running: &Running| {
        let time = words(Duration::try_from_secs_f64(running.seconds).unwrap_or_default());
        let (arm, what) = (running.arm.clone(), running.description.clone());
        let mut cells = vec![arm, what, time, running.run.to_string()];
        if has_nodes {
            cells.push(running.node.clone().unwrap_or_default());
        }
        (gpu.clone(), cells)
    };
    slot.runs.iter().map(row).collect()
}

/// A GPU as people know it.
fn gpu(slot: &Slot) -> String {
    let Some(gpu) = &slot.gpu else {
        return String::new();
    };
    match (slot.index, &slot.name) {
        (Some(index), Some(name)) if !gpu.starts_with("MIG-") => format!("{index} {name}"),
        _ => gpu.clone(),
    }
}

/// What is wrong with a GPU, in words that follow its name.
fn trouble(state: SlotState) -> Option<&'static str> {
    match state {
        SlotState::Waiting => Some("waits for memory"),
        SlotState::Quarantined => Some("is in quarantine"),
        SlotState::Foreign => Some("is in use by others"),
        _ => None,
    }
}
