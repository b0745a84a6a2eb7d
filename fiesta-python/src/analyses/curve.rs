//! Analysis `curve`: the expected best score against the number of trials.

use super::named;
use crate::{error::refused, interruptible::interruptible, records::Records, report::Report};
use fiesta_report::{
    analysis::curve::{Centre, CurveOptions, CurveReport, TrialsOfArms},
    tuning_curve::{Estimator, Failed},
};
use pyo3::prelude::*;

/// Computes tuning curves of arms.
#[pyfunction]
#[pyo3(signature = (
    records, *, direction = None, bounds = None, estimator = None, bands = None, band_of = None, confidence = None,
    max_n = None, reach = Vec::new(), time = false
))]
pub(super) fn curve(
    py: Python<'_>,
    records: &Records,
    direction: Option<&str>,
    bounds: Option<(f64, f64)>,
    estimator: Option<&str>,
    bands: Option<&str>,
    band_of: Option<&str>,
    confidence: Option<f64>,
    max_n: Option<u64>,
    reach: Vec<f64>,
    time: bool,
) -> PyResult<Report> {
    let direction = records.direction(py, direction)?;
    let options = CurveOptions {
        estimator: named::<Estimator>(estimator)?,
        bands: named(bands)?,
        band_of: match band_of {
            None => None,
            Some("mean") => Some(Centre::Mean),
            Some("median") => Some(Centre::Median),
            Some(other) => {
                return Err(refused(format!(
                    "`{other}` is nothing that bands are of: use mean or median"
                )));
            }
        },
        confidence: confidence.unwrap_or(0.95),
        largest_n: max_n,
        reach,
        time,
        failed: records.asked_failed().unwrap_or(Failed::Error),
    };
    let all = records.all(py)?;
    let report = interruptible(py, || {
        let metric = all.metric();
        let trials = TrialsOfArms::new(
            &all,
            metric,
            direction,
            bounds,
            options.failed,
            &records.source,
        );
        CurveReport::new(&trials.map_err(refused)?, &options).map_err(refused)
    });
    Ok(Report::new(report?))
}
