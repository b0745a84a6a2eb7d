//! Random search through the program: what jobs are given, what counts as a trial, how a search goes on, and what is refused.

#[path = "support/mod.rs"]
mod support;

use fiesta::{
    core::{ArmId, Case, Evaluation, EvaluationId},
    policies::random_search::{Setting, Value as Drawn},
    runner::{
        History, Ledger, Study,
        history::Check,
        ledger::{Entry, Session},
    },
};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path};
use support::{Bench, arm, code, python, until};

/// Writes down what it was given, and scores by it.
const JOB: &str = r#"
echo "$FIESTA_ARM $FIESTA_SPLIT $FIESTA_SEED $FIESTA_SETTING" >> log
echo "$* $FIESTA_HP_lr $FIESTA_HP_layers $FIESTA_HP_dropout $FIESTA_HP_Act" >> given
[ -e slow ] && sleep 0.1
printf '{"accuracy": 0.%03d}\n' $((100 + FIESTA_SEED % 800))
"#;

/// Two arms with all four kinds; the second has one parameter of its own and lacks the others.
const STUDY: &str = r#"name = "trial"
command = ["sh", "job.sh", "{lr}", "{layers}", "{dropout}", "{Act}"]
[metric]
name = "accuracy"
[goal]
trials = 6
[design]
parallel = 3
seed = 7
[[arm]]
name = "mlp"
[arm.search]
lr = { loguniform = [1e-6, 1e-1] }
layers = { integer = [1, 3] }
dropout = { uniform = [0, 0.5] }
Act = { choice = ["relu", "tanh", 6, 0.5, true] }
[[arm]]
name = "linear"
command = ["sh", "job.sh", "--lr={lr}", "${HOME}", "{{lr}}"]
search = { lr = { loguniform = [1e-6, 1e-1] } }
"#;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("job.sh", JOB);
    bench.file("study.toml", STUDY);
    bench
}

/// The trials that were begun: their settings by arm, split and seed. No trial may have been given two settings.
fn begun(bench: &Bench) -> BTreeMap<[String; 3], Value> {
    let mut trials = BTreeMap::new();
    for line in bench.text("log").lines() {
        let mut words = line.splitn(4, ' ').map(ToOwned::to_owned);
        let mut word = || words.next().unwrap();
        let trial = [word(), word(), word()];
        let setting: Value = serde_json::from_str(&word()).unwrap();
        if let Some(before) = trials.insert(trial, setting.clone()) {
            assert_eq!(before, setting);
        }
    }
    trials
}

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
    // The arguments say the same as the environment; integers have no point, and numbers read back exactly.
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
    assert_eq!(
        arm(&result["search"], "linear")["bounds"],
        "lr: loguniform-float[1e-6, 0.1]"
    );
    assert_eq!(
        arm(&result["search"], "mlp")["space"]["Act"],
        json!({ "choice": ["relu", "tanh", 6, 0.5, true] })
    );
}

#[test]
fn people_are_told_the_best_setting() {
    let bench = bench();
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["has the best, 0."]);
    for words in [
        "best accuracy",
        "best setting",
        "Over 6 trials of random search each, ",
        "12 evaluations, on one fixed split",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {ran:?}");
    }
    let status = bench.fiesta(&["status", "study.toml"]);
    status.says(code::DONE, &[]);
    assert!(status.stdout.contains("Over 6 trials"), "{status:?}");
}

#[test]
fn a_check_shows_the_setting_and_what_the_search_will_take() {
    let bench = bench();
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.says(code::DONE, &[]);
    assert!(ran.stdout.contains("layers = "), "{ran:?}");
    assert!(ran.stdout.contains("at most 12 evaluations"), "{ran:?}");
    let (_, checked) = bench.json(&["run", "study.toml", "--check"]);
    assert!(checked["trials"][0]["setting"]["dropout"].is_number());
    assert!(!bench.path("study.fiesta").exists());
}

/// What an uninterrupted run draws, one draws that is killed again and again: every trial with the same setting, none left out.
#[test]
fn a_search_that_is_killed_makes_the_same_trials() {
    let whole = bench();
    whole.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let expected = begun(&whole);
    assert_eq!(expected.len(), 12);

    let killed = bench();
    killed.file("slow", "");
    for at_least in [2, 5, 8] {
        let running = killed.start(&["run", "study.toml"]);
        until("some more trials have begun", || {
            begun(&killed).len() >= at_least
        });
        running.signal(Signal::KILL);
        assert_eq!(running.wait().code, None);
    }
    let (exit, result) = killed.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE));
    assert_eq!(result["evaluations"], 12);
    assert_eq!(begun(&killed), expected);
    let (_, uninterrupted) = whole.json(&["status", "study.toml"]);
    assert_eq!(result["search"], uninterrupted["search"]);
    let sentence = |result: &Value| result["conclusion"]["sentence"].clone();
    assert_eq!(sentence(&result), sentence(&uninterrupted));
}

fn entries(bench: &Bench) -> (Study, Vec<Entry>) {
    let study = Study::read(&bench.path("study.toml")).unwrap();
    let entries = Ledger::read(&study.state_directory()).unwrap();
    (study, entries)
}

#[test]
fn recorded_settings_are_verified() {
    let bench = bench();
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let (study, mut entries) = entries(&bench);
    let replayed = History::replay(&study, entries.clone(), Check::Decisions).unwrap();
    assert_eq!(replayed.differences, Vec::<String>::new());
    let record = &replayed.records[&EvaluationId(3)];
    assert_eq!(record.setting, study.setting(&record.evaluation));
    assert!(!record.setting.is_empty());
    for entry in &mut entries {
        if let Entry::Decided {
            evaluation,
            setting,
        } = entry
            && evaluation.id == EvaluationId(3)
        {
            *setting = [("lr", Drawn::from(0.25))].into_iter().collect();
        }
    }
    let replayed = History::replay(&study, entries, Check::Decisions).unwrap();
    assert_eq!(replayed.differences.len(), 1);
    assert!(replayed.differences[0].starts_with("lr = 0.25; now it would be: "));
}

/// Begins a ledger with a decision that no session would make.
fn decide(directory: &Path, evaluation: Evaluation, setting: Setting) {
    let study = Study::read(directory).unwrap();
    let session = Session {
        version: "0.0.0".to_owned(),
        host: "elsewhere".to_owned(),
        study: study.fingerprint().clone(),
    };
    let mut ledger = Ledger::open(&study.state_directory()).unwrap();
    let decided = Entry::Decided {
        evaluation,
        setting,
    };
    ledger
        .append(&[Entry::Opened(session), decided], true)
        .unwrap();
}

/// A version that draws other values goes on with those that were recorded.
#[test]
fn the_recorded_setting_is_the_one_that_counts() {
    let bench = bench();
    let evaluation = Evaluation {
        id: EvaluationId(0),
        arm: ArmId::new(1),
        case: Case { split: 0, seed: 99 },
    };
    let setting = [("lr", Drawn::from(0.125))].into_iter().collect();
    decide(&bench.path("study.toml"), evaluation, setting);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["lr = 0.125; now it would be: lr = "]);
    let trial = ["linear", "0", "99"].map(ToOwned::to_owned);
    assert_eq!(begun(&bench)[&trial], json!({ "lr": 0.125 }));
}

#[test]
fn trials_can_be_added() {
    let whole = bench();
    let (_, expected) = whole.json(&["run", "study.toml"]);
    let bench = bench();
    bench.edit("study.toml", "trials = 6", "trials = 2");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.edit("study.toml", "trials = 2", "trials = 6");
    let changed = "goal.trials: 2 → 6 (extends the study)";
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::CHANGED, &[changed, "--accept-changes"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["state"], "stopped");
    let extended = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
    extended.says(code::DONE, &["resuming after 4"]);
    assert!(!extended.stderr.contains("now it would be"), "{extended:?}");
    let (exit, again) = bench.json(&["run", "study.toml"]);
    assert_eq!(
        (exit, &again["search"]),
        (Some(code::DONE), &expected["search"])
    );
    assert_eq!(begun(&bench), begun(&whole));
    // Neither fewer trials nor another space is the same search.
    for (from, to, says) in [
        ("trials = 6", "trials = 5", "goal.trials: 6 → 5"),
        ("[1, 3]", "[1, 4]", "undo them"),
    ] {
        bench.edit("study.toml", from, to);
        let refused = bench.fiesta(&["run", "study.toml", "--accept-changes"]);
        refused.says(code::CHANGED, &[says]);
        bench.edit("study.toml", to, from);
    }
}

#[test]
fn failures_are_trials() {
    let bench = bench();
    bench.file(
        "job.sh",
        &format!("[ \"${{FIESTA_HP_layers:-1}}\" = 3 ] && exit 9\n{JOB}"),
    );
    bench.edit("study.toml", "trials = 6", "trials = 12");
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE));
    let mlp = arm(&result, "mlp");
    let [failed, observed] = ["failed", "evaluations"].map(|key| mlp[key].as_u64().unwrap());
    assert!(failed > 0, "{mlp}");
    assert_eq!(failed + observed, 12);
    assert_eq!(arm(&result, "linear")["evaluations"], 12);
    let sentence = result["conclusion"]["sentence"].as_str().unwrap();
    assert!(sentence.contains(&format!("{failed} of which failed")));
}

#[test]
fn an_arm_that_always_fails_is_given_up_and_the_other_gets_its_trials() {
    let bench = bench();
    bench.file("job.sh", &format!("[ $FIESTA_ARM = mlp ] && exit 9\n{JOB}"));
    bench.edit("study.toml", "trials = 6", "trials = 14");
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::ARM_FAILED));
    let mlp = arm(&result, "mlp");
    assert_eq!(mlp["retired"], true);
    assert!((10..13).contains(&mlp["failed"].as_u64().unwrap()), "{mlp}");
    assert_eq!(arm(&result, "linear")["evaluations"], 14);
    assert_eq!(result["conclusion"]["arm"], "linear");
    // With fewer trials than patience, it is no success either.
    let few = self::bench();
    few.file("job.sh", &format!("[ $FIESTA_ARM = mlp ] && exit 9\n{JOB}"));
    few.fiesta(&["run", "study.toml"])
        .says(code::ARM_FAILED, &[]);
    few.file("job.sh", "exit 9\n");
    std::fs::remove_dir_all(few.path("study.fiesta")).unwrap();
    let ran = few.fiesta(&["run", "study.toml"]);
    ran.says(code::ARM_FAILED, &["every trial failed"]);
}

#[test]
fn one_arm_without_hyperparameters_and_more_trials_than_the_default_cap() {
    let bench = Bench::new();
    bench.file(
        "job.sh",
        "printf '{\"loss\": 0.%03d}\\n' $((FIESTA_SEED % 900))\n",
    );
    bench.file(
        "study.toml",
        "name = \"alone\"\ncommand = [\"sh\", \"job.sh\"]\nmetric = { name = \"loss\", direction = \"minimize\" }\ngoal = { trials = 110 }\ndesign = { splits = \"shared\", parallel = 4 }\narm = [{ name = \"only\" }]\n",
    );
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["evaluations"], 110);
    let best = &arm(&result["search"], "only")["best"];
    assert!(best["score"].as_f64().unwrap() < arm(&result, "only")["mean"].as_f64().unwrap() / 2.0);
    let sentence = result["conclusion"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("on 110 shared splits"), "{sentence}");
}

#[test]
fn a_budget_may_end_it_earlier() {
    for (budget, evaluations) in [("evaluations = 5", Some(5)), ("wall = \"1s\"", None)] {
        let bench = bench();
        if evaluations.is_none() {
            bench.file("job.sh", &format!("sleep 0.2\n{JOB}"));
            bench.edit("study.toml", "trials = 6", "trials = 600");
        }
        let trials = if evaluations.is_some() { 6 } else { 600 };
        let goal = format!("trials = {trials}");
        bench.edit(
            "study.toml",
            &goal,
            &format!("{goal}\nbudget = {{ {budget} }}"),
        );
        let (exit, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(exit, Some(code::SHORT), "{result}");
        if let Some(evaluations) = evaluations {
            assert_eq!(result["evaluations"], evaluations);
        }
        let sentence = result["conclusion"]["sentence"].as_str().unwrap();
        assert!(sentence.starts_with("After the limit of "), "{sentence}");
        assert!(sentence.contains("before every arm had its"), "{sentence}");
    }
}

/// Hyperparameters are columns by their names; one that is called what something else is called, and a key of the result that is
/// called what a hyperparameter is, are told apart.
#[test]
fn hyperparameters_are_columns_of_the_export() {
    let bench = bench();
    bench.edit("study.toml", "dropout = {", "cost = {");
    bench.edit("study.toml", "\"{dropout}\"", "\"{cost}\"");
    let job = JOB.replace("\"accuracy\"", "\"lr\": \"rounded\", \"accuracy\"");
    bench.file("job.sh", &job);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let ran = bench.fiesta(&["export", "study.toml", "--format", "jsonl"]);
    ran.says(code::DONE, &[]);
    let drawn = begun(&bench);
    let mut rows = 0;
    for line in ran.stdout.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| match &row[key] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let arm = text("arm");
        let setting = &drawn[&[
            arm.clone(),
            row["split"].to_string(),
            row["seed"].to_string(),
        ]];
        let number = |text: String| text.parse::<f64>().ok();
        assert_eq!(number(text("lr")), setting["lr"].as_f64());
        assert_eq!(text("result.lr"), "rounded");
        assert!(row["cost"].is_number());
        if arm == "mlp" {
            assert_eq!(number(text("setting.cost")), setting["cost"].as_f64());
            assert_eq!(text("layers"), setting["layers"].to_string());
        } else {
            assert!(row["layers"].is_null());
        }
        rows += 1;
    }
    assert_eq!(rows, 12);
    let csv = bench.fiesta(&["export", "study.toml"]);
    let header = csv.stdout.lines().next().unwrap();
    assert!(
        header.contains("Act,setting.cost,layers,lr,result.lr"),
        "{header}"
    );
}

/// One arm is steady, the other is rarely good and then better: which has the higher expected best depends on n, and the search and
/// `fiesta curve` say so alike.
#[test]
fn which_arm_has_the_highest_expected_best_of_n() {
    let bench = Bench::new();
    bench.file(
        "job.sh",
        "case $FIESTA_ARM in\n  steady) echo \"{\\\"accuracy\\\": 0.6$((FIESTA_SEED % 1000 + 1000))}\" ;;\n  *) printf '{\"accuracy\": 0.%03d}\\n' $((100 + FIESTA_SEED % 800)) ;;\nesac\n",
    );
    bench.file(
        "study.toml",
        "name = \"trade\"\ncommand = [\"sh\", \"job.sh\"]\nmetric = { name = \"accuracy\", bounds = [0, 1] }\ngoal = { trials = 40 }\ndesign = { parallel = 4 }\narm = [{ name = \"steady\" }, { name = \"risky\" }]\n",
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &[]);
    for words in [
        "P(highest expected best of n)",
        "steady leads for n = 1 ",
        ", risky leads for n = ",
        "40 trials tell too little of the best of more than 13",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {ran:?}");
    }
    let (_, status) = bench.json(&["status", "study.toml"]);
    let best = &status["search"]["best_of_n"];
    assert_eq!(best["informative_up_to"], 13);
    assert_eq!(best["n"].as_array().unwrap().len(), 13);
    let risky = arm(best, "risky")["probability"].as_array().unwrap();
    assert!(risky[0].as_f64().unwrap() < 0.05 && risky[12].as_f64().unwrap() > 0.95);
    assert_eq!(best["leads"][1]["arm"], "risky");
    let (exit, curve) = bench.json(&["curve", "study.toml"]);
    assert_eq!((exit, &curve["best_of_n"]), (Some(code::DONE), best));
    // Of one arm there is nothing to compare.
    let (_, alone) = bench.json(&["curve", "study.toml", "--arms", "risky"]);
    assert!(alone["best_of_n"].is_null());
}

/// A training script of somebody else, that knows nothing of this program but its own arguments.
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

/// A change of the study file from one text to another, where its line begins, and words of the complaint.
type Refused<'a> = (&'a str, &'a str, &'a str, &'a [&'a str]);

/// Each change is refused, with the line where it is and these words.
fn refuse(cases: &[Refused<'_>]) {
    for (from, to, at, words) in cases {
        let bench = bench();
        bench.edit("study.toml", from, to);
        let text = bench.text("study.toml");
        let line = 1 + text.lines().position(|line| line.contains(at)).unwrap();
        let ran = bench.fiesta(&["run", "study.toml"]);
        let place = format!("study.toml:{line}: ");
        ran.says(code::USAGE, &[&[place.as_str()], *words].concat());
        assert!(!bench.path("study.fiesta").exists(), "{to}");
    }
}

#[test]
fn goals_and_designs_that_are_no_search() {
    refuse(&[
        (
            "trials = 6",
            "trials = 0",
            "trials = 0",
            &["trials must be at least 1"],
        ),
        ("trials = 6", "trials = -1", "trials = -1", &["-1"]),
        ("trials = 6", "", "[arm.search]", &["add trials = "]),
        (
            "trials = 6",
            "trials = 6\nconfidence = 0.9",
            "confidence",
            &["leave confidence or trials out"],
        ),
        (
            "trials = 6",
            "trials = 6\ntolerance = 0.1",
            "tolerance",
            &["leave tolerance or trials out"],
        ),
        (
            "seed = 7",
            "policy = \"ttts\"",
            "policy",
            &["the policy ttts", "leave policy or trials out"],
        ),
        (
            "seed = 7",
            "posterior = \"paired\"",
            "posterior",
            &["leave posterior or trials out"],
        ),
        (
            "seed = 7",
            "stopping = \"anytime\"",
            "stopping",
            &["leave stopping or trials out"],
        ),
        (
            "seed = 7",
            "beta = 0.5",
            "beta",
            &["leave beta or trials out"],
        ),
        (
            "seed = 7",
            "documents = \"*.txt\"",
            "documents",
            &["leave documents or trials out"],
        ),
    ]);
}

/// The first parameter of the space.
const LR: &str = "lr = { loguniform = [1e-6, 1e-1] }\nlayers";

#[test]
fn names_and_values_that_are_no_space() {
    refuse(&[
        (
            LR,
            "seed = { uniform = [0, 1] }\nlayers",
            "seed = {",
            &["cannot be called seed", "{seed}"],
        ),
        (
            LR,
            "document_id = { uniform = [0, 1] }\nlayers",
            "document_id",
            &["cannot be called document_id"],
        ),
        (
            LR,
            "learning-rate = { uniform = [0, 1] }\nlayers",
            "learning-rate",
            &["`learning-rate` is no name", "FIESTA_HP_learning-rate"],
        ),
        (
            LR,
            "\"\" = { uniform = [0, 1] }\nlayers",
            "\"\" =",
            &["is no name"],
        ),
        (
            LR,
            "lr = { loguniform = [0, 1] }\nlayers",
            "lr = {",
            &["lr: a loguniform parameter lies above 0"],
        ),
        (
            LR,
            "lr = { loguniform = [1, 0.5] }\nlayers",
            "lr = {",
            &["lr: [1.0, 0.5] is no interval"],
        ),
        (
            LR,
            "lr = { uniform = [1, inf] }\nlayers",
            "lr = {",
            &["inf is not a finite number"],
        ),
        (
            LR,
            "lr = { uniform = [1, nan] }\nlayers",
            "lr = {",
            &["NaN is not a finite number"],
        ),
        (
            LR,
            "lr = { integer = [1, 9007199254740993] }\nlayers",
            "lr = {",
            &["beyond ±2^53"],
        ),
        (
            LR,
            "lr = { integer = [1, 2.5] }\nlayers",
            "lr = {",
            &["2.5"],
        ),
        (LR, "lr = { uniform = [1] }\nlayers", "lr = {", &["array"]),
        (
            LR,
            "lr = { choice = [] }\nlayers",
            "lr = {",
            &["the choice is empty"],
        ),
        (
            LR,
            "lr = { choice = [[1, 2]] }\nlayers",
            "lr = {",
            &["type array"],
        ),
        (
            LR,
            "lr = { choice = [1979-05-27] }\nlayers",
            "lr = {",
            &["type datetime"],
        ),
        (
            LR,
            "lr = { log_uniform = [1, 2] }\nlayers",
            "lr = {",
            &["unknown key `log_uniform`", "did you mean `loguniform`"],
        ),
        (
            LR,
            "lr = { uniform = [1, 2], integer = [1, 2] }\nlayers",
            "lr = {",
            &["lr needs one kind"],
        ),
        (LR, "lr = {}\nlayers", "lr = {", &["lr needs one kind"]),
        (
            "search = { lr = { loguniform = [1e-6, 1e-1] } }",
            "search = {}",
            "search = {}",
            &["search space of `linear` is empty"],
        ),
    ]);
}

#[test]
fn placeholders_without_a_hyperparameter() {
    refuse(&[
        (
            "\"--lr={lr}\"",
            "\"{layers}\"",
            "\"{layers}\", \"${HOME}\"",
            &[
                "arm `linear` has {layers}",
                "its search space has no layers",
            ],
        ),
        (
            "\"--lr={lr}\"",
            "\"{Act}\"",
            "\"{Act}\", \"${HOME}\"",
            &["arm `linear` has {Act}"],
        ),
        (
            "\"--lr={lr}\"",
            "\"{rl}\"",
            "\"{rl}\"",
            &["unknown placeholder {rl}", "{lr}"],
        ),
        (
            "\"--lr={lr}\"",
            "\"{lr2}\"",
            "\"{lr2}\"",
            &["unknown placeholder {lr2}", "did you mean {lr}"],
        ),
    ]);
}

/// Settings may hold anything that a file can: it is text for the job, and harmless on a terminal.
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
