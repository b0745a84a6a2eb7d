//! Tests of importing MLflow's tables: of its search, and of its page.

use super::{column, file, metric, refused, rows};
use fiesta_import::{Tool, read_bytes};
use fiesta_records::{ColumnNames, Missing, Reading};

#[test]
fn mlflow_s_search_runs() {
    let name = "mlflow_search_runs.csv";
    let options = Reading {
        columns: ColumnNames {
            arm: Some("mlflow.runName".into()),
            ..ColumnNames::default()
        },
        ..metric("val_acc")
    };
    let imported = file(name, Tool::Mlflow, &options).unwrap();
    let scores: Vec<_> = rows(&imported.records)
        .into_iter()
        .map(|(arm, score, _)| (arm, score))
        .collect();
    // The latest runs stand first, and the one that failed had a score.
    assert_eq!(
        scores,
        [
            ("gru-2", None),
            ("gru-1", Some(0.71)),
            ("gru-0", Some(0.7)),
            ("lstm-2", Some(0.72)),
            ("lstm-1", Some(0.71)),
            ("lstm-0", Some(0.7)),
        ]
    );
    assert_eq!(
        imported.notices,
        ["1 trial that has not ended is left out (the first is mlflow_search_runs.csv:2)"]
    );
    assert_eq!(imported.records.metric(), "metrics.val_acc");
    assert_eq!(column(&imported.records, "params.note"), [Some("=1+1"); 6]);
    assert_eq!(column(&imported.records, "params.seed")[1], Some("1"));
    assert_eq!(
        column(&imported.records, "mlflow.status")[0],
        Some("FAILED")
    );
    let durations = imported.records.rows().map(|row| row.duration.unwrap());
    assert!(
        durations
            .into_iter()
            .all(|seconds| seconds > 0.0 && seconds < 60.0)
    );

    let by_experiment = file(name, Tool::Mlflow, &metric("val_acc")).unwrap();
    assert_eq!(by_experiment.records.arms().len(), 2);
    assert_eq!(
        by_experiment.notices[0],
        "the arms are those of the column `experiment_id`"
    );

    let several = refused(file(name, Tool::Mlflow, &Reading::default()));
    assert!(
        several.ends_with("name one of `metrics.log_likelihood`, `metrics.val_acc` with --metric")
    );
    assert_eq!(
        refused(file(name, Tool::Mlflow, &metric("log_likelihood"))),
        "2 trials ended without a finite `metrics.log_likelihood` (the first is mlflow_search_runs.csv:4): say what they count as with \
         --failed (drop or worst)"
    );
    let missing = |missing| Reading {
        missing: Some(missing),
        ..metric("log_likelihood")
    };
    let dropped = file(name, Tool::Mlflow, &missing(Missing::Drop)).unwrap();
    assert_eq!(
        (
            dropped.records.records().len(),
            dropped.records.failures().len()
        ),
        (3, 1)
    );
    let failed = file(name, Tool::Mlflow, &missing(Missing::Fail)).unwrap();
    assert_eq!(
        (
            failed.records.records().len(),
            failed.records.failures().len()
        ),
        (3, 3)
    );
    assert_eq!(
        failed.notices[2],
        "2 trials without a finite `metrics.log_likelihood` are counted as failures (the first is mlflow_search_runs.csv:4)"
    );
    let unknown = refused(file(name, Tool::Mlflow, &metric("f1")));
    assert!(unknown.starts_with(
        "mlflow_search_runs.csv: there is no column `f1`, only `run_id`, `experiment_id`"
    ));
}

#[test]
fn mlflow_s_page() {
    let imported = file("mlflow_page.csv", Tool::Mlflow, &metric("val_ll")).unwrap();
    assert_eq!(
        rows(&imported.records),
        [
            ("mlflow_page", Some(-1.25), Some(90.0)),
            ("mlflow_page", None, Some(0.31)),
            ("mlflow_page", Some(-0.5), Some(7200.0)),
        ]
    );
    // The page put an apostrophe before it.
    assert_eq!(
        column(&imported.records, "optimizer"),
        [Some("adam"), Some("=sgd"), Some("a \"b\", c")]
    );
    assert_eq!(column(&imported.records, "Name")[0], Some("lstm-0"));
    assert_eq!(
        imported.notices,
        [
            "all trials are one arm, `mlflow_page`: a column of arms is chosen with --arm",
            "1 trial that has not ended is left out (the first is mlflow_page.csv:5)",
        ]
    );
    let several = refused(file("mlflow_page.csv", Tool::Mlflow, &Reading::default()));
    assert!(
        several.ends_with("name one of `lr`, `val_ll` with --metric"),
        "{several}"
    );
    let other = refused(read_bytes(
        b"a,b\n1,2\n",
        Tool::Mlflow,
        &Reading::default(),
        "s",
    ));
    assert!(other.starts_with(
        "s: there is no column `Status`, so this is not what mlflow writes: download"
    ));
}

#[test]
fn parents_of_runs_are_no_runs_beside_them() {
    let header =
        "run_id,experiment_id,status,metrics.val_acc,params.model,tags.mlflow.parentRunId\n";
    let runs =
        "p,0,FINISHED,.97,a,\nr1,0,FINISHED,.81,a,p\nr2,0,FINISHED,.8,a,p\nr3,0,FINISHED,.85,b,\n";
    let options = Reading {
        columns: ColumnNames {
            arm: Some("model".into()),
            ..ColumnNames::default()
        },
        ..metric("val_acc")
    };
    let read = |runs: &str| {
        let text = format!("{header}{runs}");
        read_bytes(text.as_bytes(), Tool::Mlflow, &options, "runs.csv").unwrap()
    };
    let found = read(runs);
    assert_eq!(found.records.by_arm(), [vec![0.81, 0.8], vec![0.85]]);
    assert_eq!(
        found.notices,
        [
            "1 trial that others name as their parent is left out: a parent summarises its runs (the first is runs.csv:2)"
        ]
    );
    // A parent whose runs have no such score is a run itself.
    let alone = runs.replace(",.81,", ",,").replace(",.8,", ",,");
    let drop = Reading {
        missing: Some(Missing::Drop),
        ..options.clone()
    };
    let text = format!("{header}{alone}");
    let found = read_bytes(text.as_bytes(), Tool::Mlflow, &drop, "runs.csv").unwrap();
    assert_eq!(found.records.by_arm(), [[0.97], [0.85]]);
}
