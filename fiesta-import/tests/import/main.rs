//! Tests of importing results of other tools, which those tools exported (fixtures/make.py, fixtures/logs).

use fiesta_import::{ImportError, Imported, Tool, read_bytes, read_files};
use fiesta_records::Evaluations;
use fiesta_records::Reading;
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

/// Reads a fixture, which messages call by its own name.
fn file(name: &str, tool: Tool, options: &Reading) -> Result<Imported, ImportError> {
    read_bytes(&bytes(name), tool, options, name)
}

/// Makes a database of Optuna or MLflow from its SQL statements.
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

fn metric(name: &str) -> Reading {
    Reading {
        metric: Some(name.to_owned()),
        ..Reading::default()
    }
}

/// Returns arm, score and duration of every row.
fn rows(records: &Evaluations) -> Vec<(&str, Option<f64>, Option<f64>)> {
    let row = |row: fiesta_records::Row<'_>| (row.arm.to_owned(), row.score, row.duration);
    let rows: Vec<_> = records.rows().map(row).collect();
    rows.into_iter()
        .map(|(arm, score, duration)| {
            let arm = records.arms().iter().find(|name| **name == arm).unwrap();
            (arm.as_str(), score, duration)
        })
        .collect()
}

/// Returns the cells of a column, row by row.
fn column<'a>(records: &'a Evaluations, name: &str) -> Vec<Option<&'a str>> {
    let column = records.column(name).unwrap_or_else(|| panic!("no {name}"));
    let (mut record, mut failure) = (0, 0);
    let cell = |row: fiesta_records::Row<'_>| {
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

/// Returns arm, item, seed and score of every answer.
fn answers(records: &Evaluations) -> Vec<(String, String, Option<u64>, Option<f64>)> {
    let answer = |row: fiesta_records::Row<'_>| {
        let item = row.item.expect("it is of an item").to_owned();
        (row.arm.to_owned(), item, row.seed, row.score)
    };
    records.rows().map(answer).collect()
}

/// Reads logs in the folder of fixtures.
fn logs(names: &[&str], tool: Tool, options: &Reading) -> Result<Imported, ImportError> {
    let paths: Vec<PathBuf> = names
        .iter()
        .map(|name| fixture("logs").join(name))
        .collect();
    read_files(&paths, tool, options)
}

fn refused(result: Result<Imported, ImportError>) -> String {
    result.unwrap_err().to_string()
}

mod allentune;
mod alpaca_eval;
mod anything;
mod deepeval;
mod evalplus;
mod files;
mod helm;
mod inspect;
mod lm_eval;
mod lm_eval_results;
mod metadata;
mod mlflow;
mod mlflow_store;
mod openai_evals;
mod optuna;
mod optuna_csv;
mod promptfoo;
mod ray;
mod sklearn;
mod speed;
mod swe_bench;
mod wandb;
mod wrong;
