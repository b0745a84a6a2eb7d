//! Tests that one controller alone holds a ledger.

use crate::bench::{DATABASE, open, says, write};
use fiesta_runner::ledger::{Ledger, LedgerError, LockError};
use rusqlite::Connection;
use std::{
    fs,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

#[test]
fn of_many_at_once_exactly_one_gets_it() {
    const MANY: usize = 8;
    for round in 0..20 {
        let place = TempDir::new().unwrap();
        let together = Barrier::new(MANY);
        let ledgers: Vec<Result<Ledger, LedgerError>> = thread::scope(|scope| {
            let take = || {
                together.wait();
                Ledger::open(place.path())
            };
            let threads: Vec<_> = (0..MANY).map(|_| scope.spawn(take)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        let (held, refused): (Vec<_>, Vec<_>) = ledgers.into_iter().partition(Result::is_ok);
        assert_eq!(held.len(), 1, "round {round}");
        for error in refused {
            let error = error.unwrap_err();
            assert!(
                matches!(error, LedgerError::Lock(LockError::Held { .. })),
                "{error}"
            );
            says(&error, &[&format!("process {}", std::process::id())]);
        }
        drop(held);
        open(place.path()).unwrap();
    }
}

#[test]
fn a_lock_that_cannot_be_taken_is_an_error_that_names_it() {
    let place = TempDir::new().unwrap();
    fs::create_dir(place.path().join("lock")).unwrap();
    let error = open(place.path()).unwrap_err();
    assert!(
        matches!(error, LedgerError::Lock(LockError::File { .. })),
        "{error}"
    );
    says(&error, &["cannot lock", "lock: "]);
    assert!(!place.path().join("ledger.db").exists());
}

#[test]
fn what_is_left_in_a_lock_by_somebody_dead_does_not_matter() {
    let place = TempDir::new().unwrap();
    for left in [
        "",
        "{",
        "{\"pid\":1,\"host\":\"elsewhere\",\"since\":0}",
        "\0\0\0",
    ] {
        fs::write(place.path().join("lock"), left).unwrap();
        open(place.path()).unwrap();
        assert_eq!(Ledger::holder(place.path()), None);
    }
}

/// Tests that a ledger is read without waiting while its writer is stopped in a transaction: the
/// state before the transaction is read.
#[test]
fn readers_see_what_was_before_a_transaction_that_does_not_end() {
    for (journal, is_written) in [("truncate", false), ("truncate", true), ("wal", true)] {
        let place = TempDir::new().unwrap();
        let mut ledger = open(place.path()).unwrap().0;
        write(&mut ledger, 40);
        drop(ledger);
        let before = Ledger::read(place.path()).unwrap();
        let writer = Connection::open(place.path().join(DATABASE)).unwrap();
        writer.pragma_update(None, "journal_mode", journal).unwrap();
        // Its pages go to the disk before the transaction ends.
        writer.pragma_update(None, "cache_size", 2).unwrap();
        writer
            .pragma_update(None, "locking_mode", "EXCLUSIVE")
            .unwrap();
        writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
        if is_written {
            writer
                .execute("UPDATE entry SET body = body || 'x', digest = 0", [])
                .unwrap();
        }
        let began = Instant::now();
        let seen = Ledger::read(place.path()).unwrap();
        assert!(began.elapsed() < Duration::from_secs(5), "{journal}");
        assert_eq!(seen, before, "{journal}, {is_written}");
        let left = fs::read_dir(std::env::temp_dir()).unwrap();
        let own = format!("fiesta-reads-{}-", std::process::id());
        let mut left = left.map(|entry| entry.unwrap().file_name());
        assert!(!left.any(|name| name.to_string_lossy().starts_with(&own)));
        writer.execute_batch("ROLLBACK").unwrap();
    }
}
