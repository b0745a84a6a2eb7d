//! `belief`: P(best) of each arm.

use crate::{error::refused, interruptible::interruptible, records::Records, report::Report};
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
    let report = interruptible(py, || {
        let mut scores = records.scores(&arms, direction, pool_size, bounds)?;
        if let Some(column) = strata {
            scores = scores.in_groups(&records.all, column).map_err(refused)?;
        }
        let clusters =
            clusters.map(|column| ItemClusters::new(&records.all, column, &records.source));
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
        let of_pool = [
            ("confidence", confidence.is_some()),
            ("tolerance", tolerance.is_some()),
            ("strata", strata.is_some()),
        ];
        if let Some((keyword, _)) = of_pool
            .iter()
            .find(|(_, is_given)| *is_given && posterior != POOL)
        {
            return Err(refused(format!(
                "--{keyword} is about the posterior {POOL}, of answers to the items of a pool, and this belief is under {posterior}: leave it out"
            )));
        }
        of_scores(&scores, posterior, &options).map_err(refused)
    })?;
    Ok(Report::new(report))
}
