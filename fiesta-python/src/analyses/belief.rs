//! `belief`: P(best) of each arm.

use super::{check, level};
use crate::{
    error::refused,
    records::{Asked, Records},
    report::Report,
};
use fiesta_posterior::POOL;
use fiesta_report::analysis::{
    belief::{BeliefMethod, BeliefOptions, ItemClusters, of_scores},
    pool::OutlookOptions,
};
use pyo3::prelude::*;

/// P(best) of each arm.
#[pyfunction]
#[pyo3(signature = (
    records, *, arms = Vec::new(), direction = "maximize", posterior = None, method = None, draws = None, seed = None,
    logit = None, pool_size = None, bounds = None, confidence = None, tolerance = None, strata = None, clusters = None, outlook = true
))]
pub(super) fn belief(
    py: Python<'_>,
    records: &Records,
    arms: Vec<String>,
    direction: &str,
    posterior: Option<&str>,
    method: Option<&str>,
    draws: Option<u64>,
    seed: Option<u64>,
    logit: Option<f64>,
    pool_size: Option<u64>,
    bounds: Option<(f64, f64)>,
    confidence: Option<f64>,
    tolerance: Option<f64>,
    strata: Option<&str>,
    clusters: Option<&str>,
    outlook: bool,
) -> PyResult<Report> {
    let method = match method {
        None | Some("auto") => BeliefMethod::Auto,
        Some("quadrature") => BeliefMethod::Quadrature,
        Some("monte-carlo") => BeliefMethod::MonteCarlo,
        Some(other) => {
            return Err(refused(format!(
                "`{other}` is no method: use auto, quadrature or monte-carlo"
            )));
        }
    };
    level(confidence)?;
    check(
        tolerance,
        "tolerance",
        "a difference of scores, 0 or more",
        |t| t.is_finite() && t >= 0.0,
    )?;
    check(
        logit,
        "logit",
        "the smallest step of the score, between 0 and 1",
        |unit| (0.0..1.0).contains(&unit),
    )?;
    if draws == Some(0) {
        return Err(refused("draws= is how often is drawn: 1 or more"));
    }
    // Columns of records, where some are asked for.
    let all = match (strata, clusters) {
        (None, None) => None,
        _ => Some(records.all(py)?),
    };
    let asked = Asked {
        arms: &arms,
        direction,
        pool_size,
        bounds,
    };
    let report = records.with_scores(py, &asked, |mut scores| {
        if let (Some(column), Some(all)) = (strata, &all) {
            scores = scores.in_groups(all, column).map_err(refused)?;
        }
        let columns = clusters.zip(all.as_ref());
        let clusters = columns.map(|(column, all)| ItemClusters::new(all, column, &records.source));
        let default = OutlookOptions::default();
        let options = BeliefOptions {
            method,
            draws,
            seed,
            logit,
            repeat: None,
            clusters: clusters.transpose().map_err(refused)?,
            outlook: outlook.then(|| OutlookOptions {
                confidence: confidence.unwrap_or(default.confidence),
                tolerance: tolerance.unwrap_or(default.tolerance),
                ..default
            }),
        };
        let posterior = posterior.unwrap_or_else(|| scores.default_posterior());
        let of_pool = [("confidence", confidence.is_some()), ("tolerance", tolerance.is_some()), ("strata", strata.is_some())];
        if let Some((keyword, _)) = of_pool.iter().find(|(_, is_given)| *is_given && posterior != POOL) {
            return Err(refused(format!(
                "--{keyword} is about the posterior {POOL}, of answers to the items of a pool, and this belief is under {posterior}: leave it out"
            )));
        }
        of_scores(&scores, posterior, &options).map_err(refused)
    })?;
    Ok(Report::new(report))
}
