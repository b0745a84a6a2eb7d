//! One controller holds a ledger.

use crate::bench::{open, says};
use fiesta_runner::ledger::{Ledger, LedgerError, LockError};
use std::{fs, sync::Barrier, thread};
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
