//! Tests of ledgers that other versions wrote.

use crate::bench::{DATABASE, open, says};
use fiesta_runner::ledger::Ledger;
use rusqlite::Connection;
use std::fs;
use tempfile::TempDir;

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
        "knows format 2",
        "use the version of fiesta that wrote it",
    ];
    says(&open(place.path()).unwrap_err(), &words);
    says(&Ledger::read(place.path()).unwrap_err(), &words);
    assert_eq!(fs::read(&path).unwrap(), before);
}
