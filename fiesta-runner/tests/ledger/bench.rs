//! Helpers of tests that damage ledgers.

use fiesta_core::{ArmId, Case, Evaluation, EvaluationId, Observation, Outcome};
use fiesta_runner::ledger::{Entry, Ledger, LedgerError, Session};
use std::{fs, path::Path};

pub(crate) const DATABASE: &str = "ledger.db";
pub(crate) const LOG: &str = "ledger.db-wal";

/// Returns the ledger's entries for a turn: an evaluation is decided, and the one before has ended.
pub(crate) fn turn(number: u64) -> Vec<Entry> {
    let evaluation = Evaluation {
        id: EvaluationId(number),
        arm: ArmId::new(usize::try_from(number % 3).unwrap()),
        case: Case {
            split: number / 3,
            seed: number * 7919,
        },
    };
    let decided = Entry::Decided {
        evaluation,
        setting: fiesta_policies::random_search::Setting::default(),
    };
    let Some(before) = number.checked_sub(1) else {
        return vec![Entry::Opened(session()), decided];
    };
    let ended = Entry::Ended {
        evaluation: EvaluationId(before),
        attempt: 0,
        outcome: Outcome::Observed(Observation::Score(0.5 + before as f64 / 1000.0)),
        cost: 1.25,
        seconds: 0.25,
        end: None,
        message: Some("x".repeat(usize::try_from(before % 5 * 40).unwrap())),
        extras: serde_json::Map::new(),
    };
    let seconds = number as f64;
    vec![Entry::Clock { seconds }, ended, decided]
}

fn session() -> Session {
    Session {
        version: "0".to_owned(),
        host: "here".to_owned(),
        machine: None,
        study: serde_json::json!({ "name": "torn" }),
        asserted: Vec::new(),
    }
}

/// Writes `turns` turns to a ledger. Returns the number of entries up to the end of each.
pub(crate) fn write(ledger: &mut Ledger, turns: u64) -> Vec<usize> {
    let mut ends = vec![0];
    for number in 0..turns {
        let entries = turn(number);
        ledger.append(&entries, true).unwrap();
        ends.push(ends[ends.len() - 1] + entries.len());
    }
    ends
}

/// Opens and reads a ledger as a controller does.
pub(crate) fn open(directory: &Path) -> Result<(Ledger, Vec<Entry>), LedgerError> {
    let ledger = Ledger::open(directory)?;
    let entries = ledger.entries()?;
    Ok((ledger, entries))
}

/// Makes the directory of a run, as though one had been made.
pub(crate) fn add_run(directory: &Path) {
    fs::create_dir_all(directory.join("runs/torn-0-a0")).unwrap();
}

/// Checks that an error's message contains all of `words`.
#[track_caller]
pub(crate) fn says(error: &LedgerError, words: &[&str]) {
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}
