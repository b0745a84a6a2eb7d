//! Analysis `belief`: P(best) of each arm.

use super::{check, drawn, level, named};
use crate::{
    error::refused,
    interruptible::interruptible,
    reading::{GivenTable, ReadingKeywords},
    records::{Asked, Records},
    report::Report,
};
use fiesta_core::FBeta;
use fiesta_report::analysis::{
    CountsOfArms, CountsTarget,
    belief::{
        BeliefMethod, BeliefOptions, BeliefRequest, BenchmarkRecords, BenchmarkScale,
        BenchmarkWeights, CountsModel, MeasureLimit, MeasuresRequest, of_counts,
    },
};
use pyo3::prelude::*;

/// Records of one benchmark, or of several with their names.
#[derive(FromPyObject)]
pub(super) enum GivenRecords {
    One(Py<Records>),
    Several(Vec<(String, Py<Records>)>),
}

/// How much each benchmark counts: a name of weights, or a weight for each.
#[derive(FromPyObject)]
pub(super) enum GivenWeights {
    Named(String),
    Each(Vec<(String, f64)>),
}

/// Computes P(best) of each arm; of several benchmarks by the weighted mean of them.
#[pyfunction]
#[pyo3(signature = (
    records, *, arms = Vec::new(), direction = None, posterior = None, method = None, draws = None, seed = None,
    logit = None, pool_size = None, bounds = None, confidence = None, tolerance = None, strata = None, clusters = None, outlook = false, target = None,
    spread = None, n = None, weights = None, scale = Vec::new(), cheapest_within = None, by = None, at_most = Vec::new(), known = Vec::new()
))]
pub(super) fn belief(
    py: Python<'_>,
    records: GivenRecords,
    arms: Vec<String>,
    direction: Option<&str>,
    posterior: Option<String>,
    method: Option<&str>,
    draws: Option<u64>,
    seed: Option<u64>,
    logit: Option<f64>,
    pool_size: Option<u64>,
    bounds: Option<(f64, f64)>,
    confidence: Option<f64>,
    tolerance: Option<f64>,
    strata: Option<String>,
    clusters: Option<String>,
    outlook: bool,
    target: Option<&str>,
    spread: Option<&str>,
    n: Option<String>,
    weights: Option<GivenWeights>,
    scale: Vec<(String, f64, f64)>,
    cheapest_within: Option<f64>,
    by: Option<String>,
    at_most: Vec<(String, f64)>,
    known: Vec<String>,
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
    let mut request = BeliefRequest {
        posterior,
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
        pool_size,
        target: named(target)?,
        confidence,
        tolerance,
        strata,
        clusters,
        outlook,
        measures: MeasuresRequest {
            cheapest_within,
            by,
            at_most: { at_most.into_iter() }
                .map(|(measure, at_most)| MeasureLimit { measure, at_most })
                .collect(),
            known,
        },
    };
    let mut asked = Asked {
        arms: &arms,
        direction,
        pool_size: None,
        bounds,
    };
    let records = match &records {
        GivenRecords::One(records) => records.get(),
        GivenRecords::Several(benchmarks) => {
            return of_benchmarks(py, benchmarks, &asked, &request, weights, scale);
        }
    };
    if let Some((means, direction)) = records.means(py, &arms, direction, spread, n)? {
        return Ok(Report::new(
            request.of_means(&means, direction).map_err(refused)?,
        ));
    }
    // Columns of records, where some are asked for.
    let all = match (&request.strata, &request.clusters, request.measures.flag()) {
        (None, None, None) => None,
        _ => Some(records.all(py)?),
    };
    asked.pool_size = request.pool_size.take();
    let report = records.with_scores(py, &asked, |scores, said| {
        let mut report = request.report(scores, all.as_deref()).map_err(refused)?;
        report.notes.extend(said);
        Ok(report)
    })?;
    Ok(Report::new(report))
}

/// Returns the belief about the weighted mean of several benchmarks, each with its name.
fn of_benchmarks(
    py: Python<'_>,
    benchmarks: &[(String, Py<Records>)],
    asked: &Asked<'_>,
    request: &BeliefRequest,
    weights: Option<GivenWeights>,
    scale: Vec<(String, f64, f64)>,
) -> PyResult<Report> {
    let (mut read, mut notes) = (Vec::new(), Vec::new());
    for (name, records) in benchmarks {
        let (records, direction, said) = records.get().scored(py, asked)?;
        // What is said of every benchmark is said once.
        for line in said {
            if !notes.contains(&line) {
                notes.push(line);
            }
        }
        read.push(BenchmarkRecords {
            name: name.clone(),
            records,
            direction,
        });
    }
    let weights = match weights {
        Some(GivenWeights::Named(name)) => named(Some(&name))?,
        Some(GivenWeights::Each(each)) => BenchmarkWeights::Given(each),
        None => {
            let number = benchmarks.len();
            notes.push(format!(
                "{number} benchmarks count the same: weights={{NAME: WEIGHT, …}} or weights=\"items\" says otherwise"
            ));
            BenchmarkWeights::default()
        }
    };
    let scale = { scale.into_iter() }.map(|(benchmark, worst, best)| BenchmarkScale {
        benchmark,
        worst,
        best,
    });
    let scale: Vec<BenchmarkScale> = scale.collect();
    let source = { benchmarks.first() }.map_or("scores", |(_, first)| &*first.get().source);
    let report = interruptible(py, || {
        let report = request.of_benchmarks(read, &weights, &scale, source);
        let mut report = report.map_err(refused)?;
        report.notes.extend(notes);
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
