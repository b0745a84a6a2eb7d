//! Tests of pools of items through the program: files of answers, and studies that ask for answers.

mod files;
mod studies;
#[path = "../support/mod.rs"]
mod support;

use support::{Bench, code};

/// Runs the program, and returns its exit code and both outputs.
fn run(bench: &Bench, arguments: &[&str]) -> (Option<i32>, String, String) {
    let ran = bench.fiesta(arguments);
    (ran.code, ran.stdout, ran.stderr)
}

fn refused(bench: &Bench, arguments: &[&str], part: &str) {
    let (exit, _, error) = run(bench, arguments);
    assert_eq!(exit, Some(code::USAGE), "{arguments:?}: {error}");
    assert!(error.contains(part), "{arguments:?}: {error}");
}
