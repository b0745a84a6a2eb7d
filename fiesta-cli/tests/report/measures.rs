//! Tests of reports that are asked about measures beside the score.

use crate::support::{Bench, STUDY, code};
use std::fmt::Write;

/// Twelve splits: `large` scores .8 at a cost of 5, `small` .78 at 1, `tiny` .5 at .1; scores and costs vary.
fn runs() -> Bench {
    let bench = Bench::new();
    let mut csv = "arm,split,score,cost,duration\n".to_owned();
    for split in 0..12_u32 {
        let arms = [
            ("large", 0.8, 5.0, 2),
            ("small", 0.78, 1.0, 3),
            ("tiny", 0.5, 0.1, 4),
        ];
        for (arm, score, cost, own) in arms {
            let score =
                score + 0.01 * f64::from(split * split % 7) + 0.002 * f64::from(split * own % 5);
            let cost = cost * (1.0 + 0.1 * f64::from(split * split % 5));
            writeln!(csv, "{arm},{split},{score},{cost},{}", cost + score).unwrap();
        }
    }
    bench.file("runs.csv", &csv);
    bench
}

/// Tests that a report answers as `fiesta belief`: in the terminal, on the page and in its table.
#[test]
fn a_report_answers_as_belief() {
    let bench = runs();
    let asked = [
        "--cheapest-within",
        "0.05",
        "--at-most",
        "cost=10",
        "--at-most",
        "duration=9",
    ];
    let (stdout, page) = bench.report(&[&["runs.csv", "--formats", "svg"], &asked[..]].concat());
    let belief = bench.fiesta(&[&["belief", "runs.csv"], &asked[..]].concat());
    let sentence = belief.stdout.lines().next().unwrap();
    assert!(
        sentence.starts_with("small is the cheapest arm by cost"),
        "{sentence}"
    );
    assert!(stdout.lines().any(|line| line == sentence), "{stdout}");
    assert!(page.contains("The cheapest arm that is good enough"));
    let (_, document) = bench.json(&[&["belief", "runs.csv"], &asked[..]].concat());
    let table = bench.text("out/tables/measures.csv");
    for (arm, row) in document["measures"]["arms"]
        .as_array()
        .unwrap()
        .iter()
        .zip(table.lines().skip(1))
    {
        let cells: Vec<&str> = row.split(',').collect();
        assert_eq!(cells[0], arm["name"]);
        let numbers = [
            "probability",
            "probability_within",
            "probability_feasible",
            "probability_pareto",
        ];
        for (cell, number) in cells[1..5].iter().zip(numbers) {
            assert_eq!(cell.parse::<f64>().ok(), arm[number].as_f64(), "{row}");
        }
        assert_eq!(
            cells[5].parse::<f64>().ok(),
            arm["measures"][0]["mean"].as_f64()
        );
    }
    let figure = bench.text("out/figures/pareto.svg");
    for name in ["large ", "small ", "tiny ", "mean cost"] {
        assert!(figure.contains(name), "{name}");
    }
    let header = table.lines().next().unwrap();
    let names: std::collections::BTreeSet<&str> = header.split(',').collect();
    assert_eq!(names.len(), header.split(',').count(), "{header}");
    // Intervals of measures are of 95 %, whatever those of the scores are.
    let (_, page) = bench.report(
        &[
            &["runs.csv", "--formats", "svg", "--confidence", "0.9"],
            &asked[..],
        ]
        .concat(),
    );
    assert!(page.contains("intervals of cost"), "{page}");
    // Limits alone ask for the best arm within them.
    let (stdout, page) = bench.report(&["runs.csv", "--formats", "svg", "--at-most", "cost=3"]);
    assert!(
        stdout.contains("small is the best arm by score, of those with mean cost at most 3"),
        "{stdout}"
    );
    assert!(page.contains("The best arm within limits"));
}

#[test]
fn a_study_is_asked_about_its_costs() {
    let bench = Bench::with_study(STUDY);
    let _ = bench.fiesta(&["run", "--quiet", "study.toml"]);
    let (stdout, _) = bench.report(&["study.toml", "--formats", "svg", "--at-most", "duration=60"]);
    assert!(
        stdout.contains("of those with mean duration at most 60"),
        "{stdout}"
    );
}

#[test]
fn what_cannot_be_asked_of_a_report_is_told() {
    let bench = runs();
    for (arguments, why) in [
        (
            ["runs.csv", "--at-most", "tokens=2"],
            "runs.csv has no measure `tokens`: its measures are cost and duration",
        ),
        (["runs.csv", "--by", "cost"], "--cheapest-within"),
    ] {
        bench
            .fiesta(&[&["report"], &arguments[..]].concat())
            .tells(code::USAGE, &[why]);
    }
}
