//! `experiments fiesta` through the program, with few runs; `recorded_scores.rs` tests the figures
//! themselves.

mod support;

use serde_json::Value;
use support::{Bench, json, list, number};

fn fiesta(arguments: &[&str]) -> Value {
    json(&[&["fiesta"], arguments].concat())
}

#[test]
fn every_experiment_and_its_figures() {
    let document = fiesta(&["--runs", "3", "--seed", "5"]);
    assert_eq!(
        (&document["runs"], &document["seed"]),
        (&3.into(), &5.into())
    );
    assert!(document["scores"].is_null());
    let rows = list(&document["tables_2_3"]);
    assert_eq!(rows.len(), 12);
    let ttts = &rows[3];
    assert_eq!(
        (&ttts["method"], &ttts["confidence"], &ttts["independent"]),
        (&"TTTS".into(), &0.95.into(), &151.3.into())
    );
    assert_eq!(
        ttts["published"],
        serde_json::json!({ "min": 27, "mean": 130.0, "max": 518, "correct": 1.0 })
    );
    let measured = &ttts["measured"];
    assert!(
        (number(&ttts["ratio"]) - number(&measured["mean"]) / 130.0).abs() < 1e-12,
        "{ttts}"
    );
    assert!(number(&measured["min"]) >= 24.0, "{ttts}");
    let budgets = list(&document["figure_4"]);
    assert_eq!(budgets.len(), 32);
    for row in budgets {
        let budget = number(&row["budget"]);
        let printed = match row["policy"].as_str().unwrap() {
            "sequential-halving" => [120.0, 204.0].contains(&budget),
            _ => [204.0, 228.0].contains(&budget),
        };
        assert_eq!(row["published"].is_number(), printed, "{row}");
        let share = number(&row["measured"]["correct"]);
        assert!((0.0..=1.0).contains(&share), "{row}");
    }
    assert_eq!(document, fiesta(&["--runs", "3", "--seed", "5"]));
}

/// Tests the paper's example of sequential halving, round by round.
#[test]
fn table_1_is_as_published() {
    let document = fiesta(&["--only", "table-1"]);
    let expected = serde_json::json!({
        "rounds": [
            { "candidates": ["m1", "m2", "m3", "m4"], "evaluations_each": 2 },
            { "candidates": ["m2", "m4"], "evaluations_each": 4 },
        ],
        "output": "m2",
    });
    assert_eq!(document["table_1"], expected);
}

/// Tests that the run whose steps are shown is the first of the counted runs.
#[test]
fn a_run_step_by_step() {
    let document = fiesta(&["--only", "figure-2", "--runs", "1", "--seed", "2"]);
    let figure = &document["figure_2"];
    let trace = list(&figure["trace"]);
    assert_eq!(trace[0]["evaluations"], 15);
    for (step, evaluations) in trace.iter().zip(15_u64..) {
        let counts = list(&step["counts"]).iter().map(|n| n.as_u64().unwrap());
        assert_eq!(counts.sum::<u64>(), evaluations);
        let belief: Vec<f64> = list(&step["belief"]).iter().map(number).collect();
        assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{step}");
        let last = evaluations == trace.len() as u64 + 14;
        assert_eq!(belief.iter().any(|&p| p >= 0.99), last, "{step}");
    }
    assert_eq!(
        figure["measured"]["mean"].as_f64(),
        trace.last().unwrap()["evaluations"].as_f64()
    );
    assert_eq!(figure["published"], 51.0);
}

/// Tests that the runs are those of `fiesta simulate` with the same arms, posterior and seed, which
/// gave these means.
#[test]
fn the_runs_are_those_of_simulate() {
    let arguments = ["--only", "tables-2-3", "--runs", "10", "--seed", "3"];
    let document = fiesta(&arguments);
    let means: Vec<f64> = list(&document["tables_2_3"])
        .iter()
        .map(|row| number(&row["measured"]["mean"]))
        .collect();
    let simulated = [
        180.8, 128.0, 104.8, 175.2, 142.9, 80.2, 261.2, 158.0, 101.2, 309.6, 202.4, 111.2,
    ];
    assert_eq!(means.len(), simulated.len());
    for (mean, simulated) in means.iter().zip(simulated) {
        assert!((mean - simulated).abs() < 1e-9, "{means:?}");
    }
}

#[test]
fn text_for_people() {
    Bench::new().run(&["fiesta", "--runs", "2"]).shows(&[
        "Table 1",
        "Tables 2 and 3",
        "paper",
        "ratio",
        "TTTS",
        "Figure 2",
        "Figure 4",
        "sequential halving",
        "2 runs each",
    ]);
}

#[test]
fn scores_of_something_else_are_refused() {
    let bench = Bench::new();
    bench.file("scores.csv", "arm,score\na,1\nb,2\n");
    let refused = bench.run(&["fiesta", "scores.csv"]);
    refused.refuses(&["`atae`", "FIESTA paper"]);
    bench
        .run(&["fiesta", "--only", "table-9"])
        .refuses(&["figure-4"]);
    bench.run(&[]).refuses(&["fiesta"]);
}

/// Tests that tables replace the marked sections of a document, dated, and leave everything else.
#[test]
fn documents_keep_what_is_not_measured() {
    let bench = Bench::new();
    let text = "# Title\n<!-- table-1 -->\nold\n<!-- /table-1 -->\nprose\n";
    bench.file("page.md", text);
    let arguments = ["fiesta", "--only", "table-1", "-o", "page.md"];
    bench.run(&arguments).shows(&[]);
    let page = bench.text("page.md");
    assert!(page.starts_with("# Title\n<!-- table-1 -->\n"), "{page}");
    assert!(page.ends_with("<!-- /table-1 -->\nprose\n"), "{page}");
    assert!(page.contains("| 1 | m1, m2, m3, m4: 2 each |"), "{page}");
    assert!(page.contains("`experiments fiesta --only table-1 -o page.md`"));
    assert!(!page.contains("old"));
    let arguments = [
        "fiesta", "--only", "figure-2", "--runs", "1", "-o", "page.md",
    ];
    bench.run(&arguments).refuses(&["no section `figure-2`"]);
}
