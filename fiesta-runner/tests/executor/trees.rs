//! Tests of runs that are stopped, and of the processes that commands leave behind.

use crate::bench::{Bench, SOON, children, eventually, exists};
use fiesta_core::{Direction, Metric};
use fiesta_runner::run::result;
use fiesta_runner::{
    executor::Executor,
    run::{End, RunId},
};
use std::time::{Duration, Instant};

/// Script that ignores SIGTERM, with two such descendants: one in its own session, and one that was
/// forked twice and has no environment.
const STUBBORN: &str = r"
    trap '' TERM
    setsid sh -c 'echo $$ > session.pid; while :; do sleep 1000; done' &
    (setsid env -i sh -c 'echo $$ > daemon.pid; exec sleep 1000' &)
    echo $$ > main.pid
    while :; do sleep 1000; done
";

const STUBBORN_PIDS: [&str; 3] = ["main.pid", "session.pid", "daemon.pid"];

#[test]
fn a_stubborn_tree_is_gone_soon_after_its_limit() {
    let mut bench = Bench::new();
    let mut spec = bench.shell(STUBBORN);
    spec.wall_limit = Some(Duration::from_secs(1));
    spec.grace = Duration::from_millis(500);
    let supervisor = bench.submit(&spec);
    let started = Instant::now();
    let pids = STUBBORN_PIDS.map(|name| bench.pid(name));
    let ended = bench.wait();
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    assert_eq!(ended.end, End::TimedOut);
    assert!(
        ended.seconds >= 1.4 && ended.survivors.is_empty(),
        "{ended:?}"
    );
    for pid in pids {
        assert!(!exists(pid), "{pid} is left");
    }
    assert!(children(supervisor.pid).is_empty());
}

#[test]
fn a_polite_tree_is_not_kept_waiting_and_may_say_goodbye() {
    let mut bench = Bench::new();
    let mut spec = bench.shell(
        "setsid sh -c 'trap \"echo > child; exit\" TERM; while :; do sleep 0.05; done' &
         trap 'wait; echo > parent; exit 0' TERM; while :; do sleep 0.05; done",
    );
    spec.wall_limit = Some(Duration::from_millis(500));
    let started = Instant::now();
    let ended = bench.run(&spec);
    assert!(started.elapsed() < SOON);
    assert_eq!(ended.end, End::TimedOut);
    for name in ["child", "parent"] {
        assert!(bench.path().join(name).exists(), "the {name} was not asked");
    }
}

#[test]
fn a_command_faster_than_its_limit_has_not_timed_out() {
    let mut bench = Bench::new();
    let mut spec = bench.spec(&["true"]);
    spec.wall_limit = Some(Duration::MAX);
    assert_eq!(bench.run(&spec).end, End::Exited(0));
}

#[test]
fn what_a_command_leaves_running_is_killed_and_its_result_counts() {
    let mut bench = Bench::new();
    // It ignores the polite signal and holds stdout open.
    let spec = bench.shell(
        "(trap '' TERM; setsid env -i sh -c 'echo $$ > left.pid; exec sleep 1000' &)
         while [ ! -s left.pid ]; do sleep 0.01; done; echo '{\"f1\": 0.5}'",
    );
    let started = Instant::now();
    let ended = bench.run(&spec);
    assert!(started.elapsed() < SOON);
    assert_eq!(ended.end, End::Exited(0));
    assert!(!exists(bench.pid("left.pid")));
    let metric = Metric::new("f1", Direction::Maximize, None).unwrap();
    assert!(result::read(&spec.directory, result::Wanted::Score(&metric)).is_ok());
}

#[test]
fn orphans_are_reaped_while_the_command_runs() {
    let mut bench = Bench::new();
    let spec = bench.shell(
        "for n in 1 2 3 4 5; do (sh -c 'while [ ! -e end ]; do sleep 0.01; done' &); done
         echo > ready; while [ ! -e go ]; do sleep 0.01; done",
    );
    let supervisor = bench.submit(&spec);
    bench.await_file("ready");
    eventually("the orphans are the supervisor's", || {
        children(supervisor.pid).len() == 6
    });
    bench.touch("end");
    eventually("only the command is left", || {
        children(supervisor.pid).len() == 1
    });
    bench.touch("go");
    assert_eq!(bench.wait().end, End::Exited(0));
    assert!(children(supervisor.pid).is_empty());
}

#[test]
fn a_cancelled_run_stops_whole() {
    let mut bench = Bench::new();
    // Its own grace is longer than the test.
    let spec = bench.shell(STUBBORN);
    bench.submit(&spec);
    let pids = STUBBORN_PIDS.map(|name| bench.pid(name));
    bench
        .executor
        .cancel(&spec.id, Duration::from_millis(50))
        .unwrap();
    let asked = Instant::now();
    assert_eq!(bench.wait().end, End::Cancelled);
    assert!(asked.elapsed() < SOON);
    assert!(pids.iter().all(|&pid| !exists(pid)));
    bench.executor.cancel(&spec.id, Duration::ZERO).unwrap();
}

#[test]
fn a_second_cancellation_shortens_the_grace() {
    let mut bench = Bench::new();
    let spec = bench.shell(STUBBORN);
    bench.submit(&spec);
    bench.pid("main.pid");
    bench
        .executor
        .cancel(&spec.id, Duration::from_secs(1000))
        .unwrap();
    assert!(bench.poll(Duration::from_millis(300)).is_empty());
    bench.executor.cancel(&spec.id, Duration::ZERO).unwrap();
    assert_eq!(bench.wait().end, End::Cancelled);
}

#[test]
fn a_stopped_command_hears_the_polite_signal() {
    let mut bench = Bench::new();
    let spec = bench.shell("echo $$ > main.pid; kill -STOP $$");
    bench.submit(&spec);
    let main = bench.pid("main.pid");
    eventually("the command is stopped", || {
        let stat = std::fs::read_to_string(format!("/proc/{main}/stat")).unwrap();
        stat.contains(") T ")
    });
    bench
        .executor
        .cancel(&spec.id, Duration::from_secs(1000))
        .unwrap();
    assert_eq!(bench.wait().end, End::Cancelled);
}

#[test]
fn a_cancellation_is_heard_at_any_moment_of_a_start() {
    for n in 0..40 {
        let mut bench = Bench::new();
        let mut spec = bench.spec(&["sleep", "1000"]);
        spec.id = RunId::new("study", n, 1).unwrap();
        bench.submit(&spec);
        std::thread::sleep(Duration::from_micros(100 * n));
        bench.executor.cancel(&spec.id, Duration::ZERO).unwrap();
        assert_eq!(bench.wait().end, End::Cancelled, "after {n}");
    }
}
