//! Tests of `fiesta belief` through the program.

mod benchmarks;
mod means;
mod measures;
#[path = "../support/mod.rs"]
mod support;

use serde_json::Value;
use std::f64::consts::PI;
use support::{Bench, arm, assert_close, code};

const A: [f64; 3] = [0.71, 0.69, 0.75];
const B: [f64; 3] = [0.70, 0.66, 0.65];

fn long(arms: &[(&str, &[f64])]) -> String {
    let rows = arms
        .iter()
        .flat_map(|(name, scores)| scores.iter().map(move |s| format!("{name},{s}\n")));
    format!("arm,score\n{}", rows.collect::<String>())
}

fn two() -> Bench {
    let bench = Bench::new();
    bench.file("scores.csv", &long(&[("a", &A), ("b", &B)]));
    bench
}

fn belief(bench: &Bench, arguments: &[&str]) -> Value {
    let (code, document) = bench.json(&[&["belief"], arguments].concat());
    assert_eq!(code, Some(code::DONE), "{document}");
    document
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len() as f64
}

fn squares(scores: &[f64]) -> f64 {
    scores
        .iter()
        .map(|score| (score - mean(scores)).powi(2))
        .sum()
}

/// Returns the scale √(SS/(n(n − 2))) of the mean's posterior for n = 3 scores under a flat prior:
/// a Cauchy distribution, t with n − 2 = 1 degree of freedom.
fn scale(scores: &[f64]) -> f64 {
    (squares(scores) / 3.0).sqrt()
}

/// Returns P(mean of `a` > mean of `b`): scales of Cauchy variables add up in a difference.
fn probability(a: &[f64], b: &[f64]) -> f64 {
    0.5 + ((mean(a) - mean(b)) / (scale(a) + scale(b))).atan() / PI
}

#[test]
fn of_known_numbers_and_the_keys_of_the_document() {
    let document = belief(&two(), &["scores.csv", "--posterior", "uniform"]);
    let expected = probability(&A, &B);
    assert!((0.7..0.9).contains(&expected));
    assert_close(&arm(&document, "a")["probability_best"], expected, 1e-9);
    assert_close(
        &arm(&document, "b")["probability_best"],
        1.0 - expected,
        1e-9,
    );
    assert_eq!(document["method"], "quadrature");
    assert!(document["absolute_error"].as_f64().unwrap() <= 1e-9);
    for (name, scores) in [("a", A), ("b", B)] {
        let arm = arm(&document, name);
        assert_eq!(arm["evaluations"], 3);
        assert_close(&arm["mean"], mean(&scores), 1e-15);
        assert_close(
            &arm["standard_deviation"],
            (squares(&scores) / 2.0).sqrt(),
            1e-15,
        );
    }
    // In the order of the file.
    assert_eq!(
        (&document["arms"][0]["name"], &document["arms"][1]["name"]),
        (&"a".into(), &"b".into())
    );
}

#[test]
fn monte_carlo_agrees_within_its_standard_error() {
    let bench = two();
    let arguments = [
        "scores.csv",
        "--posterior",
        "uniform",
        "--method",
        "monte-carlo",
        "--draws",
        "40000",
    ];
    let document = belief(&bench, &arguments);
    assert_eq!(document["method"], "monte-carlo");
    let error = document["absolute_error"].as_f64().unwrap();
    let expected = probability(&A, &B);
    let by_hand = (expected * (1.0 - expected) / 40_000.0).sqrt();
    assert!((0.5 * by_hand..2.0 * by_hand).contains(&error), "{error}");
    // Four standard errors; the seed is fixed.
    assert_close(
        &arm(&document, "a")["probability_best"],
        expected,
        4.0 * error,
    );
    assert_eq!(document, belief(&bench, &arguments));
    let other = belief(&bench, &[&arguments[..], &["--seed", "1"]].concat());
    assert_ne!(document["arms"], other["arms"]);
    assert_close(&arm(&other, "a")["probability_best"], expected, 4.0 * error);
}

#[test]
fn minimize_mirrors() {
    let bench = two();
    let document = belief(
        &bench,
        &["scores.csv", "--posterior", "uniform", "--minimize"],
    );
    assert_close(
        &arm(&document, "b")["probability_best"],
        probability(&A, &B),
        1e-9,
    );
    assert_close(&arm(&document, "a")["mean"], mean(&A), 1e-15);
    let text = bench.fiesta(&["belief", "scores.csv", "--minimize"]);
    let place = |name: &str| {
        text.stdout
            .lines()
            .position(|line| line.starts_with(name))
            .unwrap()
    };
    assert!(place("b ") < place("a "), "{text:?}");
}

#[test]
fn logit_takes_scores_between_their_bounds() {
    let bench = two();
    let logit = |scores: [f64; 3]| scores.map(|score: f64| (score / (1.0 - score)).ln());
    let document = belief(&bench, &["scores.csv", "--posterior", "uniform", "--logit"]);
    let expected = probability(&logit(A), &logit(B));
    assert!((expected - probability(&A, &B)).abs() > 1e-4);
    assert_close(&arm(&document, "a")["probability_best"], expected, 1e-9);
    // Shown on their own scale all the same.
    assert_close(&arm(&document, "a")["mean"], mean(&A), 1e-15);
    // Smaller is better: the logit of the complement.
    let document = belief(
        &bench,
        &[
            "scores.csv",
            "--posterior",
            "uniform",
            "--logit",
            "--minimize",
        ],
    );
    assert_close(&arm(&document, "b")["probability_best"], expected, 1e-9);
    // A perfect score of 200 items counts as 199.75 of them.
    bench.file(
        "perfect.csv",
        &long(&[("a", &[1.0, 0.98, 0.97]), ("b", &B)]),
    );
    let document = belief(
        &bench,
        &["perfect.csv", "--posterior", "uniform", "--logit=0.005"],
    );
    let expected = probability(&logit([0.9975, 0.98, 0.97]), &logit(B));
    assert_close(&arm(&document, "a")["probability_best"], expected, 1e-9);
}

#[test]
fn every_format_tells_the_same() {
    let bench = two();
    let expected = belief(&bench, &["scores.csv"])["arms"].clone();
    let rows = |(name, scores): (&str, [f64; 3])| {
        scores
            .map(|s| format!("{{\"arm\": \"{name}\", \"score\": {s}}}\n"))
            .concat()
    };
    let files = [
        (
            "wide.csv",
            "seed,a,b\n1,0.71,0.70\n2,0.69,0.66\n3,0.75,0.65\n".to_owned(),
        ),
        (
            "scores.tsv",
            long(&[("a", &A), ("b", &B)]).replace(',', "\t"),
        ),
        ("scores.json", format!("{{\"a\": {A:?}, \"b\": {B:?}}}")),
        ("scores.jsonl", rows(("a", A)) + &rows(("b", B))),
        (
            "crlf.csv",
            format!(
                "\u{feff}{}",
                long(&[("a", &A), ("b", &B)]).replace('\n', "\r\n")
            ),
        ),
    ];
    for (name, text) in files {
        bench.file(name, &text);
        let told = belief(&bench, &[name, "--direction", "maximize"]);
        assert_eq!(told["arms"], expected, "{name}");
    }
    // Another metric, and other arms beside.
    let more = "arm,loss,f1\nc,1,0.1\na,1,0.71\na,2,0.69\na,3,0.75\nc,1,0.2\nb,4,0.70\nb,5,0.66\nb,6,0.65\n";
    bench.file("more.csv", more);
    let chosen = belief(&bench, &["more.csv", "--metric", "f1", "--arms", "a,b"]);
    assert_eq!(
        (&chosen["arms"], &chosen["metric"]),
        (&expected, &"f1".into())
    );
    let mut turned = expected.as_array().unwrap().clone();
    turned.reverse();
    // In another order they are sampled otherwise: within 4.5 standard errors of the difference.
    let chosen = belief(&bench, &["more.csv", "--metric", "f1", "--arms", "b,a"]);
    let error = chosen["absolute_error"].as_f64().unwrap();
    for (found, expected) in chosen["arms"].as_array().unwrap().iter().zip(&turned) {
        assert_eq!(found["name"], expected["name"]);
        let expected = expected["probability_best"].as_f64().unwrap();
        assert_close(
            &found["probability_best"],
            expected,
            4.5 * 2_f64.sqrt() * error,
        );
    }
}

/// Tests that the default posterior tells how it was computed, and pairs scores only if the file
/// states splits.
#[test]
fn splits_are_those_of_the_file() {
    use std::fmt::Write;
    let bench = Bench::new();
    // On each split the second is better by about .01, and splits differ by ten times as much.
    let rows = [0.62, 0.71, 0.55, 0.66, 0.59]
        .into_iter()
        .zip([1, -2, 0, 2, -1]);
    let (mut paired, mut plain) = ("arm,split,score\n".to_owned(), "arm,score\n".to_owned());
    for (split, (effect, noise)) in (0..).zip(rows) {
        let better = effect + 0.01 + 0.001 * f64::from(noise);
        for (name, score) in [("a", effect), ("b", better)] {
            writeln!(paired, "{name},{split},{score}").unwrap();
            writeln!(plain, "{name},{score}").unwrap();
        }
    }
    bench.file("paired.csv", &paired);
    bench.file("plain.csv", &plain);
    let best = |document: &Value| arm(document, "b")["probability_best"].as_f64().unwrap();
    let document = belief(&bench, &["paired.csv"]);
    assert_eq!(
        (&document["posterior"], &document["method"]),
        (&"paired".into(), &"monte-carlo".into())
    );
    assert!(best(&document) > 0.99, "{document}");
    let error = document["absolute_error"].as_f64().unwrap();
    assert!(error > 0.0 && error < 0.01, "{error}");
    assert_eq!(
        document,
        belief(&bench, &["paired.csv", "--method", "monte-carlo"])
    );
    let document = belief(&bench, &["plain.csv"]);
    assert!((0.5..0.8).contains(&best(&document)), "{document}");
    let says = |arguments: &[&str], words: &[&str]| {
        let ran = bench.fiesta(&[&["belief", "paired.csv"], arguments].concat());
        ran.says(code::DONE, &[]);
        for word in words {
            assert!(ran.stdout.contains(word), "`{word}` in {ran:?}");
        }
    };
    says(&[], &["posterior paired; standard error about"]);
    says(&["--time", "3"], &["µs per belief"]);
    says(
        &["--posterior", "pooled"],
        &["posterior pooled; error at most"],
    );
    says(
        &["--posterior", "pooled", "--method", "monte-carlo"],
        &["posterior pooled; standard error about"],
    );
}

#[test]
fn standard_input() {
    let bench = two();
    let mut command = bench.command(&["belief", "-", "--format", "json"]);
    command.stdin(std::fs::File::open(bench.path("scores.csv")).unwrap());
    let ran = support::Running::start(command).wait();
    ran.says(code::DONE, &[]);
    assert_eq!(ran.json()["arms"], belief(&bench, &["scores.csv"])["arms"]);
}

#[test]
fn probabilities_of_many_arms_sum_to_one() {
    let bench = Bench::new();
    let score =
        |arm: u32, k: u32| 0.5 + 0.01 * f64::from(arm) + 0.03 * f64::from((7 * k + 3 * arm) % 11);
    let rows = (0..20).flat_map(|arm| (0..5).map(move |k| format!("arm{arm},{}\n", score(arm, k))));
    bench.file(
        "scores.csv",
        &format!("arm,score\n{}", rows.collect::<String>()),
    );
    for posterior in ["uniform", "jeffreys", "pooled", "paired"] {
        let document = belief(&bench, &["scores.csv", "--posterior", posterior]);
        let arms = document["arms"].as_array().unwrap();
        assert_eq!(arms.len(), 20);
        let sum: f64 = arms
            .iter()
            .map(|arm| arm["probability_best"].as_f64().unwrap())
            .sum();
        assert!((sum - 1.0).abs() < 1e-7, "{posterior}: {sum}");
    }
}

#[test]
fn a_million_rows() {
    use std::{fmt::Write, time::Instant};
    const ROWS: u32 = 1_000_000;
    let bench = Bench::new();
    let mut text = String::with_capacity(24 * ROWS as usize);
    text.push_str("arm,split,seed,score\n");
    let mut sums = [0.0_f64; 4];
    for row in 0..ROWS {
        let (arm, split) = (row % 4, row / 4);
        // Multiples of 1/1024 add up exactly, in whatever order. What a split does to one arm it
        // does not do to another.
        let score = f64::from((split * 37 + arm * 131) % 512 + arm) / 1024.0;
        sums[arm as usize] += score;
        writeln!(text, "arm{arm},{split},{},{score}", row % 97).unwrap();
    }
    bench.file("scores.csv", &text);
    let began = Instant::now();
    let document = belief(&bench, &["scores.csv"]);
    let took = began.elapsed();
    println!(
        "a belief from {ROWS} rows ({} MB) took {:.2} s",
        text.len() / 1_000_000,
        took.as_secs_f64()
    );
    for (index, sum) in sums.into_iter().enumerate() {
        let arm = arm(&document, &format!("arm{index}"));
        assert_eq!(arm["evaluations"], ROWS / 4);
        assert_close(&arm["mean"], sum / f64::from(ROWS / 4), 1e-12);
    }
    // The means are 1/1024 apart, the standard errors 0.144/500: 3.4 of them between neighbours.
    let best = arm(&document, "arm3")["probability_best"].as_f64().unwrap();
    assert!((0.98..1.0).contains(&best), "{best}");
    assert!(took.as_secs() < 30, "{took:?}");
}

/// Tests rows of a wide file that have a large effect in common: `--paired-rows` uses it, and
/// without the flag a note names the flag.
#[test]
fn rows_are_splits_where_that_is_said() {
    let bench = Bench::new();
    let belief = |bench: &Bench, arguments: &[&str]| {
        belief(bench, &[arguments, &["--direction", "maximize"]].concat())
    };
    let rows = (0..8).map(|row| {
        let (split, noise) = (f64::from(row * 5 % 8) * 0.05, f64::from(row % 3) * 0.002);
        format!("{:.4},{:.4}\n", 0.52 + split + noise, 0.5 + split)
    });
    let rows: Vec<String> = rows.collect();
    bench.file("wide.csv", &format!("a,b\n{}", rows.concat()));
    let column = |place: usize| {
        let cells = rows
            .iter()
            .map(|row| row.trim().split(',').nth(place).unwrap());
        cells.collect::<Vec<_>>().join(", ")
    };
    bench.file(
        "lists.json",
        &format!("{{\"a\": [{}], \"b\": [{}]}}", column(0), column(1)),
    );
    let unpaired = belief(&bench, &["wide.csv", "--arms", "a,b"]);
    assert_eq!(unpaired["pairing"], "none");
    assert!(
        unpaired["notes"][0]
            .as_str()
            .unwrap()
            .contains("--paired-rows"),
        "{unpaired}"
    );
    assert!(arm(&unpaired, "a")["probability_best"].as_f64().unwrap() < 0.9);
    let told = bench.fiesta(&["belief", "wide.csv", "--arms", "a,b", "--minimize"]);
    assert!(
        told.stdout.contains("say so with --paired-rows"),
        "{told:?}"
    );
    let paired = belief(&bench, &["wide.csv", "--paired-rows"]);
    assert_eq!(
        (&paired["pairing"], &paired["notes"]),
        (&Value::from("rows"), &serde_json::json!([]))
    );
    assert!(
        arm(&paired, "a")["probability_best"].as_f64().unwrap() > 0.99,
        "{paired}"
    );
    let lists = belief(&bench, &["lists.json", "--paired-rows"]);
    assert_eq!(lists["arms"], paired["arms"]);
    // The same as a column of splits says.
    let numbered = rows
        .iter()
        .enumerate()
        .map(|(row, text)| format!("{row},{text}"));
    bench.file(
        "split.csv",
        &format!("split,a,b\n{}", numbered.collect::<String>()),
    );
    let stated = belief(&bench, &["split.csv"]);
    assert_eq!(
        (&stated["pairing"], &stated["arms"]),
        (&Value::from("column"), &paired["arms"])
    );
    // Where it says nothing new, or cannot be, it is refused; in a wide file a cell may be empty.
    bench.file("uneven.json", "{\"a\": [0.5, 0.6, 0.7], \"b\": [0.4, 0.5]}");
    bench.file("counts.csv", "arm,tp,fp,fn\na,1,2,3\nb,2,2,3\n");
    for (arguments, words) in [
        (&["split.csv"][..], "the column `split` says already"),
        (&["uneven.json"], "`a` has 3, `b` has 2"),
        (&["counts.csv", "--counts"], "leave it out"),
    ] {
        let ran = bench.fiesta(&[&["belief", "--paired-rows"], arguments].concat());
        ran.says(code::USAGE, &[words]);
    }
    bench.file("gap.csv", &format!("a,b\n{}0.7\n", rows.concat()));
    let gap = belief(&bench, &["gap.csv", "--paired-rows"]);
    assert_eq!(arm(&gap, "a")["evaluations"], 9);
}

/// Tests that an arm without a score is left out, and named, if failures are dropped; a report names it in its verdict.
#[test]
fn arms_without_a_score_are_named() {
    let bench = Bench::new();
    bench.file(
        "scores.csv",
        "arm,split,score\na,0,0.5\na,1,0.6\na,2,0.55\nb,0,0.4\nb,1,0.47\nb,2,0.41\nc,0,\nc,1,\nc,2,\n",
    );
    let ran = bench.fiesta(&["belief", "scores.csv", "--failed", "drop"]);
    ran.says(code::DONE, &["as all of their evaluations failed: `c`"]);
    let (verdict, page) = bench.report(&["scores.csv", "--failed", "drop"]);
    for told in [verdict, page] {
        assert!(told.contains("best of 2 of 3 arms"), "{told}");
        assert!(
            told.contains("Not compared, for want of a score: c."),
            "{told}"
        );
    }
}
