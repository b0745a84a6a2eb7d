//! Tests of a supervisor that carries out one run after another.

use crate::bench::{Bench, SOON, children, eventually, exists, kill};
use fiesta_runner::{
    executor::Executor,
    run::{End, RunId, RunSpec},
};
use rustix::process::{Pid, Signal, kill_process};
use std::{fs, time::Duration};

/// Returns a run of this script, with a name of its own.
fn next(bench: &Bench, number: u64, script: &str) -> RunSpec {
    let mut spec = bench.shell(script);
    spec.id = RunId::new("study", number, 0).unwrap();
    spec.directory = bench.path().join(spec.id.as_str());
    spec
}

#[test]
fn a_supervisor_that_is_done_takes_the_next_run() {
    let mut bench = Bench::new();
    let supervisors: Vec<i32> = (0..5)
        .map(|number| {
            let spec = next(&bench, number, &format!("echo {number}; exit {number}"));
            let supervisor = bench.submit(&spec);
            let ended = bench.wait();
            assert_eq!(ended.id, spec.id);
            assert_eq!(ended.end, End::Exited(i32::try_from(number).unwrap()));
            let stdout = fs::read_to_string(spec.directory.join("stdout")).unwrap();
            assert_eq!(stdout, format!("{number}\n"));
            supervisor.pid
        })
        .collect();
    assert!(
        supervisors.iter().all(|&pid| pid == supervisors[0]),
        "{supervisors:?}"
    );
}

/// Tests that no process, status or request to stop of a run remains for the next run of its
/// supervisor.
#[test]
fn a_run_leaves_nothing_to_the_next() {
    let mut bench = Bench::new();
    let messy = next(&bench, 0, "sleep 1000 & setsid sleep 1000 & kill -9 $$");
    let supervisor = bench.submit(&messy);
    assert_eq!(bench.wait().end, End::Signaled(9));
    assert!(children(supervisor.pid).is_empty());
    let tidy = next(&bench, 1, "true");
    assert_eq!(bench.submit(&tidy), supervisor);
    assert_eq!(bench.wait().end, End::Exited(0));

    // The request to stop came when the run had ended already; the next one is not its victim.
    let quick = next(&bench, 2, "true");
    bench.submit(&quick);
    eventually("the run ended", || {
        quick.directory.join("end.json").exists()
    });
    bench.executor.cancel(&quick.id, Duration::ZERO).unwrap();
    assert_eq!(bench.wait().end, End::Exited(0));
    let after = next(&bench, 3, "true");
    let other = bench.submit(&after);
    assert_ne!(other, supervisor);
    assert_eq!(bench.wait().end, End::Exited(0));
    eventually("the supervisor that was asked to stop is gone", || {
        !supervisor.is_alive()
    });
}

#[test]
fn an_idle_supervisor_that_was_killed_is_replaced() {
    let mut bench = Bench::new();
    let supervisor = bench.submit(&next(&bench, 0, "true"));
    bench.wait();
    kill(supervisor.pid);
    eventually("it is gone", || !supervisor.is_alive());
    let other = bench.submit(&next(&bench, 1, "true"));
    assert_ne!(other, supervisor);
    assert_eq!(bench.wait().end, End::Exited(0));
    assert!(!exists(supervisor.pid), "not even a zombie");
}

/// Tests that an idle supervisor ends at SIGTERM, such as from a shutdown, and begins no run.
#[test]
fn an_idle_supervisor_goes_when_it_is_told_to() {
    let mut bench = Bench::new();
    let supervisor = bench.submit(&next(&bench, 0, "true"));
    bench.wait();
    kill_process(Pid::from_raw(supervisor.pid).unwrap(), Signal::TERM).unwrap();
    eventually("it is gone", || !supervisor.is_alive());
    bench.submit(&next(&bench, 1, "true"));
    assert_eq!(bench.wait().end, End::Exited(0));
}

/// Tests that a second controller can follow a run while the first one lives, though a study cannot
/// have two. The supervisor stays.
#[test]
fn a_run_of_another_living_controller_is_followed_to_its_end() {
    let mut first = Bench::new();
    let mut second = Bench::new();
    let spec = first.shell("echo > started; while [ ! -e go ]; do sleep 0.02; done");
    let supervisor = first.submit(&spec);
    first.await_file("started");
    second.submit(&spec);
    assert!(second.poll(Duration::from_millis(200)).is_empty());
    first.touch("go");
    let ended = second.poll(SOON);
    assert_eq!(ended.len(), 1);
    assert_eq!(ended, first.poll(SOON));
    assert!(
        supervisor.is_alive(),
        "it waits for the first one's next run"
    );
}
