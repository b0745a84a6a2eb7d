//! JSON schemas of the analyses: the files in `docs/schema` are those of the types.
//!
//! `FIESTA_BLESS=1 cargo test -p fiesta-report --all-features --test schema` writes them anew. Keys
//! may be added; none is renamed or removed.

#[path = "../../tests/schema/mod.rs"]
mod schema;

use fiesta_report::analysis::{
    belief::BeliefReport,
    compare::{ComparisonReport, PairsReport},
    curve::CurveReport,
    gate::GateReport,
    plan::PlanReport,
    pool::PoolPlanReport,
    simulation::SimulationReport,
};
use schema::is_written_down;
use schemars::schema_for;

#[test]
fn of_beliefs() {
    is_written_down("belief", &schema_for!(BeliefReport));
}

#[test]
fn of_comparisons() {
    is_written_down("compare", &schema_for!(ComparisonReport));
}

#[test]
fn of_comparisons_of_pairs() {
    is_written_down("compare-pairs", &schema_for!(PairsReport));
}

#[test]
fn of_curves() {
    is_written_down("curve", &schema_for!(CurveReport));
}

#[test]
fn of_gates() {
    is_written_down("gate", &schema_for!(GateReport));
}

#[test]
fn of_simulations() {
    is_written_down("simulate", &schema_for!(SimulationReport));
}

#[test]
fn of_plans() {
    is_written_down("plan", &schema_for!(PlanReport));
}

#[test]
fn of_plans_for_pools() {
    is_written_down("plan-pool", &schema_for!(PoolPlanReport));
}
