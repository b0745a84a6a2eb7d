//! Tests of the time that a study has run, over sessions that are killed.

use super::{Bench, TWO, code, support::until};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    fs, thread,
    time::{Duration, Instant},
};

const SILENT: &str =
    "echo >> begun\nuntil [ -e go ]; do sleep 0.05; done\necho '{\"accuracy\": 0.5}'\n";

fn study(goal: &str) -> Bench {
    let rest = format!(
        "[goal]\nbudget = {{ {goal} }}\n[design]\npolicy = \"uniform\"\n[resources]\ngrace = \"1s\"\n{TWO}"
    );
    Bench::with_job(SILENT, &rest)
}

/// Runs the study until it is killed, and returns how long it ran at least, in seconds.
fn killed_after(bench: &Bench, pause: Duration) -> f64 {
    let running = bench.start(&["run", "study.toml"]);
    until("it runs", || {
        running.stderr().contains("resuming") || bench.path("begun").exists()
    });
    let began = Instant::now();
    thread::sleep(pause);
    let ran = began.elapsed();
    running.signal(Signal::KILL);
    running.wait();
    ran.as_secs_f64()
}

fn seconds(status: &Value) -> f64 {
    status["seconds"].as_f64().unwrap()
}

#[test]
fn is_known_after_kills_and_counts_for_the_wall_budget() {
    let bench = study("wall = \"6s\"");
    let mut known = 0.0;
    for _ in 0..3 {
        let ran = killed_after(&bench, Duration::from_millis(1500));
        let (_, status) = bench.json(&["status", "study.toml"]);
        let now = seconds(&status);
        assert!(now - known >= ran - 1.0, "{now} after {known} and {ran}");
        known = now;
    }
    // The rest of the budget, and no more.
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::SHORT));
    assert_eq!(result["conclusion"]["reason"]["limit"]["wall"], 6.0);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(result["seconds"], status["seconds"]);
    assert!(seconds(&result) >= 6.0);
}

/// Tests that recording the time of a study does not add an entry to the ledger each time.
#[test]
fn does_not_make_the_ledger_grow() {
    let bench = study("evaluations = 4");
    killed_after(&bench, Duration::from_secs(3));
    let entries = fiesta::runner::Ledger::read(&bench.path("study.fiesta")).unwrap();
    assert!(entries.len() <= 3, "{entries:?}");
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert!(seconds(&status) >= 2.0, "{status}");
}

#[test]
fn is_not_that_of_a_ledger_which_was_removed() {
    let bench = study("evaluations = 4");
    killed_after(&bench, Duration::from_secs(4));
    for entry in fs::read_dir(bench.path("study.fiesta")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().starts_with("ledger.db") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    fs::remove_dir_all(bench.path("study.fiesta/runs")).unwrap();
    bench.file("go", "");
    let began = Instant::now();
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert!(seconds(&result) <= began.elapsed().as_secs_f64());
    assert!(seconds(&result) < 4.0 || began.elapsed() > Duration::from_secs(4));
}
