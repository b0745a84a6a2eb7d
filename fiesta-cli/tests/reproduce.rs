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

/// The other paper, through the program.
fn haffari(arguments: &[&str]) -> Value {
    let (code, document) = Bench::new().json(&[&["reproduce", "haffari"], arguments].concat());
    assert_eq!(code, Some(code::DONE), "{document}");
    document
}

const SMALL: [&str; 10] = [
    "--alphas",
    "10",
    "--lengths",
    "50",
    "--margin",
    "0.2",
    "--runs",
    "4",
    "--cap",
    "300",
];

fn number(value: &Value, name: &str) -> f64 {
    let number = value[name].as_f64();
    number.unwrap_or_else(|| panic!("{name} is no number in {value}"))
}

#[test]
fn every_method_on_documents() {
    let document = haffari(&[&SMALL[..], &["--configurations", "2", "--seed", "3"]].concat());
    assert_eq!(
        (
            &document["runs"],
            &document["configurations"],
            &document["seed"]
        ),
        (&4.into(), &2.into(), &3.into())
    );
    assert!(
        document["published"]
            .as_str()
            .unwrap()
            .contains("not available")
    );
    let cells = document["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 1);
    assert_eq!(
        (&cells[0]["alpha"], &cells[0]["length"]),
        (&10.0.into(), &50.into())
    );
    let rows = cells[0]["rows"].as_array().unwrap();
    // Three policies with two models at two rules and two at one.
    assert_eq!(rows.len(), 18);
    for row in rows {
        assert!(row["published"].is_null(), "{row}");
        assert!(number(row, "queries") >= 5.0, "{row}");
        // Half of the runs are on each configuration.
        assert!((number(row, "success") * 4.0).fract() < 1e-9, "{row}");
        assert!(number(row, "queries") <= 300.0, "{row}");
        assert!(number(row, "capped") <= 4.0, "{row}");
    }
    for pair in rows.windows(2) {
        if pair[0]["model"] == pair[1]["model"] && pair[0]["policy"] == pair[1]["policy"] {
            assert_eq!(
                (&pair[0]["stopping"], &pair[1]["stopping"]),
                (&"at-once".into(), &"waits".into())
            );
            assert!(
                number(&pair[0], "queries") <= number(&pair[1], "queries"),
                "{pair:?}"
            );
        }
    }
    let baselines = cells[0]["baselines"].as_array().unwrap();
    let [two, all] = &baselines[..] else {
        panic!("{baselines:?}")
    };
    assert_eq!(
        (&two["baseline"], &all["baseline"]),
        (&"top-two".into(), &"all".into())
    );
    assert!((number(two, "queries") - 2.0 * number(two, "documents")).abs() < 1e-9);
    assert!((number(all, "queries") - 5.0 * number(all, "documents")).abs() < 1e-9);
    assert!(number(all, "documents") > number(two, "documents"));
    // The same again, and something else with another seed.
    let again = [&SMALL[..], &["--configurations", "2", "--seed", "3"]].concat();
    assert_eq!(haffari(&again), document);
    let other = haffari(&[&SMALL[..], &["--configurations", "2", "--seed", "4"]].concat());
    assert_ne!(other["cells"], document["cells"]);
}

/// A run is given up at the cap, begins with as many queries as are asked for, and the calibration has every kind of document.
#[test]
fn what_is_asked_for_is_done() {
    let capped = haffari(&[&SMALL[..], &["--policy", "ts", "--delta", "0.000001"]].concat());
    for row in capped["cells"][0]["rows"].as_array().unwrap() {
        if row["stopping"] == "waits" {
            assert_eq!(
                (number(row, "queries"), &row["capped"]),
                (300.0, &4.into()),
                "{row}"
            );
        }
    }
    let initial = haffari(
        &[
            &SMALL[..],
            &["--policy", "pets", "--initial", "20", "--systems", "3"],
        ]
        .concat(),
    );
    for row in initial["cells"][0]["rows"].as_array().unwrap() {
        assert!(number(row, "queries") >= 60.0, "{row}");
    }
    let calibration = haffari(&[
        "--calibration",
        "--runs",
        "1",
        "--margin",
        "0.3",
        "--cap",
        "20",
    ]);
    let cells = calibration["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 15);
    assert_eq!(cells[14]["alpha"], "inf");
    for cell in cells {
        let models: Vec<&Value> = cell["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| &row["model"])
            .collect();
        assert_eq!(models, ["f-learned", "f-learned", "f-fixed", "f-fixed"]);
        assert_eq!(cell["baselines"], serde_json::json!([]));
    }
}

/// A model that takes documents to be more alike than they are ends too soon, and errs more than one that knows how they are.
#[test]
fn a_wrong_concentration_errs() {
    let arguments = [
        "--calibration",
        "--alphas",
        "0.3",
        "--lengths",
        "100",
        "--runs",
        "60",
        "--systems",
        "3",
        "--margin",
        "0.2",
        "--cap",
        "100",
    ];
    let figures = |alpha| {
        let document = haffari(&[&arguments[..], &["--alpha", alpha]].concat());
        let rows = document["cells"][0]["rows"].as_array().unwrap().clone();
        let row = rows
            .iter()
            .find(|row| row["model"] == "f-fixed" && row["stopping"] == "at-once");
        let row = row.unwrap();
        (number(row, "success"), number(row, "queries"))
    };
    let (right, wrong) = (figures("0.3"), figures("30"));
    assert!(right.0 > wrong.0 + 0.08, "{right:?} {wrong:?}");
    assert!(right.1 > 2.0 * wrong.1, "{right:?} {wrong:?}");
}

#[test]
fn documents_for_people() {
    let ran =
        Bench::new().fiesta(&[&["reproduce", "haffari", "--policy", "pets"], &SMALL[..]].concat());
    assert_eq!(ran.code, Some(code::DONE));
    for words in [
        "α = 10, N = 50",
        "PETS",
        "α learned",
        "known variance",
        "Bonferroni",
        "θ₀",
        "not available here",
    ] {
        assert!(
            ran.stdout.contains(words),
            "{words} is missing in {}",
            ran.stdout
        );
    }
    let ran =
        Bench::new().fiesta(&[&["reproduce", "haffari", "--calibration"], &SMALL[..]].concat());
    assert!(
        ran.stdout.contains("TTPS, P(best) ≥ 0.95"),
        "{}",
        ran.stdout
    );
}

#[test]
fn what_cannot_be_measured_is_refused() {
    for (arguments, words) in [
        (&["--systems", "1"][..], "at least two"),
        (&["--margin", "0"], "--margin 0"),
        (&["--delta", "0.5"], "--delta 0.5"),
        (&["--runs", "10", "--configurations", "3"], "spread evenly"),
        (&["--theta0", "0.5,0.5"], "four shares"),
        (&["--theta0", "0.5,0.5,0.5,0.5"], "add up to 1"),
        (&["--alphas", "0"], "concentration 0"),
        (&["--lengths", "0"], "1..="),
        (&["--alpha", "0"], "concentration"),
        (&["--policy", "best"], "`best`"),
        (&["--policy", "pets", "--beta", "1"], "beta"),
        (&["--gaussian", "flat"], "`flat`"),
        (&["--exact", "--at-least"], "--at-least"),
        (
            &["--margin", "0.99", "--systems", "30", "--at-least"],
            "smaller margin",
        ),
    ] {
        let all = [
            &["reproduce", "haffari", "--alphas", "10", "--runs", "1"],
            arguments,
        ]
        .concat();
        let all = if arguments[0] == "--runs" || arguments[0] == "--alphas" {
            [&["reproduce", "haffari"], arguments].concat()
        } else {
            all
        };
        Bench::new().fiesta(&all).says(code::USAGE, &[words]);
    }
}
