//! `fiesta reproduce` through the program, with few runs: what the figures are is for `reproduction.rs`.

mod support;

use serde_json::Value;
use support::{Bench, code};

fn reproduce(arguments: &[&str]) -> Value {
    let (code, document) = Bench::new().json(&[&["reproduce", "fiesta"], arguments].concat());
    assert_eq!(code, Some(code::DONE), "{document}");
    document
}

fn rows<'a>(document: &'a Value, experiment: &str) -> &'a Vec<Value> {
    let experiments = document["experiments"].as_array().unwrap();
    let found = experiments.iter().find(|found| found["name"] == experiment);
    found.unwrap_or_else(|| panic!("no {experiment} in {document}"))["rows"]
        .as_array()
        .unwrap()
}

#[test]
fn every_experiment_and_its_figures() {
    let document = reproduce(&["--runs", "3", "--seed", "5"]);
    assert_eq!(
        (&document["paper"], &document["runs"], &document["seed"]),
        (&"fiesta".into(), &3.into(), &5.into())
    );
    assert!(document["scores"].is_null());
    let ttts = &rows(&document, "fixed-confidence")[3];
    assert_eq!(
        (&ttts["method"], &ttts["confidence"]),
        (&"TTTS".into(), &0.95.into())
    );
    assert_eq!(
        (&ttts["published"], &ttts["independent"]),
        (&130.0.into(), &151.3.into())
    );
    let ratio = ttts["measured"].as_f64().unwrap() / 130.0;
    assert!(
        (ttts["ratio"].as_f64().unwrap() - ratio).abs() < 1e-12,
        "{ttts}"
    );
    assert!(ttts["min"].as_u64().unwrap() >= 24, "{ttts}");
    assert_eq!(rows(&document, "batches").len(), 6);
    let budgets = rows(&document, "fixed-budget");
    assert_eq!(budgets.len(), 32);
    for row in budgets {
        let budget = row["budget"].as_f64().unwrap();
        let printed = match row["method"].as_str().unwrap() {
            "sequential halving" => [120.0, 204.0].contains(&budget),
            _ => [204.0, 228.0].contains(&budget),
        };
        assert_eq!(row["published"].is_number(), printed, "{row}");
        assert_eq!(row["ratio"].is_number(), printed, "{row}");
        assert!(
            (0.0..=1.0).contains(&row["measured"].as_f64().unwrap()),
            "{row}"
        );
    }
    assert_eq!(document, reproduce(&["--runs", "3", "--seed", "5"]));
}

/// The run that is shown is the first of those that are counted.
#[test]
fn a_run_step_by_step() {
    let document = reproduce(&["--only", "synthetic", "--runs", "1", "--seed", "2"]);
    let experiments = document["experiments"].as_array().unwrap();
    assert_eq!(experiments.len(), 1);
    let trace = experiments[0]["trace"].as_array().unwrap();
    assert_eq!(trace[0]["evaluations"], 15);
    for (step, evaluations) in trace.iter().zip(15_u64..) {
        let counts = step["counts"].as_array().unwrap();
        assert_eq!(
            counts.iter().map(|n| n.as_u64().unwrap()).sum::<u64>(),
            evaluations
        );
        let belief: Vec<f64> = step["belief"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p.as_f64().unwrap())
            .collect();
        assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{step}");
        let last = evaluations == trace.len() as u64 + 14;
        let sure = belief.iter().any(|&p| p >= 0.99);
        assert_eq!(sure, last, "{step}");
    }
    let row = &rows(&document, "synthetic")[0];
    assert_eq!(
        row["measured"].as_f64(),
        trace.last().unwrap()["evaluations"].as_f64()
    );
    assert_eq!(row["published"], 51.0);
}

/// `fiesta simulate` makes the very same runs.
#[test]
fn the_runs_are_those_of_simulate() {
    let eight = "0.6323:0.0277,0.5946:0.0253,0.6319:0.0287,0.5925:0.0228,0.6062:0.0303,0.5679:0.0320,0.6462:0.0265,0.6095:0.0268";
    let simulate = [
        "simulate",
        "--gaussian",
        eight,
        "--splits",
        "independent",
        "--posterior",
        "uniform",
        "--runs",
        "10",
        "--seed",
        "3",
        "--confidence",
        "0.95,0.9,0.8",
    ];
    let document = reproduce(&[
        "--only",
        "fixed-confidence,batches",
        "--runs",
        "10",
        "--seed",
        "3",
    ]);
    for (experiment, first, policy) in [
        ("fixed-confidence", 3, &["--policy", "ttts"][..]),
        ("batches", 0, &["--policy", "bts", "--batch", "4"]),
    ] {
        let (_, simulated) = Bench::new().json(&[&simulate[..], policy].concat());
        for (row, result) in rows(&document, experiment)[first..]
            .iter()
            .zip(simulated["results"].as_array().unwrap())
        {
            assert_eq!(
                row["measured"], result["evaluations"]["mean"],
                "{row} {result}"
            );
            assert_eq!(row["correct"], result["correct"]);
        }
    }
}

#[test]
fn text_for_people() {
    let ran = Bench::new().fiesta(&["reproduce", "fiesta", "--runs", "2"]);
    assert_eq!(ran.code, Some(code::DONE));
    for words in [
        "Table 2",
        "published",
        "ratio",
        "TTTS",
        "Figure 2",
        "Figure 4",
        "sequential halving",
        "2 runs each",
    ] {
        assert!(
            ran.stdout.contains(words),
            "{words} is missing in {}",
            ran.stdout
        );
    }
}

#[test]
fn scores_of_something_else_are_refused() {
    let bench = Bench::new();
    bench.file("scores.csv", "arm,score\na,1\nb,2\n");
    bench
        .fiesta(&["reproduce", "fiesta", "scores.csv"])
        .says(code::USAGE, &["`atae`", "FIESTA paper"]);
    bench.fiesta(&["reproduce"]).says(code::USAGE, &["fiesta"]);
    bench
        .fiesta(&["reproduce", "fiesta", "--only", "table-9"])
        .says(code::USAGE, &["fixed-budget"]);
}
