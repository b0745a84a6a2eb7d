//! Analysis `compare`: two arms, their difference, a test and P(better).

use super::drawn;
use crate::{
    error::refused,
    records::{Asked, Records},
    report::Report,
};
use fiesta_report::analysis::compare::{CompareOptions, ComparisonReport};
use pyo3::prelude::*;

/// Compares two arms.
#[pyfunction]
#[pyo3(signature = (
    records, *, a = None, b = None, direction = None, posterior = None, pool_size = None, bounds = None, confidence = None,
    draws = None, seed = None
))]
pub(super) fn compare(
    py: Python<'_>,
    records: &Records,
    a: Option<String>,
    b: Option<String>,
    direction: Option<&str>,
    posterior: Option<String>,
    pool_size: Option<u64>,
    bounds: Option<(f64, f64)>,
    confidence: Option<f64>,
    draws: Option<u64>,
    seed: Option<u64>,
) -> PyResult<Report> {
    drawn(draws)?;
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
        ..default
    };
    let asked = Asked {
        arms: &[],
        direction,
        pool_size,
        bounds,
    };
    let report = records.with_scores(py, &asked, |scores, said| {
        let mut report = ComparisonReport::new(&scores, &options).map_err(refused)?;
        report.notes.extend(said);
        Ok(report)
    })?;
    Ok(Report::new(report))
}
