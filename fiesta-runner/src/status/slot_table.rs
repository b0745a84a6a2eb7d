//! The slots of a study in words: a table of what runs where, and what waits and why.

use super::{Running, Slot, SlotState};
use fiesta_report::{Align, Table};
use std::collections::BTreeMap;

/// Largest number of rows of a table, so that the study's findings stay visible.
const MOST: usize = 40;

/// Table of a study's slots for people: which run is where, and which GPUs are not used.
///
/// # Example
/// ```
/// use fiesta_runner::status::SlotTable;
/// let slots = SlotTable::new(Vec::new());
/// assert!(slots.table.is_none() && slots.notes.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotTable {
    /// A row for each run and each idle slot. `None` if nothing runs and there is no GPU.
    pub table: Option<Table>,
    /// Notes on rows that are left out, on GPUs that are not used, and on runs that wait in an
    /// engine.
    pub notes: Vec<String>,
}

impl SlotTable {
    /// Makes the table of these slots.
    pub fn new(slots: Vec<Slot>) -> Self {
        let has_gpus = slots.iter().any(|slot| slot.gpu.is_some());
        let is_queued = |slot: &Slot| slot.state == SlotState::Queued;
        let (queued, slots): (Vec<Slot>, Vec<Slot>) = slots.into_iter().partition(is_queued);
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
        let rows = slots.iter().flat_map(|slot| rows(slot, has_nodes));
        let mut rows: Vec<Vec<String>> = rows
            .map(|(gpu, mut cells)| {
                if has_gpus {
                    cells.insert(0, gpu);
                }
                cells
            })
            .collect();
        if rows.is_empty() {
            return Self {
                table: None,
                notes: waiting(&queued),
            };
        }
        let more = rows.len().saturating_sub(MOST);
        rows.truncate(MOST);
        let mut table = Table::new(header);
        for row in rows {
            table.row(row, false);
        }
        let more = (more > 0).then(|| format!("and {more} more"));
        let troubles = slots.iter().filter_map(|slot| {
            let (reason, word) = slot.reason.as_ref().zip(trouble(slot.state))?;
            Some(format!("GPU {} {word}: {reason}", gpu(slot)))
        });
        let notes = more.into_iter().chain(troubles).chain(waiting(&queued));
        Self {
            notes: notes.collect(),
            table: Some(table.dispensable(&["run", "node"])),
        }
    }

    /// Returns the table and the notes as text for a terminal of `width` columns. `None` if nothing
    /// runs or waits and there is no GPU.
    pub fn text_within(&self, width: usize) -> Option<String> {
        let table = self.table.as_ref().map(|table| table.text_within(width));
        let table = table.map(|text| text.trim_end().to_owned());
        let lines: Vec<String> = table.into_iter().chain(self.notes.clone()).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// Returns a line for each reason why jobs wait for an engine to start them.
fn waiting(queued: &[Slot]) -> Vec<String> {
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
        let longest = duration(seconds.into_iter().fold(0.0, f64::max));
        match reason {
            Some(reason) => format!("{jobs} for the engine ({reason}), for {longest} at most"),
            None => format!("{jobs} for the engine's answer, for {longest} at most"),
        }
    });
    lines.collect()
}

/// Returns the table rows of a slot: one for each run, or one that says why there is none.
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
        let time = duration(running.seconds);
        let (arm, what) = (running.arm.clone(), running.description.clone());
        let mut cells = vec![arm, what, time, running.run.to_string()];
        if has_nodes {
            cells.push(running.node.clone().unwrap_or_default());
        }
        (gpu.clone(), cells)
    };
    slot.runs.iter().map(row).collect()
}

/// Returns the name of a slot's GPU as people know it.
fn gpu(slot: &Slot) -> String {
    let Some(gpu) = &slot.gpu else {
        return String::new();
    };
    match (slot.index, &slot.name) {
        (Some(index), Some(name)) if !gpu.starts_with("MIG-") => format!("{index} {name}"),
        _ => gpu.clone(),
    }
}

/// Returns what is wrong with a GPU, in words that follow its name. `None` if nothing is.
fn trouble(state: SlotState) -> Option<&'static str> {
    match state {
        SlotState::Waiting => Some("waits for memory"),
        SlotState::Quarantined => Some("is in quarantine"),
        SlotState::Foreign => Some("is in use by others"),
        _ => None,
    }
}

/// Formats a number of seconds for people.
///
/// ```
/// use fiesta_runner::status::duration;
/// assert_eq!([59.9, 150.0, 9_000.0, 200_000.0].map(duration), ["59 s", "3 min", "2.5 h", "2.3 d"]);
/// ```
pub fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0).floor();
    if seconds < 100.0 {
        format!("{seconds:.0} s")
    } else if seconds < 6_000.0 {
        format!("{:.0} min", ((seconds + 30.0) / 60.0).floor())
    } else if seconds < 172_800.0 {
        format!("{:.1} h", seconds / 3_600.0)
    } else {
        format!("{:.1} d", seconds / 86_400.0)
    }
}
