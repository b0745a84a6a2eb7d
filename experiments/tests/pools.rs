//! `experiments pools`: a made-up pool, beside policies with the same budget.

mod support;

use serde_json::Value;
use support::{json, list, number};

fn rows(arguments: &[&str]) -> Vec<Value> {
    list(&json(&[&["pools"], arguments].concat())).to_vec()
}

/// Tests that every policy beside the first has its mean number of evaluations as its budget, and
/// that answering everything never errs.
#[test]
fn others_have_the_same_budget() {
    let made_up = "--made-up=4x200:8:0.5:0.3";
    let beside = "--beside=ucb-e,uniform,successive-rejects";
    let rows = rows(&[made_up, "--runs=40", "--confidence=0.9", beside]);
    let names: Vec<&str> = rows
        .iter()
        .filter_map(|row| row["policy"].as_str())
        .collect();
    let expected = [
        "pool",
        "ucb-e",
        "uniform",
        "successive-rejects",
        "all answers",
    ];
    assert_eq!(names, expected);
    let evaluations = |row: &Value| number(&row["evaluations"]["mean"]);
    let budget = evaluations(&rows[0]).round();
    assert!((100.0..800.0).contains(&budget), "{budget}");
    for row in &rows[1..4] {
        assert!((evaluations(row) - budget).abs() < 1e-9, "{row}");
        assert_eq!(row["runs"], 40);
        let wrong = number(&row["wrong"]["mean"]);
        assert!((0.0..0.6).contains(&wrong), "{row}");
    }
    assert!((evaluations(&rows[4]) - 800.0).abs() < 1e-9);
    assert_eq!(rows[4]["wrong"]["mean"], 0.0);
    assert_eq!(rows[4]["share"], 1.0);
}

#[test]
fn without_others_there_is_a_row_a_confidence() {
    let rows = rows(&["--made-up=2x50:5:0.5:0", "--runs=5"]);
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["policy"] == "pool"));
}
