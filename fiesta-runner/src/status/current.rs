//! History of a study for whoever looks at it: what its ledger records, under the terms of its file
//! now.

use crate::{
    RunError,
    history::{Check, History, Tally},
    ledger::{Entry, Ledger, LedgerError, kept_seconds, recorded_study},
    study::{Change, Study, changes},
};

/// The differences between a study and what the latest session of its ledger read, whoever runs it.
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

/// A study as its ledger has it, or as much of it as can be read, whoever runs it, on its way to what its file asks for now.
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
