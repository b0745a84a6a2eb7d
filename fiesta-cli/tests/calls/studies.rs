//! Calls on studies that run to their end, and calls about them afterwards. Their jobs depend
//! neither on time nor on chance.

use crate::snapshot::{Group, lines};

/// Table of calls about a study after its end.
const AFTER: &str = "
    again        run STUDY --quiet
    status       status STUDY
    status-json  status STUDY --format json
    log          log STUDY 2
    log-json     log STUDY 2 --format json
    log-stdout   log STUDY 1 --stdout
    log-stderr   log STUDY 1 --attempt 1 --stderr
    export       export STUDY
";

/// Runs a study, then makes the named calls about it, or all calls.
fn study(group: &'static str, file: &str, names: &[&str]) -> Group {
    let mut group = Group::new(group).timed();
    group.call("run", &format!("run {file}"));
    for (name, call) in lines(AFTER) {
        if names.is_empty() || names.contains(&name) {
            group.call(name, &call.replace("STUDY", file));
        }
    }
    group
}

#[test]
fn gaussian() {
    let mut group = study("study-gaussian", "gaussian.toml", &[]);
    group.calls(
        "
        export-jsonl      export gaussian.toml --format jsonl
        check             run gaussian.toml --check
        run-json          run gaussian.toml --format json
        curve             curve gaussian.toml --max-n 6
        belief-of-export  export gaussian.toml -o gaussian.csv
        belief            belief gaussian.csv
        ",
    );
    group.bench.edit(
        "gaussian.toml",
        "budget = { evaluations = 60 }",
        "budget = { evaluations = 70 }",
    );
    group
        .bench
        .edit("gaussian.toml", "confidence = 0.95", "confidence = 0.955");
    group.calls(
        "
        changed           run gaussian.toml
        changed-accepted  run gaussian.toml --accept-changes
        ",
    );
    group
        .bench
        .edit("gaussian.toml", "name = \"accuracy\"", "name = \"epochs\"");
    group.calls(
        "
        another         run gaussian.toml
        another-status  status gaussian.toml
        ",
    );
    group.end();
}

#[test]
fn documents() {
    study("study-documents", "tagging.toml", &[]).end();
}

#[test]
fn random_search() {
    let mut group = study("study-search", "search.toml", &[]);
    group.calls(
        "
        curve         curve search.toml --failed worst
        export-jsonl  export search.toml --format jsonl
        ",
    );
    group.end();
}

#[test]
fn anytime() {
    study("study-anytime", "anytime.toml", &["status", "status-json"]).end();
}

#[test]
fn of_a_budget() {
    study("study-budget", "budget.toml", &["status", "status-json"]).end();
}

#[test]
fn short_of_its_goal() {
    study(
        "study-short",
        "short.toml",
        &["again", "status", "status-json"],
    )
    .end();
}

#[test]
fn with_a_failing_arm() {
    let mut group = study("study-failing", "failing.toml", &[]);
    group.bench.edit(
        "job.sh",
        "echo \"no such model: $1\" >&2; exit 3",
        "base=500",
    );
    group.calls(
        "
        retry         run failing.toml --retry broken --accept-changes
        status-after  status failing.toml
        ",
    );
    group.end();
}

#[test]
fn with_recorded_scores() {
    study(
        "study-recorded",
        "before.toml",
        &["status", "status-json", "export"],
    )
    .end();
}
