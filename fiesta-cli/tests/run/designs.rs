//! Tests of the table `[design]` of study files: its keys and their defaults.

use super::{Bench, SCORE, TWO, arm, code, logging};
use serde_json::Value;

/// Returns the result of a study with [`SCORE`] that reaches its goal.
fn reached(rest: &str) -> Value {
    let bench = Bench::with_job(SCORE, rest);
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE), "{result}");
    assert_eq!(result["conclusion"]["arm"], "high", "{result}");
    result
}

/// Tests that an arm which costs a hundred times as much is evaluated less with a tie-break that is aware of costs.
#[test]
fn a_tie_break_beside_the_policy() {
    let dear = |design: &str| {
        let rest = format!(
            "[goal]\nbudget = {{ evaluations = 40 }}\n[design]\n{design}\n[[arm]]\nname = \"low\"\ncost = 100\n[[arm]]\nname = \"high\"\ncost = 1\n"
        );
        let (code, result) = Bench::with_job(SCORE, &rest).json(&["run", "study.toml"]);
        assert_eq!(code, Some(code::DONE));
        arm(&result, "low")["evaluations"].as_u64().unwrap()
    };
    let coin = dear("policy = \"eb-tci\"\ntie_break = \"coin\"");
    let aware = dear("policy = \"eb-tci\"\ntie_break = \"cost-aware\"");
    assert!(3 * aware <= coin, "{aware} and {coin}");
    // The default is aware of costs.
    assert!(3 * dear("tie_break = \"cost-aware\"") <= coin);
    assert_eq!(dear(""), dear("tie_break = \"cost-aware\""));
}

/// Tests that the default posterior takes every seed on a single split for a split of its own.
#[test]
fn fixed_and_independent_splits_under_the_defaults() {
    for (splits, words) in [
        (
            "fixed",
            "one fixed split, so that the conclusion holds for that split only",
        ),
        ("independent", "independent splits"),
    ] {
        let result = reached(&format!("[design]\nsplits = \"{splits}\"\n{TWO}"));
        let sentence = result["conclusion"]["sentence"].as_str().unwrap();
        assert!(
            sentence.contains(words) && !sentence.contains("ttps"),
            "{sentence}"
        );
        let made = result["evaluations"].as_u64().unwrap();
        assert!((6..40).contains(&made), "{made}");
    }
}

/// Tests that the ledger records defaults by their values: naming these in the file is no change,
/// and another value would be.
#[test]
fn defaults_are_recorded_by_what_they_stand_for() {
    let rest = format!("[goal]\nbudget = {{ evaluations = 6 }}\n[design]\nseed = 5\n{TWO}");
    let bench = Bench::with_job(&logging(), &rest);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let named = "seed = 5\npolicy = \"ttps\"\nposterior = \"paired\"\nstopping = \"posterior\"";
    bench.edit("study.toml", "seed = 5", named);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["nothing was run"]);
    bench.edit("study.toml", "paired", "pooled");
    bench.edit("study.toml", "ttps", "ttts");
    bench.fiesta(&["run", "study.toml"]).says(
        code::CHANGED,
        &[
            "design.policy: \"ttps\" → \"ttts\"",
            "design.posterior: \"paired\" → \"pooled\"",
        ],
    );
}
