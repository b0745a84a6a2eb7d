//! Test of a corpus of files as people have them (README.md beside this): how many are answered in one
//! command, and whether any answer is wrong. `make.py` computes the right answers without FIESTA.

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Least share of the files that are answered in one command: all but 01a and 02a, whose columns do not say
/// which scores are better.
const ANSWERED: f64 = 0.96;

/// Names of files for which the expected difference is defined otherwise than FIESTA's, and why.
const OTHERWISE: [(&str, &str); 4] = [
    (
        "01b",
        "data sets that an arm lacks are left out for all arms",
    ),
    ("02b", "so are those that a system lacks"),
    (
        "07c",
        "the posterior mean of the F-measure, and no ratio of counts",
    ),
    ("23b", "instances that ended with an error have no score"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// A file of the corpus: the command line for it, and the right answer.
struct Case {
    name: String,
    words: Vec<String>,
    /// Best arm, second best arm, and the difference of their means. `None` if the file is to be
    /// refused.
    right: Option<(String, String, f64)>,
    is_minimized: bool,
}

fn cases() -> Vec<Case> {
    let table = fs::read_to_string(folder().join("corpus.tsv")).unwrap();
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let case = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |name: &str| cells[names.iter().position(|of| *of == name).unwrap()];
        let words = cell("path")
            .split_whitespace()
            .chain(cell("flags").split_whitespace());
        let right = (cell("expected") == "answered").then(|| {
            let difference = cell("difference").parse().unwrap();
            (
                cell("best").to_owned(),
                cell("rival").to_owned(),
                difference,
            )
        });
        Case {
            name: cell("name").to_owned(),
            words: words.map(str::to_owned).collect(),
            right,
            is_minimized: cell("direction") == "minimize",
        }
    };
    lines.map(case).collect()
}

fn belief(case: &Case) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fiesta"))
        .current_dir(folder())
        .arg("belief")
        .args(&case.words)
        .args(["--format", "json"])
        .output()
        .unwrap()
}

/// Returns the arms of an answer with their means, the best first.
fn ranked(answer: &Value, is_minimized: bool) -> Vec<(String, f64)> {
    let arms = answer["arms"].as_array().unwrap().iter();
    let arm = |arm: &Value| {
        let name = arm["name"].as_str().unwrap().to_owned();
        Some((name, arm["mean"].as_f64()?))
    };
    let mut arms: Vec<(String, f64)> = arms.filter_map(arm).collect();
    arms.sort_by(|one, other| one.1.total_cmp(&other.1));
    if !is_minimized {
        arms.reverse();
    }
    arms
}

/// Returns the mistake in an answer, in words. `None` if the answer is right.
fn mistake(case: &Case, output: &Output) -> Option<String> {
    let Some((best, rival, difference)) = &case.right else {
        return Some("answered, and is to be refused".to_owned());
    };
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let arms = ranked(&answer, case.is_minimized);
    let [(first, top), (second, next), ..] = &arms[..] else {
        return Some(format!("fewer than two arms: {arms:?}"));
    };
    let led = (top - next).abs();
    let is_other = OTHERWISE.iter().any(|(name, _)| *name == case.name);
    let is_close = is_other || (led - difference).abs() <= 1e-4 * difference.abs().max(0.01);
    let probable = answer["arms"].as_array().unwrap().iter();
    let probable = probable.max_by(|one, other| {
        let p = |arm: &Value| arm["probability_best"].as_f64().unwrap_or_default();
        p(one).total_cmp(&p(other))
    });
    let leader = probable
        .and_then(|arm| arm["name"].as_str())
        .unwrap_or_default();
    (first != best || second != rival || !is_close || leader != best).then(|| {
        format!("{first} leads {second} by {led} and {leader} is most probable; right: {best} leads {rival} by {difference}")
    })
}

#[test]
fn most_files_are_answered_and_none_wrongly() {
    let cases = cases();
    let (mut answered, mut wrong, mut refused) = (0, Vec::new(), Vec::new());
    for case in &cases {
        let output = belief(case);
        let told = String::from_utf8_lossy(&output.stderr);
        match (output.status.code(), &case.right) {
            (Some(0), _) => match mistake(case, &output) {
                Some(mistake) => wrong.push(format!("{}: {mistake}", case.name)),
                None => answered += 1,
            },
            (Some(2), right) => {
                // A refusal names the file.
                assert!(told.contains("error: "), "{}: {told}", case.name);
                if right.is_some() {
                    let error = told.lines().find(|line| line.starts_with("error: "));
                    refused.push(format!("{}: {}", case.name, error.unwrap_or_default()));
                }
            }
            (code, _) => panic!("{} ended with {code:?}: {told}", case.name),
        }
    }
    let all = cases.iter().filter(|case| case.right.is_some()).count();
    println!("{answered} of {all} answered, {} wrong", wrong.len());
    for line in &refused {
        println!("refused: {line}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let share = f64::from(answered) / all as f64;
    assert!(
        share >= ANSWERED,
        "{answered} of {all}:\n{}",
        refused.join("\n")
    );
}
