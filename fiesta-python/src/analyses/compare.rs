//! Analysis `compare`: arms, their differences, tests and P(better).

use super::{check, drawn};
use crate::{
    error::refused,
    records::{Asked, Records},
    report::Report,
};
use fiesta_report::analysis::compare::{CompareOptions, ComparisonReport, PairsReport};
use pyo3::prelude::*;

/// Compares two arms, or the pairs of several.
#[pyfunction]
#[pyo3(signature = (
    records, *, a = None, b = None, pairs = false, arms = Vec::new(), direction = None, posterior = None, pool_size = None,
    bounds = None, confidence = None, tolerance = None, target = None, draws = None, seed = None
))]
pub(super) fn compare(
    py: Python<'_>,
    records: &Records,
    a: Option<String>,
    b: Option<String>,
    pairs: bool,
    arms: Vec<String>,
    direction: Option<&str>,
    posterior: Option<String>,
    pool_size: Option<u64>,
    bounds: Option<(f64, f64)>,
    confidence: Option<f64>,
    tolerance: Option<f64>,
    target: Option<&str>,
    draws: Option<u64>,
    seed: Option<u64>,
) -> PyResult<Report> {
    drawn(draws)?;
    check(
        tolerance,
        "tolerance",
        "a difference of scores, 0 or more",
        |t| t.is_finite() && t >= 0.0,
    )?;
    let target = target.map(str::parse).transpose().map_err(refused)?;
    let default = CompareOptions::default();
    let options = CompareOptions {
        arms: match (a, b) {
            (None, None) => None,
            (Some(a), Some(b)) => Some([a, b]),
            _ => {
                return Err(refused(
                    "two arms are compared: name both, or neither for those of the best means",
                ));
            }
        },
        confidence: confidence.unwrap_or(default.confidence),
        posterior,
        draws,
        seed,
        tolerance,
    };
    let asked = Asked {
        arms: &arms,
        direction,
        pool_size,
        bounds,
    };
    records.with_scores(py, &asked, |scores, said| {
        let scores = scores.aimed_to_compare(target).map_err(refused)?;
        if pairs {
            let mut report = PairsReport::new(&scores, &options).map_err(refused)?;
            report.notes.extend(said);
            return Ok(Report::new(report));
        }
        let mut report = ComparisonReport::new(&scores, &options).map_err(refused)?;
        report.notes.extend(said);
        Ok(Report::new(report))
    })
}
