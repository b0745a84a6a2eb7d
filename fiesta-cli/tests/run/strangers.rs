//! Tests of runs that have the names of this study's runs but belong to other evaluations, as after
//! a ledger was removed or runs were put back.

use super::{
    Bench, TWO, code,
    support::{is_alive, until},
};
use rustix::process::{Pid, Signal, kill_process};
use std::{collections::BTreeSet, fs};

/// Job whose score identifies its evaluation. The first jobs may have to wait.
const JOB: &str = "echo $$ $PPID >> pids\nuntil [ -e go ]; do sleep 0.02; done\necho $1 $2 $3 >> made\necho '{\"accuracy\": '$3'}'\n";

const EVALUATIONS: usize = 4;

fn study(seed: u64) -> Bench {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = {EVALUATIONS} }}\n[design]\npolicy = \"uniform\"\nparallel = 2\nseed = {seed}\n{TWO}"
    );
    Bench::with_job(JOB, &rest)
}

/// Checks that the study ends, and counts only the evaluations that it made.
fn ends_with_its_own(bench: &Bench, strangers: usize) {
    bench.file("go", "");
    let _ = fs::remove_file(bench.path("made"));
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["is not of this study's evaluations"]);
    assert_eq!(ran.stderr.matches("was moved to").count(), strangers);
    let export = bench.fiesta(&["export", "study.toml", "--format", "jsonl"]);
    let counted: BTreeSet<String> = export
        .stdout
        .lines()
        .map(|row| {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            assert_eq!(row["score"].as_f64(), row["seed"].as_f64(), "{row}");
            format!(
                "{} {} {}",
                row["arm"].as_str().unwrap(),
                row["split"],
                row["seed"]
            )
        })
        .collect();
    let made: BTreeSet<String> = bench.text("made").lines().map(ToOwned::to_owned).collect();
    assert_eq!(made.len(), EVALUATIONS);
    assert_eq!(counted, made);
    let runs = fs::read_dir(bench.path("study.fiesta/runs")).unwrap();
    let kept = runs.filter(|run| {
        let name = run.as_ref().unwrap().file_name();
        name.to_string_lossy().contains(".stranger-")
    });
    assert_eq!(kept.count(), strangers);
}

#[test]
fn runs_whose_ledger_was_removed_are_moved_out_of_the_way() {
    let bench = study(1);
    bench.file("go", "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        let _ = fs::remove_file(bench.path("study.fiesta").join(name));
    }
    bench.edit("study.toml", "seed = 1", "seed = 2");
    ends_with_its_own(&bench, EVALUATIONS);
}

#[test]
fn runs_of_another_study_are_not_taken_for_those_that_were_pending() {
    let other = study(1);
    other.file("go", "");
    other.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let bench = study(2);
    let running = bench.start(&["run", "study.toml"]);
    until("two jobs run", || bench.log("pids").len() == 2);
    running.signal(Signal::KILL);
    running.wait();
    for pid in bench.log("pids").concat().iter().rev() {
        // The job may be gone with its supervisor.
        let _ = kill_process(Pid::from_raw(pid.parse().unwrap()).unwrap(), Signal::KILL);
        until("it is gone", || !is_alive(pid));
    }
    let runs = bench.path("study.fiesta/runs");
    fs::remove_dir_all(&runs).unwrap();
    fs::rename(other.path("study.fiesta/runs"), &runs).unwrap();
    ends_with_its_own(&bench, EVALUATIONS);
}
