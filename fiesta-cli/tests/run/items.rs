//! Tests of studies of a pool of items: questions that every arm answers right or wrong.

use super::{Bench, TWO, arm, code};
use std::collections::BTreeSet;

/// Job `sh answer.sh ARM ID`: `good` is right on four of five questions, `fair` on three, `poor` on
/// two.
const ANSWER: &str = r#"
echo "$1 $2" >> log
[ "$2" = "$FIESTA_ITEM_ID" ] || exit 9
n=$(sed 's/.*"n": //; s/}//' "$FIESTA_ITEM")
case $1 in good) rate=4 ;; fair) rate=3 ;; *) rate=2 ;; esac
[ $(((n * 7 + n / 5) % 5)) -lt $rate ] && right=1 || right=0
echo "{\"accuracy\": $right}"
"#;

/// Worker that answers as the job does, and checks that it is given the item whole.
const WORKER: &str = r#"
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    item = case["item"]
    assert item["id"] == case["item_id"] and item["n"] == int(case["item_id"][1:])
    with open("log", "a") as log:
        print(case["arm"], case["item_id"], file=log)
    rate = {"good": 4, "fair": 3, "poor": 2}[case["arm"]]
    right = (item["n"] * 7 + item["n"] // 5) % 5 < rate
    print(json.dumps({"id": case["id"], "accuracy": int(right)}), flush=True)
"#;

fn bench(head: &str, rest: &str, items: usize) -> Bench {
    let bench = Bench::new();
    bench.file("answer.sh", ANSWER);
    bench.file("worker.py", WORKER);
    let line = |number: usize| format!("{{\"id\": \"q{number}\", \"n\": {number}}}\n");
    bench.file("questions.jsonl", &(0..items).map(line).collect::<String>());
    let arms = "[[arm]]\nname = \"poor\"\n[[arm]]\nname = \"good\"\n[[arm]]\nname = \"fair\"\n";
    let study = format!(
        "name = \"trial\"\n{head}\n[metric]\nname = \"accuracy\"\n[design]\nitems = \"questions.jsonl\"\nseed = 2\n{rest}\n{arms}"
    );
    bench.file("study.toml", &study);
    bench
}

const COMMAND: &str = "command = [\"sh\", \"answer.sh\", \"{arm}\", \"{item}\"]";

/// Tests that no answer is asked for twice, and that fewer than all are asked for.
#[test]
fn the_best_of_a_pool_is_found_with_a_share_of_its_answers() {
    let worker = "[worker]\ncommand = [\"python3\", \"worker.py\"]";
    for head in [COMMAND, worker] {
        let bench = bench(head, "", 300);
        let (exit, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(exit, Some(code::DONE), "{result}");
        assert_eq!(result["conclusion"]["arm"], "good");
        let sentence = result["conclusion"]["sentence"].as_str().unwrap();
        assert!(sentence.contains("of 300 items; FIESTA"), "{sentence}");
        assert_eq!(result["conclusion"]["verdict"], "best");
        let log = bench.log("log");
        let distinct: BTreeSet<&Vec<String>> = log.iter().collect();
        assert_eq!(distinct.len(), log.len());
        assert!(log.len() > 50 && log.len() < 600, "{}", log.len());
        let sum: u64 = ["good", "fair", "poor"]
            .map(|name| arm(&result, name)["evaluations"].as_u64().unwrap())
            .iter()
            .sum();
        assert_eq!(sum, log.len() as u64);
    }
}

/// Tests that with all answers the verdict is certain, and equal arms are named as tied.
#[test]
fn a_pool_that_is_known_ends_with_certainty() {
    let head =
        "arm_from = \"environment\"\ncommand = [\"sh\", \"-c\", \"echo '{\\\"accuracy\\\": 1}'\"]";
    let bench = bench(head, "", 12);
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["conclusion"]["verdict"], "tied", "{result}");
    for name in ["good", "fair", "poor"] {
        let p = arm(&result, name)["probability_best"].as_f64().unwrap();
        super::support::assert_close(&p.into(), 1.0 / 3.0, 1e-9);
    }
    let sentence = result["conclusion"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("12"), "{sentence}");
}

/// Tests an arm that is ahead by one item of forty: only all answers of the best two show it.
#[test]
fn the_last_item_can_decide() {
    let head = "command = [\"sh\", \"-c\", \"[ $FIESTA_ITEM_ID = q7 ] && [ $FIESTA_ARM != fair ] && s=0 || s=1; echo '{\\\"accuracy\\\": '$s'}'\"]";
    let bench = bench(head, "", 40);
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["conclusion"]["arm"], "fair", "{result}");
    assert_eq!(result["conclusion"]["verdict"], "best");
}

/// Tests recorded answers as a pool: the pool decides, its size may be larger than the file, and
/// answers that repeat are compared as scores on splits.
#[test]
fn answers_that_exist_are_a_pool() {
    let bench = Bench::new();
    let row = |item: usize| {
        let right = |rate: usize| usize::from(item * 7 % 10 < rate);
        format!("q{item},{},{}\n", right(8), right(5))
    };
    let rows: String = (0..60).map(row).collect();
    bench.file("answers.csv", &format!("item,good,poor\n{rows}"));
    let belief = |arguments: &[&str]| {
        let (exit, result) = bench.json(&[&["belief", "answers.csv"], arguments].concat());
        assert_eq!(exit, Some(code::DONE), "{result}");
        assert_eq!(result["posterior"], "pool");
        arm(&result, "good")["probability_best"].as_f64().unwrap()
    };
    super::support::assert_close(&belief(&[]).into(), 1.0, 1e-12);
    let part = belief(&["--pool-size", "600"]);
    assert!(part > 0.9 && part < 1.0 - 1e-9, "{part}");
    let small = bench.fiesta(&["belief", "answers.csv", "--pool-size", "59"]);
    small.says(code::USAGE, &["59 items cannot have the 60 items"]);
    let (exit, result) = bench.json(&["simulate", "answers.csv", "--runs", "5"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["posterior"], "pool", "{result}");

    let twice = "arm,item,seed,score\na,x,0,1\na,x,1,0\na,y,0,1\nb,x,0,0\nb,x,1,1\nb,y,0,0\n";
    bench.file("twice.csv", twice);
    let (exit, result) = bench.json(&["belief", "twice.csv"]);
    assert_eq!(
        (exit, &result["posterior"]),
        (Some(code::DONE), &"pool".into())
    );
    // Answers that vary: nothing is certain.
    assert_eq!(result["pool"]["varying"]["repeats"], 2);
    assert!(arm(&result, "a")["probability_best"].as_f64().unwrap() < 0.99);
}

/// Tests that ids which look the same are reported at the start, and stay distinct.
#[test]
fn ids_that_look_the_same_are_told() {
    let bench = Bench::with_job(
        "echo '{\"accuracy\": 1}'",
        &format!(
            "[goal]\nbudget = {{ evaluations = 4 }}\n[design]\nitems = \"items.jsonl\"\n{TWO}"
        ),
    );
    bench.edit("study.toml", "\"{split}\"", "\"{item}\"");
    bench.file(
        "items.jsonl",
        "{\"id\": \"caf\u{e9} 1\"}\n{\"id\": \"cafe\u{301} 1\"}\n",
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    let told = "two items have ids that look the same, `cafe\u{301} 1`, number 1 and number 2";
    ran.says(code::DONE, &[told]);
    assert_eq!(
        bench
            .fiesta(&["export", "study.toml"])
            .stdout
            .lines()
            .count(),
        5
    );
    assert!(
        !bench
            .fiesta(&["run", "study.toml"])
            .stderr
            .contains("look the same")
    );
}
