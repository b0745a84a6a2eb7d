//! Analysis `gate`: may a new version replace the old one?

use crate::{error::refused, interruptible::interruptible, records::Records, report::Report};
use fiesta_core::ArmId;
use fiesta_report::analysis::{
    gate::{self as gates, GateOptions},
    unknown_arm,
};
use pyo3::prelude::*;

/// Judges candidates against a baseline.
#[pyfunction]
#[pyo3(signature = (
    records, *, arms = Vec::new(), margin = None, better_by = None, baseline = None, confidence = None, target = None,
    clusters = None, bounds = None, direction = None, texts = true
))]
pub(super) fn gate(
    py: Python<'_>,
    records: &Records,
    arms: Vec<String>,
    margin: Option<f64>,
    better_by: Option<f64>,
    baseline: Option<String>,
    confidence: Option<f64>,
    target: Option<&str>,
    clusters: Option<String>,
    bounds: Option<(f64, f64)>,
    direction: Option<&str>,
    texts: bool,
) -> PyResult<Report> {
    let default = GateOptions::default();
    let target = target.map(str::parse).transpose().map_err(refused)?;
    let options = GateOptions {
        baseline,
        margin,
        better_by,
        confidence: confidence.unwrap_or(default.confidence),
        target: target.unwrap_or(default.target),
        clusters,
        bounds,
    };
    let direction = records.direction(py, direction)?;
    let all = records.all(py)?;
    let chosen = arms.iter().map(|name| {
        let found = all.find(name.trim());
        found.ok_or_else(|| refused(unknown_arm(name, all.arms())))
    });
    let chosen = chosen.collect::<PyResult<Vec<ArmId>>>()?;
    let report = interruptible(py, || {
        let selected = (!chosen.is_empty()).then(|| all.select(&chosen));
        let answers = selected.as_ref().unwrap_or(&all);
        let report = gates::gate(answers, direction, &records.source, &options);
        let mut report = report.map_err(refused)?;
        report.notes.extend(records.told());
        Ok(if texts {
            report.add_texts(|wanted| records.texts.read(all.items(), wanted));
            report
        } else {
            report.without_texts()
        })
    })?;
    Ok(Report::new(report))
}
