//! Checks of a study that is run again after a power cut.

use crate::recorded::{Recorded, State};
use fiesta_core::{Observation, Outcome};
use fiesta_runner::{
    History, Ledger, Options,
    executor::{Executor, Functions, Local},
    history::Check,
    ledger::{Entry, LedgerError},
    observer::Blind,
    run,
    signal::Signals,
};
use fiesta_simulation::power::{
    disk::{self, Tree},
    study::{self, EVALUATIONS, Jobs, Pace, Told},
};
use std::{
    collections::BTreeSet,
    fs, io,
    path::Path,
    sync::{Arc, Mutex},
};

/// Seconds from which the result of an evaluation is on the disk before it counts.
const DURABLE_FROM: f64 = 1.0;
/// Seconds after which the result of a shorter one is on the disk, and how much later it may be on
/// a busy machine.
const SYNCED_WITHIN: f64 = 1.0 + 0.5;

/// Puts a state in its place, runs the study to its end, and checks what was promised. `looks` is
/// whether somebody reads the ledger before.
pub(crate) fn holds(recorded: &Recorded, state: &State, looks: bool) -> Result<(), String> {
    let place = recorded.place();
    let error = |error: io::Error| error.to_string();
    disk::put(&state.tree, &place).map_err(error)?;
    let _ = fs::remove_file(recorded.calls());
    let study = recorded.study();
    let directory = study.state_directory();
    if looks {
        match Ledger::read(&directory) {
            Err(LedgerError::Missing(_)) => {}
            Ok(entries) => begins_with(&recorded.entries, &entries)?,
            Err(error) => return Err(format!("cannot be read: {error}")),
        }
    }
    let made = Arc::new(Mutex::new(Vec::new()));
    let mut executor: Box<dyn Executor> = match recorded.jobs {
        Jobs::Calls => {
            let (functions, calls) = Functions::queued(&study).map_err(error)?;
            let made = Arc::clone(&made);
            study::answer(&calls, Pace::Fast, move |call| {
                made.lock().unwrap().push(call.run().to_string());
            });
            Box::new(functions)
        }
        Jobs::Commands => Box::new(Local::with_supervisor(env!(
            "CARGO_BIN_EXE_fiesta-recorded"
        ))),
    };
    let (mut signals, _stopper) = Signals::on_request().map_err(error)?;
    let options = Options::default();
    run(&study, &mut *executor, &mut signals, &mut Blind, &options)
        .map_err(|error| format!("cannot be run: {error}"))?;
    drop(executor);
    let mut made: Vec<String> = made.lock().unwrap().clone();
    let of_commands = fs::read_to_string(recorded.calls()).unwrap_or_default();
    made.extend(of_commands.lines().map(ToOwned::to_owned));

    let database = rusqlite::Connection::open(directory.join("ledger.db"));
    let sound = database.and_then(|database| {
        database.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
    });
    match sound {
        Ok(sound) if sound == "ok" => {}
        sound => return Err(format!("not sound: {sound:?}")),
    }
    if !state.told.is_empty() && id_of(&state.tree) != id_of(&recorded.after) {
        return Err("its id is another one".to_owned());
    }
    let entries = Ledger::read(&directory).map_err(|error| error.to_string())?;
    let history = History::replay(&study, entries, Check::Decisions);
    let history = history.map_err(|error| format!("cannot be replayed: {error}"))?;
    if !history.differences.is_empty() {
        return Err(format!("decided otherwise: {:?}", history.differences));
    }
    counts_all(&history)?;
    let again: BTreeSet<u64> = made.iter().filter_map(|run| number(run)).collect();
    if state.is_over && !again.is_empty() {
        return Err(format!("had its conclusion, and made {made:?}"));
    }
    for (since, told) in &state.told {
        if is_durable(*since, told) && (again.contains(&told.id) || !is_in(&history, told)) {
            return Err(format!(
                "evaluation {} of {:.2} s had ended {since:.2} s before, and was made again: {made:?}",
                told.id, told.seconds
            ));
        }
    }
    Ok(())
}

/// Whether an evaluation must count whose end the user was told this many seconds ago.
pub(crate) fn is_durable(since: f64, told: &Told) -> bool {
    told.seconds >= DURABLE_FROM || since > SYNCED_WITHIN
}

/// Checks that the entries of a ledger are the first ones of another, up to the end of a turn.
fn begins_with(all: &[Entry], entries: &[Entry]) -> Result<(), String> {
    let count = entries.len();
    if entries != &all[..count.min(all.len())] {
        return Err(format!(
            "the {count} entries are not those that were written"
        ));
    }
    // A turn begins with a reading of the clock, but for the first of a session.
    let is_begin = match (count.checked_sub(1).map(|last| &all[last]), all.get(count)) {
        (None | Some(Entry::Opened(_)), _) | (_, None) => true,
        (_, Some(next)) => matches!(next, Entry::Clock { .. } | Entry::Opened(_)),
    };
    let is_kept_time = count > 1 && matches!(all[count - 2], Entry::Opened(_));
    if is_begin || is_kept_time {
        Ok(())
    } else {
        Err(format!("{count} entries end within a turn"))
    }
}

/// Checks that all evaluations have ended, each with its own score.
fn counts_all(history: &History) -> Result<(), String> {
    if history.records.len() != EVALUATIONS || history.pending().next().is_some() {
        let pending = history.pending().count();
        return Err(format!(
            "{} evaluations, {pending} pending",
            history.records.len()
        ));
    }
    for record in history.records.values() {
        let (arm, case) = (record.evaluation.arm.index(), &record.evaluation.case);
        let expected = study::score(arm, case.split, case.seed).map(Observation::Score);
        let found = match record.ending.as_ref().map(|ending| &ending.outcome) {
            Some(Outcome::Observed(observation)) => Some(*observation),
            _ => None,
        };
        if found != expected {
            return Err(format!("{record:?} is not {expected:?}"));
        }
    }
    Ok(())
}

/// Whether an evaluation is the one that the user was told of.
fn is_in(history: &History, told: &Told) -> bool {
    history.records.values().any(|record| {
        let evaluation = &record.evaluation;
        evaluation.id.0 == told.id
            && evaluation.arm.index() == told.arm
            && evaluation.case.split == told.split
            && evaluation.case.seed == told.seed
    })
}

/// Returns the number of the evaluation of a run.
fn number(run: &str) -> Option<u64> {
    run.strip_prefix("power-")?.split("-a").next()?.parse().ok()
}

/// Returns the content of the file with the id of a study's state.
fn id_of(tree: &Tree) -> Option<&Vec<u8>> {
    tree.get(Path::new("study.fiesta/id"))?.as_ref()
}
