//! Tests of importing MLflow's directory and its database, which hold the same runs.

use super::{column, database, fixture, metric, refused, rows};
use fiesta_import::{Imported, Tool, read, read_results, recognise_file};
use fiesta_records::{ColumnNames, Missing, Reading};
use rusqlite::Connection;
use std::{fs, path::Path};

/// Returns arms and scores, without durations, which differ from store to store.
fn scores(found: &Imported) -> Vec<(&str, Option<f64>)> {
    let rows = rows(&found.records).into_iter();
    rows.map(|(arm, score, _)| (arm, score)).collect()
}

fn of_store(path: &Path) {
    let found = read_results(&[path], &metric("val/acc")).unwrap();
    assert_eq!(found.tool, Some(Tool::Mlflow));
    assert_eq!(found.records.metric(), "metrics.val/acc");
    // The last value counts, and a failed run has none.
    let expected = [
        ("lstm: big", Some(0.7)),
        ("lstm: big", Some(0.75)),
        ("gru", None),
        ("gru", Some(0.72)),
    ];
    assert_eq!(scores(&found), expected);
    assert_eq!(found.direction, None);
    assert_eq!(column(&found.records, "params.lr"), [Some("0.1"); 4]);
    let names = column(&found.records, "tags.mlflow.runName");
    assert_eq!(names, [Some("a"), Some("b"), Some("c"), Some("d")]);
    let durations = found.records.rows().map(|row| row.duration.unwrap());
    assert!(
        durations
            .into_iter()
            .all(|seconds| seconds > 0.0 && seconds < 60.0)
    );
    assert_eq!(
        found.notices[..2],
        [
            "the arms are those of the column `experiment`",
            "2 deleted runs are left out",
        ]
    );
    assert!(found.notices[2].starts_with("1 trial that has not ended is left out (the first is "));
    assert!(found.notices[2].ends_with("of experiment `gru`)"));

    // NaN is no score.
    let nan = refused(read_results(&[path], &metric("loss")));
    assert!(
        nan.starts_with("1 trial ended without a finite `metrics.loss` (the first is "),
        "{nan}"
    );
    let by_name = Reading {
        columns: ColumnNames {
            arm: Some("mlflow.runName".into()),
            ..ColumnNames::default()
        },
        missing: Some(Missing::Drop),
        ..metric("loss")
    };
    let found = read(path, Tool::Mlflow, &by_name).unwrap();
    assert_eq!(
        scores(&found),
        [("b", Some(-1.5)), ("c", None), ("d", Some(-1.5))]
    );
    let several = refused(read(path, Tool::Mlflow, &Reading::default()));
    assert!(several.ends_with("name one of `metrics.loss`, `metrics.val/acc` with --metric"));
}

#[test]
fn the_directory_of_mlflow() {
    of_store(&fixture("mlruns"));
}

#[test]
fn the_database_of_mlflow() {
    let (_folder, path) = database("mlflow_3_17.sql");
    assert_eq!(recognise_file(&path).unwrap(), Some(Tool::Mlflow));
    let before = fs::read(&path).unwrap();
    of_store(&path);
    assert_eq!(fs::read(&path).unwrap(), before);
    let other = refused(read(&path, Tool::Optuna, &Reading::default()));
    assert!(other.ends_with("this is MLflow's own database: read it with --from mlflow"));
}

#[test]
fn one_experiment_and_the_directory_around_all() {
    let whole = fixture("mlruns");
    let mut folders = fs::read_dir(&whole)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let gru = folders.find(|folder| {
        let meta = fs::read_to_string(folder.join("meta.yaml"));
        meta.is_ok_and(|meta| meta.contains("name: gru"))
    });
    let one = read_results(&[gru.unwrap()], &metric("val/acc")).unwrap();
    assert_eq!(scores(&one), [("gru", None), ("gru", Some(0.72))]);
    assert_eq!(one.notices[1], "1 deleted run is left out");
    let none = tempfile::tempdir().unwrap();
    let error = refused(read(none.path(), Tool::Mlflow, &Reading::default()));
    assert!(error.contains("no folder in this directory has the meta.yaml of an experiment"));
}

/// Makes a directory `mlruns` with one experiment and one run. `acc` is the content of its metric's file.
fn made(name: &str, acc: &str, stage: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("mlruns/7/r1");
    fs::create_dir_all(run.join("metrics")).unwrap();
    let meta = format!(
        "artifact_location: a\nexperiment_id: '7'\nlifecycle_stage: active\nname: {name}\n"
    );
    fs::write(folder.path().join("mlruns/7/meta.yaml"), meta).unwrap();
    let meta =
        format!("end_time: null\nlifecycle_stage: {stage}\nrun_id: r1\nstart_time: 5\nstatus: 3\n");
    fs::write(run.join("meta.yaml"), meta).unwrap();
    fs::write(run.join("metrics/acc"), acc).unwrap();
    folder
}

#[test]
fn files_of_mlflow_are_read_as_mlflow_reads_them() {
    let read = |folder: &tempfile::TempDir| read_results(&[folder.path()], &Reading::default());
    // The highest step is the last, wherever it stands; newer lines name a data set.
    let folder = made(
        "'it''s: a\n  long name'",
        "1 0.5 2 d e\n3 0.75 2\n2 0.25 1\n",
        "active",
    );
    let found = read(&folder).unwrap();
    assert_eq!(scores(&found), [("it's: a long name", Some(0.75))]);
    assert_eq!(rows(&found.records)[0].2, None);
    let quoted = made("\"tab\\u00e9\"", "1 0.5\n", "active");
    assert_eq!(read(&quoted).unwrap().records.arms(), ["tabé"]);
    let wrong = refused(read(&made("a", "1 0.5 0\n1 high 1\n", "active")));
    assert!(
        wrong.contains(
            "acc:2: `1 high 1` is no value of a metric, which is a line `timestamp value step`"
        ),
        "{wrong}"
    );
    let deleted = refused(read(&made("a", "1 0.5 0\n", "deleted")));
    assert!(deleted.ends_with(
        "1 run here is deleted: restore what is to be read with `mlflow runs restore --run-id ID`"
    ));
}

#[test]
fn databases_that_are_not_mlflow_s_or_run_something_are_refused() {
    let (_folder, path) = database("mlflow_3_17.sql");
    let connection = Connection::open(&path).unwrap();
    let endless = "DROP TABLE tags; CREATE VIEW tags AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS key, i AS value, i AS run_uuid FROM n;";
    connection.execute_batch(endless).unwrap();
    drop(connection);
    let error = refused(read(&path, Tool::Mlflow, &Reading::default()));
    assert!(
        error.contains("`tags` is a view or a virtual table"),
        "{error}"
    );
    assert!(error.contains("that MLflow writes"), "{error}");
    let (_folder, path) = database("optuna_5_0.sql");
    let error = refused(read(&path, Tool::Mlflow, &Reading::default()));
    assert!(error.contains("no table `experiments`"), "{error}");
}
