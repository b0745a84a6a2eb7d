//! Tests that a study survives power cuts: it is recorded while it runs, and states that a power cut
//! may leave are run to their end.

mod recorded;
mod resumed;

use fiesta_simulation::power::{disk::Obeys, record::Call, study::Jobs};
use recorded::{Choice, Recorded};
use std::{
    env,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::Instant,
};

/// Ways in which a study is recorded: its jobs, and how SQLite uses files. `unix-none` has no shared
/// memory, so that the ledger has a rollback journal, as on the disk of another machine.
const WAYS: [(Jobs, &str); 3] = [
    (Jobs::Calls, "unix"),
    (Jobs::Calls, "unix-none"),
    (Jobs::Commands, "unix"),
];

/// Returns the study as it ran in each of the ways, recorded once for tests that run together.
fn recorded() -> Arc<Vec<Recorded>> {
    static RECORDED: Mutex<Weak<Vec<Recorded>>> = Mutex::new(Weak::new());
    let mut recorded = RECORDED.lock().unwrap();
    if let Some(recorded) = recorded.upgrade() {
        return recorded;
    }
    let new: Vec<Recorded> = thread::scope(|scope| {
        let running = WAYS.map(|(jobs, vfs)| scope.spawn(move || Recorded::run(jobs, vfs)));
        running.map(|running| running.join().unwrap()).into()
    });
    let new = Arc::new(new);
    *recorded = Arc::downgrade(&new);
    new
}

/// Waits until no other test puts states in their place: how SQLite uses files, too, is the same
/// for all threads.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Checks that whatever was promised holds in states of every recorded study.
fn promises_hold(choice: impl Fn(Jobs) -> Choice) {
    let recorded = recorded();
    let _alone = alone();
    for recorded in recorded.iter() {
        recorded.use_vfs();
        let (began, mut number, mut wrong) = (Instant::now(), 0, Vec::new());
        let states = recorded.each(Obeys::All, choice(recorded.jobs), seed(), |state| {
            number += 1;
            if let Err(what) = resumed::holds(recorded, &state, number % 2 == 0) {
                wrong.push(format!("{what}\n    {:.600}", state.story));
            }
        });
        let syncs = recorded.count(|call| matches!(call, Call::Synced { .. }));
        eprintln!(
            "{:?} on {}: {states} states of {} changes with {syncs} syncs, {} s",
            recorded.jobs,
            recorded.vfs,
            recorded.len(),
            began.elapsed().as_secs()
        );
        let first = wrong[..wrong.len().min(9)].join("\n");
        assert!(
            wrong.is_empty(),
            "{} of {states} states: {first}",
            wrong.len()
        );
    }
}

/// Returns the seed of what chance chooses.
fn seed() -> u64 {
    env::var("FIESTA_POWER_SEED").map_or(1, |seed| seed.parse().unwrap())
}

#[test]
fn a_power_cut_loses_nothing_that_was_promised() {
    promises_hold(|jobs| match jobs {
        Jobs::Calls => Choice::Drawn(60),
        // Each has a supervisor to start.
        Jobs::Commands => Choice::Drawn(20),
    });
}

#[test]
#[ignore = "takes minutes: FIESTA_POWER_STATES states of the ledger after each change (default 8), and a quarter as many of the rest"]
fn every_power_cut_loses_nothing_that_was_promised() {
    let most = env::var("FIESTA_POWER_STATES").map_or(8, |most| most.parse().unwrap());
    promises_hold(|_| Choice::Most(most));
}

/// Tests that the checks can fail: on a disk that does not do what it is told.
#[test]
fn a_disk_that_ignores_syncs_loses_what_was_promised() {
    let recorded = recorded();
    let _alone = alone();
    for recorded in recorded.iter() {
        recorded.use_vfs();
        for obeys in [Obeys::Files, Obeys::Nothing] {
            let mut is_lost = false;
            let states = recorded.each(obeys, Choice::Drawn(60), seed(), |state| {
                is_lost = is_lost || resumed::holds(recorded, &state, false).is_err();
            });
            assert!(is_lost, "{obeys:?}: in none of {states} states");
        }
    }
}

/// Tests that the record lacks no change: it leads to what the study has left.
#[test]
fn the_record_is_complete() {
    for recorded in recorded().iter() {
        let (by_record, after) = (recorded.by_record(), &recorded.after);
        let paths: Vec<_> = by_record.keys().collect();
        assert_eq!(paths, after.keys().collect::<Vec<_>>());
        for (path, content) in after {
            assert!(by_record[path] == *content, "{} differs", path.display());
        }
    }
}
