//! Ledgers of other versions.

use crate::bench::{DATABASE, open, says, turn};
use fiesta_runner::ledger::{Entry, Ledger};
use rusqlite::Connection;
use std::{fs, path::Path};
use tempfile::TempDir;

/// What the first version wrote.
const FORMAT_1: &str = include_str!("data/format-1.sql");

fn first_format() -> TempDir {
    let place = TempDir::new().unwrap();
    let database = Connection::open(place.path().join(DATABASE)).unwrap();
    database
        .execute_batch("PRAGMA journal_mode = WAL;")
        .unwrap();
    database.execute_batch(FORMAT_1).unwrap();
    drop(database);
    place
}

fn format(database: &Path) -> i64 {
    let database = Connection::open(database).unwrap();
    database
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

#[test]
fn readers_take_an_old_ledger_as_it_is() {
    let place = first_format();
    let path = place.path().join(DATABASE);
    let before = fs::read(&path).unwrap();
    let entries = Ledger::read(place.path()).unwrap();
    assert_eq!(entries.len(), 15);
    assert!(matches!(entries[0], Entry::Opened(_)));
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn a_controller_takes_it_over_and_keeps_what_it_was() {
    let place = first_format();
    let old = Ledger::read(place.path()).unwrap();
    // A controller was killed here before.
    fs::write(place.path().join("ledger.db.format-1.part"), "half").unwrap();
    let (mut ledger, entries) = open(place.path()).unwrap();
    assert_eq!(entries, old);
    ledger.append(&turn(9), true).unwrap();
    drop(ledger);
    let path = place.path().join(DATABASE);
    assert_eq!(format(&path), 2);
    let entries = Ledger::read(place.path()).unwrap();
    assert_eq!(entries[..15], old);
    assert_eq!(entries.len(), 18);

    let copy = place.path().join("ledger.db.format-1");
    assert_eq!(format(&copy), 1);
    assert!(!place.path().join("ledger.db.format-1.part").exists());
    fs::rename(copy, &path).unwrap();
    assert_eq!(Ledger::read(place.path()).unwrap(), old);
    // Once more, over nothing.
    assert_eq!(open(place.path()).unwrap().1, old);
}

/// A damaged ledger would be given digests of what it has become.
#[test]
fn a_damaged_old_ledger_is_not_taken_over() {
    let place = first_format();
    let path = place.path().join(DATABASE);
    let database = Connection::open(&path).unwrap();
    database
        .execute("DELETE FROM entry WHERE sequence = 9", [])
        .unwrap();
    drop(database);
    says(
        &open(place.path()).unwrap_err(),
        &["is damaged: entry 9 is missing"],
    );
    assert_eq!(format(&path), 1);
    assert!(!place.path().join("ledger.db.format-1").exists());
}

#[test]
fn a_later_format_is_refused() {
    let place = TempDir::new().unwrap();
    drop(open(place.path()).unwrap());
    let path = place.path().join(DATABASE);
    let database = Connection::open(&path).unwrap();
    database.pragma_update(None, "user_version", 3).unwrap();
    drop(database);
    let before = fs::read(&path).unwrap();
    let words = [
        "has format 3",
        "up to 2",
        "use the version of fiesta that wrote it",
    ];
    says(&open(place.path()).unwrap_err(), &words);
    says(&Ledger::read(place.path()).unwrap_err(), &words);
    assert_eq!(fs::read(&path).unwrap(), before);
}
