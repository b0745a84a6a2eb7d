//! History of a study for display: the content of its ledger, under the present terms of its file.

use crate::{
    RunError,
    history::{Check, History, Tally},
    ledger::{Entry, Ledger, LedgerError, kept_seconds, recorded_study},
    study::{Change, Study, changes},
};

/// Returns the differences between a study file and the version that the latest session read.
///
/// # Errors
/// [`LedgerError`] if the ledger cannot be read.
pub fn changed(study: &Study) -> Result<Vec<Change>, LedgerError> {
    let left = Ledger::read_what_is_left(&study.state_directory())?;
    Ok(changes_since(study, &left.entries))
}

fn changes_since(study: &Study, entries: &[(i64, Entry)]) -> Vec<Change> {
    let mut tally = Tally::default();
    for (_, entry) in entries {
        tally.take(entry);
    }
    let recorded = recorded_study(entries.iter().map(|(_, entry)| entry));
    recorded.map_or_else(Vec::new, |then| {
        changes(then, &study.fingerprint, &tally.evaluated(study))
    })
}

/// Replays as much of a study's ledger as can be read, and applies the present study file to it.
///
/// # Errors
/// [`RunError::Changed`] if the study file is no longer about what the ledger records, and
/// [`RunError`] if the ledger cannot be read or replayed.
pub fn current(study: &Study) -> Result<History, RunError> {
    let left = Ledger::read_what_is_left(&study.state_directory())?;
    let changes = changes_since(study, &left.entries);
    if !changes.iter().all(Change::is_acceptable) {
        return Err(RunError::Changed(changes));
    }
    let mut history = History::of_what_is_left(study, left)?;
    history.extend(study, Check::Nothing)?;
    // The ledger has the time of the latest turn.
    let kept = kept_seconds(&study.state_directory()).unwrap_or(0.0);
    history.clock = history.clock.max(kept);
    Ok(history)
}
