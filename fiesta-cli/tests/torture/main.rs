//! Test that `fiesta run` may be killed with SIGKILL at random moments, again and again, over one study.
//!
//! The jobs are real processes that write down what they did, independently of the ledger.
//! Afterwards every evaluation that finished must have been counted exactly once, the study must
//! have ended, and its decisions must be those of a replay. `FIESTA_TORTURE_KILLS` sets how often
//! it is killed, `FIESTA_TORTURE_SEED` when.

mod everything;
mod injured;
#[path = "../disk/mount.rs"]
#[allow(dead_code, reason = "only a disk in memory is wanted here")]
mod mount;
mod overlap;
mod packing;
#[path = "../../../tests/skipped/mod.rs"]
mod skipped;
/// Module that the mounted file systems of other tests expect, to say that a test is skipped.
mod support {
    pub(crate) use crate::skipped::skipped_on_this_machine;
}

use fiesta::runner::{History, Ledger, Study, history::Check};
use fiesta::{Outcome, Streams};
use rand::RngExt;
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// Number of evaluations, which more than 50 controllers make in 200 ms each.
const EVALUATIONS: u64 = 900;

/// A job of 0 to 50 ms whose score depends on arm and seed. It notes its end in one short line,
/// which `>>` appends in one piece.
const JOB: &str = r#"#!/bin/sh
sleep 0.0$(($3 % 6))
echo "$1 $2 $3" >> finished
case $1 in good) base=5 ;; fair) base=4 ;; *) base=3 ;; esac
printf '{"score": 0.%d%03d}\n' $base $(($3 % 1000))
"#;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn write_study(directory: &Path, goal: &str, seed: u64) {
    let job = directory.join("job.sh");
    fs::write(&job, JOB).unwrap();
    fs::set_permissions(&job, fs::Permissions::from_mode(0o755)).unwrap();
    let study = format!(
        r#"
name = "torture"
command = ["./job.sh", "{{arm}}", "{{split}}", "{{seed}}"]
[metric]
name = "score"
[goal]
{goal}
[design]
policy = "ttts"
parallel = 3
seed = {seed}
[[arm]]
name = "good"
[[arm]]
name = "fair"
[[arm]]
name = "poor"
"#
    );
    fs::write(directory.join("study.toml"), study).unwrap();
}

fn controller(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fiesta"));
    command
        .args(["run", "study.toml", "--quiet"])
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

/// Returns a study that has ended, after checking that nothing is pending and that its replay
/// decides as was recorded.
fn ended(directory: &Path) -> (Study, History) {
    let study = Study::read(&directory.join("study.toml")).unwrap();
    let entries = Ledger::read(&study.state_directory()).unwrap();
    let history = History::replay(&study, entries, Check::Decisions).unwrap();
    assert_eq!(
        history.differences,
        Vec::<String>::new(),
        "replayed decisions differ"
    );
    assert!(history.selector.conclusion().is_some(), "no conclusion");
    assert_eq!(history.pending().count(), 0, "pending after the end");
    (study, history)
}

/// Checks an ended study by its ledger and by the records of its jobs; returns the number of
/// counted evaluations.
fn audit(directory: &Path) -> u64 {
    let (study, history) = ended(directory);
    let mut finished: BTreeMap<String, u64> = BTreeMap::new();
    let written = fs::read_to_string(directory.join("finished")).unwrap();
    for line in written.lines() {
        *finished.entry(line.to_owned()).or_default() += 1;
    }
    let mut counted = 0;
    for record in history.records.values() {
        let case = record.evaluation.case;
        let arm = study.arms().name(record.evaluation.arm);
        let line = format!("{arm} {} {}", case.split, case.seed);
        let times = finished.remove(&line).unwrap_or(0);
        let ending = record.ending.as_ref().unwrap();
        match ending.outcome {
            Outcome::Observed(_) => {
                assert_eq!(
                    times, 1,
                    "{line}: ran to its end {times} times, counted once"
                );
                counted += 1;
            }
            // Stopped because the study had its conclusion; perhaps between its last line and its
            // exit.
            Outcome::Withdrawn => assert!(times <= 1, "{line}: ran {times} times"),
            Outcome::Failed => panic!("{line} failed: {:?}", ending.message),
        }
    }
    assert!(
        finished.is_empty(),
        "finished and never counted: {finished:?}"
    );
    counted
}

#[test]
fn every_finished_evaluation_counts_once_however_often_the_controller_is_killed() {
    let kills = setting("FIESTA_TORTURE_KILLS", 50);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write_study(
        directory,
        &format!("budget = {{ evaluations = {EVALUATIONS} }}"),
        5,
    );

    let mut rng = Streams::new(setting("FIESTA_TORTURE_SEED", 1)).run(0);
    for _ in 0..kills {
        let mut child = controller(directory).spawn().unwrap();
        thread::sleep(Duration::from_micros(rng.random_range(0..200_000)));
        assert_eq!(
            child.try_wait().unwrap(),
            None,
            "the controller ended by itself"
        );
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let status = controller(directory).status().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(audit(directory), EVALUATIONS);
    eprintln!("killed {kills} times; {EVALUATIONS} evaluations, each counted once");
}

/// Tests short studies that end by their confidence while jobs run: many kills come while the
/// conclusion is recorded and jobs are stopped.
#[test]
fn a_conclusion_survives_kills_around_it() {
    let mut rng = Streams::new(setting("FIESTA_TORTURE_SEED", 1)).run(1);
    let (mut kills, mut counted) = (0, 0);
    for seed in 0..12 {
        let directory = tempfile::tempdir().unwrap();
        write_study(directory.path(), "confidence = 0.95", seed);
        let mut of_study = 0;
        loop {
            let mut child = controller(directory.path()).spawn().unwrap();
            // Later and later: on a busy machine, beginning alone may take longer than the first kills leave.
            let latest = 60_000 + 3_000 * of_study;
            thread::sleep(Duration::from_micros(rng.random_range(0..latest)));
            if let Some(status) = child.try_wait().unwrap() {
                assert_eq!(status.code(), Some(0));
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            of_study += 1;
        }
        kills += of_study;
        counted += audit(directory.path());
    }
    eprintln!("killed {kills} times over 12 studies; {counted} evaluations, each counted once");
}
