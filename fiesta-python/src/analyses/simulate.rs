//! Analysis `simulate`: a policy, many times, on recorded scores or Gaussian arms.

use super::named;
use crate::{
    error::refused,
    interruptible::interruptible,
    records::{Asked, Records},
    report::Report,
};
use fiesta_core::Design;
use fiesta_policies::{
    TieBreakName,
    simulate::Durations,
    stopping::{self, Distance},
};
use fiesta_posterior as posterior;
use fiesta_report::analysis::simulation::{self, Goals, SimulationOptions};
use pyo3::prelude::*;

/// Simulates runs of a policy on recorded scores, or on Gaussian arms if there are no records.
#[pyfunction]
#[pyo3(signature = (
    records = None, *, gaussian = Vec::new(), arms = Vec::new(), direction = None, bounds = None, policy = None, posterior = None,
    stopping = None, tolerance = None, tie = None, strict = false, rare_failures = None, splits = None, confidence = Vec::new(),
    shortfall = Vec::new(), budget = Vec::new(), parallel = 1, durations = None, cap = None, beta = None, tie_break = None, extended = false,
    runs = 2000, seed = 0
))]
pub(super) fn simulate(
    py: Python<'_>,
    records: Option<&Records>,
    gaussian: Vec<(f64, f64)>,
    arms: Vec<String>,
    direction: Option<&str>,
    bounds: Option<(f64, f64)>,
    policy: Option<&str>,
    posterior: Option<&str>,
    stopping: Option<&str>,
    tolerance: Option<&str>,
    tie: Option<&str>,
    strict: bool,
    rare_failures: Option<f64>,
    splits: Option<&str>,
    confidence: Vec<f64>,
    shortfall: Vec<String>,
    budget: Vec<u64>,
    parallel: u32,
    durations: Option<&str>,
    cap: Option<u64>,
    beta: Option<f64>,
    tie_break: Option<&str>,
    extended: bool,
    runs: u64,
    seed: u64,
) -> PyResult<Report> {
    let distance = |text: &str| text.parse::<Distance>().map_err(refused);
    let tie = tie.map(distance).transpose()?;
    let goals = match (
        budget.is_empty(),
        shortfall.is_empty(),
        confidence.is_empty(),
    ) {
        (false, true, true) => Goals::Budget(budget),
        (true, false, true) => Goals::Shortfall(
            shortfall
                .iter()
                .map(|text| distance(text))
                .collect::<PyResult<_>>()?,
        ),
        (true, true, true) => Goals::Confidence(vec![0.95]),
        (true, true, false) => Goals::Confidence(confidence),
        _ => {
            return Err(refused(
                "runs go on until a --confidence, a --shortfall or a --budget: give one of the three",
            ));
        }
    };
    let options = SimulationOptions {
        policy: policy.unwrap_or("auto").to_owned(),
        stopping: stopping.unwrap_or("posterior").to_owned(),
        tolerance: tolerance.map_or(Ok(Distance::ZERO), distance)?,
        tie: tie.unwrap_or(stopping::TIE),
        strict,
        bounds,
        rare_failures,
        items: None,
        repeats: false,
        goals,
        runs,
        seed,
        workers: parallel,
        durations: named::<Durations>(durations)?,
        cap,
        beta,
        tie_break: tie_break
            .map(|name| name.parse::<TieBreakName>().map_err(refused))
            .transpose()?,
        extended,
    };
    let design = named::<Design>(splits)?;
    let Some(records) = records else {
        let posterior = posterior.unwrap_or(posterior::DEFAULT);
        let report = interruptible(py, || {
            simulation::of_gaussian(&gaussian, design, posterior, &options).map_err(refused)
        });
        return Ok(Report::new(report?));
    };
    let asked = Asked {
        arms: &arms,
        direction,
        pool_size: None,
        bounds,
    };
    let report = records.with_scores(py, &asked, |scores, said| {
        let report = simulation::of_recorded(&scores, design, posterior, tie, &options);
        let mut report = report.map_err(refused)?;
        report.notes.extend(said);
        Ok(report)
    })?;
    Ok(Report::new(report))
}
