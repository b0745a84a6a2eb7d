//! Tests of the study of the best settings of a search: columns, settings, names, and the text.

use super::*;
use crate::Study;
use fiesta_records::{Failed, Record};

/// Returns trials with two hyperparameters, `params_lr` and `params_wd`.
fn trials(rows: &[(&str, &str, f64)]) -> Evaluations {
    let mut trials = Evaluations::new("accuracy").unwrap();
    for (lr, wd, score) in rows {
        let cells = [("params_lr", *lr), ("params_wd", *wd)];
        let cells = cells.into_iter().filter(|(_, value)| !value.is_empty());
        trials
            .push_with(Record::new("search", *score), cells)
            .unwrap();
    }
    trials
}

fn some_trials() -> Evaluations {
    trials(&[
        ("0.1", "0", 0.5),
        ("0.01", "0", 0.9),
        ("1e-2", "0.0", 0.7),
        ("0.001", "0.5", 0.85),
        ("0.003", "", 0.99),
    ])
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    let owned = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    owned.collect()
}

const COMMAND: &str = "python train.py --lr {lr} --wd {wd} --split {split} --seed {seed}";

fn confirm(
    trials: &Evaluations,
    command: &str,
    default: &[(&str, &str)],
    top: usize,
) -> Result<Confirmation, String> {
    let request = ConfirmRequest {
        trials,
        source: "trials.csv",
        metric: "accuracy",
        direction: Direction::Maximize,
        bounds: Some((0.0, 1.0)),
        command,
        default: &pairs(default),
        top,
    };
    Confirmation::new(&request).map_err(|error| error.to_string())
}

/// Reads the text as a study, and returns it with the commands of its arms.
fn read(confirmation: &Confirmation) -> (Study, toml::Table) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("study.toml");
    std::fs::write(&path, &confirmation.text).unwrap();
    (
        Study::read(&path).unwrap(),
        confirmation.text.parse().unwrap(),
    )
}

fn commands(table: &toml::Table) -> Vec<String> {
    let arms = table["arm"].as_array().unwrap().iter();
    let words = |arm: &toml::Value| {
        let words = arm["command"].as_array().unwrap().iter();
        words
            .map(|word| word.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    arms.map(words).collect()
}

#[test]
fn the_best_settings_and_the_default_are_arms() {
    let default = [("wd", "0"), ("lr", "1e-4")];
    let found = confirm(&some_trials(), COMMAND, &default, 2).unwrap();
    // 0.01 and 1e-2 are one setting with the mean .8, behind .85.
    assert_eq!(found.arms, ["lr=0.001 wd=0.5", "lr=0.01 wd=0", "default"]);
    assert_eq!(
        found.notes,
        [
            "1 trial without a value is left out (score 0.99, the best one of the search)",
            "2 of 3 settings with a score become arms"
        ]
    );
    let (study, table) = read(&found);
    assert_eq!(
        commands(&table),
        [
            "python train.py --lr 0.001 --wd 0.5 --split {split} --seed {seed}",
            "python train.py --lr 0.01 --wd 0 --split {split} --seed {seed}",
            "python train.py --lr 1e-4 --wd 0 --split {split} --seed {seed}",
        ]
    );
    let winner = study.search_winner().unwrap();
    assert_eq!(
        (winner.arm.index(), winner.score, winner.first),
        (0, 0.85, 8)
    );
    assert_eq!(winner.default.map(fiesta_core::ArmId::index), Some(2));
    assert_eq!(
        (study.first_split(), study.metric().name()),
        (1, "accuracy")
    );
    assert!(
        found
            .text
            .contains("name    = \"lr=0.01 wd=0\"   # 0.8 in the search, the mean of 2 trials")
    );
}

#[test]
fn failed_trials_are_counted_and_splits_of_the_search_are_left_to_it() {
    let mut trials = some_trials();
    trials.push_failure(Failed::failed("search")).unwrap();
    let cells = [("params_lr", "1"), ("params_wd", "1")];
    let record = Record {
        split: Some(4),
        ..Record::new("search", 0.1)
    };
    trials.push_with(record, cells).unwrap();
    let found = confirm(&trials, COMMAND, &[("lr", "1"), ("wd", "2")], 8).unwrap();
    assert_eq!(found.notes[0], "1 trial without a score is left out");
    assert!(
        found
            .text
            .contains("first = 5 }   # splits 0 to 4 are the search's")
    );
    assert_eq!(read(&found).0.first_split(), 5);
    // Without {split}, seeds alone differ.
    let command = "train --lr {lr} --wd {wd} --seed {seed}";
    let found = confirm(&trials, command, &[("lr", "1"), ("wd", "2")], 8).unwrap();
    assert_eq!(read(&found).1["design"]["splits"].as_str(), Some("fixed"));
}

/// Tests that the study's seed follows from the arms and their scores.
#[test]
fn seeds_are_the_studys_own() {
    let default = [("lr", "1e-4"), ("wd", "0")];
    let seed = |trials: &Evaluations| {
        let found = confirm(trials, COMMAND, &default, 2).unwrap();
        read(&found).0.seed()
    };
    let first = seed(&some_trials());
    assert_eq!(first, seed(&some_trials()));
    let other = trials(&[("0.1", "0", 0.5), ("0.01", "0", 0.91)]);
    assert_ne!(first, seed(&other));
    assert!(first < 1 << 31);
}

#[test]
fn a_default_among_the_best_is_one_arm() {
    let default = [("lr", "0.010"), ("wd", "0")];
    let found = confirm(&some_trials(), COMMAND, &default, 2).unwrap();
    assert_eq!(found.arms, ["lr=0.001 wd=0.5", "default"]);
    let told = "the default is among the best settings of the search, number 2 (lr=0.01 wd=0): it is one arm, `default`";
    assert_eq!(found.notes[2], told);
    let winner = [("lr", "0.001"), ("wd", "0.5")];
    let found = confirm(&some_trials(), COMMAND, &winner, 2).unwrap();
    assert_eq!(found.arms, ["default", "lr=0.01 wd=0"]);
    assert_eq!(read(&found).0.search_winner().unwrap().default, None);
    let alone = confirm(&some_trials(), COMMAND, &winner, 1).unwrap_err();
    assert!(alone.contains("raise --top"), "{alone}");
}

/// Tests that values stay words of the command, whatever they contain.
#[test]
fn hostile_values_stay_values() {
    let hostile = "\"; rm -rf / #\n{seed} $(x) '{{arm}}'";
    let rows = [(hostile, "0", 0.9), ("0.1", "0", 0.5)];
    let found = confirm(&trials(&rows), COMMAND, &[("lr", "1"), ("wd", "1")], 8).unwrap();
    assert_eq!(found.arms, ["setting 1", "lr=0.1 wd=0", "default"]);
    let (study, _) = read(&found);
    let mut selector = study.selector().unwrap();
    let fiesta_core::Ask::Evaluate(evaluation) = selector.ask().unwrap() else {
        panic!("it begins with an evaluation");
    };
    let setting = study.setting(&evaluation);
    let command = study.command(&evaluation, &setting, Path::new("run"));
    assert_eq!(command[3], hostile);
    assert_eq!(command[7], "1");
    let error = |command: &str, value: &str| {
        let rows = [(value, "0", 0.9), ("0.1", "0", 0.5)];
        confirm(&trials(&rows), command, &[("lr", "1")], 8).unwrap_err()
    };
    let found = error("sh -c 'train --lr {lr}'", "1");
    assert!(found.contains("run what the results say"), "{found}");
    let found = error("train --lr {lr}", "--output=/x");
    assert!(found.contains("--lr={lr} as one word"), "{found}");
    let negative = [("-1e-3", "0", 0.9), ("0.1", "0", 0.5)];
    assert!(confirm(&trials(&negative), "train --lr {lr}", &[("lr", "1")], 8).is_ok());
}

#[test]
fn columns_have_a_tools_prefix_or_none() {
    let place = |columns: &[&str], name: &str| {
        let mut trials = Evaluations::new("f1").unwrap();
        for column in columns {
            trials.add_column(column).unwrap();
        }
        column(name, &trials, "t.csv").map_err(|error| error.to_string())
    };
    for column in [
        "lr",
        "params_lr",
        "params.lr",
        "config/lr",
        "config.lr",
        "setting.lr",
    ] {
        assert_eq!(place(&["other", column], "lr"), Ok(1), "{column}");
    }
    assert_eq!(place(&["params_lr", "lr"], "lr"), Ok(1));
    assert_eq!(place(&["params_lr", "config.lr"], "config.lr"), Ok(1));
    assert_eq!(
        place(&["params_lr", "config.lr"], "lr").unwrap_err(),
        "{lr} in the command may be the column `params_lr`, `config.lr` of t.csv: write the whole name in the braces"
    );
    assert_eq!(
        place(&["params_lr", "note"], "wd").unwrap_err(),
        "{wd} in the command is no column of t.csv, which has `params_lr`, `note`: name one of them, without the tool's prefix if you like, or write {{wd}} for the braces themselves"
    );
}

#[test]
fn what_cannot_be_confirmed_is_refused() {
    let trials = some_trials();
    let default = [("lr", "1"), ("wd", "1")];
    for (command, default, top, words) in [
        (COMMAND, &default[..], 0, "--top 0 confirms nothing"),
        (COMMAND, &default[..1], 8, "--default has no value of wd"),
        (
            COMMAND,
            &[("lr", "1"), ("wd", "1"), ("x", "1")],
            8,
            "a value of `x`",
        ),
        (
            COMMAND,
            &[("lr", "1"), ("wd", "1"), ("lr", "2")],
            8,
            "two values of lr",
        ),
        (
            "train {rate}",
            &default,
            8,
            "{rate} in the command is no column",
        ),
        (
            "train {lr} {item}",
            &default,
            8,
            "{item} belongs to a study of items",
        ),
        (
            "train --seed {seed}",
            &default,
            8,
            "no value of a hyperparameter",
        ),
        ("train '", &default, 8, "no line of words"),
    ] {
        let found = confirm(&trials, command, default, top).unwrap_err();
        assert!(found.contains(words), "{found}");
    }
    let one = self::trials(&[("1", "1", 0.5), ("1.0", "1", 0.6)]);
    let found = confirm(&one, COMMAND, &default, 8).unwrap_err();
    assert!(found.contains("1 setting with a score"), "{found}");
    let mut two = trials.clone();
    two.push(Record::new("other", 0.5)).unwrap();
    let found = confirm(&two, COMMAND, &default, 8).unwrap_err();
    assert!(found.contains("choose one with --arms"), "{found}");
}

#[test]
fn names_are_short_and_unique() {
    let long = "x".repeat(60);
    let rows = [
        ("0.417022004702574", "1e-10", 0.9),
        ("0.41702200470", "1e-10", 0.8),
        (long.as_str(), "0", 0.7),
        ("12345678", "ä", 0.6),
        ("12345678", "adam", 0.5),
    ];
    let found = confirm(&trials(&rows), COMMAND, &[("lr", "1"), ("wd", "1")], 8).unwrap();
    assert_eq!(
        found.arms,
        [
            "lr=0.417 wd=1e-10",
            "setting 2",
            "setting 3",
            "setting 4",
            "lr=12345678 wd=adam",
            "default"
        ]
    );
}
