//! The JSON schema of study files and the reference page, with the keys of Slurm and Ray: the files
//! in `docs` are those of the types.
//!
//! `FIESTA_BLESS=1 cargo test -p fiesta-engines --all-features --test schema` writes them anew. Keys
//! may be added; none is renamed or removed.

#[path = "../../tests/schema/mod.rs"]
mod schema;

use fiesta_engines::{KINDS, schemas};
use fiesta_runner::{executor::EngineKind, reference};
use schema::{is_written_down, text_is_written_down};
use std::collections::BTreeSet;

#[test]
fn of_a_study() {
    is_written_down("study", &reference::study_schema(&schemas()));
}

#[test]
fn the_reference_page() {
    text_is_written_down("reference.md", &reference::page(&schemas()));
}

/// Tests that the page says what a change of each key does, and of no other key.
#[test]
fn every_key_of_an_engine_has_a_row() {
    let page = reference::page(&schemas());
    let rows = page.lines().filter_map(|line| {
        let key = line.strip_prefix("| `executor.")?.split('`').next()?;
        (!["kind", "gpus", "watch_gpus"].contains(&key)).then_some(key)
    });
    let keys = KINDS.iter().flat_map(EngineKind::keys).copied();
    assert_eq!(rows.collect::<BTreeSet<_>>(), keys.collect::<BTreeSet<_>>());
}

/// Tests that each kind of engine names the fields of the table that it reads.
#[test]
fn the_keys_of_a_kind_are_those_of_its_schema() {
    for (kind, schema) in KINDS.iter().zip(schemas()) {
        let fields = schema.get("properties").and_then(|keys| keys.as_object());
        let fields: Vec<&String> = fields.unwrap().keys().collect();
        assert_eq!(fields, kind.keys(), "{}", kind.kind());
    }
}
