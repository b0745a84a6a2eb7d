//! Tests of verbs that read a study while it runs.

use super::support::{Bench, Running, STUDY, code, until};
use rustix::process::Signal;
use std::{
    thread,
    time::{Duration, Instant},
};

/// Tests that several readers who look again and again are never refused, and never see half a
/// turn, or less than before.
#[test]
fn whoever_looks_sees_whole_turns() {
    let study = STUDY
        .replace("confidence = 0.95\n", "")
        .replace("evaluations = 40", "evaluations = 150")
        .replace("parallel = 2", "parallel = 3");
    let bench = Bench::with_study(&study);
    let running = bench.start(&["run", "study.toml"]);
    until("it has begun", || running.stderr().contains("    1  "));
    let looks: Vec<u64> = thread::scope(|scope| {
        let look = || {
            let (mut latest, mut looks) = (0, 0);
            while latest < 150 {
                let (exit, status) = bench.json(&["status", "study.toml"]);
                assert_eq!(exit, Some(code::DONE));
                let evaluations = status["evaluations"].as_u64().unwrap();
                assert!(evaluations >= latest, "{evaluations} after {latest}");
                let of_arms = status["arms"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|arm| arm["evaluations"].as_u64().unwrap());
                assert_eq!(of_arms.sum::<u64>(), evaluations);
                // A turn is recorded with the decisions that follow from it.
                assert!(
                    evaluations == 150 || status["pending"].as_u64().unwrap() > 0,
                    "{status}"
                );
                let export = bench.fiesta(&["export", "study.toml"]);
                export.says(code::DONE, &[]);
                let rows = export.stdout.lines().count() as u64 - 1;
                assert!(rows >= evaluations, "{rows} rows after {evaluations}");
                latest = evaluations;
                looks += 1;
                thread::sleep(Duration::from_millis(1));
            }
            looks
        };
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(look)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(looks.iter().sum::<u64>() > 4, "{looks:?}");
    running.wait().says(code::DONE, &[]);
}

/// Pseudo-random durations, the same in every run of the test.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> Duration {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Duration::from_micros((self.0 >> 33) % below)
    }
}

/// Checks that verbs on a study whose controller is stopped show its state, or say at once which
/// process blocks them.
#[track_caller]
fn look_while_stopped(bench: &Bench, running: &Running) {
    running.signal(Signal::STOP);
    for arguments in [&["status", "study.toml"][..], &["export", "study.toml"]] {
        let began = Instant::now();
        let ran = bench.fiesta(arguments);
        // To wait for a writer took ten seconds.
        assert!(began.elapsed() < Duration::from_secs(8), "{ran:?}");
        let pid = running.pid();
        match ran.code {
            Some(code::DONE) => {}
            Some(code::USAGE) => ran.says(code::USAGE, &["was never run"]),
            _ => ran.says(
                code::LOCKED,
                &[
                    &format!("process {pid} on"),
                    "is stopped",
                    &format!("kill -CONT {pid}"),
                ],
            ),
        }
    }
    running.signal(Signal::CONT);
}

#[test]
fn a_controller_that_is_stopped_as_it_starts_keeps_nobody_waiting() {
    let mut moments = Moments(11);
    for round in 0..40 {
        let bench = Bench::with_study(STUDY);
        let running = bench.start(&["run", "study.toml"]);
        match round % 4 {
            0 => thread::sleep(moments.next(120_000)),
            kind => {
                let name = ["lock", "ledger.db", "ledger.db-wal"][kind - 1];
                let path = bench.path("study.fiesta").join(name);
                let began = Instant::now();
                while !path.exists() && began.elapsed() < Duration::from_secs(20) {
                    std::hint::spin_loop();
                }
                thread::sleep(moments.next(3_000));
            }
        }
        look_while_stopped(&bench, &running);
        running.wait().says(code::DONE, &[]);
    }
}

#[test]
fn a_controller_that_is_stopped_as_it_runs_keeps_nobody_waiting() {
    let study = STUDY
        .replace("confidence = 0.95\n", "")
        .replace("evaluations = 40", "evaluations = 200");
    let bench = Bench::with_study(&study);
    let running = bench.start(&["run", "study.toml"]);
    until("it has begun", || running.stderr().contains("    1  "));
    let mut moments = Moments(12);
    for _ in 0..20 {
        thread::sleep(moments.next(20_000));
        look_while_stopped(&bench, &running);
    }
    running.wait().says(code::DONE, &[]);
}
