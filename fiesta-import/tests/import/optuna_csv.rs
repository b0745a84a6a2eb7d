//! Tests of importing Optuna's tables of trials.

use super::{column, file, fixture, metric, refused, rows};
use fiesta_import::{Tool, read_bytes, read_results};
use fiesta_records::{ColumnNames, Missing, Pruned, Reading};

/// Tests that every kind of trial in a table counts as in the storage that the table comes from.
#[test]
fn trials_of_a_table_count_as_in_a_storage() {
    let name = "optuna_trials.csv";
    let options = |pruned, missing| Reading {
        pruned,
        missing,
        ..Reading::default()
    };
    assert_eq!(
        refused(file(
            name,
            Tool::Optuna,
            &options(None, Some(Missing::Fail))
        )),
        "1 trial was pruned (the first is optuna_trials.csv:4): say with --pruned what they count as: `score` (their last one), `fail`, or \
         `drop`"
    );
    assert_eq!(
        refused(file(name, Tool::Optuna, &options(Some(Pruned::Fail), None))),
        "1 trial ended without a finite `value` (the first is optuna_trials.csv:5): say what they count as with --failed (drop or worst)"
    );
    let both = options(Some(Pruned::Score), Some(Missing::Fail));
    let found = file(name, Tool::Optuna, &both).unwrap();
    let arm = "optuna_trials";
    let scores: Vec<_> = rows(&found.records).iter().map(|row| row.1).collect();
    let close = |score: Option<f64>| score.map(|score| (score * 1000.0).round() / 1000.0);
    let scores: Vec<_> = scores.into_iter().map(close).collect();
    let expected = [Some(0.417), None, Some(0.4), None, Some(0.147), Some(0.092)];
    assert_eq!(scores, expected);
    assert_eq!(found.records.arms(), [arm]);
    assert_eq!(rows(&found.records)[1], (arm, None, Some(0.000_158)));
    assert_eq!(column(&found.records, "user_attrs_host")[1], Some("h1"));
    assert_eq!(found.direction, None);
    assert_eq!(
        found.notices,
        [
            "all trials are one arm, `optuna_trials`: a column of arms is chosen with --arm",
            "2 trials that have not ended are left out (the first is optuna_trials.csv:8)",
            "1 trial that was pruned is counted with their last score (the first is optuna_trials.csv:4)",
            "1 trial without a finite `value` is counted as failures (the first is optuna_trials.csv:5)",
        ]
    );
}

#[test]
fn a_table_without_pandas_numbers_of_rows() {
    let text = "number,value,datetime_start,datetime_complete,duration,params_lr,params_units,state\n\
                0,0.61,2026-01-05 10:00:00.1,2026-01-05 10:04:00.2,0 days 00:04:00.100000,0.010,32,COMPLETE\n\
                1,0.68,2026-01-05 10:04:00.3,2026-01-05 10:08:01.3,0 days 00:04:01,0.003,64,COMPLETE\n\
                2,,2026-01-05 10:08:01.4,2026-01-05 10:09:00.4,0 days 00:00:59,0.300,64,FAIL\n\
                3,0.66,2026-01-05 10:09:00.5,2026-01-05 10:13:00.5,0 days 00:04:00,0.005,48,COMPLETE\n";
    assert_eq!(Tool::recognise(text.as_bytes()), Some(Tool::Optuna));
    let read = |options: &Reading| read_bytes(text.as_bytes(), Tool::Optuna, options, "trials.csv");
    let found = read(&Reading::default()).unwrap();
    let expected = [
        ("trials", Some(0.61), Some(240.1)),
        ("trials", Some(0.68), Some(241.0)),
        ("trials", None, Some(59.0)),
        ("trials", Some(0.66), Some(240.0)),
    ];
    assert_eq!(rows(&found.records), expected);
    let by_units = Reading {
        columns: ColumnNames {
            arm: Some("units".into()),
            ..ColumnNames::default()
        },
        ..Reading::default()
    };
    assert_eq!(read(&by_units).unwrap().records.arms(), ["32", "64", "48"]);
    let of_study = Reading {
        studies: vec!["lstm".into()],
        ..Reading::default()
    };
    assert!(refused(read(&of_study)).ends_with("leave --study out"));
}

#[test]
fn one_of_several_objectives_is_named() {
    let name = "optuna_objectives.csv";
    let error = file(name, Tool::Optuna, &Reading::default()).unwrap_err();
    let choices: Vec<String> = error.choices().iter().map(ToString::to_string).collect();
    assert_eq!(choices, ["--metric values_0", "--metric values_1"]);
    let second = file(name, Tool::Optuna, &metric("1")).unwrap();
    assert_eq!(second.records.metric(), "values_1");
    // A file on disk, without a name of the tool.
    let found = read_results(&[fixture(name)], &metric("values_0")).unwrap();
    assert_eq!(found.tool, Some(Tool::Optuna));
    assert_eq!(found.records.by_arm(), [[0.0, 1.0]]);
}
