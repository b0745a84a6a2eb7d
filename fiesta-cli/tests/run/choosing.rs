//! Tests of a study's choices: the arms and cases that are evaluated, and the arm that is named.

use super::{Bench, SCORE, STUDY, TWO, arm, code, logging, python};
use std::collections::{BTreeMap, BTreeSet};

/// Script that knows nothing of FIESTA, and depends on a seed as training scripts do.
const FOREIGN: &str = r#"
import json, random, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
draw = random.Random(int(options["--seed"]))
skill = {"lstm": 0.62, "gru": 0.66, "transformer": 0.74}[options["--model"]]
print("epoch 1", flush=True)
print(json.dumps({"macro_f1": draw.gauss(skill, 0.02), "epochs": 3}))
"#;

#[test]
fn a_foreign_script_and_the_keys_of_the_result() {
    let Some(python) = python() else { return };
    let bench = Bench::new();
    bench.file("train.py", FOREIGN);
    bench.file(
            "study.toml",
            &format!(
                "name = \"rnns\"\ncommand = [\"{python}\", \"train.py\", \"--model\", \"{{arm}}\", \"--split\", \"{{split}}\", \"--seed\", \"{{seed}}\"]
[metric]\nname = \"macro_f1\"\n[design]\nseed = 3\nparallel = 2\n[[arm]]\nname = \"lstm\"\n[[arm]]\nname = \"gru\"\n[[arm]]\nname = \"transformer\"\n"
            ),
        );
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(result["conclusion"]["arm"], "transformer");
    assert_eq!(result["leader"], "transformer");
    assert_eq!(result["state"], "finished");
    assert!(result["confidence"].as_f64().unwrap() >= 0.95);
    let made = result["evaluations"].as_u64().unwrap();
    assert!((6..100).contains(&made), "{made}");
    assert_eq!(
        (&result["pending"], &result["failed"]),
        (&0.into(), &0.into())
    );
    assert!(result["cost"].as_f64().unwrap() > 0.0);
    assert_eq!(result["arms"].as_array().unwrap().len(), 3);
    let best = arm(&result, "transformer");
    let mean = best["mean"].as_f64().unwrap();
    assert!((mean - 0.74).abs() < 0.05, "{mean}");
    let per_arm = |of: &str| -> u64 {
        let arms = result["arms"].as_array().unwrap();
        arms.iter().map(|arm| arm[of].as_u64().unwrap()).sum()
    };
    assert_eq!(per_arm("evaluations"), made);
    assert_eq!(per_arm("failed"), 0);
    // The status says the same afterwards, from the ledger alone.
    let (code, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(status, result);
    let sentence = result["conclusion"]["sentence"].as_str().unwrap();
    assert!(
        sentence.contains("transformer is the best of 3 arms by macro_f1"),
        "{sentence}"
    );
    // For people, with the sentence to quote.
    let text = bench.fiesta(&["run", "study.toml"]);
    text.says(code::DONE, &["nothing was run"]);
    assert!(
        text.stdout.contains(sentence) && text.stdout.contains("P(best)"),
        "{text:?}"
    );
}

#[test]
fn the_lowest_where_less_is_better() {
    let bench = Bench::with_study(&STUDY.replace("maximize", "minimize"));
    let (code, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(result["conclusion"]["arm"], "low");
    // Scores are shown as they were reported.
    let mean = arm(&result, "low")["mean"].as_f64().unwrap();
    assert!((0.6..0.64).contains(&mean), "{mean}");
}

/// Returns the splits and seeds that the jobs of each arm logged, for a study with these splits.
fn cases(splits: &str) -> BTreeMap<String, (Vec<u64>, Vec<u64>)> {
    let rest = format!(
        "[goal]\nbudget = {{ evaluations = 12 }}\n[design]\npolicy = \"uniform\"\nsplits = \"{splits}\"\n{TWO}"
    );
    let bench = Bench::with_job(&logging(), &rest);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let mut cases: BTreeMap<String, (Vec<u64>, Vec<u64>)> = BTreeMap::new();
    for line in bench.log("log") {
        let (splits, seeds) = cases.entry(line[0].clone()).or_default();
        splits.push(line[1].parse().unwrap());
        seeds.push(line[2].parse().unwrap());
    }
    assert_eq!(
        cases
            .values()
            .map(|(splits, _)| splits.len())
            .sum::<usize>(),
        12
    );
    let seeds: BTreeSet<u64> = cases
        .values()
        .flat_map(|(_, seeds)| seeds.clone())
        .collect();
    assert_eq!(seeds.len(), 12, "seeds repeat: {cases:?}");
    cases
}

#[test]
fn splits_are_shared_by_default() {
    let bench = Bench::with_job(
        &logging(),
        &format!("[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}"),
    );
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let splits: Vec<String> = bench
        .log("log")
        .into_iter()
        .map(|line| line[1].clone())
        .collect();
    assert_eq!(
        splits.iter().filter(|split| *split == "0").count(),
        2,
        "{splits:?}"
    );
    for (splits, _) in cases("shared").values() {
        assert_eq!(*splits, [0, 1, 2, 3, 4, 5]);
    }
}

#[test]
fn independent_splits_are_never_used_twice() {
    let mut all: Vec<u64> = cases("independent")
        .into_values()
        .flat_map(|(splits, _)| splits)
        .collect();
    all.sort_unstable();
    assert_eq!(all, (0..12).collect::<Vec<u64>>());
}

#[test]
fn fixed_splits_vary_the_seed_only() {
    for (splits, _) in cases("fixed").values() {
        assert_eq!(*splits, [0; 6]);
    }
}

#[test]
fn the_seed_of_the_study_decides() {
    // With costs that are given: measured ones are never the same twice, and the default policy
    // looks at them.
    let arms = TWO.replace("name = \"high\"", "name = \"high\"\ncost = 1");
    let arms = arms.replace("name = \"low\"", "name = \"low\"\ncost = 1");
    let logs = ["1", "1", "2"].map(|seed| {
        let rest =
            format!("[goal]\nbudget = {{ evaluations = 10 }}\n[design]\nseed = {seed}\n{arms}");
        let bench = Bench::with_job(&logging(), &rest);
        bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
        bench.text("log")
    });
    assert_eq!(logs[0], logs[1]);
    assert_ne!(logs[0], logs[2]);
}

/// Job of a pool of items: the arm `high` is right on nine items of ten, any other arm on one.
const ITEMS: &str = r#"
case $1 in high) right=9 ;; *) right=1 ;; esac
if [ $(($3 % 10)) -lt $right ]; then score=1; else score=0; fi
printf '{"accuracy": %d}\n' $score
"#;

/// Tests that the result of `anytime` on scores of 0 and 1 says that its guarantee is for others.
#[test]
fn the_guarantee_of_anytime_is_not_claimed_for_zeros_and_ones() {
    let rest = format!("[design]\nstopping = \"anytime\"\n{TWO}");
    let bench = Bench::with_job(ITEMS, &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::DONE,
        &["proven for Gaussian scores only", "take 2 values"],
    );
    // With scores that differ there is nothing to say.
    let bench = Bench::with_job(SCORE, &rest);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &[]);
    assert!(!ran.stderr.contains("Gaussian"), "{ran:?}");
}
