//! Tests of searches that are resumed or extended: settings stay the same, and trials are added.

use super::{begun, bench};
use crate::support::{Bench, code, until};
use fiesta::{
    ArmId, Case, Evaluation, EvaluationId,
    policies::random_search::{Setting, Value as Drawn},
    runner::{
        History, Ledger, Study,
        history::Check,
        ledger::{Entry, Session},
    },
};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::path::Path;

/// Tests that a search which is killed many times draws the same trials and settings as an
/// uninterrupted one.
#[test]
fn a_search_that_is_killed_makes_the_same_trials() {
    let whole = bench();
    whole.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let expected = begun(&whole);
    assert_eq!(expected.len(), 12);

    let killed = bench();
    killed.file("slow", "");
    for at_least in [2, 5, 8] {
        let running = killed.start(&["run", "study.toml"]);
        until("some more trials have begun", || {
            begun(&killed).len() >= at_least
        });
        running.signal(Signal::KILL);
        assert_eq!(running.wait().code, None);
    }
    let (exit, result) = killed.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE));
    assert_eq!(result["evaluations"], 12);
    assert_eq!(begun(&killed), expected);
    let (_, uninterrupted) = whole.json(&["status", "study.toml"]);
    assert_eq!(result["search"], uninterrupted["search"]);
    let sentence = |result: &Value| result["conclusion"]["sentence"].clone();
    assert_eq!(sentence(&result), sentence(&uninterrupted));
}

fn entries(bench: &Bench) -> (Study, Vec<Entry>) {
    let study = Study::read(&bench.path("study.toml")).unwrap();
    let entries = Ledger::read(&study.state_directory()).unwrap();
    (study, entries)
}

#[test]
fn recorded_settings_are_verified() {
    let bench = bench();
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let (study, mut entries) = entries(&bench);
    let replayed = History::replay(&study, entries.clone(), Check::Decisions).unwrap();
    assert_eq!(replayed.differences, Vec::<String>::new());
    let record = &replayed.records[&EvaluationId(3)];
    assert_eq!(record.setting, study.setting(&record.evaluation));
    assert!(!record.setting.is_empty());
    for entry in &mut entries {
        if let Entry::Decided {
            evaluation,
            setting,
        } = entry
            && evaluation.id == EvaluationId(3)
        {
            *setting = [("lr", Drawn::from(0.25))].into_iter().collect();
        }
    }
    let replayed = History::replay(&study, entries, Check::Decisions).unwrap();
    assert_eq!(replayed.differences.len(), 1);
    assert!(replayed.differences[0].starts_with("lr = 0.25; now it would be: "));
}

/// Writes a ledger that begins with a decision which no session would make.
fn decide(directory: &Path, evaluation: Evaluation, setting: Setting) {
    let study = Study::read(directory).unwrap();
    let session = Session {
        version: "0.0.0".to_owned(),
        host: "elsewhere".to_owned(),
        machine: None,
        study: study.fingerprint.clone(),
        asserted: Vec::new(),
    };
    let mut ledger = Ledger::open(&study.state_directory()).unwrap();
    let decided = Entry::Decided {
        evaluation,
        setting,
    };
    ledger
        .append(&[Entry::Opened(session), decided], true)
        .unwrap();
}

/// Tests that recorded settings are kept, although another version would draw other values.
#[test]
fn the_recorded_setting_is_the_one_that_counts() {
    let bench = bench();
    let evaluation = Evaluation {
        id: EvaluationId(0),
        arm: ArmId::new(1),
        case: Case { split: 0, seed: 99 },
    };
    let setting = [("lr", Drawn::from(0.125))].into_iter().collect();
    decide(&bench.path("study.toml"), evaluation, setting);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["lr = 0.125; now it would be: lr = "]);
    let trial = ["linear", "0", "99"].map(ToOwned::to_owned);
    assert_eq!(begun(&bench)[&trial], json!({ "lr": 0.125 }));
}

#[test]
fn trials_can_be_added() {
    let whole = bench();
    let (_, expected) = whole.json(&["run", "study.toml"]);
    let bench = bench();
    bench.edit("study.toml", "trials = 6", "trials = 2");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.edit("study.toml", "trials = 2", "trials = 6");
    let changed = "goal.trials: 2 → 6 (extends the study)";
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::CHANGED, &[changed, "--accept-changes"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["state"], "stopped");
    let extended = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
    extended.says(code::DONE, &["resuming after 4"]);
    assert!(!extended.stderr.contains("now it would be"), "{extended:?}");
    let (exit, again) = bench.json(&["run", "study.toml"]);
    assert_eq!(
        (exit, &again["search"]),
        (Some(code::DONE), &expected["search"])
    );
    assert_eq!(begun(&bench), begun(&whole));
    // Neither fewer trials nor another space is the same search.
    for (from, to, says) in [
        ("trials = 6", "trials = 5", "goal.trials: 6 → 5"),
        ("[1, 3]", "[1, 4]", "undo them"),
    ] {
        bench.edit("study.toml", from, to);
        let refused = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
        refused.says(code::CHANGED, &[says]);
        bench.edit("study.toml", to, from);
    }
}
