//! Tests of `fiesta belief --counts` through the program.

mod support;

use serde_json::Value;
use support::{Bench, arm, assert_close, code};

const HEADER: &str = "arm,document,tp,fp,tn,fn\n";

fn with(rows: &str) -> Bench {
    let bench = Bench::new();
    bench.file("counts.csv", &format!("{HEADER}{rows}"));
    bench
}

fn belief(bench: &Bench, arguments: &[&str]) -> Value {
    let (code, document) = bench.json(&[&["belief", "counts.csv", "--counts"], arguments].concat());
    assert_eq!(code, Some(code::DONE), "{document}");
    document
}

/// Returns a bench with two systems that have equal counts on the only document.
fn equal() -> Bench {
    with("a,d,12,4,6,3\nb,d,12,4,6,3\n")
}

/// Returns a bench with counts of two good systems, the first a little better, and a bad one, on
/// four documents, of which one is empty.
fn three() -> Bench {
    with(
        "a,d1,22,4,6,3\nb,d1,20,4,6,5\nc,d1,5,9,3,12\n\
          a,d2,12,2,9,1\nb,d2,10,4,7,2\nc,d2,3,5,9,9\n\
          a,d3,17,1,6,2\nb,d3,16,2,6,2\nc,d3,8,9,3,11\n\
          a,d4,0,0,0,0\nb,d4,0,0,0,0\nc,d4,0,0,0,0\n",
    )
}

/// Tests one document with (TP, FP, TN, FN) = (12, 4, 6, 3), α = 1 and α₀ = 1 against numerical
/// integration.
#[test]
fn one_document_agrees_with_exact_integrals() {
    let draws = "200000";
    let document = belief(
        &equal(),
        &["--alpha", "1", "--alpha0", "1", "--draws", draws],
    );
    let of_mean = |sd: f64| 4.0 * sd / 200_000_f64.sqrt();
    for name in ["a", "b"] {
        let found = arm(&document, name);
        assert!(found["effective_draws"].as_f64().unwrap() >= 200_000.0 - 0.5);
        let f = &found["f"];
        assert_close(&f["mean"], 0.511_612_4, of_mean(0.2386));
        assert_close(&f["sd"], 0.238_581_4, 0.0015);
        assert_close(&found["theta"][0]["mean"], 0.285_041_7, of_mean(0.1863));
        // The standard error of a quantile is √(p(1 − p)/n) over the density there, which is near
        // 0.7 and 0.2 in the tails.
        for (quantile, expected, tolerance) in [
            ("q2.5", 0.058_499_1, 0.002),
            ("q50", 0.528_518_8, 0.003),
            ("q97.5", 0.908_298_9, 0.002),
        ] {
            assert_close(&f[quantile], expected, tolerance);
        }
        assert_close(&found["alpha"]["mean"], 1.0, 1e-12);
        assert_close(&found["alpha"]["sd"], 0.0, 1e-12);
    }
    assert_close(&arm(&document, "a")["probability_best"], 0.5, 4.0 * 0.0012);
    // P(best) is from the same number of draws.
    assert_close(&document["absolute_error"], 0.5 / 200_000_f64.sqrt(), 1e-5);
}

/// Tests the means of θ under α → ∞, where θ is Dirichlet(α₀/4 + counts).
#[test]
fn the_four_shares_stand_in_their_order() {
    let arguments = ["--alpha", "inf", "--alpha0", "4", "--draws", "100000"];
    let document = belief(&equal(), &arguments);
    let theta = &arm(&document, "a")["theta"];
    for (cell, count) in [12.0, 4.0, 6.0, 3.0].into_iter().enumerate() {
        assert_close(&theta[cell]["mean"], (count + 1.0) / 29.0, 0.002);
    }
}

/// Tests unequal prior means θ₀ under α → ∞, where θ is Dirichlet(α₀θ₀ + counts). The shares given
/// for θ₀ are normalised.
#[test]
fn expected_shares_are_those_of_the_prior() {
    let bench = equal();
    let with = |theta0: &str, rest: &[&str]| {
        let arguments = ["--alpha", "inf", "--theta0", theta0];
        belief(&bench, &[&arguments[..], rest].concat())
    };
    let weight = ["--alpha0", "50", "--draws", "100000"];
    let document = with("50,10,30,10", &weight);
    let theta = &arm(&document, "a")["theta"];
    let expected = [0.5, 0.1, 0.3, 0.1];
    for (cell, (count, share)) in [12.0, 4.0, 6.0, 3.0].into_iter().zip(expected).enumerate() {
        assert_close(
            &theta[cell]["mean"],
            (count + 50.0 * share) / 75.0,
            4.0 * 0.5 / 75_f64.sqrt() / 100_000_f64.sqrt(),
        );
    }
    let prior = serde_json::json!({"alpha0": 50.0, "theta0": expected});
    assert_eq!(document["prior"], prior);
    assert_eq!(with("0.5, 0.1,0.3,0.1", &weight), document);
    assert_eq!(with("3,3,3,3", &[]), belief(&bench, &["--alpha", "inf"]));
    let uniform = serde_json::json!({"alpha0": 1.0, "theta0": [0.25, 0.25, 0.25, 0.25]});
    assert_eq!(belief(&bench, &[])["prior"], uniform);
    let means = belief(&three(), &["--posterior", "paired"]);
    assert!(means.get("prior").is_none(), "{means}");
    // People see it where it is not the default.
    let text = |rest: &[&str]| {
        let ran = bench.fiesta(&[&["belief", "counts.csv", "--counts"], rest].concat());
        ran.says(code::DONE, &[]);
        ran.stdout
    };
    let words = "prior: expected shares of TP, FP, TN, FN: 0.5, 0.1, 0.3, 0.1 (theta0), with the weight alpha0 = 1\n";
    assert!(text(&["--theta0", "5,1,3,1"]).contains(words));
    assert!(!text(&[]).contains("prior"));
}

/// Tests that a weight of precision and the corresponding weight of recall give the same result.
#[test]
fn the_weight_of_precision_stands_for_that_of_recall() {
    let bench = three();
    let recall = belief(&bench, &["--f-beta", "2"]);
    assert_eq!(belief(&bench, &["--precision-weight", "0.2"]), recall);
    let weighted = belief(&bench, &["--precision-weight", "0.3"]);
    assert_eq!(weighted["target"], "pooled F1.528 of all counts");
    let (precision, recall) = (51.0 / 58.0, 51.0 / 57.0);
    assert_close(
        &arm(&weighted, "a")["value"],
        1.0 / (0.3 / precision + 0.7 / recall),
        1e-12,
    );
}

#[test]
fn the_document_has_the_keys_that_programs_rely_on() {
    let document = belief(&three(), &["--draws", "2000"]);
    assert_eq!(document["method"], "monte-carlo");
    assert_eq!(document["posterior"], "f-measure");
    assert_eq!(document["target"], "pooled F1 of all counts");
    assert!(document["absolute_error"].as_f64().unwrap() < 0.012);
    let names: Vec<&Value> = (0..3).map(|arm| &document["arms"][arm]["name"]).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let total: f64 = ["a", "b", "c"]
        .map(|name| arm(&document, name)["probability_best"].as_f64().unwrap())
        .iter()
        .sum();
    assert!((total - 1.0).abs() < 1e-9);
    let a = arm(&document, "a");
    assert!(a["probability_best"].as_f64().unwrap() > 0.7);
    assert_eq!(a["evaluations"], 4);
    // The mean of the documents' F, of which the empty one's is 1.
    let f = |tp: f64, errors: f64| 2.0 * tp / (2.0 * tp + errors);
    let documents = [f(22.0, 7.0), f(12.0, 3.0), f(17.0, 3.0), 1.0];
    assert_close(&a["mean"], documents.iter().sum::<f64>() / 4.0, 1e-12);
    assert_close(&a["value"], f(51.0, 13.0), 1e-12);
    assert_eq!(a["counts"]["tp"], 51);
    assert!(a["effective_draws"].as_f64().unwrap() >= 1999.0);
    let keys = ["mean", "sd", "q2.5", "q25", "q50", "q75", "q97.5"];
    let theta = a["theta"].as_array().unwrap();
    assert_eq!(theta.len(), 4);
    for summary in theta.iter().chain([&a["f"], &a["alpha"]]) {
        let found: Vec<&String> = summary.as_object().unwrap().keys().collect();
        assert_eq!(found, keys);
        let quantiles: Vec<f64> = keys[2..]
            .iter()
            .map(|key| summary[*key].as_f64().unwrap())
            .collect();
        assert!(quantiles.is_sorted());
    }
    let notes = document["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0]
            .as_str()
            .unwrap()
            .starts_with("3 of 12 evaluations have no counts at all")
    );
}

#[test]
fn draws_are_those_of_the_seed() {
    let bench = equal();
    let first = belief(&bench, &["--seed", "3"]);
    assert_eq!(first, belief(&bench, &["--seed", "3"]));
    assert_ne!(first, belief(&bench, &["--seed", "4"]));
    assert_eq!(
        belief(&bench, &[]),
        belief(&bench, &["--seed", "0", "--draws", "1000"])
    );
}

#[test]
fn other_weights_and_concentrations_are_others() {
    let bench = three();
    let default = belief(&bench, &[]);
    let f = |document: &Value| arm(document, "a")["f"]["mean"].as_f64().unwrap();
    for arguments in [
        &["--alpha", "shared"][..],
        &["--alpha", "0.5"],
        &["--alpha0", "40"],
        &["--theta0", "9,1,1,9"],
        &["--precision-weight", "0.3"],
        &["--f-beta", "2"],
    ] {
        let other = belief(&bench, arguments);
        assert!((f(&other) - f(&default)).abs() > 1e-4, "{arguments:?}");
    }
    assert_eq!(
        belief(
            &bench,
            &["--alpha", "learned", "--f-beta", "1", "--alpha0", "1"]
        ),
        default
    );
    let weighted = belief(&bench, &["--f-beta", "0.5"]);
    assert_eq!(weighted["target"], "pooled F0.5 of all counts");
    assert_close(
        &arm(&weighted, "a")["value"],
        1.25 * 51.0 / (1.25 * 51.0 + 0.25 * 6.0 + 7.0),
        1e-12,
    );
}

/// Tests that other posteriors are about the mean over documents, each with equal weight.
#[test]
fn other_posteriors_are_of_the_mean_of_documents() {
    let bench =
        with("a,1,90,10,0,0\na,2,1,9,0,0\na,3,2,9,0,1\nb,1,1,9,0,0\nb,2,9,1,0,1\nb,3,9,1,0,0\n");
    assert!(
        arm(&belief(&bench, &[]), "a")["value"].as_f64()
            > arm(&belief(&bench, &[]), "b")["value"].as_f64()
    );
    for posterior in ["pooled", "paired", "uniform"] {
        let document = belief(&bench, &["--posterior", posterior]);
        assert_eq!(document["target"], "mean of the documents' F1");
        assert!(
            arm(&document, "b")["probability_best"].as_f64().unwrap() > 0.5,
            "{posterior}"
        );
    }
    // The same as of the scores that the F-measures are.
    let f = |tp: f64, errors: f64| 2.0 * tp / (2.0 * tp + errors);
    let rows = [
        ("a", 1, f(90.0, 10.0)),
        ("a", 2, f(1.0, 9.0)),
        ("a", 3, f(2.0, 10.0)),
        ("b", 1, f(1.0, 9.0)),
        ("b", 2, f(9.0, 2.0)),
        ("b", 3, f(9.0, 1.0)),
    ];
    let rows = rows.map(|(arm, split, f)| format!("{arm},{split},{f:?}\n"));
    bench.file("scores.csv", &format!("arm,split,score\n{}", rows.concat()));
    let (_, of_scores) = bench.json(&["belief", "scores.csv"]);
    let of_counts = belief(&bench, &["--posterior", "paired"]);
    for name in ["a", "b"] {
        for key in [
            "evaluations",
            "mean",
            "standard_deviation",
            "probability_best",
        ] {
            assert_eq!(
                arm(&of_counts, name)[key],
                arm(&of_scores, name)[key],
                "{key}"
            );
        }
    }
}

#[test]
fn a_system_without_positives_is_believed_about_and_noted() {
    let bench = with("a,1,5,1,3,1\na,2,6,1,3,1\nb,1,0,0,9,0\nb,2,0,0,8,0\n");
    let document = belief(&bench, &[]);
    let b = arm(&document, "b");
    assert!(b["value"].is_null());
    assert!((0.2..0.6).contains(&b["f"]["mean"].as_f64().unwrap()));
    let note = document["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("there are no positives anywhere in the counts of b"),
        "{note}"
    );
    assert_eq!(document["notes"].as_array().unwrap().len(), 1);
    let of_means = belief(&bench, &["--posterior", "pooled"]);
    assert!(
        of_means["notes"][0]
            .as_str()
            .unwrap()
            .starts_with("in 2 of 4 evaluations there was nothing to find")
    );
    assert_close(&arm(&of_means, "b")["mean"], 1.0, 1e-15);
}

#[test]
fn people_see_intervals_and_what_is_compared() {
    let ran = three().fiesta(&["belief", "counts.csv", "--counts", "--time", "2"]);
    ran.says(code::DONE, &[]);
    let rows: Vec<Vec<&str>> = ran
        .stdout
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows[0],
        [
            "arm",
            "P(best)",
            "documents",
            "TP",
            "FP",
            "TN",
            "FN",
            "F1",
            "95",
            "%"
        ]
    );
    assert_eq!(rows[1][0], "a");
    assert_eq!(rows[1][3..8], ["4", "51", "7", "21", "6"]);
    assert_eq!(rows[3][0], "c");
    for part in [
        "pooled F1 of all counts",
        "posterior f-measure; standard error",
        "3 of 12 evaluations",
        "per belief",
    ] {
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }
    let means = three().fiesta(&["belief", "counts.csv", "--counts", "--posterior", "paired"]);
    means.says(code::DONE, &[]);
    for part in [
        "mean ± sd",
        "mean of the documents' F1",
        "F counts as 1 there",
    ] {
        assert!(means.stdout.contains(part), "{}", means.stdout);
    }
}

/// Tests confusion counts of chosen arms, and in other forms: JSON lines, the standard input, and
/// pairs of classes.
#[test]
fn counts_come_in_several_forms() {
    let bench = three();
    let whole = belief(&bench, &["--arms", "b,a"]);
    assert_eq!(whole["arms"][0]["name"], "b");
    assert_eq!(whole["arms"].as_array().unwrap().len(), 2);
    let text = bench.text("counts.csv");
    let object = |row: &str| {
        let cells: Vec<&str> = row.split(',').collect();
        let [arm, document, tp, fp, tn, missed] = cells[..] else {
            panic!("{row}")
        };
        format!(
            "{{\"arm\": \"{arm}\", \"document\": \"{document}\", \"tp\": {tp}, \"fp\": {fp}, \"tn\": {tn}, \"fn\": {missed}}}\n"
        )
    };
    bench.file(
        "counts.jsonl",
        &text.lines().skip(1).map(object).collect::<String>(),
    );
    let (_, lines) = bench.json(&["belief", "counts.jsonl", "--counts"]);
    assert_eq!(lines, belief(&bench, &[]));
    let in_two = |row: &str| {
        let cells: Vec<&str> = row.split(',').collect();
        let [arm, document, tp, fp, tn, missed] = cells[..] else {
            panic!("{row}")
        };
        format!("{arm},{document},x,{tp},0,{tn},0\n{arm},{document},y,0,{fp},0,{missed}\n")
    };
    let rows: String = text.lines().skip(1).map(in_two).collect();
    bench.file(
        "counts.csv",
        &format!("arm,document,class,tp,fp,tn,fn\n{rows}"),
    );
    assert_eq!(lines, belief(&bench, &[]));
}
