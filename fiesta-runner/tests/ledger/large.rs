//! Measurement of the time that the check of a large ledger takes.

use crate::bench::turn;
use fiesta_runner::ledger::Ledger;
use std::time::{Duration, Instant};
use tempfile::TempDir;

#[test]
#[ignore = "heavy: 100,000 evaluations"]
fn a_ledger_of_100_000_evaluations_is_checked_in_seconds() {
    let place = TempDir::new().unwrap();
    let mut ledger = Ledger::open(place.path()).unwrap();
    let numbers: Vec<u64> = (0..100_000).collect();
    for thousand in numbers.chunks(1000) {
        let entries: Vec<_> = thousand.iter().flat_map(|&number| turn(number)).collect();
        ledger.append(&entries, false).unwrap();
    }
    drop(ledger);
    let began = Instant::now();
    let ledger = Ledger::open(place.path()).unwrap();
    let opened = began.elapsed();
    let entries = ledger.entries().unwrap();
    let (read, count) = (began.elapsed(), entries.len());
    eprintln!(
        "{count} entries: {opened:.2?} to look at the structure, {read:.2?} with every entry checked"
    );
    assert!(read < Duration::from_secs(20), "{read:?}");
}
