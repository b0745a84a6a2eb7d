//! Tests of studies of items whose answers vary: what is asked again, what is said, what is refused.

use super::{Bench, TWO, code};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Job `sh answer.sh ARM ID SEED`: `high` is right on four of five questions, `low` on two, and one
/// answer in four is a coin's, of the seed.
const ANSWER: &str = r#"
echo "$1 $2 $3" >> log
[ "$3" = "$FIESTA_SEED" ] || exit 9
n=${2#q}
case $1 in high) rate=4 ;; *) rate=2 ;; esac
[ $(((n * 7 + n / 5) % 5)) -lt $rate ] && right=1 || right=0
[ $(($3 % 4)) -eq 0 ] && right=$(($3 / 4 % 2))
echo "{\"accuracy\": $right}"
"#;

const WORKER: &str = r#"
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    with open("log", "a") as log:
        print(case["arm"], case["item_id"], case["seed"], file=log)
    n, seed = case["item"]["n"], case["seed"]
    right = (n * 7 + n // 5) % 5 < {"high": 4, "low": 2}[case["arm"]]
    if seed % 4 == 0:
        right = seed // 4 % 2
    print(json.dumps({"id": case["id"], "accuracy": int(right)}), flush=True)
"#;

const COMMAND: &str = "command = [\"sh\", \"answer.sh\", \"{arm}\", \"{item}\", \"{seed}\"]";
const OF_WORKER: &str = "[worker]\ncommand = [\"python3\", \"worker.py\"]";

fn bench(head: &str, design: &str, goal: &str, items: usize) -> Bench {
    let bench = Bench::new();
    bench.file("answer.sh", ANSWER);
    bench.file("worker.py", WORKER);
    let line = |number: usize| format!("{{\"id\": \"q{number}\", \"n\": {number}}}\n");
    bench.file("questions.jsonl", &(0..items).map(line).collect::<String>());
    let study = format!(
        "name = \"trial\"\n{head}\n[metric]\nname = \"accuracy\"\n[goal]\n{goal}\n[design]\nitems = \"questions.jsonl\"\nrepeats = true\nseed = 2\n{design}\n{TWO}"
    );
    bench.file("study.toml", &study);
    bench
}

/// Tests command and worker: both ask for the same answers, repeat items with other seeds, and
/// speak of expected scores.
#[test]
fn items_are_asked_again() {
    let mut asked = Vec::new();
    for head in [COMMAND, OF_WORKER] {
        let bench = bench(head, "", "confidence = 0.95", 80);
        let (exit, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(exit, Some(code::DONE), "{result}");
        assert_eq!(result["conclusion"]["arm"], "high");
        let sentence = result["conclusion"]["sentence"].as_str().unwrap();
        assert!(sentence.contains("by expected accuracy"), "{sentence}");
        assert!(
            sentence.contains("some asked again as answers vary"),
            "{sentence}"
        );
        let pool = &result["pool"];
        let varying = &pool["varying"];
        let log = bench.log("log");
        let distinct: BTreeSet<&Vec<String>> = log.iter().collect();
        assert_eq!(distinct.len(), log.len());
        let items: BTreeSet<&[String]> = log.iter().map(|line| &line[..2]).collect();
        let again = (log.len() - items.len()) as u64;
        assert!(again > 0, "{log:?}");
        assert_eq!(varying["repeats"], again, "{varying}");
        assert_eq!(varying["answers"], log.len() as u64);
        assert_eq!(pool["answered"], items.len() as u64);
        assert!(pool.get("outlook").is_none(), "{pool}");
        asked.push(log.into_iter().collect::<BTreeSet<_>>());

        let text = bench.fiesta(&["status", "study.toml"]).stdout;
        assert!(text.contains("by expected accuracy"), "{text}");
        let how_much = "within an item they have a standard deviation of 0.";
        assert!(text.contains(how_much), "{text}");
        let exported = bench.fiesta(&["export", "study.toml"]).stdout;
        bench.file("exported.csv", &exported);
        let (exit, believed) = bench.json(&["belief", "exported.csv", "--pool-size", "80"]);
        assert_eq!(exit, Some(code::DONE), "{believed}");
        assert_eq!(believed["posterior"], "pool");
        assert_eq!(believed["pool"]["varying"], *varying);
        let best = |report: &Value| -> f64 {
            let arms = report["arms"].as_array().unwrap().iter();
            let high = arms.filter(|arm| arm["name"] == "high");
            high.map(|arm| arm["probability_best"].as_f64().unwrap())
                .sum()
        };
        assert!((best(&believed) - best(&result)).abs() < 1e-9);
        bench
            .fiesta(&["report", "study.toml", "-o", "page", "--formats", "svg"])
            .says(code::DONE, &[]);
    }
    assert_eq!(asked[0], asked[1]);
}

/// Tests that a resumed study asks nothing twice, and ends after four rounds if it has no budget.
#[test]
fn going_on_asks_nothing_twice() {
    let bench = bench(
        OF_WORKER,
        "parallel = 3",
        "budget = { evaluations = 40 }",
        12,
    );
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(bench.log("log").len(), 40);
    bench.edit("study.toml", "evaluations = 40", "evaluations = 70");
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::DONE, &[]);
    let log = bench.log("log");
    let distinct: BTreeSet<&Vec<String>> = log.iter().collect();
    assert_eq!((log.len(), distinct.len()), (70, 70));
    let mut times: BTreeMap<&[String], u32> = BTreeMap::new();
    for line in &log {
        *times.entry(&line[..2]).or_default() += 1;
    }
    assert_eq!(times.len(), 24);
    assert!(
        times.values().all(|&times| (2..=4).contains(&times)),
        "{times:?}"
    );
}

#[test]
fn equal_arms_end_after_four_rounds() {
    let head =
        "arm_from = \"environment\"\ncommand = [\"sh\", \"-c\", \"echo '{\\\"accuracy\\\": 1}'\"]";
    let bench = bench(head, "", "confidence = 0.95", 6);
    let (_, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(result["evaluations"], 48, "{result}");
    let text = result.to_string();
    assert!(!text.contains("known: they are equal"), "{text}");
    assert_ne!(result["conclusion"]["verdict"], "best");
}

/// Tests that the cache does not return an answer to another seed.
#[test]
fn the_cache_knows_seeds() {
    let head = format!("{OF_WORKER}\ncache = \"answers.db\"");
    let bench = bench(
        &head,
        "policy = \"uniform\"",
        "budget = { evaluations = 60 }",
        10,
    );
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(bench.log("log").len(), 60);
    let again = bench.text("study.toml").replace("\"trial\"", "\"again\"");
    bench.file("again.toml", &again);
    bench.fiesta(&["run", "again.toml"]).says(code::DONE, &[]);
    assert_eq!(bench.log("log").len(), 60);
    bench.file(
        "other.toml",
        &again
            .replace("\"again\"", "\"other\"")
            .replace("seed = 2", "seed = 3"),
    );
    bench.fiesta(&["run", "other.toml"]).says(code::DONE, &[]);
    assert_eq!(bench.log("log").len(), 120);
}

#[test]
fn what_repeats_do_not_go_with() {
    let of = |design: &str| bench(COMMAND, design, "confidence = 0.95", 10);
    for (design, part) in [
        (
            "stopping = \"anytime-bounded\"",
            "is valid where an item has one answer",
        ),
        ("posterior = \"paired\"", "repeats need the posterior pool"),
    ] {
        of(design)
            .fiesta(&["run", "study.toml"])
            .says(code::USAGE, &[part]);
    }
    let bench = of("");
    bench.edit("study.toml", "items = \"questions.jsonl\"\n", "");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["or leave repeats out"]);
    // Begun without, it is another study with.
    let bench = of("");
    bench.edit("study.toml", "repeats = true", "repeats = false");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.edit("study.toml", "repeats = false\n", "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.edit("study.toml", "seed = 2", "repeats = true\nseed = 2");
    let ran = bench.fiesta(&["run", "study.toml"]);
    assert!(
        format!("{ran:?}").contains("whether answers vary"),
        "{ran:?}"
    );
}
