//! Results of other tools, exported by those tools (see fixtures/make.py), as records.

use fiesta_core::{Direction, records::Records};
use fiesta_report::import::{
    ImportError, Imported, Missing, Options, Pruned, Tool, read, read_bytes,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use rusqlite::Connection;
use std::{fs, path::PathBuf};
use tempfile::TempDir;

fn fixture(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    folder.join("tests/fixtures").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(fixture(name)).unwrap()
}

/// What is read from a fixture, which is called by its own name in messages.
fn file(name: &str, tool: Tool, options: &Options) -> Result<Imported, ImportError> {
    read_bytes(&bytes(name), tool, options, name)
}

/// A database of Optuna from its SQL.
fn database(sql: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("optuna.db");
    let connection = Connection::open(&path).unwrap();
    let sql = fs::read_to_string(fixture(sql)).unwrap();
    // The tables are in the order of their names.
    connection
        .execute_batch("PRAGMA foreign_keys = OFF")
        .unwrap();
    connection.execute_batch(&sql).unwrap();
    (folder, path)
}

fn metric(name: &str) -> Options {
    Options {
        metric: Some(name.to_owned()),
        ..Options::default()
    }
}

/// Every row: arm, score and duration.
fn rows(records: &Records) -> Vec<(&str, Option<f64>, Option<f64>)> {
    let row = |row: fiesta_core::records::Row<'_>| (row.arm.to_owned(), row.score, row.duration);
    let rows: Vec<_> = records.rows().map(row).collect();
    rows.into_iter()
        .map(|(arm, score, duration)| {
            let arm = records.arms().iter().find(|name| **name == arm).unwrap();
            (arm.as_str(), score, duration)
        })
        .collect()
}

/// What a column says of each row.
fn column<'a>(records: &'a Records, name: &str) -> Vec<Option<&'a str>> {
    let column = records.column(name).unwrap_or_else(|| panic!("no {name}"));
    let (mut record, mut failure) = (0, 0);
    let cell = |row: fiesta_core::records::Row<'_>| {
        if row.score.is_some() {
            record += 1;
            records.cell(record - 1, column)
        } else {
            failure += 1;
            records.failure_cell(failure - 1, column)
        }
    };
    records.rows().map(cell).collect()
}

fn refused(result: Result<Imported, ImportError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn allentune_s_lines() {
    let imported = file(
        "allentune.jsonl",
        Tool::AllenTune,
        &metric("best_validation_accuracy"),
    )
    .unwrap();
    let expected = [
        ("cnn", Some(0.4), Some(90.5)),
        ("cnn", Some(0.4625), Some(59.0)),
        ("lr", Some(0.525), Some(1.0)),
        ("lr", Some(0.5875), Some(86_402.0)),
    ];
    assert_eq!(rows(&imported.records), expected);
    assert_eq!(imported.records.metric(), "best_validation_accuracy");
    assert_eq!(imported.records.records()[2].line, 3);
    assert_eq!(
        column(&imported.records, "ENCODER.layers")[0],
        Some("[64,32]")
    );
    assert_eq!(column(&imported.records, "ENCODER.name")[0], Some("a/b"));
    assert_eq!(
        column(&imported.records, "best_validation_loss")[3],
        Some("1.3125")
    );
    assert_eq!(
        column(&imported.records, "training_duration")[0],
        Some("90.5")
    );
    assert_eq!(column(&imported.records, "numpy_seed"), [None; 4]);
    assert_eq!(imported.direction, None);
    assert_eq!(
        imported.notices,
        ["the arms are those of the column `model`"]
    );

    // Earlier versions left the duration as AllenNLP wrote it; half a name is enough.
    let earlier = file(
        "allentune_earlier.jsonl",
        Tool::AllenTune,
        &metric("accuracy"),
    )
    .unwrap();
    assert_eq!(rows(&earlier.records), expected);

    assert_eq!(
        refused(file(
            "allentune.jsonl",
            Tool::AllenTune,
            &Options::default()
        )),
        "allentune.jsonl: several columns could be the score: name one of `best_validation_accuracy`, `best_validation_loss` with --metric"
    );
    let other = refused(read_bytes(
        b"{\"a\": 1}",
        Tool::AllenTune,
        &Options::default(),
        "s",
    ));
    assert!(other.starts_with(
        "s: there is no column `training_duration`, so this is not what allentune writes"
    ));
}

#[test]
fn mlflow_s_search_runs() {
    let name = "mlflow_search_runs.csv";
    let options = Options {
        arm: Some("mlflow.runName".into()),
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

    let several = refused(file(name, Tool::Mlflow, &Options::default()));
    assert!(
        several.ends_with("name one of `metrics.log_likelihood`, `metrics.val_acc` with --metric")
    );
    assert_eq!(
        refused(file(name, Tool::Mlflow, &metric("log_likelihood"))),
        "2 trials ended without a finite `metrics.log_likelihood` (the first is mlflow_search_runs.csv:4): say with --missing what they \
         count as: `fail` or `drop`"
    );
    let missing = |missing| Options {
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
    let several = refused(file("mlflow_page.csv", Tool::Mlflow, &Options::default()));
    assert!(
        several.ends_with("name one of `lr`, `val_ll` with --metric"),
        "{several}"
    );
    let other = refused(read_bytes(
        b"a,b\n1,2\n",
        Tool::Mlflow,
        &Options::default(),
        "s",
    ));
    assert!(other.starts_with(
        "s: there is no column `Status`, so this is not what mlflow writes: download"
    ));
}

#[test]
fn the_table_of_weights_and_biases() {
    let name = "wandb_page.csv";
    let imported = file(name, Tool::Wandb, &metric("val_acc")).unwrap();
    assert_eq!(
        rows(&imported.records),
        [
            ("lstm", Some(0.71), Some(61.0)),
            ("lstm", None, Some(7.0)),
            ("gru", Some(0.69), Some(3600.0)),
            ("gru", None, Some(12.0)),
        ]
    );
    let columns = [
        "Name",
        "State",
        "Notes",
        "User",
        "Tags",
        "Created",
        "Runtime",
        "lr",
        "optimizer",
        "wandb.seed",
        "val_loss",
    ];
    assert_eq!(imported.records.columns(), columns);
    assert_eq!(column(&imported.records, "Tags")[2], Some("t1, t2"));
    assert_eq!(
        column(&imported.records, "State"),
        [
            Some("finished"),
            Some("crashed"),
            Some("finished"),
            Some("failed")
        ]
    );

    let by_optimizer = Options {
        arm: Some("optimizer".into()),
        ..metric("val_acc")
    };
    let imported = file(name, Tool::Wandb, &by_optimizer).unwrap();
    assert_eq!(imported.records.arms(), ["adam", "sgd"]);
    assert_eq!(column(&imported.records, "Sweep")[0], Some("lstm"));

    // A run outside of all sweeps would have no arm.
    let some = b"Name,State,Sweep,acc\na,finished,s,1\nb,finished,,0.5\n";
    let imported = read_bytes(some, Tool::Wandb, &metric("acc"), "dir/my runs.csv").unwrap();
    assert_eq!(imported.records.arms(), ["my runs"]);
    assert_eq!(column(&imported.records, "Sweep"), [Some("s"), None]);

    // NaN is no score.
    let nan = refused(file(name, Tool::Wandb, &metric("val_loss")));
    assert!(nan.starts_with("1 trial ended without a finite `val_loss` (the first is wandb_page.csv:4): say with --missing"));
    let text = refused(file(name, Tool::Wandb, &metric("optimizer")));
    assert_eq!(
        text,
        "wandb_page.csv:2: the score `adam` is not a number: write digits, with a decimal point if need be (1 further trial has a problem)"
    );
    let bounds = Options {
        bounds: Some((0.0, 0.7)),
        ..metric("val_acc")
    };
    assert!(refused(file(name, Tool::Wandb, &bounds)).starts_with("wandb_page.csv:2: "));
}

#[test]
fn what_is_wrong_with_a_run_is_told_with_its_line() {
    let wandb = |text: &str, metric: &str| {
        let options = self::metric(metric);
        refused(read_bytes(
            text.as_bytes(),
            Tool::Wandb,
            &options,
            "runs.csv",
        ))
    };
    assert_eq!(
        wandb("Name,State,acc\na,finished,1\nb,zombie,2\n", "acc"),
        "runs.csv:3: `zombie` is no state of a trial that wandb is known to have"
    );
    assert_eq!(
        wandb("Name,State,Runtime,acc\na,finished,soon,1\n", "acc"),
        "runs.csv:2: the Runtime `soon` is no duration: correct it, or remove the column"
    );
    assert_eq!(
        wandb("Name,State,acc\na,finished\n", "acc"),
        "runs.csv:2: the row has 2 fields and the header 3: put fields that contain a separator in quotes, and write numbers with a \
         decimal point"
    );
    assert_eq!(
        wandb("Name,State,acc\na,running,1\n", "acc"),
        "runs.csv: no trial in this file has ended"
    );
    assert!(
        wandb("Name,State,acc,acc\na,running,1,1\n", "acc")
            .starts_with("runs.csv:1: two columns are called `acc`")
    );
    assert!(
        wandb("Name,State\na,finished\n", "acc").contains("no column `acc`, only `Name`, `State`")
    );
    assert!(wandb("x,acc\na,1\n", "acc").contains("so this is not what wandb writes"));
    let seed = wandb("Name,State,seed\na,finished,1\n", "seed");
    assert!(seed.contains("no score can be called `seed`"), "{seed}");
    let nothing = read_bytes(
        b"Name,State\na,finished\n",
        Tool::Wandb,
        &Options::default(),
        "runs.csv",
    );
    assert!(
        refused(nothing)
            .contains("no column holds numbers that could be the score: there are `Name`, `State`")
    );
    let by_state = Options {
        arm: Some("Sweep".into()),
        ..metric("acc")
    };
    let unnamed = read_bytes(
        b"Name,Sweep,acc\na,s,1\nb,,1\n",
        Tool::Wandb,
        &by_state,
        "runs.csv",
    );
    assert!(refused(unnamed).starts_with("runs.csv:3: the name of the arm is empty"));
    let times = b"run_id,experiment_id,status,start_time,end_time,metrics.a\nr,0,FINISHED,noon,2026-11-21 10:00:00,1\n";
    let noon = refused(read_bytes(
        times,
        Tool::Mlflow,
        &Options::default(),
        "runs.csv",
    ));
    assert_eq!(
        noon,
        "runs.csv:2: the start_time `noon` is no date and time: correct it, or remove the column"
    );
}

#[test]
fn hostile_names_of_arms_are_names() {
    let hostile = [
        "<script>alert(1)</script>",
        "=cmd()",
        "\\input{x}",
        "\u{202e}rtl",
        "🦀",
    ];
    let runs = hostile.map(|name| format!("r,finished,{name},1\n"));
    let text = format!("Name,State,Sweep,acc\n{}", runs.concat());
    let imported = read_bytes(text.as_bytes(), Tool::Wandb, &metric("acc"), "s").unwrap();
    assert_eq!(imported.records.arms(), hostile);
    let lines = b"Name,Sweep,acc\nr,\"a\nb\",1\n";
    let broken = refused(read_bytes(lines, Tool::Wandb, &metric("acc"), "s"));
    assert!(
        broken.starts_with("s:2: the name `a\\nb` contains a line break"),
        "{broken}"
    );
}

/// The trials of the two studies in both storages, for the numbers of which see what their sampler drew.
fn both_studies(sql: &str, studies: &[&str]) {
    let (_folder, path) = database(sql);
    let options = |pruned, missing| Options {
        studies: studies.iter().map(ToString::to_string).collect(),
        pruned,
        missing,
        ..Options::default()
    };
    let read = |options: &Options| read(&path, Tool::Optuna, options);
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
            "1 trial ended without a finite `value` (the first is {file}: trial 4 of study `lstm`): say with --missing what they count \
             as: `fail` or `drop`"
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
    assert!((records.records()[0].score - expected).abs() < 1e-15);
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
        let options = Options {
            studies: studies.iter().map(ToString::to_string).collect(),
            pruned: Some(Pruned::Fail),
            missing: Some(Missing::Fail),
            ..Options::default()
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
    let by_layers = Options {
        arm: Some("layers".into()),
        studies: vec!["lstm".into()],
        pruned: Some(Pruned::Fail),
        missing: Some(Missing::Fail),
        ..Options::default()
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

/// Reading changes nothing, also not beside the database.
#[test]
fn optuna_s_storage_is_only_read() {
    let (folder, path) = database("optuna_5_0.sql");
    let before = fs::read(&path).unwrap();
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch("BEGIN IMMEDIATE; DELETE FROM trial_values;")
        .unwrap();
    let options = Options {
        studies: vec!["up".into()],
        ..Options::default()
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
        let message = refused(read(&path, Tool::Optuna, &Options::default()));
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
    let message = read(&text, Tool::Optuna, &Options::default())
        .unwrap_err()
        .to_string();
    assert!(message.contains("file is not a database"), "{message}");
    let memory = read_bytes(b"", Tool::Optuna, &Options::default(), "standard input").unwrap_err();
    assert_eq!(
        memory.to_string(),
        "standard input: Optuna's storage is a database: name its file"
    );
}

/// Text made of the pieces that exports are made of.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = [
        "Name,State,Runtime,Sweep,acc\n",
        "run_id,experiment_id,status,start_time,end_time,metrics.a\n",
        "Start Time,Duration,Run ID,Status,a\n",
        "{\"training_duration\": 1, \"best_validation_a\": 0.5, \"model\": \"m\"}",
        "r,finished,1,s,0.5\n",
        "r,0,FINISHED,2026-01-01 00:00:00,2026-01-01T00:00:01Z,1\n",
        "2026-01-01 00:00:00,1.5min,r,FINISHED,'-1\n",
        "running",
        "finished",
        "NaN",
        "-1e400",
        "1:02:03",
        ",",
        "\n",
        "\"",
        "'",
        "=",
        "é",
        "\u{7}",
        "0",
        "{",
        "}",
        ":",
        "[1,",
        "]",
        "null",
    ];
    vec(select(pieces.to_vec()), 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever is read is sound, and messages say which file and stay on one line.
    #[test]
    fn nothing_panics_and_nothing_is_lost(text in prop_oneof![pieces(), any::<String>()], metric in option::of(select(vec!["acc", "a", "Name"]))) {
        for tool in Tool::ALL {
            let options = Options {
                metric: metric.map(ToOwned::to_owned),
                pruned: Some(Pruned::Score),
                missing: Some(Missing::Fail),
                ..Options::default()
            };
            match read_bytes(text.as_bytes(), tool, &options, "s") {
                Ok(imported) => {
                    prop_assert!(imported.records.rows().count() > 0);
                    prop_assert!(imported.records.records().iter().all(|record| record.score.is_finite()));
                    let times = imported.records.rows().filter_map(|row| row.duration);
                    prop_assert!(times.into_iter().all(|seconds| seconds >= 0.0));
                }
                Err(error) => {
                    let message = error.to_string();
                    prop_assert!(!message.contains(['\n', '\r']), "{message}");
                }
            }
        }
    }
}

#[test]
fn tools_are_recognised_by_what_they_write() {
    for (name, tool) in [
        ("allentune.jsonl", Tool::AllenTune),
        ("mlflow_search_runs.csv", Tool::Mlflow),
        ("mlflow_page.csv", Tool::Mlflow),
        ("wandb_page.csv", Tool::Wandb),
    ] {
        assert_eq!(Tool::recognise(&bytes(name)), Some(tool), "{name}");
    }
    let (_folder, path) = database("optuna_5_0.sql");
    assert_eq!(
        Tool::recognise(&fs::read(path).unwrap()),
        Some(Tool::Optuna)
    );
    for scores in [
        "",
        "arm,score\na,1\n",
        "arm,Name,State,Runtime,score\na,b,finished,1,1\n",
        "lstm,gru\n1,2\n",
        "{\"arm\": \"a\", \"score\": 1, \"training_duration\": 1, \"best_validation_f1\": 2}",
        "{\"a\": [1]}",
    ] {
        assert_eq!(Tool::recognise(scores.as_bytes()), None, "{scores}");
    }
}
