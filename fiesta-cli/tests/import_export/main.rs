//! Tests of `fiesta import` and `fiesta export`: results that were imported are exported unchanged.

#[path = "../support/mod.rs"]
mod support;

use serde_json::Value;
use std::{
    fs::{self, File},
    process::Stdio,
};
use support::{Bench, Ran};

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// Returns the objects of JSON lines.
fn objects(text: &str) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap();
    text.lines().map(parse).collect()
}

/// Runs the program with a file as its standard input.
fn with_input(bench: &Bench, input: &str, arguments: &[&str]) -> Ran {
    let output = bench
        .command(arguments)
        .stdin(Stdio::from(File::open(bench.path(input)).unwrap()))
        .output()
        .unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Returns for each of several tools: its results, the flags to read them, and the expected numbers of rows and of failures.
fn tools() -> [(
    &'static str,
    &'static [&'static str],
    &'static str,
    usize,
    usize,
); 4] {
    let best = "best_validation_accuracy";
    [
        (
            "allentune.jsonl",
            &["--metric", "best_validation_accuracy"],
            best,
            4,
            0,
        ),
        (
            "mlflow_search_runs.csv",
            &["--metric", "val_acc"],
            "metrics.val_acc",
            6,
            1,
        ),
        ("mlflow_page.csv", &["--metric", "val_ll"], "val_ll", 3, 1),
        ("wandb_page.csv", &["--metric", "val_acc"], "val_acc", 4, 2),
    ]
}

/// Returns a bench with the results of all tools.
fn bench() -> Bench {
    let bench = Bench::new();
    let fixtures = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fiesta-import/tests/fixtures"
    );
    for (name, ..) in tools() {
        fs::copy(format!("{fixtures}/{name}"), bench.path(name)).unwrap();
    }
    bench
}

mod exported;
mod imported;
mod refused;
