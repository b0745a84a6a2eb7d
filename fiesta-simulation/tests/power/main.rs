//! Tests that a study survives power cuts: it is recorded while it runs, and every state that a
//! power cut may leave is run to its end.

mod recorded;
mod resumed;

use fiesta_simulation::{disk::Obeys, record::Call, study::Jobs};
use recorded::{Choice, Recorded};
use std::{
    env,
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// Ways in which a study is recorded: its jobs, and how SQLite uses files. `unix-none` has no shared
/// memory, so that the ledger has a rollback journal, as on the disk of another machine.
const WAYS: [(Jobs, &str); 3] = [
    (Jobs::Calls, "unix"),
    (Jobs::Calls, "unix-none"),
    (Jobs::Commands, "unix"),
];

/// Checks states in each of the ways. Returns what does not hold.
fn looked_at(obeys: Obeys, ways: &[(Jobs, &'static str)], choice: impl Fn(Jobs) -> Choice) -> Vec<String> {
    // How SQLite uses files is the same for all threads.
    static ALONE: Mutex<()> = Mutex::new(());
    let recorded: Vec<Recorded> = std::thread::scope(|scope| {
        let run = |&(jobs, vfs)| scope.spawn(move || Recorded::run(jobs, vfs));
        let running: Vec<_> = ways.iter().map(run).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut wrong = Vec::new();
    for (recorded, (jobs, vfs)) in recorded.iter().zip(ways) {
        recorded.use_vfs();
        let (began, mut number) = (Instant::now(), 0);
        let seed = env::var("FIESTA_POWER_SEED").map_or(1, |seed| seed.parse().unwrap());
        let states = recorded.each(obeys, choice(*jobs), seed, |state| {
            number += 1;
            if let Err(what) = resumed::holds(recorded, &state, number % 2 == 0) {
                let what = format!("{what}\n    {:.2000}", state.story);
                if obeys == Obeys::All {
                    eprintln!("{what}");
                }
                wrong.push(what);
            }
        });
        let syncs = recorded.count(|call| matches!(call, Call::Synced { .. }));
        eprintln!(
            "{jobs:?} on {vfs}: {states} states of {} changes with {syncs} syncs, {} s",
            recorded.len(),
            began.elapsed().as_secs()
        );
    }
    wrong
}

#[test]
fn the_record_is_complete() {
    for (jobs, vfs) in WAYS {
        let recorded = Recorded::run(jobs, vfs);
        let (by_record, after) = (recorded.by_record(), &recorded.after);
        let paths: Vec<_> = by_record.keys().collect();
        assert_eq!(paths, after.keys().collect::<Vec<_>>());
        for (path, content) in after {
            assert!(by_record[path] == *content, "{} differs", path.display());
        }
    }
}

#[test]
fn a_power_cut_loses_nothing_that_was_promised() {
    let drawn = |jobs| Choice::Drawn(if jobs == Jobs::Commands { 40 } else { 100 });
    let wrong = looked_at(Obeys::All, &WAYS, drawn);
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong[..wrong.len().min(9)].join("\n"));
}

#[test]
#[ignore = "heavy: after each change, about FIESTA_POWER_STATES states of each kind"]
fn every_power_cut_loses_nothing_that_was_promised() {
    let most = env::var("FIESTA_POWER_STATES").map_or(64, |most| most.parse().unwrap());
    let wrong = looked_at(Obeys::All, &WAYS, |jobs| match jobs {
        Jobs::Calls => Choice::Most(most),
        // Each has a supervisor to start.
        Jobs::Commands => Choice::Most(most / 8),
    });
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong[..wrong.len().min(9)].join("\n"));
}

/// Tests that the checks can fail: on a disk that does not do what it is told.
#[test]
fn a_disk_that_ignores_syncs_loses_what_was_promised() {
    for obeys in [Obeys::Files, Obeys::Nothing] {
        for way in WAYS {
            let wrong = looked_at(obeys, &[way], |_| Choice::Drawn(30));
            let lost = wrong.iter().filter(|what| what.contains("was made again")).count();
            assert!(lost > 0, "{obeys:?} {way:?}: {wrong:?}");
        }
    }
}
