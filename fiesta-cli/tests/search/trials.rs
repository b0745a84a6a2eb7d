//! Tests of the trials of a search: which evaluations count as one, and when the trials end.

use super::{JOB, bench};
use crate::support::{Bench, arm, code};

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
    // With fewer trials than failure_limits, it is no success either.
    let few = self::bench();
    few.file("job.sh", &format!("[ $FIESTA_ARM = mlp ] && exit 9\n{JOB}"));
    few.fiesta(&["run", "study.toml"])
        .says(code::ARM_FAILED, &[]);
    // What failed is made again once it is mended.
    few.file("job.sh", JOB);
    let ran = few.fiesta(&["run", "study.toml", "--retry", "mlp", "--accept-changes"]);
    ran.says(code::DONE, &["not held against them: mlp"]);
    let (_, status) = few.json(&["status", "study.toml"]);
    for name in ["mlp", "linear"] {
        assert_eq!(arm(&status, name)["evaluations"], 6, "{name}");
    }
    assert_eq!(arm(&status, "mlp")["failed"], 6);
}

/// Tests that five trials which fail alike end the search, although a failure may depend on the
/// setting.
#[test]
fn trials_that_fail_alike_end_the_search() {
    let bench = bench();
    bench.file(
        "job.sh",
        "echo \"lr $FIESTA_HP_lr is unknown\" >&2\necho >> tried\nexit 2\n",
    );
    let tried = || bench.text("tried").lines().count();
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::ARM_FAILED,
        &["all failed alike", "its command was: sh job.sh"],
    );
    assert!((5..8).contains(&tried()), "{ran:#?}");
    bench.file("job.sh", JOB);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    for name in ["mlp", "linear"] {
        assert_eq!(arm(&status, name)["evaluations"], 6, "{name}");
    }

    // Too few of them for that: every trial was made, and is made again.
    let few = self::bench();
    few.edit("study.toml", "trials = 6", "trials = 2");
    few.file("job.sh", "exit 9\n");
    let ran = few.fiesta(&["run", "study.toml"]);
    ran.says(code::ARM_FAILED, &["every trial failed", "--retry all"]);
    few.file("job.sh", JOB);
    few.fiesta(&["run", "study.toml", "--retry", "all"])
        .says(code::DONE, &[]);

    // A single arm: its retirement.
    let alone = self::bench();
    let text = alone.text("study.toml");
    let (mlp, _) = text.split_once("[[arm]]\nname = \"linear\"").unwrap();
    alone.file("study.toml", &mlp.replace("trials = 6", "trials = 20"));
    alone.file("job.sh", "exit 9\n");
    alone
        .fiesta(&["run", "study.toml"])
        .says(code::ARM_FAILED, &["1 of 1 arms (mlp)", "all failed alike"]);
    alone.file("job.sh", JOB);
    alone.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
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
