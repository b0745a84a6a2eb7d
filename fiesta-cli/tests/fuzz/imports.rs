//! Fuzzing of other tools' results, and of items: files that strangers wrote.

use super::{fuzz, fuzz_unread, results::fast};
use fiesta::runner::init::draft;
use fiesta::{
    import::{ImportError, Imported, Tool, read, read_bytes, read_results_from},
    records::{Missing, Pruned, Reading},
};
use rusqlite::Connection;
use std::{
    fs,
    io::{Cursor, Write},
};
use zip::{ZipWriter, write::SimpleFileOptions};

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../fiesta-import/tests/fixtures/", $name)) as &[u8]
    };
}

pub(super) const WORDS: [&str; 16] = [
    "\"score\"",
    "\"value\": NaN",
    "Infinity",
    "\"scores\": {}",
    "\"epoch\": 2",
    "\"model_usage\"",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":",
    "\\ud800",
    "\"doc_id\": 1",
    "\"doc_id\": 99999999999999999999",
    "FINISHED",
    "failed",
    "params_lr",
    "2026-11-25T99:00:00",
    "\"\n\"",
];

pub(super) fn options(metric: Option<&str>) -> Reading {
    Reading {
        metric: metric.map(ToOwned::to_owned),
        pruned: Some(Pruned::Fail),
        missing: Some(Missing::Drop),
        ..Reading::default()
    }
}

fn texts(tool: Tool, metric: Option<&str>, inputs: &[&[u8]]) {
    let options = options(metric);
    for input in inputs {
        read_bytes(input, tool, &options, "whole").unwrap();
    }
    fuzz(tool.name(), inputs, &WORDS, |input| {
        is_read(read_bytes(input, tool, &options, "fuzz"))
    });
}

/// Checks what was read, or the error, and returns whether anything was read.
pub(super) fn is_read(read: Result<Imported, ImportError>) -> bool {
    match read {
        Ok(found) => {
            let mut records = found.records.records().iter();
            assert!(records.all(|record| record.score.is_finite()));
            true
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.len() < 40_000 && !text.contains('\u{1b}'), "{text:?}");
            false
        }
    }
}

#[test]
fn tables_of_trials() {
    let earlier = fixture!("allentune_earlier.jsonl");
    let inputs = [fixture!("allentune.jsonl"), earlier];
    texts(Tool::AllenTune, Some("best_validation_accuracy"), &inputs);
    texts(Tool::Mlflow, Some("metrics.acc"), &[MLFLOW.as_bytes()]);
    let page = fixture!("wandb_page.csv");
    texts(Tool::Wandb, Some("acc"), &[WANDB.as_bytes()]);
    texts(Tool::Wandb, Some("val_acc"), &[page]);
    texts(Tool::Sklearn, None, &[SKLEARN.as_bytes()]);
}

const MLFLOW: &str = "run_id,experiment_id,status,start_time,end_time,metrics.acc,params.lr\nr1,0,FINISHED,2026-11-23 01:00:00+00:00,2026-11-23 01:01:00+00:00,0.5,0.1\nr2,0,FAILED,2026-11-23 01:00:00+00:00,,,0.2\n";
const WANDB: &str = "Name,State,Runtime,Sweep,lr,acc\nr1,finished,61,a,0.1,0.71\nr2,crashed,7,b,0.5,\nr3,running,9,b,0.3,\n";
const SKLEARN: &str = "mean_fit_time,param_C,params,split0_test_score,split1_test_score,mean_test_score,std_test_score,rank_test_score\n0.1,1,{'C': 1},0.5,0.6,0.55,0.05,2\n0.1,10,{'C': 10},0.7,0.6,0.65,0.05,1\n";

#[test]
fn logs_of_answers() {
    let samples = b"{\"doc_id\": 0, \"doc\": {\"q\": \"a\"}, \"target\": \"1\", \"filter\": \"none\", \"acc\": 1.0, \"doc_hash\": \"x\"}\n{\"doc_id\": 1, \"doc\": {}, \"target\": \"1\", \"filter\": \"none\", \"acc\": 0.0, \"doc_hash\": \"y\"}\n" as &[u8];
    texts(Tool::LmEval, Some("acc"), &[samples]);
    let log = fixture!("logs/inspect/epochs.json");
    texts(Tool::Inspect, Some("match"), &[log, LOG.as_bytes()]);
    let repeated = fixture!("logs/promptfoo/repeated.json");
    texts(Tool::Promptfoo, None, &[repeated]);
}

const HEADER: &str = "{\"version\": 2, \"status\": \"success\", \"eval\": {\"task\": \"t\", \"model\": \"m/a\"}, \"plan\": {\"steps\": [{\"solver\": \"s\"}]}}";
const SUMMARIES: &str = "[{\"id\": 1, \"epoch\": 1, \"target\": \"a\", \"scores\": {\"match\": {\"value\": \"C\"}}, \"model_usage\": {\"m\": {\"input_tokens\": 3, \"output_tokens\": 1}}, \"total_time\": 0.5}, {\"id\": \"b\", \"epoch\": 1, \"target\": \"b\", \"scores\": {\"match\": {\"value\": 0.5}}}]";
const LOG: &str = "{\"version\": 2, \"status\": \"success\", \"eval\": {\"task\": \"t\", \"model\": \"m/a\"}, \"samples\": [{\"id\": 1, \"epoch\": 1, \"target\": \"a\", \"scores\": {\"match\": {\"value\": \"C\"}}}, {\"id\": 2, \"epoch\": 1, \"target\": \"b\", \"scores\": {\"match\": {\"value\": \"I\"}}}]}";

/// Returns a ZIP archive with these members.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        let options = SimpleFileOptions::default();
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn archives() {
    let options = options(Some("match"));
    let read = |bytes: &[u8]| read_bytes(bytes, Tool::Inspect, &options, "fuzz").is_ok();
    let whole = archive(&[
        ("header.json", HEADER.as_bytes()),
        ("summaries.json", SUMMARIES.as_bytes()),
    ]);
    assert!(read(&whole));
    fuzz_unread("archives, their bytes", &[&whole], &WORDS, read);
    let inputs = [SUMMARIES, HEADER].map(str::as_bytes);
    fuzz("archives, their members", &inputs, &WORDS, |input| {
        let is_header = input.starts_with(b"{");
        let (header, summaries) = if is_header {
            (input, SUMMARIES.as_bytes())
        } else {
            (HEADER.as_bytes(), input)
        };
        read(&archive(&[
            ("header.json", header),
            ("summaries.json", summaries),
        ]))
    });
}

#[test]
fn parquet() {
    macro_rules! fixture {
        ($name:literal) => {
            include_bytes!(concat!(
                "../../../fiesta-parquet/tests/fixtures/",
                $name,
                ".parquet"
            )) as &[u8]
        };
    }
    let inputs = [
        fixture!("long"),
        fixture!("long_zstd"),
        fixture!("long_gzip"),
        fixture!("items"),
        fixture!("samples_sums_2026-11-27"),
    ];
    fuzz_unread("parquet", &inputs, &WORDS, |input| {
        let read = read_results_from(input, &options(None), "fuzz");
        let message = read.as_ref().err().map(ToString::to_string);
        assert!(message.is_none_or(|text| text.len() < 40_000));
        read.is_ok()
    });
}

#[test]
fn databases() {
    let place = tempfile::tempdir_in(fast()).unwrap();
    let path = place.path().join("optuna.db");
    let connection = Connection::open(&path).unwrap();
    // Small pages, lest the end of the file be cut off.
    connection
        .execute_batch("PRAGMA page_size = 512; PRAGMA foreign_keys = OFF; VACUUM;")
        .unwrap();
    let sql = String::from_utf8(fixture!("optuna_5_0.sql").to_vec()).unwrap();
    connection.execute_batch(&sql).unwrap();
    connection.execute_batch("VACUUM").unwrap();
    drop(connection);
    let whole = fs::read(&path).unwrap();
    let options = Reading {
        studies: ["lstm", "gru, tied"].map(str::to_owned).to_vec(),
        ..options(None)
    };
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        read(&path, Tool::Optuna, &options).map(drop)
    };
    read(&whole).unwrap();
    let read = |bytes: &[u8]| read(bytes).is_ok();
    fuzz_unread("databases", &[&whole], &WORDS, read);
}

#[test]
fn scripts() {
    const PYTHON: &str = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--model', choices=['a', 'b'], default='a')\np.add_argument('--seed', type=int)\np.add_argument('--fold', type=int, choices=range(5))\nargs = p.parse_args()\nprint(f'accuracy: {0.5:.3f}')\n";
    const CLICK: &str = "import click\n@click.command()\n@click.option('--model', type=click.Choice(['a', 'b']))\n@click.option('--seed', default=0)\ndef main(model, seed):\n    print(json.dumps({'f1': 0.5}))\n";
    let place = tempfile::tempdir_in(fast()).unwrap();
    let path = place.path().join("train.py");
    let words = ["train.py".to_owned()];
    fs::write(&path, PYTHON).unwrap();
    let whole = draft(&words, place.path(), &mut |_| false).unwrap();
    if whole.arms.is_empty() {
        return crate::skipped::skipped("no Python reads the scripts");
    }
    fuzz(
        "scripts",
        &[PYTHON.as_bytes(), CLICK.as_bytes()],
        &[
            "(",
            "[",
            "'''",
            "\"\"\"",
            "#",
            "f'{",
            "choices=[",
            "\\\n",
            "lambda",
            "**",
        ],
        |input| {
            fs::write(&path, input).unwrap();
            let Ok(draft) = draft(&words, place.path(), &mut |_| false) else {
                return false;
            };
            let text = draft.text();
            let odd = text.chars().find(|&c| c != '\n' && fiesta::is_hidden(c));
            assert_eq!(odd, None, "{text:?}");
            !draft.arms.is_empty()
        },
    );
}
