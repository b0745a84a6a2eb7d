//! Measurement of the processor time of a study in which nothing happens.

use super::{
    Bench,
    support::{Running, until},
    usage::{children, processor_time},
};
use rustix::process::Signal;
use std::time::{Duration, Instant};

const JOBS: usize = 16;
const LOOKED: Duration = Duration::from_secs(20);

/// Returns the controller's and supervisors' share of a core while 16 jobs print nothing.
fn share(arguments: &[&str]) -> f64 {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = {JOBS} }}\n[design]\npolicy = \"uniform\"\nparallel = {JOBS}\n[resources]\nsilence = \"1h\"\ntimeout = \"1h\"\n{}",
        super::TWO
    );
    let bench = Bench::with_job("echo >> begun; exec sleep 1000\n", &rest);
    let running = Running::start(bench.command(&[&["run", "study.toml"], arguments].concat()));
    until("all jobs run", || bench.log("begun").len() == JOBS);
    let mut watched = children(running.pid());
    assert_eq!(watched.len(), JOBS, "supervisors");
    watched.push(running.pid());
    // What every run does once, a second after its start, is over.
    std::thread::sleep(Duration::from_secs(2));
    let used = || {
        watched
            .iter()
            .map(|&pid| processor_time(pid))
            .sum::<Duration>()
    };
    let (before, began) = (used(), Instant::now());
    std::thread::sleep(LOOKED);
    let spent = used().saturating_sub(before);
    let share = spent.as_secs_f64() / began.elapsed().as_secs_f64();
    running.signal(Signal::INT);
    std::thread::sleep(Duration::from_millis(200));
    running.signal(Signal::INT);
    running.wait();
    share
}

#[test]
#[ignore = "heavy: watches for 40 seconds; run by `scripts/test heavy`"]
fn sixteen_silent_jobs_take_no_hundredth_of_a_core() {
    for (display, arguments) in [("off", &["--quiet"][..]), ("on a pipe", &[])] {
        let share = share(arguments);
        eprintln!(
            "{JOBS} silent jobs, display {display}: {:.2} % of a core",
            100.0 * share
        );
        assert!(share <= 0.01, "{share}");
    }
}
