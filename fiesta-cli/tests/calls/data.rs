//! Inputs of the recorded calls: small files, other tools' results, and studies with their ledgers.

use crate::support::Bench;
use rusqlite::Connection;
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Copies all small input files to a bench.
pub(crate) fn copy(bench: &Bench) {
    copy_files(&directory("tests/calls/data"), bench);
}

fn copy_files(from: &Path, bench: &Bench) {
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            let to = bench.path(file.file_name().to_str().unwrap());
            fs::copy(file.path(), to).unwrap();
        }
    }
}

/// Copies a directory with its content.
fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let to = to.join(file.file_name());
        if file.file_type().unwrap().is_dir() {
            copy_tree(&file.path(), &to);
        } else {
            fs::copy(file.path(), to).unwrap();
        }
    }
}

/// Copies other tools' results into a test's directory. An Optuna storage is made from SQL statements.
pub(crate) fn copy_foreign(bench: &Bench) {
    let fixtures = directory("../fiesta-import/tests/fixtures");
    copy_files(&fixtures, bench);
    copy_tree(&fixtures.join("logs"), &bench.path("logs"));
    for name in ["optuna_2_10", "optuna_5_0"] {
        let statements = fs::read_to_string(fixtures.join(format!("{name}.sql"))).unwrap();
        let storage = Connection::open(bench.path(&format!("{name}.db"))).unwrap();
        // The tables are in the order of their names.
        storage.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        storage.execute_batch(&statements).unwrap();
    }
}

/// Returns a bench with a study whose ledger an earlier version of the program wrote.
pub(crate) fn with_ledger(study: &str) -> Bench {
    let bench = Bench::new();
    let from = directory("tests/calls/data/ledgers").join(study);
    copy_files(&from, &bench);
    copy_private(&from.join("state"), &bench.path("study.fiesta"));
    bench
}

/// Copies a directory with permissions for its owner alone, as the program requires.
fn copy_private(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    fs::set_permissions(to, Permissions::from_mode(0o700)).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let to = to.join(file.file_name());
        if file.file_type().unwrap().is_dir() {
            copy_private(&file.path(), &to);
        } else {
            fs::copy(file.path(), &to).unwrap();
            fs::set_permissions(&to, Permissions::from_mode(0o600)).unwrap();
        }
    }
}
