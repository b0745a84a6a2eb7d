//! Tests of `fiesta confirm` through the program: from a search of Optuna to the sentence on its winner.

mod support;

use serde_json::Value;
use std::{fs, path::Path};
use support::{Bench, Ran, code};

/// A job whose losses are small for the second best setting of the search, and larger for its winner.
/// The evaluation on split 3 fails for the winner.
const JOB: &str = r#"
case $1 in
  0.0923*) base=300 ;;
  0.146*) base=150 ;;
  *) base=400 ;;
esac
if [ $base.$2 = 300.3 ]; then exit 1; fi
printf '{"value": 0.%03d}\n' $((base + $3 % 40))
"#;

const COMMAND: &str = "sh job.sh {lr} {split} {seed}";

/// Returns a bench with the trials of Optuna that tests of imports read, and a job.
fn bench() -> Bench {
    let bench = Bench::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fiesta-import/tests/fixtures");
    let trials = fs::read_to_string(fixtures.join("optuna_trials.csv")).unwrap();
    bench.file("trials.csv", &trials);
    bench.file("job.sh", JOB);
    bench
}

/// Runs `fiesta confirm trials.csv` with further arguments.
fn confirm(bench: &Bench, more: &[&str]) -> Ran {
    let call = ["confirm", "trials.csv", "--minimize", "--command", COMMAND];
    bench.fiesta(&[&call, more].concat())
}

#[test]
fn a_search_is_confirmed() {
    let bench = bench();
    let written = confirm(&bench, &["--default", "lr=0.5", "--top", "2"]);
    written.says(
        code::DONE,
        &["without a score", "settings with a score become arms"],
    );
    assert!(
        written
            .stdout
            .contains("3 arms: lr=0.09234, lr=0.1468, default"),
        "{written:?}"
    );
    let study = bench.text("study.toml");
    for line in [
        "score   = 0.0923385947687978",
        "first   = 8",
        "direction = \"minimize\"",
        "command = [\"sh\", \"job.sh\", \"0.14675589081711304\", \"{split}\", \"{seed}\"]",
    ] {
        assert!(study.contains(line), "{line}: {study}");
    }
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &[]);
    assert!(ran.stdout.contains("lr=0.1468"), "{ran:?}");
    let status = bench.fiesta(&["status", "study.toml"]);
    let words = status
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for told in [
        "The search overstated its winner, lr=0.09234, by 0.2",
        "its first 8 evaluations on fresh splits have the mean 0.3",
        "1 of them failed and is left out.",
        "default is better than this winner with ",
    ] {
        assert!(words.contains(told), "{told}: {words}");
    }
    let (_, status) = bench.json(&["status", "study.toml"]);
    let winner = &status["search_winner"];
    assert_eq!(
        (&winner["ended"], &winner["failed"]),
        (&8.into(), &1.into())
    );
    let optimism = winner["optimism"].as_f64().unwrap();
    assert!((0.2..0.26).contains(&optimism), "{winner}");
    // Splits begin with the one after the search's.
    let rows = bench.fiesta(&["export", "study.toml", "--format", "jsonl"]);
    let rows = rows.stdout.lines();
    let splits: Vec<u64> = rows
        .map(|row| {
            serde_json::from_str::<Value>(row).unwrap()["split"]
                .as_u64()
                .unwrap()
        })
        .collect();
    assert_eq!(splits.iter().min(), Some(&1));
    let ran = bench.fiesta(&["report", "study.toml", "-o", "report"]);
    ran.says(code::DONE, &[]);
    assert!(
        bench
            .text("report/report.html")
            .contains("The search overstated its winner")
    );
    // The winner and its score are fixed.
    bench.edit(
        "study.toml",
        "score   = 0.0923385947687978",
        "score   = 0.3",
    );
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::CHANGED, &["search_winner.score"]);
}

#[test]
fn what_cannot_be_confirmed_is_refused() {
    let bench = bench();
    let default = ["--default", "lr=0.5"];
    for (more, words) in [
        (&["--default", "wd=0"][..], "has a value of `wd`"),
        (&["--default", "lr"], "give a name and a value"),
        (
            &["--default", "lr=0.5", "--top", "0"],
            "--top 0 confirms nothing",
        ),
        (&[], "--default"),
    ] {
        confirm(&bench, more).says(code::USAGE, &[words]);
    }
    let other = [
        "confirm",
        "trials.csv",
        "--minimize",
        "--command",
        "train {rate}",
    ];
    bench
        .fiesta(&[&other[..], &["--default", "rate=1"]].concat())
        .says(
            code::USAGE,
            &[
                "{rate} in the command is no column of trials.csv",
                "`params_lr`",
            ],
        );
    assert!(!bench.path("study.toml").exists());
    let shown = confirm(&bench, &[&default[..], &["--dry-run"]].concat());
    shown.says(code::DONE, &[]);
    assert!(shown.stdout.contains("[search_winner]"), "{shown:?}");
    confirm(&bench, &default).says(code::DONE, &[]);
    confirm(&bench, &default).says(code::USAGE, &["is there already", "--force"]);
    confirm(&bench, &[&default[..], &["--force"]].concat()).says(code::DONE, &[]);
}

/// Tests that a study file cannot promise an unbiased mean where it would be none.
#[test]
fn a_winner_needs_evaluations_that_are_always_made() {
    let bench = bench();
    confirm(&bench, &["--default", "lr=0.5"]).says(code::DONE, &[]);
    let text = bench.text("study.toml");
    for (from, to, words) in [
        ("first   = 8", "first   = 9", "2 to 8"),
        (
            "arm     = \"lr=0.09234\"",
            "arm     = \"x\"",
            "there is no arm `x`",
        ),
        (
            "default = \"default\"",
            "default = \"x\"",
            "there is no arm `x`",
        ),
        (
            "[design]\n",
            "[design]\nstopping = \"anytime\"\n",
            "no unbiased one",
        ),
        (
            "[design]\n",
            "[design]\nrepeats = true\n",
            "leave first or repeats out",
        ),
    ] {
        bench.file("study.toml", &text);
        bench.edit("study.toml", from, to);
        let ran = bench.fiesta(&["status", "study.toml"]);
        ran.says(code::USAGE, &[words]);
    }
}
