//! `fiesta run` killed with SIGKILL at random moments, again and again, over one study.
//!
//! The jobs are real processes that write down what they did, independently of the ledger. Afterwards every
//! evaluation that finished must have been counted exactly once, the study must have ended, and its decisions must be
//! those of a replay. `FIESTA_TORTURE_KILLS` sets how often it is killed, `FIESTA_TORTURE_SEED` when.

use fiesta::core::{Outcome, Streams};
use fiesta::runner::{History, Ledger, Study, history::Check};
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

/// More than 50 controllers get done in 200 ms each.
const EVALUATIONS: u64 = 900;

/// A job of 0 to 50 ms whose score depends on arm and seed. It notes its end in one short line, which `>>` appends
/// in one piece.
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

fn write_study(directory: &Path) {
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
budget = {{ evaluations = {EVALUATIONS} }}
[design]
policy = "ttts"
parallel = 3
seed = 5
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

#[test]
fn every_finished_evaluation_counts_once_however_often_the_controller_is_killed() {
    let kills = setting("FIESTA_TORTURE_KILLS", 50);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write_study(directory);

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

    // What the jobs themselves wrote down.
    let mut finished: BTreeMap<String, u64> = BTreeMap::new();
    for line in fs::read_to_string(directory.join("finished"))
        .unwrap()
        .lines()
    {
        *finished.entry(line.to_owned()).or_default() += 1;
    }
    let mut counted = 0;
    for record in history.records.values() {
        let case = record.evaluation.case;
        let arm = study.arms().name(record.evaluation.arm);
        let line = format!("{arm} {} {}", case.split, case.seed);
        let times = finished.remove(&line).unwrap_or(0);
        let ending = record.ending.as_ref().unwrap();
        let expected = match ending.outcome {
            Outcome::Observed(_) => 1,
            Outcome::Failed => panic!("{line} failed: {:?}", ending.message),
            Outcome::Withdrawn => panic!("{line} was withdrawn before a budget of evaluations"),
        };
        assert_eq!(
            times, expected,
            "{line}: ran to its end {times} times, counted once"
        );
        counted += 1;
    }
    assert!(
        finished.is_empty(),
        "finished and never counted: {finished:?}"
    );
    assert_eq!(counted, EVALUATIONS);
    eprintln!("killed {kills} times; {counted} evaluations, each counted once");
}
