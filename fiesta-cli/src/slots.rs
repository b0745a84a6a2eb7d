//! The slots of a study in words.

use super::display::words;
use fiesta::{
    report::{Align, Table},
    runner::{
        History, Study,
        status::{Running, Slot, SlotState, slots},
    },
};
use std::time::Duration;

/// More lines than this would push away what the study has found.
const MOST: usize = 40;

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
    let rows = slots.iter().flat_map(rows);
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
fn rows(slot: &Slot) -> Vec<(String, Vec<String>)> {
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
        (gpu.clone(), vec![arm, what, time, running.run.to_string()])
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
