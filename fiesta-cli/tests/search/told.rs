//! Tests of messages to the user about a search, and of its results in other verbs.

use super::{JOB, begun, bench};
use crate::support::{Bench, arm, code};
use serde_json::Value;

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
    ran.says(
        code::DONE,
        &[
            "note: the command of mlp does not name {arm}, {seed}: ",
            "note: the command of linear does not name {seed}: ",
        ],
    );
    assert!(ran.stdout.contains("layers = "), "{ran:?}");
    assert!(ran.stdout.contains("at most 12 evaluations"), "{ran:?}");
    let (_, checked) = bench.json(&["run", "study.toml", "--check"]);
    assert!(checked["trials"][0]["setting"]["dropout"].is_number());
    bench.edit("study.toml", "\"{dropout}\", ", "");
    bench.fiesta(&["run", "study.toml", "--check"]).says(
        code::DONE,
        &["mlp does not name {arm}, {seed}, {dropout}: it is assumed to read FIESTA_ARM, FIESTA_SEED, FIESTA_HP_dropout"],
    );
    assert!(!bench.path("study.fiesta").exists());
}

/// Tests that hyperparameters are columns by their names, and are told apart from whatever else has
/// one of these names.
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
        header.contains("Act,setting.cost,layers,lr,") && header.contains("result.lr"),
        "{header}"
    );
}

/// Tests a steady arm, and one that is rarely good but then better: the search and `fiesta curve`
/// agree on the higher expected best of n.
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
        "With at least 95.0 %, steady leads for n = 1 ",
        ", no arm leads for n = ",
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
    // What is said of a range is true at each of its n, and every n is in one.
    let mut said = 0;
    for (key, holds) in [("leads", true), ("undecided", false)] {
        for range in best[key].as_array().unwrap() {
            let end = |key: &str| usize::try_from(range[key].as_u64().unwrap()).unwrap();
            for n in end("from")..=end("to") {
                said += 1;
                let of = |name: &str| arm(best, name)["probability"][n - 1].as_f64().unwrap();
                let highest = of("steady").max(of("risky"));
                assert_eq!(highest >= 0.95, holds, "{n}: {range}");
                if holds {
                    assert!(of(range["arm"].as_str().unwrap()) >= 0.95, "{n}: {range}");
                }
            }
        }
    }
    assert_eq!(said, 13);
    let (_, page) = bench.report(&["study.toml"]);
    assert!(page.contains("steady leads for n = 1 "), "{page}");
    assert!(
        bench
            .text("out/tables/best-of-n.csv")
            .starts_with("n,steady,risky")
    );
    let (exit, curve) = bench.json(&["curve", "study.toml"]);
    assert_eq!((exit, &curve["best_of_n"]), (Some(code::DONE), best));
    // Of one arm there is nothing to compare.
    let (_, alone) = bench.json(&["curve", "study.toml", "--arms", "risky"]);
    assert!(alone["best_of_n"].is_null());
}
