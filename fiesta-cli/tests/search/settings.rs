//! Tests of settings on their way to the jobs.

use super::{begun, bench};
use crate::support::{self, Bench, arm, code, python};
use serde_json::json;

#[test]
fn settings_reach_their_jobs() {
    let bench = bench();
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["evaluations"], 12);
    assert_eq!(result["conclusion"]["reason"], "schedule");
    let mut kinds = Vec::new();
    for (trial, setting) in begun(&bench) {
        assert_eq!(trial[1], "0", "a search keeps to one split");
        let lr = setting["lr"].as_f64().unwrap();
        assert!((1e-6..=0.1).contains(&lr));
        if trial[0] == "mlp" {
            assert!((1..=3).contains(&setting["layers"].as_i64().unwrap()));
            assert!((0.0..=0.5).contains(&setting["dropout"].as_f64().unwrap()));
            kinds.push(setting["Act"].clone());
        } else {
            assert_eq!(setting.as_object().unwrap().len(), 1);
        }
    }
    assert_eq!(kinds.len(), 6);
    // The arguments say the same as the environment; integers have no point, and numbers read back
    // exactly.
    for words in bench.log("given") {
        if words[0].starts_with("--lr=") {
            assert_eq!(words[0], format!("--lr={}", words[3]));
            assert_eq!(words[1..3], ["${HOME}", "{lr}"]);
        } else {
            assert_eq!(words[..4], words[4..]);
            assert!(!words[1].contains('.'), "{words:?}");
        }
    }
    for name in ["mlp", "linear"] {
        let best = &arm(&result["search"], name)["best"];
        let split = best["split"].to_string();
        let trial = [name.to_owned(), split, best["seed"].to_string()];
        assert_eq!(begun(&bench)[&trial], best["setting"]);
        let score = 0.1 + (best["seed"].as_u64().unwrap() % 800) as f64 / 1000.0;
        support::assert_close(&best["score"], score, 1e-9);
    }
    // Evaluations are numbered from 1, as in exports.
    let exported = bench
        .fiesta(&["export", "study.toml", "--format", "jsonl"])
        .stdout;
    for name in ["mlp", "linear"] {
        let best = &arm(&result["search"], name)["best"];
        let row = exported
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .find(|row| row["evaluation"] == best["evaluation"])
            .unwrap();
        assert_eq!((&row["arm"], &row["seed"]), (&name.into(), &best["seed"]));
    }
    assert_eq!(
        arm(&result["search"], "linear")["bounds"],
        "lr: loguniform-float[1e-6, 0.1]"
    );
    assert_eq!(
        arm(&result["search"], "mlp")["space"]["Act"],
        json!({ "choice": ["relu", "tanh", 6, 0.5, true] })
    );
}

/// Tests a foreign training script, which knows only its own arguments.
#[test]
fn a_foreign_script_needs_no_change() {
    let Some(python) = python() else { return };
    let bench = Bench::new();
    bench.file(
        "train.py",
        r#"
import argparse, json, math, os
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, required=True)
parser.add_argument("--layers", type=int, required=True)
parser.add_argument("--optimizer", choices=["adam", "sgd"], required=True)
parser.add_argument("--nesterov", type=lambda text: {"true": True, "false": False}[text])
options = parser.parse_args()
setting = json.loads(os.environ["FIESTA_SETTING"])
# What came as text is, to the last digit, what came as JSON.
assert {key: setting[key] for key in vars(options)} == vars(options), (setting, options)
loss = (math.log10(options.lr) + 3) ** 2 + options.layers / 10
print(json.dumps({"loss": loss}))
"#,
    );
    bench.file(
        "study.toml",
        &format!(
            r#"name = "foreign"
command = [{python:?}, "train.py", "--lr", "{{lr}}", "--layers={{layers}}", "--optimizer", "{{optimizer}}", "--nesterov", "{{nesterov}}"]
metric = {{ name = "loss", direction = "minimize" }}
goal = {{ trials = 10 }}
design = {{ parallel = 4 }}
[[arm]]
name = "net"
[arm.search]
lr = {{ loguniform = [1e-300, 1e300] }}
layers = {{ integer = [-2, 9007199254740992] }}
optimizer = {{ choice = ["adam", "sgd"] }}
nesterov = {{ choice = [true, false] }}
"#
        ),
    );
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["failed"], 0);
    assert_eq!(result["evaluations"], 10);
}

/// Tests that a setting may hold any text: a job gets it as data, and a terminal does not obey it.
#[test]
fn hostile_values_are_plain_text() {
    let bench = bench();
    bench.edit(
        "study.toml",
        "[\"relu\", \"tanh\", 6, 0.5, true]",
        r#"["$(touch pwned); `touch pwned`\n\u001b[31m"]"#,
    );
    bench.file(
        "job.sh",
        "[ \"$4\" = \"$FIESTA_HP_Act\" ] || exit 9\necho '{\"accuracy\": 0.5}'\n",
    );
    bench.edit(
        "study.toml",
        "\"--lr={lr}\", \"${HOME}\", \"{{lr}}\"",
        "\"--lr={lr}\"",
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &[]);
    assert!(!bench.path("pwned").exists());
    assert!(
        !ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'),
        "{ran:?}"
    );
}
