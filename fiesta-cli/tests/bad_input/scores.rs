//! Tests of jobs that report no score, or an invalid one.

use super::support::{Bench, arm, code, is_alive, until};

/// Runs a study of a good arm and a bad one, whose job ends with `job`. The good arm must be named,
/// and the bad one reported as failed.
fn bad_arm(job: &str, says: &[&str]) {
    let script = format!(
        "if [ $1 = good ]; then echo '{{\"accuracy\": 0.'$((500 + $2 % 7))'}}'; exit 0; fi\n{job}\n"
    );
    let bench = Bench::with_job(
        &script,
        "[design]\nparallel = 1\n[resources]\ntimeout = \"1s\"\ngrace = \"1s\"\n[goal]\nbudget = { evaluations = 8 }\n[[arm]]\nname = \"good\"\n[[arm]]\nname = \"bad\"",
    );
    bench.edit(
        "study.toml",
        "name = \"accuracy\"",
        "name = \"accuracy\"\nbounds = [0, 1]",
    );
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    ran.says(code::ARM_FAILED, says);
    let result = ran.json();
    assert_eq!(result["conclusion"]["arm"], "good", "{job}");
    assert_eq!(result["failed"], 3, "{job}");
    let bad = arm(&result, "bad");
    assert_eq!(bad["retired"], true, "{job}");
    assert_eq!(
        (&bad["failed"], &bad["evaluations"]),
        (&3.into(), &0.into()),
        "{job}"
    );
    assert_eq!(arm(&result, "good")["retired"], false);
    let again = bench.fiesta(&["run", "study.toml"]);
    again.says(
        code::ARM_FAILED,
        &["the study is finished; nothing was run"],
    );
    let row = again
        .stdout
        .lines()
        .find(|line| line.contains("bad"))
        .unwrap();
    assert!(row.contains("retired"), "{again:?}");
}

#[test]
fn none_at_all() {
    bad_arm(
        "echo done",
        &[
            "no result: print a line like {\"accuracy\": 0.5}",
            "$FIESTA_RESULT",
            "done",
        ],
    );
    bad_arm("true", &["no result", "(nothing)"]);
    bad_arm(
        "echo '{\"acuracy\": 0.5}'",
        &["without the key \"accuracy\"", "did you mean \"acuracy\"?"],
    );
}

#[test]
fn not_finite() {
    bad_arm(
        "echo '{\"accuracy\": NaN}'",
        &["\"accuracy\" = NaN", "not a finite number"],
    );
    bad_arm(
        "echo '{\"accuracy\": -Infinity}'",
        &["-Infinity", "not a finite number"],
    );
    bad_arm("echo '{\"accuracy\": 1e400}'", &["1e400", "too large"]);
}

#[test]
fn out_of_bounds() {
    bad_arm(
        "echo '{\"accuracy\": 71.5}'",
        &[
            "the score 71.5 is outside the bounds [0, 1] of accuracy",
            "{\"accuracy\": 71.5}",
        ],
    );
}

#[test]
fn no_number() {
    bad_arm(
        "echo '{\"accuracy\": \"0.5\"}'",
        &["as the text \"0.5\"", "without quotes"],
    );
    bad_arm(
        "echo '{\"accuracy\": 0,71}'",
        &["decimal comma, 0,71", "LC_NUMERIC=C"],
    );
    bad_arm(
        "echo \"{'accuracy': 0.5}\"",
        &["single quotes", "json.dumps"],
    );
}

#[test]
fn exit_code_with_a_score() {
    bad_arm(
        "echo '{\"accuracy\": 0.9}'; echo 'disk full' >&2; exit 3",
        &["exit code 3", "disk full"],
    );
}

#[test]
fn over_its_time_with_a_tree_that_does_not_listen() {
    let tree = "trap '' TERM\n(trap '' TERM; sleep 77) &\necho $! >> pids; echo $$ >> pids\nwait; sleep 77";
    let script = format!("[ $1 = good ] && {{ echo '{{\"accuracy\": 0.5}}'; exit 0; }}\n{tree}\n");
    let bench = Bench::with_job(
        &script,
        "[design]\nparallel = 4\n[resources]\ntimeout = \"1s\"\ngrace = \"1s\"\n[goal]\nbudget = { evaluations = 5 }\n[[arm]]\nname = \"good\"\n[[arm]]\nname = \"bad\"",
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert!(ran.stderr.contains("stopped at its time limit"), "{ran:?}");
    let pids = bench.log("pids");
    assert!(pids.len() >= 4, "{pids:?}");
    for pid in pids.concat() {
        until("the tree is gone", || !is_alive(&pid));
    }
}

#[test]
fn every_arm_fails() {
    let bench = Bench::with_job(
        "echo \"no module named torch in $1\" >&2; exit 1",
        "[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"",
    );
    // The reasons are in the last message, whatever is shown before it.
    let ran = bench.fiesta(&["run", "study.toml", "--quiet"]);
    ran.says(
        code::ARM_FAILED,
        &[
            "4 evaluations of 2 of 2 arms (a, b)",
            "all failed alike",
            "exit code 1",
            "no module named torch in a",
            "study.fiesta",
        ],
    );
    assert!(!ran.stderr.contains("torch in b"), "{ran:#?}");
    // Whoever runs it again has seen to the cause: what failed is made again.
    let (code, document) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::ARM_FAILED));
    assert_eq!(document["failed"], 8);
    assert_eq!(document["conclusion"], serde_json::Value::Null);
    assert_eq!(arm(&document, "a")["retired"], false);
}

#[test]
fn time_runs_out_before_anything_is_known() {
    let bench = Bench::with_job(
        "echo $$ >> pids; sleep 77",
        "[goal]\nbudget = { wall = \"300ms\" }\n[design]\nparallel = 2\n[resources]\ngrace = \"1s\"\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"",
    );
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    ran.says(code::SHORT, &["limit", "before any evaluation"]);
    assert_eq!(ran.json()["evaluations"], 0);
    for pid in bench.log("pids").concat() {
        until("the jobs are stopped", || !is_alive(&pid));
    }
}
