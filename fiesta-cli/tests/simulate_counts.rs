//! Tests of `fiesta simulate --counts` through the program.

mod support;

use serde_json::Value;
use std::fmt::Write as _;
use support::{Bench, assert_close, code};

/// Returns counts of three systems on twenty documents that are hard or easy for all of them; `a`
/// is best, `b` close to it.
fn recorded() -> Bench {
    let mut text = String::from("arm,document,tp,fp,fn\n");
    for document in 0..20_u32 {
        let hard = document * 7 % 4;
        for (arm, errors) in [("c", 6), ("a", 1), ("b", 2)] {
            let (missed, invented) = (errors + hard + document * errors % 3, errors + document % 2);
            writeln!(
                text,
                "{arm},d{document},{},{invented},{missed}",
                20 - missed
            )
            .unwrap();
        }
    }
    let bench = Bench::new();
    bench.file("counts.csv", &text);
    bench
}

fn simulate(bench: &Bench, arguments: &[&str]) -> Value {
    let all = [&["simulate", "counts.csv", "--counts"], arguments].concat();
    let (code, document) = bench.json(&all);
    assert_eq!(code, Some(code::DONE), "{document}");
    document
}

#[test]
fn the_document_has_the_keys_that_programs_rely_on() {
    let bench = recorded();
    let arguments = ["--confidence", "0.95,0.8", "--runs", "40", "--seed", "4"];
    let document = simulate(&bench, &arguments);
    for (key, value) in [
        ("posterior", "f-measure"),
        ("stopping", "posterior"),
        ("splits", "documents"),
        ("best", "a"),
        ("target", "pooled F1 of all counts"),
        ("best_by", "pooled F1 of all counts"),
    ] {
        assert_eq!(document[key], value, "{key}");
    }
    assert_eq!(
        (&document["documents"], &document["runs"]),
        (&20.into(), &40.into())
    );
    let results = document["results"].as_array().unwrap();
    let mean = |result: &Value| result["evaluations"]["mean"].as_f64().unwrap();
    for (result, level) in results.iter().zip([0.95, 0.8]) {
        assert_eq!(result["confidence"], level);
        for key in [
            "policy",
            "posterior",
            "splits",
            "best",
            "documents",
            "target",
        ] {
            assert_eq!(result[key], document[key], "{key}");
        }
        assert!(mean(result) < 60.0);
        assert_eq!(
            (&result["capped"], &result["exhausted"]),
            (&0.into(), &0.into())
        );
        assert!(result["correct"].as_f64().unwrap() > 0.7);
    }
    assert!(mean(&results[0]) > mean(&results[1]));
    // The streams are those of the seed.
    assert_eq!(document, simulate(&bench, &arguments));
    assert_ne!(
        document["results"],
        simulate(&bench, &arguments[..4])["results"]
    );
}

/// Tests that no run goes on or errs once all documents were queried, since F is then known
/// exactly.
#[test]
fn an_exhausted_collection_is_known_exactly() {
    let bench = recorded();
    let sure = simulate(&bench, &["--confidence", "0.9999999999", "--runs", "20"]);
    let result = &sure["results"][0];
    assert_close(&result["correct"], 1.0, 0.0);
    assert_eq!(result["exhausted"], 0);
    assert!(result["evaluations"]["max"].as_u64().unwrap() <= 60);
    let spent = simulate(
        &bench,
        &["--budget", "1000", "--runs", "20", "--policy", "uniform"],
    );
    let result = &spent["results"][0];
    for key in ["min", "max"] {
        assert_eq!(result["evaluations"][key], 60);
    }
    assert_close(&result["correct"], 1.0, 0.0);
    assert_eq!(result["exhausted"], 20);
}

/// Tests systems whose order by all counts differs from that by the mean of documents.
#[test]
fn the_best_is_that_of_all_counts_whatever_is_believed() {
    let bench = Bench::new();
    let mut text = String::from("arm,document,tp,fp,fn\nlong,0,900,50,50\nshort,0,300,400,400\n");
    for document in 1..8 {
        let odd = document % 2;
        writeln!(text, "long,{document},{},5,5", 2 + odd).unwrap();
        writeln!(text, "short,{document},{},1,1", 6 + odd).unwrap();
    }
    bench.file("counts.csv", &text);
    let pooled = simulate(&bench, &["--confidence", "0.999", "--runs", "30"]);
    assert_eq!(pooled["best"], "long");
    let means = simulate(
        &bench,
        &[
            "--posterior",
            "paired",
            "--confidence",
            "0.6",
            "--runs",
            "30",
        ],
    );
    assert_eq!(means["best"], "long");
    assert_eq!(means["target"], "mean of the documents' F1");
    assert_eq!(means["best_by"], "pooled F1 of all counts");
    let correct = |document: &Value| document["results"][0]["correct"].as_f64().unwrap();
    assert!(
        correct(&pooled) > correct(&means) + 0.3,
        "{} {}",
        correct(&pooled),
        correct(&means)
    );
    let text = bench.fiesta(&[
        "simulate",
        "counts.csv",
        "--counts",
        "--runs",
        "5",
        "--posterior",
        "pooled",
    ]);
    text.says(code::DONE, &[]);
    for part in [
        "8 documents",
        "the best is long",
        "about another quantity: the mean of the documents' F1",
    ] {
        assert!(text.stdout.contains(part), "{}", text.stdout);
    }
    // A rule that tests means goes with them.
    let anytime = [
        "--posterior",
        "paired",
        "--stopping",
        "anytime",
        "--runs",
        "5",
    ];
    assert_eq!(simulate(&bench, &anytime)["policy"], "auto");
}

#[test]
fn flags_change_what_is_simulated() {
    let bench = recorded();
    let runs = ["--confidence", "0.999", "--runs", "20"];
    let default = simulate(&bench, &runs);
    for flags in [
        &["--alpha", "0.5"][..],
        &["--alpha0", "100"],
        &["--alpha0", "100", "--theta0", "1,9,1,9"],
        &["--f-beta", "3"],
        &["--precision-weight", "0.1"],
        &["--min-documents", "12"],
        &["--arms", "c,b"],
        &["--batch", "4"],
        &["--parallel", "3", "--durations", "exponential"],
        &["--policy", "ts"],
        &["--tolerance", "0.05"],
    ] {
        let other = simulate(&bench, &[&runs, flags].concat());
        assert_ne!(
            other["results"][0]["evaluations"], default["results"][0]["evaluations"],
            "{flags:?}"
        );
    }
    let least = simulate(&bench, &[&runs[..], &["--min-documents", "12"]].concat());
    assert!(least["results"][0]["evaluations"]["min"].as_u64().unwrap() >= 24);
    assert_eq!(least["min_documents"], 12);
    assert_eq!(
        simulate(&bench, &[&runs[..], &["--arms", "c,b"]].concat())["best"],
        "b"
    );
    let weighted = simulate(&bench, &[&runs[..], &["--f-beta", "3"]].concat());
    assert_eq!(weighted["best_by"], "pooled F3 of all counts");
    let weight = ["--precision-weight", "0.1"];
    assert_eq!(simulate(&bench, &[&runs[..], &weight].concat()), weighted);
    let prior = simulate(&bench, &[&runs[..], &["--theta0", "4,1,4,1"]].concat());
    let note = "prior: expected shares of TP, FP, TN, FN: 0.4, 0.1, 0.4, 0.1 (theta0), with the weight alpha0 = 1";
    let notes = |document: &Value| document["notes"].as_array().unwrap().clone();
    assert!(notes(&prior).contains(&note.into()), "{prior}");
    assert!(!default["notes"].to_string().contains("prior"), "{default}");
}
