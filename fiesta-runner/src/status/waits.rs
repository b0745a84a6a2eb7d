//! Sentences about the waits of a study, besides the jobs that run.

use super::Board;
use crate::{
    executor::stopped_attendant,
    history::History,
    ledger::Ledger,
    process::Identity,
    run::RunDirectory,
    shortage::{is_disk_full, is_low},
    study::Study,
};
use std::collections::BTreeMap;

/// File with the sentences of a controller on what it waits for.
pub(crate) const WAITS: Board<Vec<String>> = Board::named("waits.json");

/// Sentences that say what a study waits for, besides the jobs that run: what its controller
/// tells, a full disk, and supervisors that somebody has stopped. Empty if it waits for nothing
/// else.
pub fn waits(study: &Study, history: &History) -> Vec<String> {
    let state = study.state_directory();
    let holder = Ledger::holder(&state);
    let told = WAITS.read(&state, holder.as_ref());
    let full = (holder.is_some() && is_low(&state) && is_disk_full(&state)).then(|| {
        format!(
            "the disk of {} is full: nothing is written before there is room",
            state.display()
        )
    });
    let attendants: BTreeMap<i32, Identity> = history
        .pending()
        .filter_map(|record| {
            let id = study.run_id(&record.evaluation, record.attempt);
            let directory = RunDirectory::new(study.run_directory(&id));
            let supervisor = directory.read_meta().ok()??.supervisor;
            Some((supervisor.pid, supervisor))
        })
        .collect();
    let stopped = attendants.values().filter_map(stopped_attendant);
    told.unwrap_or_default()
        .into_iter()
        .chain(full)
        .chain(stopped)
        .collect()
}
