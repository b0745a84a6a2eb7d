//! Tests of faulty results that a study accepts because its file says so, and of mistakes in such a
//! study file.

use super::support::{Bench, arm, code};

/// Runs a study of a good arm and an odd one, whose job ends with `job`; `metric` is added to the
/// table of the metric.
fn odd_arm(job: &str, metric: &str) -> (super::support::Ran, serde_json::Value) {
    let script = format!(
        "if [ $1 = good ]; then echo '{{\"accuracy\": 0.'$((500 + $2 % 7))'}}'; exit 0; fi\n{job}\n"
    );
    let bench = Bench::with_job(
        &script,
        "[design]\nparallel = 1\n[goal]\nbudget = { evaluations = 8 }\n[[arm]]\nname = \"good\"\n[[arm]]\nname = \"odd\"",
    );
    let named = "name = \"accuracy\"";
    bench.edit(
        "study.toml",
        named,
        &format!("{named}\nbounds = [0, 1]\n{metric}"),
    );
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    let document = ran.json();
    (ran, document)
}

#[test]
fn an_exit_code_that_the_study_lets_pass() {
    let job = "echo '{\"accuracy\": 0.25}'; exit 1";
    let (ran, result) = odd_arm(job, "exit_codes = [0, 1]");
    ran.says(code::DONE, &[]);
    assert_eq!(
        (&arm(&result, "odd")["mean"], &result["failed"]),
        (&0.25.into(), &0.into())
    );
    // Another one does not, nor does one without a score.
    let (ran, result) = odd_arm("echo '{\"accuracy\": 0.25}'; exit 2", "exit_codes = [0, 1]");
    ran.says(code::ARM_FAILED, &["exit code 2"]);
    assert_eq!(arm(&result, "odd")["failed"], 3);
    let (ran, _) = odd_arm("echo 'out of luck' >&2; exit 1", "exit_codes = [0, 1]");
    ran.says(code::ARM_FAILED, &["exit code 1; no result", "out of luck"]);
    // Without the key, only 0 counts.
    let (ran, _) = odd_arm(job, "");
    ran.says(code::ARM_FAILED, &["exit code 1"]);
}

#[test]
fn what_is_not_finite_stands_for_a_score() {
    for value in ["NaN", "-Infinity", "\"nan\""] {
        let job = format!("echo '{{\"accuracy\": {value}, \"epochs\": 3}}'");
        let (ran, result) = odd_arm(&job, "not_finite = 0.125");
        ran.says(code::DONE, &["which counts as 0.125, as the study says"]);
        assert_eq!(arm(&result, "odd")["mean"], 0.125, "{value}");
        assert_eq!(result["failed"], 0, "{value}");
    }
    // What is no number, or too large for one, still is an error.
    for value in ["null", "1e400", "71.5", "\"0,5\""] {
        let job = format!("echo '{{\"accuracy\": {value}}}'");
        let (ran, result) = odd_arm(&job, "not_finite = 0.125");
        ran.says(code::ARM_FAILED, &[]);
        assert_eq!(arm(&result, "odd")["failed"], 3, "{value}");
    }
}

#[test]
fn studies_that_let_pass_what_cannot_be() {
    let with = |key: &str, words: &[&str]| {
        let study = super::support::STUDY.replace(
            "bounds = [0.0, 1.0]",
            &format!("bounds = [0.0, 1.0]\n{key}"),
        );
        let bench = Bench::with_study(&study);
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::USAGE, &[&["study.toml:8"], words].concat());
    };
    with(
        "exit_codes = []",
        &["exit_codes is empty", "give at least 0"],
    );
    with(
        "exit_codes = [0, 256]",
        &["256 is no exit code", "from 0 to 255"],
    );
    with("exit_codes = [-9]", &["-9 is no exit code"]);
    with(
        "not_finite = 1.5",
        &["not_finite: the score 1.5 is outside the bounds [0, 1]"],
    );
    with(
        "not_finite = nan",
        &["not_finite: the score NaN is not a finite number"],
    );
    let documents = super::support::STUDY
        .replace("splits = \"shared\"", "documents = \"docs.jsonl\"")
        .replace(
            "name = \"accuracy\"\ndirection = \"maximize\"\nbounds = [0.0, 1.0]",
            "f_beta = 1.0\nnot_finite = 0.0",
        );
    let bench = Bench::with_study(
        &documents
            .replace("\"{split}\", \"{seed}\"", "\"{document}\"")
            .replace("posterior = \"pooled\"\n", ""),
    );
    bench.file("docs.jsonl", "{\"id\": \"a\"}\n{\"id\": \"b\"}\n");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["not_finite is of scores", "leave it out"]);
}

#[test]
fn a_study_that_is_under_way_does_not_change_its_mind() {
    let bench = Bench::with_study(super::support::STUDY);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.edit(
        "study.toml",
        "bounds = [0.0, 1.0]",
        "bounds = [0.0, 1.0]\nnot_finite = 0.0",
    );
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::CHANGED, &["metric.not_finite: null → 0.0"]);
}

/// Tests odd bytes around a good score, each printed by a real process.
#[test]
fn colours_odd_bytes_and_returns_do_not_hide_a_score() {
    for job in [
        r#"printf '\033[1;32m{"accuracy": 0.25}\033[0m\n'"#,
        r#"printf '\377\376 caf\351 \200\n{"accuracy": 0.25}\n\377'"#,
        r#"printf ' 50%%|##\r100%%|####\r{"accuracy": 0.25}\r\n'"#,
        r#"printf '\357\273\277{"accuracy": 0.25}\n' > "$FIESTA_RESULT""#,
        r#"printf '{"accuracy": 0.25, "name": "caf\351"}\n'"#,
        r#"printf '\000\000{"accuracy": 0.5\n{"accuracy": 0.25}\n\000'"#,
    ] {
        let (ran, result) = odd_arm(job, "");
        ran.says(code::DONE, &[]);
        assert_eq!(arm(&result, "odd")["mean"], 0.25, "{job}");
    }
    let (ran, _) = odd_arm(r"printf 'pr\351cision 0,71\n'", "");
    ran.says(code::ARM_FAILED, &["no result", "not UTF-8"]);
    let (ran, _) = odd_arm(r#"printf '{"accuracy": 0.25}\n{"accuracy": 0.5}\n'"#, "");
    ran.says(
        code::DONE,
        &["several results with different scores; the last, 0.5, counts"],
    );
}
