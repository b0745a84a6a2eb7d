//! Tests that the JSON schemas in `docs` match the types of status, log and check.
//!
//! `FIESTA_BLESS=1 cargo test -p fiesta-runner --all-features --test schema` writes them anew. Keys
//! may be added; none is renamed or removed.

#[path = "../../tests/schema/mod.rs"]
mod schema;

use fiesta_runner::status::{CheckReport, Status, log::EvaluationLog};
use schema::is_written_down;
use schemars::schema_for;

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
