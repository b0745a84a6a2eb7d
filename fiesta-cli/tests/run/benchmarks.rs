//! Tests of studies of several benchmarks, whose weighted mean is compared.

use super::{Bench, arm, code};
use serde_json::Value;

/// Job `sh answer.sh ARM ID`: `balanced` is right on three of five questions of either benchmark,
/// `narrow` on four of five of `large` and on one of five of `small`.
const ANSWER: &str = r#"
echo "$1 $2" >> log
n=$(sed 's/.*"n": *"*//; s/[^0-9].*//' "$FIESTA_ITEM")
case $1/$2 in balanced/*) rate=3 ;; narrow/large/*) rate=4 ;; *) rate=1 ;; esac
[ $(((n * 7 + n / 5) % 5)) -lt $rate ] && right=1 || right=0
echo "{\"accuracy\": $right}"
"#;

/// Two benchmarks whose questions have the same names.
const BOTH: &str = "[[benchmark]]\nname = \"large\"\nitems = \"large.jsonl\"\n[[benchmark]]\nname = \"small\"\nitems = \"small.csv\"\nweight = 3\n";

fn bench(rest: &str, tables: &str) -> Bench {
    let bench = Bench::new();
    bench.file("answer.sh", ANSWER);
    let line = |number: usize| format!("{{\"id\": \"q{number}\", \"n\": {number}}}\n");
    bench.file("large.jsonl", &(0..300).map(line).collect::<String>());
    let row = |number: usize| format!("q{number},{number}\n");
    let rows: String = (0..60).map(row).collect();
    bench.file("small.csv", &format!("id,n\n{rows}"));
    let command = "command = [\"sh\", \"answer.sh\", \"{arm}\", \"{item}\"]";
    let arms = "[[arm]]\nname = \"narrow\"\n[[arm]]\nname = \"balanced\"\n";
    let study = format!(
        "name = \"trial\"\n{command}\n{rest}\n[metric]\nname = \"accuracy\"\n{tables}{arms}"
    );
    bench.file("study.toml", &study);
    bench
}

/// Tests that the weighted mean decides, where the mean over all questions would name the other arm.
#[test]
fn the_weighted_mean_of_benchmarks_decides() {
    let bench = bench("", BOTH);
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["conclusion"]["arm"], "balanced");
    assert_eq!(result["conclusion"]["verdict"], "best");
    let log = bench.log("log");
    let names = |name: &str| log.iter().filter(|line| line[1].starts_with(name)).count();
    assert!(names("small/q") > 6 && names("large/q") > 6, "{log:?}");
    assert!(log.len() < 400, "{}", log.len());
    let of = &result["benchmarks"];
    assert_eq!(
        (of[0]["name"].as_str(), of[0]["items"].as_u64()),
        (Some("large"), Some(300))
    );
    let weights = [0, 1].map(|number| of[number]["weight"].as_f64().unwrap());
    assert!((weights[0] - 0.25).abs() < 1e-12 && (weights[1] - 0.75).abs() < 1e-12);
    // The value of an arm is its weighted mean, and no mean of its answers.
    let mean = |number: usize| of[number]["arms"][1]["mean"].as_f64().unwrap();
    let value = arm(&result, "balanced")["value"].as_f64().unwrap();
    assert!(
        (value - 0.25 * mean(0) - 0.75 * mean(1)).abs() < 1e-9,
        "{result}"
    );
    let best = |number: usize, arm: usize| {
        let best = &of[number]["arms"][arm]["probability_best"];
        best.as_f64().unwrap()
    };
    assert!(best(0, 0) > 0.5 && best(1, 1) > 0.9, "{of}");
    let notes = result["notes"].to_string();
    assert!(
        notes.contains("there balanced is most probably the best"),
        "{notes}"
    );
}

/// Tests that a study whose budget ended it goes on as one that was never interrupted, also from the
/// identities of items that its state keeps.
#[test]
fn a_study_of_benchmarks_goes_on_where_it_was() {
    let asked = |result: &Value| result["evaluations"].as_u64().unwrap();
    let whole = bench("", BOTH);
    let (_, at_once) = whole.json(&["run", "study.toml"]);
    let cut = bench(
        "goal = { confidence = 0.95, budget = { evaluations = 20 } }",
        BOTH,
    );
    let (exit, first) = cut.json(&["run", "study.toml"]);
    assert_eq!((exit, asked(&first)), (Some(code::SHORT), 20), "{first}");
    cut.edit("study.toml", "evaluations = 20", "evaluations = 500");
    let (exit, then) = cut.json(&["run", "study.toml", "--accept-changes"]);
    assert_eq!(exit, Some(code::DONE), "{then}");
    assert_eq!(asked(&then), asked(&at_once));
    assert_eq!(cut.log("log"), whole.log("log"));
    std::fs::remove_file(cut.path("large.jsonl")).unwrap();
    let (_, without) = cut.json(&["status", "study.toml"]);
    assert_eq!(without["benchmarks"], then["benchmarks"]);
}

#[test]
fn what_benchmarks_cannot_stand_beside_is_refused() {
    let single = "[[benchmark]]\nname = \"large\"\nitems = \"large.jsonl\"\n";
    let twice = BOTH.replace("name = \"small\"", "name = \"large\"");
    let light = BOTH.replace("weight = 3", "weight = 0");
    let free = BOTH.replace("weight = 3", "cost = -1");
    let none = BOTH.replace("small.csv", "tiny.csv");
    for (rest, tables, said) in [
        ("", single, "a single benchmark is a pool of items"),
        ("", &twice, "two benchmarks have the name \"large\""),
        ("", &light, "weight = 0: a number above 0 is needed"),
        ("", &free, "cost = -1: a number above 0 is needed"),
        ("", &none, "tiny.csv"),
        (
            "design = { items = \"large.jsonl\" }",
            BOTH,
            "leave items out",
        ),
        ("design = { strata = \"n\" }", BOTH, "leave strata out"),
        ("design = { repeats = true }", BOTH, "leave repeats out"),
        ("design = { splits = 3 }", BOTH, "leave splits out"),
        (
            "design = { posterior = \"paired\" }",
            BOTH,
            "the posterior paired knows no benchmarks",
        ),
        (
            "design = { stopping = \"anytime-bounded\" }",
            BOTH,
            "anytime-bounded is about a mean over one pool",
        ),
        (
            "goal = { trials = 5 }",
            BOTH,
            "a random search trains on splits, not on benchmarks",
        ),
        (
            "goal = { baseline = \"narrow\", margin = 0.1 }",
            BOTH,
            "a gate compares arms on one pool",
        ),
    ] {
        let bench = bench(rest, tables);
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::USAGE, &[said]);
    }
}
