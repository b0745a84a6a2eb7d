//! Tests of commands that look at a study: `status` and `run --check`.

use super::{Bench, TWO, arm, code, logging, support::until};

#[test]
fn status_before_while_and_after() {
    let job = format!(
        "n=0; until [ -e go ] || [ $((n += 1)) -gt 1500 ]; do sleep 0.02; done\n{}",
        logging()
    );
    let bench = Bench::with_job(
        &job,
        &format!("[goal]\nbudget = {{ evaluations = 6 }}\n[design]\nparallel = 2\n{TWO}"),
    );
    let ran = bench.fiesta(&["status", "study.toml"]);
    ran.says(code::USAGE, &["study.fiesta", "never run", "fiesta run"]);
    assert!(!bench.path("study.fiesta").exists());

    let running = bench.start(&["run", "study.toml"]);
    until("two jobs are pending", || {
        bench.path("study.fiesta/ledger.db").exists()
            && bench
                .fiesta(&["status", "study.toml", "--format", "json"])
                .stdout
                .contains("\"pending\":2")
    });
    let (code, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(
        (&status["state"], &status["evaluations"]),
        (&"running".into(), &0.into())
    );
    assert_eq!(status["confidence"], serde_json::Value::Null);
    assert_eq!(arm(&status, "low")["pending"], 1);
    let text = bench.fiesta(&["status", "study.toml"]);
    assert!(
        text.stdout
            .contains(&format!("run by process {}", running.pid())),
        "{text:?}"
    );
    bench.file("go", "");
    running.wait().says(code::DONE, &[]);

    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["state"], &status["evaluations"]),
        (&"finished".into(), &6.into())
    );
    let text = bench.fiesta(&["status", "study.toml"]);
    assert!(
        text.stdout.contains("trial: finished") && text.stdout.contains("P(best)"),
        "{text:?}"
    );
    // Nothing to watch any more.
    bench
        .fiesta(&["status", "study.toml", "--watch"])
        .says(code::DONE, &[]);
}

#[test]
fn check_shows_every_arm_and_records_nothing() {
    let rest = format!("[goal]\nbudget = {{ evaluations = 50 }}\n{TWO}");
    let bench = Bench::with_job(&logging(), &rest);
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.says(code::DONE, &[]);
    for name in ["low", "high"] {
        let row = ran
            .stdout
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap();
        assert!(
            row.contains("0.") && row.contains(&format!("sh job.sh {name} 0 0")),
            "{ran:?}"
        );
    }
    assert!(ran.stdout.contains("at most 50 evaluations"), "{ran:?}");
    let (code, document) = bench.json(&["run", "study.toml", "--check"]);
    assert_eq!(code, Some(code::DONE));
    let trials = document["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 2);
    assert_eq!(
        (&trials[0]["arm"], &trials[0]["score"]),
        (&"low".into(), &0.6.into())
    );
    assert_eq!(trials[1]["error"], serde_json::Value::Null);
    assert!(!bench.path("study.fiesta").exists());
    bench
        .fiesta(&["status", "study.toml"])
        .says(code::USAGE, &["never run"]);
}

#[test]
fn check_reports_an_arm_that_fails() {
    let job = format!(
        "[ $1 = low ] && {{ echo 'no such layer' >&2; exit 4; }}\n{}",
        logging()
    );
    let bench = Bench::with_job(&job, TWO);
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.says(code::ARM_FAILED, &["low: exit code 4", "no such layer"]);
    let row = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("low"))
        .unwrap();
    assert!(row.contains("failed"), "{ran:?}");
    let (code, document) = bench.json(&["run", "study.toml", "--check"]);
    assert_eq!(code, Some(code::ARM_FAILED));
    assert_eq!(document["trials"][0]["score"], serde_json::Value::Null);
    assert!(
        document["trials"][0]["error"]
            .as_str()
            .unwrap()
            .contains("exit code 4")
    );
    assert!(!bench.path("study.fiesta").exists());
}

#[test]
fn check_beside_a_study_leaves_it_alone() {
    let bench = Bench::with_job(
        &logging(),
        &format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}"),
    );
    let (_, first) = bench.json(&["run", "study.toml"]);
    bench
        .fiesta(&["run", "study.toml", "--check"])
        .says(code::DONE, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status, first);
}
