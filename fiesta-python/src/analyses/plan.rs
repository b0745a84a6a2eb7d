//! Analysis `plan`: how many evaluations a study will need.

use super::named;
use crate::{
    error::refused,
    interruptible::interruptible,
    records::{Asked, Records},
    report::Report,
};
use fiesta_core::{Design, Direction};
use fiesta_report::analysis::{
    AnalysisError,
    plan::{AnyPlan, PlanOptions, SupposedArms},
    pool::SupposedPool,
};
use pyo3::prelude::*;
use std::time::Duration;

/// Plans a study from pilot scores, from supposed moments, or for a pool of items.
#[pyfunction]
#[pyo3(signature = (
    records = None, *, gaussian = Vec::new(), pool = None, split_sd = None, direction = None, bounds = None, pool_size = None,
    splits = None, confidence = None, tolerance = None, power = 0.8, parallel = 1, cost_per_evaluation = None, runs = 500, seed = 0, cap = None
))]
pub(super) fn plan(
    py: Python<'_>,
    records: Option<&Records>,
    gaussian: Vec<(f64, f64)>,
    pool: Option<(usize, usize, usize, f64, f64)>,
    split_sd: Option<f64>,
    direction: Option<&str>,
    bounds: Option<(f64, f64)>,
    pool_size: Option<u64>,
    splits: Option<&str>,
    confidence: Option<Vec<f64>>,
    tolerance: Option<f64>,
    power: f64,
    parallel: u32,
    cost_per_evaluation: Option<f64>,
    runs: u64,
    seed: u64,
    cap: Option<u64>,
) -> PyResult<Report> {
    let cost_per_evaluation = cost_per_evaluation
        .map(Duration::try_from_secs_f64)
        .transpose()
        .map_err(|_| refused("--cost-per-evaluation is a time in seconds, 0 or more"))?;
    let mut options = PlanOptions {
        confidence: confidence.unwrap_or_else(|| vec![0.95]),
        power,
        parallel,
        cost_per_evaluation,
        runs,
        seed,
        cap,
        design: None,
        pool_size,
        tolerance,
    };
    let shown = |plan: Result<AnyPlan, AnalysisError>| match plan.map_err(refused)? {
        AnyPlan::Pool(report) => Ok(Report::new(report)),
        AnyPlan::Arms(report) => Ok(Report::new(report)),
    };
    if let Some((arms, items, gap_items, correlation, spread)) = pool {
        let supposed = SupposedPool {
            arms,
            items,
            gap_items,
            correlation,
            spread,
        };
        return interruptible(py, || shown(options.of_pool(supposed)));
    }
    options.design = splits.map(|name| named::<Design>(Some(name))).transpose()?;
    let Some(records) = records else {
        let direction = direction.map_or(Ok(Direction::Maximize), |asked| {
            asked.parse().map_err(refused)
        })?;
        let (split_sd, design) = (split_sd.unwrap_or(0.0), options.design.unwrap_or_default());
        return interruptible(py, || {
            let supposed = SupposedArms::gaussian(&gaussian, split_sd, design, direction);
            shown(supposed.and_then(|supposed| options.of_arms(&supposed)))
        });
    };
    let asked = Asked {
        arms: &[],
        direction,
        pool_size: None,
        bounds,
    };
    records.with_scores(py, &asked, |scores, _| shown(options.of_pilot(&scores)))
}
