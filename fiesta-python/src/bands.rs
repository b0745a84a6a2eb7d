//! Simultaneous confidence bands of the distribution of a score.

use crate::{error::refused, interruptible::interruptible};
use fiesta_report::bands::{Band, CdfBand};
use pyo3::prelude::*;

/// Returns the critical value, the lower ends and the upper ends of a band of `scores` scores.
///
/// With F the distribution function and x_1 ≤ … ≤ x_B the scores, lower_i ≤ F(x_i) and F(x) ≤
/// upper_i for x < x_i, for all i at once.
///
/// # Errors
/// `ValueError` if there is no score, the confidence is not between 0 and 1, the kind is unknown, or
/// an exact band of so many scores would take minutes.
#[pyfunction]
pub(crate) fn distribution_band(
    py: Python<'_>,
    scores: usize,
    kind: &str,
    confidence: f64,
) -> PyResult<(f64, Vec<f64>, Vec<f64>)> {
    let kind: Band = kind.parse().map_err(refused)?;
    let band = interruptible(py, || {
        CdfBand::new(kind, scores, confidence).map_err(refused)
    })?;
    Ok((
        band.critical(),
        band.lower().to_vec(),
        band.upper().to_vec(),
    ))
}
