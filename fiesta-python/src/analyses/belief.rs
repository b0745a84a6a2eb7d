//! Analysis `belief`: P(best) of each arm.

use super::{check, drawn, level};
use crate::{
    error::refused,
    interruptible::interruptible,
    records::{Asked, GivenTable, ReadingKeywords, Records},
    report::Report,
};
use fiesta_core::FBeta;
use fiesta_report::analysis::{
    CountsOfArms, CountsTarget,
    belief::{BeliefMethod, BeliefOptions, BeliefRequest, CountsModel, of_counts},
};
use pyo3::prelude::*;

/// Computes P(best) of each arm.
#[pyfunction]
#[pyo3(signature = (
    records, *, arms = Vec::new(), direction = None, posterior = None, method = None, draws = None, seed = None,
    logit = None, pool_size = None, bounds = None, confidence = None, tolerance = None, strata = None, clusters = None, outlook = false, target = None,
    spread = None, n = None
))]
pub(super) fn belief(
    py: Python<'_>,
    records: &Records,
    arms: Vec<String>,
    direction: Option<&str>,
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
    target: Option<&str>,
    spread: Option<&str>,
    n: Option<String>,
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
    drawn(draws)?;
    let means = records.means(py, &arms, direction, spread, n)?;
    // Columns of records, where some are asked for.
    let all = match (strata, clusters) {
        (None, None) => None,
        _ if means.is_some() => None,
        _ => Some(records.all(py)?),
    };
    let asked = Asked {
        arms: &arms,
        direction,
        pool_size,
        bounds,
    };
    let request = BeliefRequest {
        posterior: posterior.map(ToOwned::to_owned),
        options: BeliefOptions {
            method,
            draws,
            seed,
            logit,
            repeat: None,
            clusters: None,
            tolerance: 0.0,
            outlook: None,
        },
        bounds,
        pool_size: pool_size.filter(|_| means.is_some()),
        target: target
            .map(str::parse)
            .transpose()
            .map_err(refused)?
            .unwrap_or_default(),
        confidence,
        tolerance,
        strata: strata.map(ToOwned::to_owned),
        clusters: clusters.map(ToOwned::to_owned),
        outlook: outlook && means.is_some(),
    };
    if let Some((means, direction)) = means {
        return Ok(Report::new(
            request.of_means(&means, direction).map_err(refused)?,
        ));
    }
    let report = records.with_scores(py, &asked, |scores, said| {
        let request = BeliefRequest { outlook, ..request };
        let mut report = request.report(scores, all.as_deref()).map_err(refused)?;
        report.notes.extend(said);
        Ok(report)
    })?;
    Ok(Report::new(report))
}

/// Computes P(best) of each arm by the F-measure of finding a label, from predictions beside the right answers.
#[pyfunction]
#[pyo3(signature = (predictions, reading, positive, *, arms = Vec::new(), draws = None, seed = None))]
pub(super) fn belief_of_predictions(
    py: Python<'_>,
    predictions: GivenTable,
    reading: ReadingKeywords,
    positive: String,
    arms: Vec<String>,
    draws: Option<u64>,
    seed: Option<u64>,
) -> PyResult<Report> {
    drawn(draws)?;
    let (counts, notices, source) = reading.counts(&predictions, &positive)?;
    let report = interruptible(py, || {
        let counts = CountsOfArms::new(&counts, &arms, FBeta::default(), source);
        let options = BeliefOptions {
            draws,
            seed,
            ..BeliefOptions::default()
        };
        let (target, model) = (CountsTarget::Pooled, CountsModel::default());
        let counts = counts.map_err(refused)?;
        let mut report = of_counts(&counts, &target, &model, &options).map_err(refused)?;
        report.notes.extend(notices);
        Ok(report)
    })?;
    Ok(Report::new(report))
}
