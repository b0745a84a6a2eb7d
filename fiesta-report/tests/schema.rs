//! JSON schemas of the analyses: the files in `docs/schema` are those of the types.
//!
//! `FIESTA_BLESS=1 cargo test -p fiesta-report --all-features --test schema` writes them anew. Keys
//! may be added; none is renamed or removed.

use fiesta_report::analysis::{
    belief::BeliefReport, curve::CurveReport, plan::PlanReport, simulation::SimulationReport,
};
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
fn of_beliefs() {
    is_written_down("belief", &schema_for!(BeliefReport));
}

#[test]
fn of_curves() {
    is_written_down("curve", &schema_for!(CurveReport));
}

#[test]
fn of_simulations() {
    is_written_down("simulate", &schema_for!(SimulationReport));
}

#[test]
fn of_plans() {
    is_written_down("plan", &schema_for!(PlanReport));
}
