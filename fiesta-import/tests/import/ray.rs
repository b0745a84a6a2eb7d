//! Tests of importing directories of Ray Tune.

use super::{column, fixture, metric, refused, rows};
use fiesta_import::{ImportError, Imported, Tool, read, read_results};
use fiesta_records::{ColumnNames, Missing, Reading};
use std::fs;
use tempfile::TempDir;

/// Makes the directory of an experiment. Each trial has the name of its folder, and its files.
fn made(trials: &[(&str, &[(&str, &str)])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, files) in trials {
        let trial = folder.path().join(name);
        fs::create_dir_all(&trial).unwrap();
        for (name, content) in *files {
            fs::write(trial.join(name), content).unwrap();
        }
    }
    folder
}

fn of(folder: &TempDir, options: &Reading) -> Result<Imported, ImportError> {
    read_results(&[folder.path()], options)
}

#[test]
fn an_experiment_of_ray_tune() {
    let found = read_results(&[fixture("ray")], &metric("acc")).unwrap();
    assert_eq!(found.tool, Some(Tool::Ray));
    let scores: Vec<_> = rows(&found.records)
        .into_iter()
        .map(|(arm, score, _)| (arm, score))
        .collect();
    // The third failed after its second result, the fourth before its first.
    let expected = [
        ("ray", Some(0.75)),
        ("ray", Some(0.5)),
        ("ray", None),
        ("ray", None),
    ];
    assert_eq!(scores, expected);
    let durations: Vec<_> = found
        .records
        .rows()
        .map(|row| row.duration.is_some())
        .collect();
    assert_eq!(durations, [true, true, true, false]);
    assert_eq!(
        column(&found.records, "config/model/sizes"),
        [Some("[8,4]"); 4]
    );
    assert_eq!(column(&found.records, "val/loss")[0], Some("0.75"));
    assert_eq!(
        found.notices,
        [
            "all trials are one arm, `ray`: a column of arms is chosen with --arm",
            "the trials ended after 1 to 2 iterations, and each counts with its last score, also where a scheduler stopped it early",
        ]
    );
    let by_case = Reading {
        columns: ColumnNames {
            arm: Some("case".into()),
            ..ColumnNames::default()
        },
        ..metric("acc")
    };
    let found = read(fixture("ray"), Tool::Ray, &by_case).unwrap();
    assert_eq!(found.records.arms(), ["whole", "short", "late", "early"]);
    let several = refused(read_results(&[fixture("ray")], &Reading::default()));
    assert!(
        several.ends_with("name one of `acc`, `val/loss` with --metric"),
        "{several}"
    );
}

#[test]
fn trials_without_the_state_of_the_experiment() {
    let params = ("params.json", "{\"lr\": 0.1}");
    let folder = made(&[
        (
            "t1",
            &[
                params,
                (
                    "result.json",
                    "{\"acc\": 0.5}\n{\"acc\": 0.75, \"time_total_s\": 8}\n{\"acc\": 0.",
                ),
            ],
        ),
        (
            "t2",
            &[
                params,
                ("progress.csv", "acc,time_total_s\n0.25,1\n0.5,2\n"),
            ],
        ),
        (
            "t3",
            &[
                params,
                ("result.json", "{\"acc\": 0.9}\n"),
                ("error.txt", ""),
            ],
        ),
        ("t4", &[params, ("error.pkl", "")]),
        ("t5", &[params, ("result.json", "")]),
        ("t6", &[params, ("result.json", "{\"acc\": NaN}\n")]),
        ("other", &[("notes.txt", "")]),
    ]);
    let unscored = refused(of(&folder, &metric("acc")));
    assert!(
        unscored.contains("ended without a finite `acc`") && unscored.contains("trial `t6`"),
        "{unscored}"
    );
    let options = Reading {
        missing: Some(Missing::Drop),
        ..metric("acc")
    };
    let found = of(&folder, &options).unwrap();
    let scores: Vec<_> = rows(&found.records)
        .into_iter()
        .map(|row| (row.1, row.2))
        .collect();
    let expected = [
        (Some(0.75), Some(8.0)),
        (Some(0.5), Some(2.0)),
        (None, None),
        (None, None),
    ];
    assert_eq!(scores, expected);
    assert!(found.notices[1].starts_with("1 trial that has not ended is left out"));
    assert!(
        found.notices[1].ends_with("trial `t5`)"),
        "{}",
        found.notices[1]
    );
    // What the experiment says of a trial goes before its files.
    let state = r#"{"trial_data": [["{\"trial_id\": \"t3\", \"status\": \"TERMINATED\"}", "{}"], ["{\"trial_id\": \"t1\", \"status\": \"RUNNING\"}", "{}"]]}"#;
    fs::write(
        folder.path().join("experiment_state-2026-01-01.json"),
        state,
    )
    .unwrap();
    let found = of(&folder, &options).unwrap();
    assert_eq!(found.records.by_arm(), [[0.5, 0.9]]);
}

#[test]
fn directories_and_files_that_are_no_experiment_are_refused() {
    let empty = made(&[("a", &[])]);
    let error = refused(read(empty.path(), Tool::Ray, &Reading::default()));
    assert!(
        error.contains("no folder in this directory has params.json"),
        "{error}"
    );
    let broken = made(&[(
        "t",
        &[("params.json", "{"), ("result.json", "{\"acc\": 1}")],
    )]);
    let error = refused(of(&broken, &Reading::default()));
    assert!(
        error.contains("params.json: this is not what Ray Tune writes"),
        "{error}"
    );
    let trial = fixture("ray/train_1d362_00000/result.json");
    let error = refused(read_results(&[trial], &Reading::default()));
    assert!(
        error.ends_with("name the directory of the experiment"),
        "{error}"
    );
}
