//! Tests of the inputs of a job, and of its results.

use super::{Bench, SCORE, STUDY, TWO, arm, code};

/// Runs a study of two evaluations with this job. Returns what the job logged.
fn logged(job: &str, more: &str) -> (Bench, Vec<Vec<String>>) {
    let rest = format!("[goal]\nbudget = {{ evaluations = 2 }}\n{more}{TWO}");
    let bench = Bench::with_job(job, &rest);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let log = bench.log("log");
    (bench, log)
}

#[test]
fn are_told_arm_split_and_seed_twice() {
    let job =
        "echo $1 $2 $3 $FIESTA_ARM $FIESTA_SPLIT $FIESTA_SEED >> log\necho '{\"accuracy\": 0.5}'\n";
    let (_bench, log) = logged(job, "");
    assert_eq!(log.len(), 2);
    for line in log {
        assert_eq!(line[..3], line[3..], "{line:?}");
    }
}

#[test]
fn placeholders_stand_anywhere_and_braces_can_be_written() {
    let bench = Bench::with_study(STUDY);
    bench.file(
        "show.sh",
        "printf '%s\\n' \"$@\" >> log; echo '{\"accuracy\": 0.5}'\n",
    );
    bench.edit(
            "study.toml",
            "command = [\"sh\", \"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]",
            "command = [\"sh\", \"show.sh\", \"--model={arm}/{split}\", \"{{arm}}\", '{\"lr\": 1}', \"a b\", \"$HOME\"]",
        );
    let checked = bench.fiesta(&["run", "study.toml", "--check"]);
    checked.says(code::DONE, &[]);
    let lines: Vec<String> = bench.text("log").lines().map(ToOwned::to_owned).collect();
    // No shell looks at them.
    let rest = ["{arm}", "{\"lr\": 1}", "a b", "$HOME"];
    let mut calls: Vec<&[String]> = lines.chunks(5).collect();
    calls.sort();
    assert_eq!(calls[0], [&["--model=high/0"], &rest[..]].concat());
    assert_eq!(calls[1], [&["--model=low/0"], &rest[..]].concat());
}

#[test]
fn a_result_file_counts_before_what_is_printed() {
    let job = "echo '{\"accuracy\": 0.25}' > \"$FIESTA_RESULT\"\necho '{\"accuracy\": 0.75}'\n";
    let (bench, _) = logged(job, "");
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(arm(&status, "low")["mean"], 0.25);
}

#[test]
fn the_last_result_counts_with_a_warning() {
    let job = "echo '{\"accuracy\": 0.25}'\necho noise\necho '{\"accuracy\": 0.75, \"loss\": 2}'\n";
    let bench = Bench::with_job(job, TWO);
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.says(
        code::DONE,
        &[
            "several results with different scores",
            "0.75, counts",
            "0.25",
        ],
    );
}

#[test]
fn an_arm_has_its_own_command_environment_and_cost() {
    let bench = Bench::new();
    bench.file(
        "job.sh",
        &format!("echo $1 $FLAVOUR $FIESTA_ARM >> log\n{SCORE}"),
    );
    bench.file(
        "other.sh",
        "echo other $FLAVOUR $FIESTA_ARM >> log\necho '{\"accuracy\": 0.3, \"cost\": 0.5}'\n",
    );
    bench.file(
            "study.toml",
            "name = \"own\"\ncommand = [\"sh\", \"job.sh\", \"{arm}\", \"{split}\", \"{seed}\"]
[metric]\nname = \"accuracy\"\n[goal]\nbudget = { evaluations = 9 }\n[design]\npolicy = \"uniform\"
[[arm]]\nname = \"low\"\ncost = 2.5\nenv = { FLAVOUR = \"sweet\" }
[[arm]]\nname = \"own\"\ncost = 7\ncommand = [\"sh\", \"other.sh\"]\nenv = { FLAVOUR = \"sour\", FIESTA_ARM = \"liar\" }
[[arm]]\nname = \"high\"\n",
        );
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    // The arm's, the result's before the arm's, and else the seconds.
    assert_eq!(arm(&result, "low")["cost"], 7.5);
    assert_eq!(arm(&result, "own")["cost"], 1.5);
    let seconds = arm(&result, "high")["cost"].as_f64().unwrap();
    assert!(seconds > 0.0 && seconds < 7.0, "{seconds}");
    let log = bench.log("log");
    for line in [["low", "sweet", "low"], ["other", "sour", "own"]] {
        assert_eq!(
            log.iter().filter(|logged| **logged == line).count(),
            3,
            "{log:?}"
        );
    }
}

#[test]
fn a_study_is_run_from_its_own_directory_wherever_one_is() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("inner")).unwrap();
    bench.file("inner/score.sh", SCORE);
    bench.file("inner/study.toml", STUDY);
    bench
        .fiesta(&["run", "inner/study.toml"])
        .says(code::DONE, &[]);
    assert!(bench.path("inner/study.fiesta/ledger.db").exists());
}

#[test]
fn what_else_a_result_holds_stays_in_the_ledger() {
    let job =
        "echo \"{\\\"accuracy\\\": 0.5, \\\"epochs\\\": 31337, \\\"note\\\": \\\"kept-$1\\\"}\"\n";
    let (bench, _) = logged(job, "");
    // As text within the database, whatever else is there; the log beside it holds what was written
    // last.
    let bytes: Vec<u8> = ["study.fiesta/ledger.db", "study.fiesta/ledger.db-wal"]
        .iter()
        .flat_map(|name| std::fs::read(bench.path(name)).unwrap_or_default())
        .collect();
    for word in [
        "\"epochs\":31337",
        "\"note\":\"kept-low\"",
        "\"note\":\"kept-high\"",
    ] {
        assert!(
            bytes
                .windows(word.len())
                .any(|window| window == word.as_bytes()),
            "{word}"
        );
    }
}
