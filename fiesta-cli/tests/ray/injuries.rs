//! Tests of real damage to a cluster of Ray and to the controller of its study.

use super::{OnRay, head, uniform};
use crate::support::{Running, code, until, within};
use fiesta::Streams;
use fiesta::runner::run::End;
use head::Head;
use rand::RngExt;
use rustix::process::Signal;
use std::{fs, thread, time::Duration};

/// Starts a study and waits until `count` of its jobs have begun.
fn begun(there: &OnRay<'_>, count: usize) -> Running {
    let running = there.start();
    let have_begun = || there.bench.log("began").len() >= count;
    assert!(
        within(Duration::from_mins(1), have_begun),
        "{}",
        running.stderr()
    );
    running
}

fn end(running: Running) {
    running
        .wait_for(Duration::from_mins(4))
        .says(code::DONE, &[]);
}

/// Waits until the jobs on the node have ended with Ray's processes, so that later jobs have the
/// node for themselves.
fn until_jobs_have_ended() {
    let is_running = |pid: i32| head::command_of(pid).starts_with("sh job.sh");
    until("the jobs have ended", || !head::pids().any(is_running));
}

#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn the_controller_is_killed_again_and_again() {
    let Some(head) = head::shared() else { return };
    let kills = crate::support::kills(10);
    let there = OnRay::new(head.as_ref().unwrap(), &uniform(3 * kills));
    let mut rng = Streams::new(1).run(0);
    for _ in 0..kills {
        let running = there.start();
        thread::sleep(Duration::from_millis(rng.random_range(0..2500)));
        running.signal(Signal::KILL);
        running.wait();
    }
    there.run();
    let evaluations = usize::try_from(3 * kills).unwrap();
    there.audit(evaluations);
    // Each run was carried out once, however often its job was submitted.
    let answered = there.answered();
    eprintln!("killed {kills} times; {answered} runs for {evaluations} evaluations");
    assert_eq!(answered, evaluations);
}

/// Tests that jobs end with Ray's processes, when these are killed, and are made again by a new head without any memory.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn the_head_is_killed_and_started_anew() {
    head::alone();
    let Some(head) = Head::start() else { return };
    let there = OnRay::new(&head, &uniform(12).replace("retries = 2", "retries = 0"));
    there.bench.file("slow", "");
    let running = begun(&there, 4);
    head.kill();
    until_jobs_have_ended();
    thread::sleep(Duration::from_secs(2));
    fs::remove_file(there.bench.path("slow")).unwrap();
    head.begin();
    end(running);
    let history = there.audit(12);
    // What was lost with the head used up no retry, of which there are none.
    let again = history.records.values().filter(|record| record.attempt > 0);
    assert_eq!(again.count(), 4);
    assert_eq!(there.answered(), 12);
}

/// Tests that head, jobs and controller are killed at once, as in a power cut, and the controller
/// comes back first.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn the_head_and_the_controller_are_killed() {
    head::alone();
    let Some(head) = Head::start() else { return };
    let there = OnRay::new(&head, &uniform(8).replace("retries = 2", "retries = 0"));
    there.bench.file("slow", "");
    let running = begun(&there, 3);
    running.signal(Signal::KILL);
    head.kill();
    head::kill_jobs();
    running.wait();
    let running = there.start();
    fs::remove_file(there.bench.path("slow")).unwrap();
    thread::sleep(Duration::from_secs(2));
    head.begin();
    end(running);
    there.audit(8);
    there.answered();
}

#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn a_node_fails() {
    head::alone();
    let Some(head) = Head::start() else { return };
    head.add_node();
    let rest = uniform(8).replace("retries = 2", "retries = 0");
    let beside = "resources = { beside = 2 }";
    let there = OnRay::at(&head, &head.address(), &rest, beside);
    there.bench.file("slow", "");
    let running = begun(&there, 2);
    head.kill_node();
    until_jobs_have_ended();
    fs::remove_file(there.bench.path("slow")).unwrap();
    head.add_node();
    end(running);
    let history = there.audit(8);
    let again = history.records.values().filter(|record| record.attempt > 0);
    assert_eq!(again.count(), 2);
}

/// Tests that another user's `ray job stop` is not an arm's failure, even if its command then ends
/// with an error.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn jobs_are_stopped_by_somebody_else() {
    let Some(head) = head::shared() else { return };
    let head = head.as_ref().unwrap();
    let there = OnRay::new(head, &uniform(8).replace("retries = 2", "retries = 0"));
    let job = there.bench.text("job.sh");
    there
        .bench
        .file("job.sh", &format!("trap 'exit 7' TERM\n{job}"));
    there.bench.file("slow", "");
    let running = begun(&there, 4);
    for job in head.jobs(&["RUNNING"]) {
        head.stop(&job);
    }
    fs::remove_file(there.bench.path("slow")).unwrap();
    end(running);
    let history = there.audit(8);
    let failed = history.records.values().filter(|record| {
        let ending = record.ending.as_ref();
        !matches!(
            ending.and_then(|ending| ending.end.as_ref()),
            Some(End::Exited(0))
        )
    });
    assert_eq!(failed.count(), 0);
    let again = history.records.values().filter(|record| record.attempt > 0);
    assert_eq!(again.count(), 4);
}

/// Tests that Ctrl-C twice stops what runs and withdraws what waits, and that the study goes on
/// later.
#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn the_study_is_interrupted() {
    let Some(head) = head::shared() else { return };
    let head = head.as_ref().unwrap();
    let there = OnRay::new(head, &uniform(8).replace("parallel = 4", "parallel = 6"));
    there.bench.file("slow", "");
    let running = begun(&there, 4);
    running.signal(Signal::INT);
    thread::sleep(Duration::from_millis(500));
    running.signal(Signal::INT);
    running
        .wait_for(Duration::from_secs(30))
        .says(code::INTERRUPTED, &[]);
    let is_empty = || head.jobs(&["PENDING", "RUNNING"]).is_empty();
    assert!(within(Duration::from_secs(20), is_empty));
    fs::remove_file(there.bench.path("slow")).unwrap();
    there.run();
    there.audit(8);
}
