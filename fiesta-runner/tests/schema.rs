//! JSON schemas of status, log and check: the files in `docs/schema` are those of the types.
//!
//! `FIESTA_BLESS=1 cargo test -p fiesta-runner --all-features --test schema` writes them anew. Keys
//! may be added; none is renamed or removed.

use fiesta_runner::status::{CheckReport, Status, log::EvaluationLog};
use schemars::{Schema, schema_for};
use std::{fs, path::Path};

#[track_caller]
fn is_written_down(name: &str, schema: &Schema) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
    let file = directory.join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var_os("FIESTA_BLESS").is_some() {
        fs::create_dir_all(&directory).unwrap();
        fs::write(&file, &text).unwrap();
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        known == text,
        "{} is not the schema of today",
        file.display()
    );
}

#[test]
fn of_a_status() {
    is_written_down("status", &schema_for!(Status));
}

#[test]
fn of_a_log() {
    is_written_down("log", &schema_for!(EvaluationLog));
}

#[test]
fn of_a_check() {
    is_written_down("check", &schema_for!(CheckReport));
}
