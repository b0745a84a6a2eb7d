//! A model of the protocol by which controllers and supervisors share the directories of runs,
//! explored exhaustively: two controllers, two evaluations, and kills of anybody at any step.

mod action;
mod controller;
mod model;
mod state;
mod supervisor;

use model::{COUNTED_ONCE, Change, NOBODY_LEFT, NOTHING_LOST, ONE_RUN_A_SLOT, Protocol};
use stateright::{Checker, HasDiscoveries, Model};
use std::{fs, path::Path};

/// Explores every order of the steps, and every moment of each kill. Returns the number of states.
fn explore(slots: usize, kills: usize) -> usize {
    let checker = Protocol::new(slots, kills).checker();
    let checker = checker.threads(2).spawn_bfs().join();
    checker.assert_properties();
    let states = checker.unique_state_count();
    eprintln!("{slots} at a time, {kills} kills: {states} states");
    states
}

#[test]
fn whoever_is_killed_every_promise_is_kept() {
    assert!(explore(1, 2) + explore(2, 1) > 100_000);
}

#[test]
#[ignore = "heavy: millions of states"]
fn whoever_is_killed_again_every_promise_is_kept() {
    explore(1, 3);
    explore(2, 2);
}

#[test]
fn each_promise_fails_where_the_protocol_is_another_one() {
    for (change, promise) in [
        (Change::NoLock, COUNTED_ONCE),
        (Change::EndBeforeSeat, NOTHING_LOST),
        (Change::ReleaseBeforeEnd, NOTHING_LOST),
        (Change::NoClaimToTakeBack, ONE_RUN_A_SLOT),
        (Change::SweepAtOnce, ONE_RUN_A_SLOT),
        (Change::LockAfterClaim, ONE_RUN_A_SLOT),
        (Change::NoWatch, NOBODY_LEFT),
    ] {
        let changed = Protocol::new(1, 2).changed(change).checker();
        let changed = changed.finish_when(HasDiscoveries::AllOf([promise].into()));
        let checker = changed.spawn_bfs().join();
        let Some(path) = checker.discovery(promise) else {
            panic!("{change:?}: found {:?}", checker.discoveries().keys());
        };
        eprintln!("{change:?}: {promise} no more: {:?}", path.into_actions());
    }
}

/// Tests that every step names a function of the runner that exists.
#[test]
fn steps_are_functions_of_the_runner() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(here.join("tests/protocol/action.rs")).unwrap();
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let mut named = 0;
    for two in quoted.windows(2) {
        let [function, file] = two else { continue };
        if Path::new(file).extension().is_none_or(|kind| kind != "rs") {
            continue;
        }
        let source = here.join("src").join(file);
        let source = fs::read_to_string(source).unwrap();
        let is_there = ["(", "<"].map(|next| source.contains(&format!("fn {function}{next}")));
        assert!(is_there.contains(&true), "no {function} in {file}");
        named += 1;
    }
    assert!(named > 15, "{named}");
}
