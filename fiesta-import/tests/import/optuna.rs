//! Tests of importing storages of Optuna, which are databases.

use super::{column, database, refused};
use fiesta_core::Direction;
use fiesta_import::{Tool, read, read_bytes};
use fiesta_records::{ColumnNames, Missing, Pruned, Reading};
use rusqlite::Connection;
use std::fs;

/// Checks the trials of two studies in a storage. Optuna's sampler drew their parameters.
fn both_studies(sql: &str, studies: &[&str]) {
    let (_folder, path) = database(sql);
    let options = |pruned, missing| Reading {
        studies: studies.iter().map(ToString::to_string).collect(),
        pruned,
        missing,
        ..Reading::default()
    };
    let read = |options: &Reading| read(&path, Tool::Optuna, options);
    let file = path.display();
    assert_eq!(
        refused(read(&options(None, Some(Missing::Fail)))),
        format!(
            "1 trial was pruned (the first is {file}: trial 2 of study `lstm`): say with --pruned what they count as: `score` (their \
             last one), `fail`, or `drop`"
        )
    );
    assert_eq!(
        refused(read(&options(Some(Pruned::Score), None))),
        format!(
            "1 trial ended without a finite `value` (the first is {file}: trial 4 of study `lstm`): say what they count as with \
             --failed (drop or worst)"
        )
    );

    let imported = read(&options(Some(Pruned::Score), Some(Missing::Fail))).unwrap();
    let records = &imported.records;
    assert_eq!(imported.direction, Some(Direction::Minimize));
    assert_eq!(records.metric(), "value");
    assert_eq!(records.arms(), ["lstm", "gru, tied"]);
    let scores: Vec<bool> = records.rows().map(|row| row.score.is_some()).collect();
    assert_eq!(
        scores,
        [true, false, true, false, false, true, true, true, true]
    );
    let numbers = ["0", "1", "2", "3", "4", "5", "6", "0", "1"].map(Some);
    assert_eq!(column(records, "number"), numbers);
    assert_eq!(records.rows().nth(2).unwrap().score, Some(0.4));
    assert!(records.rows().all(|row| {
        row.duration
            .is_some_and(|seconds| (0.0..60.0).contains(&seconds))
    }));
    assert_eq!(column(records, "user_attrs_host")[0], Some("h1"));
    assert_eq!(
        column(records, "user_attrs_sizes")[0],
        Some("{\"a\":[1,null]}")
    );
    let layers = column(records, "params_layers");
    assert!(
        layers[..7]
            .iter()
            .all(|layers| matches!(layers, Some("1" | "2" | "3"))),
        "{layers:?}"
    );
    assert_eq!(layers[7..], [None, None]);
    let choices = ["adam", "=sgd", "null", "3", "true"];
    let optimizers = column(records, "params_optimizer");
    assert!(
        optimizers[..7]
            .iter()
            .all(|choice| choices.contains(&choice.unwrap())),
        "{optimizers:?}"
    );
    // The first trial's score follows from its settings.
    let setting = |name: &str| column(records, name)[0].unwrap().parse::<f64>().unwrap();
    let expected = setting("params_lr") * setting("params_layers") + setting("params_drop");
    assert!((records.records().at(0).score - expected).abs() < 1e-15);
    assert_eq!(
        imported.notices,
        [
            "the arms are those of the column `study`".to_owned(),
            format!(
                "2 trials that have not ended are left out (the first is {file}: trial 7 of study `lstm`)"
            ),
            format!(
                "1 trial that was pruned is counted with their last score (the first is {file}: trial 2 of study `lstm`)"
            ),
            format!(
                "1 trial without a finite `value` is counted as failures (the first is {file}: trial 4 of study `lstm`)"
            ),
        ]
    );

    let dropped = read(&options(Some(Pruned::Drop), Some(Missing::Drop)))
        .unwrap()
        .records;
    assert_eq!((dropped.records().len(), dropped.failures().len()), (5, 2));
    let failed = read(&options(Some(Pruned::Fail), Some(Missing::Fail)))
        .unwrap()
        .records;
    assert_eq!((failed.records().len(), failed.failures().len()), (5, 4));
}

#[test]
fn optuna_s_storage() {
    both_studies("optuna_5_0.sql", &["lstm", "gru, tied"]);
}

#[test]
fn optuna_s_storage_of_version_2() {
    both_studies("optuna_2_10.sql", &[]);
}

#[test]
fn optuna_s_studies_are_chosen() {
    let (_folder, path) = database("optuna_5_0.sql");
    let file = path.display();
    let of = |studies: &[&str]| {
        let options = Reading {
            studies: studies.iter().map(ToString::to_string).collect(),
            pruned: Some(Pruned::Fail),
            missing: Some(Missing::Fail),
            ..Reading::default()
        };
        read(&path, Tool::Optuna, &options)
    };
    assert_eq!(
        refused(of(&[])),
        format!(
            "{file}: the study `both` has 2 objectives, and only a single score can be compared: name the other studies with --study"
        )
    );
    assert_eq!(
        refused(of(&["lstm", "up"])),
        format!(
            "{file}: the study `lstm` minimizes and `up` maximizes, so that their scores cannot be compared: name those that agree with \
             --study"
        )
    );
    assert_eq!(
        refused(of(&["rnn"])),
        format!(
            "{file}: there is no study `rnn`: there are `lstm`, `gru, tied`, `empty`, `both`, `up`"
        )
    );
    assert_eq!(
        refused(of(&["empty"])),
        format!("{file}: no trial in this file has ended")
    );
    let up = of(&["up"]).unwrap();
    assert_eq!(up.direction, Some(Direction::Maximize));
    let with_empty = of(&["gru, tied", "empty"]).unwrap();
    assert_eq!(with_empty.records.arms(), ["gru, tied"]);
    assert_eq!(with_empty.notices[1], "the study `empty` has no trials");
    // A setting may be what is compared.
    let by_layers = Reading {
        columns: ColumnNames {
            arm: Some("layers".into()),
            ..ColumnNames::default()
        },
        studies: vec!["lstm".into()],
        pruned: Some(Pruned::Fail),
        missing: Some(Missing::Fail),
        ..Reading::default()
    };
    let records = read(&path, Tool::Optuna, &by_layers).unwrap().records;
    assert!(
        records
            .arms()
            .iter()
            .all(|arm| ["1", "2", "3"].contains(&arm.as_str()))
    );
    assert_eq!(column(&records, "study"), [Some("lstm"); 7]);
}

/// Tests that reading a storage changes neither the database nor any file beside it.
#[test]
fn optuna_s_storage_is_only_read() {
    let (folder, path) = database("optuna_5_0.sql");
    let before = fs::read(&path).unwrap();
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch("BEGIN IMMEDIATE; DELETE FROM trial_values;")
        .unwrap();
    let options = Reading {
        studies: vec!["up".into()],
        ..Reading::default()
    };
    // What another has not committed is not there.
    let records = read(&path, Tool::Optuna, &options).unwrap().records;
    assert_eq!(records.by_arm(), [[1.0]]);
    writer.execute_batch("ROLLBACK").unwrap();
    drop(writer);
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn other_databases_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, tables: &[&str]| {
        let path = folder.path().join(name);
        let connection = Connection::open(&path).unwrap();
        for table in tables {
            connection
                .execute_batch(&format!("CREATE TABLE {table} (a)"))
                .unwrap();
        }
        drop(connection);
        let message = refused(read(&path, Tool::Optuna, &Reading::default()));
        message
            .rsplit_once(&format!("{name}: "))
            .expect("the name")
            .1
            .to_owned()
    };
    assert!(
        refused("old.db", &["studies", "trials", "trial_values"])
            .starts_with("Optuna before 2.4 wrote this storage: upgrade")
    );
    assert!(
        refused("ledger.db", &["entry"])
            .starts_with("this is the ledger of a study of fiesta: name its study file")
    );
    assert!(
        refused("mlflow.db", &["runs", "metrics"]).starts_with("this is MLflow's own database")
    );
    assert_eq!(
        refused("x.db", &["x"]),
        "this database has no studies of Optuna"
    );
    let text = folder.path().join("text.db");
    fs::write(
        &text,
        "no database at all, but long enough to look like one".repeat(40),
    )
    .unwrap();
    let message = read(&text, Tool::Optuna, &Reading::default())
        .unwrap_err()
        .to_string();
    assert!(message.contains("file is not a database"), "{message}");
    let memory = read_bytes(b"", Tool::Optuna, &Reading::default(), "standard input").unwrap_err();
    assert_eq!(
        memory.to_string(),
        "standard input: Optuna's storage is a database: name its file"
    );
}

/// Tests that a database with queries in its schema is refused before one runs: an endless one, or
/// one that fills the memory.
#[test]
fn views_and_virtual_tables_are_refused_before_they_run() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
    let view = |name: &str, query: &str| {
        format!("DROP TABLE {name}; CREATE VIEW {name} AS {endless} {query};")
    };
    for (name, sql) in [
        (
            "trials",
            view(
                "trials",
                "SELECT i AS trial_id, i AS number, 'COMPLETE' AS state, 1 AS study_id, NULL AS datetime_start, NULL AS datetime_complete FROM n",
            ),
        ),
        (
            "studies",
            view(
                "studies",
                "SELECT i AS study_id, 'a' || i AS study_name FROM n",
            ),
        ),
        (
            "trial_user_attributes",
            view(
                "trial_user_attributes",
                "SELECT 1 AS trial_id, i AS key, '1' AS value_json FROM n",
            ),
        ),
        (
            "trial_params",
            "DROP TABLE trial_params; CREATE VIRTUAL TABLE trial_params USING fts5(trial_id);"
                .to_owned(),
        ),
    ] {
        let (_folder, path) = database("optuna_5_0.sql");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}"))
            .unwrap();
        drop(connection);
        let error = refused(read(&path, Tool::Optuna, &Reading::default()));
        let words = format!("`{name}` is a view or a virtual table");
        assert!(error.contains(&words), "{error}");
    }
}
