//! Tests of runs with very many processes, and of runs that make more while they are killed.

use crate::bench::{Bench, LONG, eventually};
use fiesta_runner::{executor::Executor, run::End};
use rustix::process::{Pid, test_kill_process};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

const GRACE: Duration = Duration::from_millis(500);
const SWARM: usize = 1000;
/// Limit of a step's duration, which is usually far below a second.
const GENEROUS: Duration = Duration::from_secs(5);

/// Script that starts a thousand processes in their own sessions. They ignore SIGTERM, and have no
/// environment.
const MANY: &str = "
    trap '' TERM
    n=0
    while [ $n -lt 1000 ]; do (setsid env -i sleep 1000 &); n=$((n + 1)); done
    echo > ready
    while :; do sleep 1000; done
";

/// Returns the children of a run's supervisor whose program has this name.
fn named(supervisor: i32, name: &str) -> BTreeSet<i32> {
    let children = fs::read_to_string(format!("/proc/{supervisor}/task/{supervisor}/children"));
    let pids: BTreeSet<i32> = children
        .unwrap()
        .split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect();
    let is_named = |pid: &i32| {
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim_end() == name)
    };
    pids.into_iter().filter(is_named).collect()
}

fn is_there(pid: i32) -> bool {
    test_kill_process(Pid::from_raw(pid).unwrap()).is_ok()
}

#[test]
fn a_thousand_grandchildren_are_gone_soon_after_the_grace() {
    let mut bench = Bench::new();
    let mut spec = bench.shell(MANY);
    spec.grace = GRACE;
    let supervisor = bench.submit(&spec);
    bench.await_file("ready");
    let mut swarm = BTreeSet::new();
    eventually("all are the supervisor's", || {
        swarm = named(supervisor.pid, "sleep");
        swarm.len() >= SWARM
    });
    bench.executor.cancel(&spec.id, GRACE).unwrap();
    let asked = Instant::now();
    let ended = bench.wait();
    let took = asked.elapsed();
    let left = swarm.iter().filter(|&&pid| is_there(pid)).count();
    assert_eq!((&ended.end, left), (&End::Cancelled, 0));
    assert!(ended.survivors.is_empty(), "{ended:?}");
    eprintln!(
        "1000 grandchildren were gone {took:?} after the cancellation with a grace of {GRACE:?}"
    );
    assert!(took < GRACE + GENEROUS, "{took:?}");
}

#[test]
fn a_thousand_grandchildren_are_gone_soon_after_the_end() {
    let mut bench = Bench::new();
    let forever = "while :; do sleep 1000; done";
    let wait = "until [ -e go ]; do sleep 0.01; done; date +%s%N > ended";
    let spec = bench.shell(&MANY.replace(forever, wait));
    let supervisor = bench.submit(&spec);
    bench.await_file("ready");
    let mut swarm = BTreeSet::new();
    eventually("all are the supervisor's", || {
        swarm = named(supervisor.pid, "sleep");
        swarm.len() >= SWARM
    });
    bench.touch("go");
    bench.await_file("ended");
    let ended_at = Instant::now();
    let ended = bench.wait();
    let took = ended_at.elapsed();
    assert_eq!(ended.end, End::Exited(0));
    assert_eq!(swarm.iter().filter(|&&pid| is_there(pid)).count(), 0);
    eprintln!("1000 grandchildren were gone {took:?} after the end of their command");
    assert!(took < GENEROUS, "{took:?}");
}

/// Program that forks, leaves its session and exits, again and again, so that its pid always
/// changes.
const RUNNER: &str = r#"use POSIX; $SIG{TERM} = "IGNORE"; open F, ">ready"; close F;
    while (1) { my $child = fork; exit 0 if $child; POSIX::setsid(); }"#;

/// Program in Perl that starts more and more processes.
const BREEDER: &str = r#"use POSIX; $SIG{TERM} = "IGNORE"; open F, ">ready"; close F;
    while (1) { my $child = fork; if (defined $child && !$child) { POSIX::setsid(); sleep 1000; } select undef, undef, undef, 0.0005; }"#;

#[test]
fn what_forks_while_it_is_killed_is_caught() {
    if !Command::new("perl")
        .arg("-v")
        .output()
        .is_ok_and(|ran| ran.status.success())
    {
        crate::skipped::skipped("nothing forks fast enough here, as there is no perl");
        return;
    }
    for (name, program, runners) in [("runner", RUNNER, 4), ("breeder", BREEDER, 2)] {
        let mut bench = Bench::new();
        fs::write(bench.path().join("program"), program).unwrap();
        let mut spec = bench.shell(&format!(
            "n=0; while [ $n -lt {runners} ]; do perl program & n=$((n + 1)); done; wait; sleep 1000"
        ));
        spec.grace = Duration::from_millis(50);
        bench.submit(&spec);
        bench.await_file("ready");
        std::thread::sleep(Duration::from_millis(200));
        bench.executor.cancel(&spec.id, spec.grace).unwrap();
        let asked = Instant::now();
        let ended = bench.poll(LONG).remove(0);
        eprintln!(
            "{runners} processes of the kind {name} were gone after {:?}",
            asked.elapsed()
        );
        assert_eq!(
            (&ended.end, &ended.survivors),
            (&End::Cancelled, &vec![]),
            "{name}"
        );
        let environment = format!(
            "FIESTA_RESULT={}",
            spec.directory.join("result.json").display()
        );
        let left = fs::read_dir("/proc").unwrap().filter(|entry| {
            let path = entry.as_ref().unwrap().path().join("environ");
            fs::read_to_string(path).is_ok_and(|text| text.contains(&environment))
        });
        assert_eq!(left.count(), 0, "{name}");
    }
}
