//! What runs where: a study's slots, as text and as JSON.

use super::display::words;
use fiesta::{
    report::{Align, Table},
    runner::{
        History, Study,
        status::{Running, Slot, SlotState, slots},
    },
};
use serde_json::{Value, json};
use std::time::Duration;

/// More lines than this would push away what the study has found.
const MOST: usize = 40;

/// A study's slots as programs read them.
pub(super) fn json(study: &Study, history: &History) -> Vec<Value> {
    let of_run = |running: &Running| {
        let evaluation = running.evaluation;
        json!({
            "run": running.run,
            "evaluation": evaluation.id.0 + 1,
            "arm": study.arms().name(evaluation.arm),
            "split": evaluation.case.split,
            "seed": evaluation.case.seed,
            "document": study.document(&evaluation.case),
            "seconds": running.seconds,
        })
    };
    let of_slot = |slot: &Slot| {
        json!({
            "gpu": slot.gpu.as_ref().map(|gpu| &gpu.id),
            "index": slot.gpu.as_ref().and_then(|gpu| gpu.index),
            "name": slot.gpu.as_ref().and_then(|gpu| gpu.name.as_deref()),
            "state": slot.state,
            "reason": slot.reason,
            "runs": slot.runs.iter().map(of_run).collect::<Vec<_>>(),
        })
    };
    slots(study, history).iter().map(of_slot).collect()
}

/// A study's slots for people; none if nothing runs and there is no GPU.
pub(super) fn text(study: &Study, history: &History) -> Option<String> {
    let slots = slots(study, history);
    let has_gpus = slots.iter().any(|slot| slot.gpu.is_some());
    let mut header = vec![("arm", Align::Left), ("evaluates", Align::Left)];
    header.extend([("for", Align::Right), ("run", Align::Left)]);
    if has_gpus {
        header.insert(0, ("GPU", Align::Left));
    }
    let mut table = Table::new(header);
    let rows = slots.iter().flat_map(|slot| rows(study, slot));
    let mut rows: Vec<Vec<String>> = rows
        .map(|(gpu, mut cells)| {
            if has_gpus {
                cells.insert(0, gpu);
            }
            cells
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    for row in rows {
        table.row(row, false);
    }
    let mut text = table.text().trim_end().to_owned();
    if more > 0 {
        text = format!("{text}\nand {more} more");
    }
    for slot in &slots {
        if let (Some(reason), Some(word)) = (&slot.reason, trouble(slot.state)) {
            text = format!("{text}\nGPU {} {word}: {reason}", gpu(slot));
        }
    }
    Some(text)
}

/// A line for each run, or one that says why there is none.
fn rows(study: &Study, slot: &Slot) -> Vec<(String, Vec<String>)> {
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
        let arm = study.arms().name(running.evaluation.arm).to_owned();
        let time = words(Duration::try_from_secs_f64(running.seconds).unwrap_or_default());
        let what = study.describe(&running.evaluation);
        (gpu.clone(), vec![arm, what, time, running.run.to_string()])
    };
    slot.runs.iter().map(row).collect()
}

/// A GPU as people know it.
fn gpu(slot: &Slot) -> String {
    let Some(gpu) = &slot.gpu else {
        return String::new();
    };
    match (gpu.index, &gpu.name) {
        (Some(index), Some(name)) if !gpu.id.starts_with("MIG-") => format!("{index} {name}"),
        _ => gpu.id.clone(),
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
