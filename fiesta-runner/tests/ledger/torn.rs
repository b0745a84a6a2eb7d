//! Tests that a ledger that was cut or overwritten is read up to the end of a turn, or refused, and
//! never misread.

use crate::bench::{DATABASE, LOG, add_run, open, says, turn, write};
use fiesta_runner::ledger::{Entry, Ledger, LedgerError};
use std::{fs, os::unix::fs::FileExt, path::Path};
use tempfile::TempDir;

/// Returns the ledger's entries, or the error, as a reader and as a controller get them.
fn looked_at(place: &Path) -> [Result<Vec<Entry>, LedgerError>; 2] {
    let read = Ledger::read(place);
    [read, open(place).map(|(_, entries)| entries)]
}

/// Tests a ledger whose log is cut to each of these lengths.
fn cut(lengths: impl Fn(usize) -> Vec<usize>) {
    let whole = TempDir::new().unwrap();
    let mut ledger = Ledger::open(whole.path()).unwrap();
    let ends = write(&mut ledger, 8);
    let entries = ledger.entries().unwrap();
    // While it is open, nothing is merged.
    let (database, log) = (
        fs::read(whole.path().join(DATABASE)).unwrap(),
        fs::read(whole.path().join(LOG)).unwrap(),
    );
    let mut seen = Vec::new();
    for length in lengths(log.len()) {
        let place = TempDir::new().unwrap();
        fs::write(place.path().join(DATABASE), &database).unwrap();
        fs::write(place.path().join(LOG), &log[..length]).unwrap();
        for found in looked_at(place.path()) {
            let found = found.unwrap_or_else(|error| panic!("cut to {length}: {error}"));
            assert!(
                ends.contains(&found.len()),
                "cut to {length}: {}",
                found.len()
            );
            assert_eq!(found, entries[..found.len()], "cut to {length}");
            seen.push(found.len());
        }
        let (mut ledger, found) = open(place.path()).unwrap();
        ledger.append(&turn(99), true).unwrap();
        let more = ledger.entries().unwrap();
        assert_eq!(more[..found.len()], found);
        assert_eq!(more[found.len()..], turn(99));
    }
    seen.dedup();
    assert!(seen.len() > 5, "{seen:?}");
}

/// Sizes, in bytes, of the header of a write-ahead log and of one of its frames.
const HEADER: usize = 32;
const FRAME: usize = 24 + 4096;

#[test]
fn a_log_cut_anywhere_is_read_up_to_a_turn_s_end() {
    cut(|length| {
        let near = |at: usize| at.saturating_sub(2)..=(at + 2).min(length);
        let edges = (0..=length / FRAME).flat_map(|frame| near(HEADER + frame * FRAME));
        let within = (0..length).step_by(1499);
        near(0)
            .chain(edges.filter(|&at| at <= length))
            .chain(within)
            .collect()
    });
}

#[test]
#[ignore = "heavy: a log cut at every length, or at each FIESTA_CUT_STEP-th"]
fn a_log_cut_at_every_length_is_read_up_to_a_turn_s_end() {
    let step = std::env::var("FIESTA_CUT_STEP").map_or(1, |step| step.parse().unwrap());
    cut(|length| (0..=length).step_by(step).collect());
}

/// Returns a closed ledger without a study.
fn closed() -> (TempDir, Vec<Entry>) {
    let place = TempDir::new().unwrap();
    let mut ledger = Ledger::open(place.path()).unwrap();
    write(&mut ledger, 40);
    let entries = ledger.entries().unwrap();
    drop(ledger);
    assert!(!place.path().join(LOG).exists());
    add_run(place.path());
    (place, entries)
}

/// Overwrites a part of the ledger's file, and checks that the ledger is refused or reads as
/// before. Returns whether it was refused.
fn overwritten(place: &Path, entries: &[Entry], at: usize, garbage: &[u8]) -> bool {
    let path = place.join(DATABASE);
    let whole = fs::read(&path).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(garbage, at as u64).unwrap();
    let injured = fs::read(&path).unwrap();
    let mut refused = 0;
    for found in looked_at(place) {
        match found {
            Ok(found) => assert_eq!(found, entries, "overwritten at {at}"),
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("ledger.db"), "overwritten at {at}: {text}");
                assert!(!text.contains("never run"), "overwritten at {at}: {text}");
                refused += 1;
            }
        }
    }
    if refused > 0 {
        assert_eq!(
            fs::read(&path).unwrap(),
            injured,
            "overwritten at {at}: changed"
        );
    }
    fs::write(&path, whole).unwrap();
    let _ = fs::remove_file(place.join(LOG));
    let _ = fs::remove_file(place.join("ledger.db-shm"));
    refused > 0
}

#[test]
fn garbage_anywhere_is_noticed_or_does_no_harm() {
    let (place, entries) = closed();
    let length = fs::read(place.path().join(DATABASE)).unwrap().len();
    let garbage: Vec<u8> = (0..97_u32).map(|n| (n * 151 % 251) as u8).collect();
    let offsets = (0..length).step_by(211);
    let refused = offsets
        .filter(|&at| overwritten(place.path(), &entries, at, &garbage))
        .count();
    assert!(refused > 50, "{refused}");
}

/// Tests that one changed bit of an entry is noticed, whatever SQLite thinks of it.
#[test]
fn a_single_bit_of_an_entry_is_noticed() {
    let (place, entries) = closed();
    let bytes = fs::read(place.path().join(DATABASE)).unwrap();
    let scores: Vec<usize> = bytes
        .windows(10)
        .enumerate()
        .filter(|(_, window)| window.starts_with(b"observed\":"))
        .map(|(at, _)| at + 12)
        .collect();
    assert!(scores.len() >= 39, "{}", scores.len());
    // Some of them stand where an entry was before it was moved.
    let noticed = |&&at: &&usize| overwritten(place.path(), &entries, at, &[bytes[at] ^ 1]);
    assert_eq!(scores.iter().filter(noticed).count(), 39);
}

#[test]
fn a_cut_database_is_refused() {
    let (place, entries) = closed();
    let path = place.path().join(DATABASE);
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(1013).chain([1, 99, 4096, 8192]) {
        fs::write(&path, &whole[..length]).unwrap();
        for found in looked_at(place.path()) {
            let error = found.map(|found| assert_eq!(found.len(), entries.len()));
            let error = error.expect_err(&format!("cut to {length}"));
            says(
                &error,
                &[
                    "ledger.db",
                    "is damaged",
                    "it is left as it is",
                    "Put a copy of it back",
                ],
            );
        }
        assert_eq!(fs::read(&path).unwrap(), whole[..length], "cut to {length}");
    }
    fs::write(&path, "").unwrap();
    for found in looked_at(place.path()) {
        says(&found.unwrap_err(), &["it is empty, and runs were made"]);
    }
    // As one that nothing has been written to yet.
    fs::remove_dir_all(place.path().join("runs")).unwrap();
    assert_eq!(open(place.path()).unwrap().1, []);
}

#[test]
fn what_is_no_ledger_is_left_alone() {
    let place = TempDir::new().unwrap();
    let path = place.path().join(DATABASE);
    fs::write(&path, "notes of mine, kept here since 1998\n".repeat(99)).unwrap();
    for found in looked_at(place.path()) {
        says(&found.unwrap_err(), &["no SQLite database"]);
    }
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .starts_with("notes of mine")
    );
    fs::remove_file(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other
        .execute_batch("CREATE TABLE mine (a); INSERT INTO mine VALUES (1);")
        .unwrap();
    let before = fs::read(&path).unwrap();
    for found in looked_at(place.path()) {
        says(&found.unwrap_err(), &["it holds something else"]);
    }
    assert!(fs::read(&path).unwrap() == before, "it has another journal");
    let rows: i64 = other
        .query_row("SELECT count(*) FROM mine", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 1);
}

#[test]
fn entries_taken_out_or_changed_from_outside_are_noticed() {
    for (injury, words) in [
        (
            "DELETE FROM entry WHERE sequence = 17",
            "entry 17 is missing",
        ),
        ("DELETE FROM entry WHERE sequence = 1", "entry 1 is missing"),
        (
            "UPDATE entry SET body = replace(body, '0.5', '0.6') WHERE sequence = 4",
            "entry 4 (ended of evaluation 1) is not what was written",
        ),
        (
            "UPDATE entry SET at = at + 1 WHERE sequence = 3",
            "entry 3 (clock) is not what was written",
        ),
        (
            "UPDATE entry SET kind = 'clock' WHERE sequence = 2",
            "entry 2 (clock of evaluation 1) contradicts itself",
        ),
        (
            "UPDATE entry SET evaluation = 7 WHERE sequence = 2",
            "entry 2 (decided of evaluation 8) contradicts itself",
        ),
    ] {
        let (place, _) = closed();
        let other = rusqlite::Connection::open(place.path().join(DATABASE)).unwrap();
        assert_eq!(other.execute(injury, []).unwrap(), 1, "{injury}");
        drop(other);
        for found in looked_at(place.path()) {
            says(&found.unwrap_err(), &[words, "move it away"]);
        }
    }
}

/// Tests that an entry whose commit failed, but which is in the file, is not written twice.
#[test]
fn an_entry_that_is_there_already_is_not_written_again() {
    let (place, _) = closed();
    let (mut ledger, before) = open(place.path()).unwrap();
    let mut second = rusqlite::Connection::open(place.path().join(DATABASE)).unwrap();
    let transaction = second.transaction().unwrap();
    let next = i64::try_from(before.len()).unwrap() + 1;
    transaction
        .execute("INSERT INTO entry SELECT ?1, at, kind, evaluation, body, digest FROM entry WHERE sequence = 1", [next])
        .unwrap();
    transaction.commit().unwrap();
    assert!(ledger.append(&turn(40), true).is_err());
}
