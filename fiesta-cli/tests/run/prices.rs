//! Tests of costs of answers, computed from the numbers of tokens that they report.

use super::{Bench, TWO, arm, code};

/// Worker whose answers report 1,000 input and 100 output tokens, and the further counts in `$MORE`.
const WORKER: &str = r#"
while read -r line; do
    id=${line#*\"id\":\"}; id=${id%%\"*}
    case $line in *high*) right=1 ;; *) right=0 ;; esac
    printf '{"id": "%s", "accuracy": %d, "tokens": {"in": 1000, "out": 100%s}}\n' $id $right "$MORE"
done
"#;

fn study(worker: &str, rest: &str, arms: &str) -> Bench {
    let bench = Bench::new();
    bench.file("worker.sh", WORKER);
    let line = |n: u32| format!("{{\"id\": \"q{n}\"}}\n");
    bench.file("items.jsonl", &(0..40).map(line).collect::<String>());
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\n{worker}\n[metric]\nname = \"accuracy\"\n[design]\nitems = \"items.jsonl\"\n{rest}\n{arms}"
        ),
    );
    bench
}

const PRICES: &str = "prices = { in = 0.5, out = 2 }";

#[test]
fn tokens_are_counted_at_the_prices_of_their_arm() {
    let arms = TWO.replace(
        "name = \"high\"",
        "name = \"high\"\nprices = { in = 10, out = 40 }",
    );
    let bench = study(PRICES, "[goal]\nbudget = { evaluations = 8 }", &arms);
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    for (name, price) in [("low", 0.0007), ("high", 0.014)] {
        let arm = arm(&result, name);
        let expected = arm["evaluations"].as_f64().unwrap() * price;
        assert!(
            (arm["cost"].as_f64().unwrap() - expected).abs() < 1e-12,
            "{arm}"
        );
    }
    // What was answered with is kept with the evaluation.
    let exported = bench.fiesta(&["export", "study.toml"]).stdout;
    assert!(
        exported.lines().next().unwrap().contains("tokens"),
        "{exported}"
    );
}

#[test]
fn a_budget_in_money_ends_the_study() {
    let bench = study(PRICES, "[goal]\nbudget = { cost = 0.0071 }", TWO);
    let (_, result) = bench.json(&["run", "study.toml"]);
    let limit = &result["conclusion"]["reason"]["limit"];
    assert_eq!(limit["cost"], 0.0071, "{result}");
    let cost = result["cost"].as_f64().unwrap();
    assert!(cost <= 0.0071 && cost > 0.0063, "{cost}");
}

#[test]
fn tokens_without_a_price_are_told_and_cost_nothing() {
    let bench = study(PRICES, "[goal]\nbudget = { evaluations = 4 }", TWO);
    bench.edit("worker.sh", "\"$MORE\"", "', \"cached\": 7'");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::DONE,
        &["`cached` has no price (prices are of in and out)"],
    );
    let bench = study(PRICES, "[goal]\nbudget = { evaluations = 4 }", TWO);
    bench.edit(
        "worker.sh",
        ", \"tokens\": {\"in\": 1000, \"out\": 100%s}}\\n' $id $right \"$MORE\"",
        "}\\n' $id $right",
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["what it cost is not known and counts as 0"]);
}

/// Tests that an answer that failed was paid all the same.
#[test]
fn failures_cost_their_tokens() {
    let bench = study(PRICES, "[goal]\nbudget = { evaluations = 4 }", TWO);
    bench.edit("worker.sh", "\"accuracy\": %d", "\"error\": \"no %d\"");
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert_ne!(ran.code, Some(code::DONE));
    let (_, status) = bench.json(&["status", "study.toml"]);
    let failed = status["failed"].as_f64().unwrap();
    let cost = status["cost"].as_f64().unwrap();
    assert!(
        failed > 0.0 && (cost - failed * 0.0007).abs() < 1e-12,
        "{status}"
    );
}

#[test]
fn prices_that_cannot_be_are_refused() {
    for (worker, arms, said) in [
        (
            "prices = { in = -1 }",
            TWO.to_owned(),
            "the price of `in` is -1",
        ),
        ("prices = {}", TWO.to_owned(), "prices are empty"),
        (
            "prices = { in = 1 }\ncost = 2",
            TWO.to_owned(),
            "leave one of the two out",
        ),
        (
            "",
            TWO.replace("name = \"high\"", "name = \"high\"\nprices = { in = 1 }"),
            "its seconds would count as money",
        ),
    ] {
        let ran = study(worker, "", &arms).fiesta(&["run", "study.toml"]);
        ran.says(code::USAGE, &[said, "study.toml:"]);
    }
    let free = TWO.replace("name = \"high\"", "name = \"high\"\nprices = { in = 1 }");
    let free = free.replace("name = \"low\"", "name = \"low\"\ncost = 0");
    let bench = study("", "[goal]\nbudget = { evaluations = 4 }", &free);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
}

/// Tests that changed prices do not require a new study.
#[test]
fn prices_may_change() {
    let bench = study(PRICES, "[goal]\nbudget = { evaluations = 4 }", TWO);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.edit("study.toml", "in = 0.5", "in = 1.5");
    bench.edit("study.toml", "evaluations = 4", "evaluations = 6");
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::CHANGED, &["worker.prices.in: 0.5 → 1.5 (harmless)"]);
    let ran = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
    ran.says(code::DONE, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    let cost = status["cost"].as_f64().unwrap();
    assert!((cost - 4.0 * 0.0007 - 2.0 * 0.0017).abs() < 1e-12, "{cost}");
}
