//! Test runs of DeepEval as JSON: `test_run_DATE.json`, or `.latest_run_full.json`.
//!
//! A test case is an item, and each metric a score of its own. What a case cost and took includes
//! its grading, for that is what another evaluation of it would cost and take.

use crate::{
    Result,
    json::fingerprint,
    pool::{FILE, Log, Outcome, stem},
    scored::{Scored, Source, digest, stated, truth},
};
use fiesta_core::Direction;
use serde::Deserialize;
use serde_json::Value;
use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

/// Returns whether a JSON text is a test run of DeepEval.
pub(crate) fn is(text: &str) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| text.contains(name));
    text.trim_start().starts_with('{')
        && has(&[
            "\"testCases\"",
            "\"test_cases\"",
            "\"conversationalTestCases\"",
        ])
        && has(&["\"metricsData\"", "\"metrics_data\"", "\"metricsScores\""])
}

/// A test run, or a JSON object that contains one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    test_run_data: Option<Box<Run>>,
    #[serde(alias = "test_cases", default)]
    test_cases: Vec<Case>,
    #[serde(alias = "conversational_test_cases", default)]
    conversational_test_cases: Vec<Case>,
    hyperparameters: Option<BTreeMap<String, Value>>,
    identifier: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    name: Option<String>,
    input: Option<Value>,
    scenario: Option<String>,
    success: Option<bool>,
    #[serde(alias = "metrics_data")]
    metrics_data: Option<Vec<Metric>>,
    #[serde(alias = "run_duration")]
    run_duration: Option<f64>,
    #[serde(alias = "completion_time")]
    completion_time: Option<f64>,
    #[serde(alias = "evaluation_cost")]
    evaluation_cost: Option<f64>,
    #[serde(alias = "token_cost")]
    token_cost: Option<f64>,
}

#[derive(Deserialize)]
struct Metric {
    name: String,
    score: Option<f64>,
    threshold: Option<f64>,
    success: Option<bool>,
    error: Option<String>,
}

impl Metric {
    fn failed(&self) -> bool {
        self.error.is_some() && self.score.is_none()
    }
}

/// Reads a test run of DeepEval.
pub(crate) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Log> {
    let mut run: Run = source.json(bytes)?;
    if let Some(inner) = run.test_run_data.take() {
        run = *inner;
    }
    let cases = run.test_cases.iter().chain(&run.conversational_test_cases);
    let metrics = cases.clone().filter_map(|case| case.metrics_data.as_ref());
    let metrics: BTreeSet<&str> = metrics.flatten().map(|metric| &*metric.name).collect();
    // Whether a case passed is the score, without a request, only where there is no metric.
    let usual = match metrics.len() {
        0 => Some("success"),
        1 => metrics.first().copied(),
        _ => None,
    };
    let model = run
        .hyperparameters
        .as_ref()
        .and_then(|all| all.get("model"));
    let model = said(model.and_then(Value::as_str));
    let identifier = said(run.identifier.as_deref());
    let arm = vec![
        (
            "model",
            model
                .or(identifier)
                .map_or_else(|| stem(source.file), ToOwned::to_owned),
        ),
        ("identifier", identifier.unwrap_or_default().to_owned()),
        (FILE, stem(source.file)),
    ];
    let answers: Vec<Scored> = cases.clone().map(scored).collect();
    let log = source.log(vec![arm], &answers, usual)?;
    let metrics = cases
        .filter_map(|case| case.metrics_data.as_ref())
        .flatten();
    let direction = direction(metrics.filter(|metric| metric.name.trim() == log.metric));
    Ok(Log { direction, ..log })
}

/// Returns which scores of a metric are better, as its threshold and who passed it say: of
/// hallucination those below it. `None` if they do not say it, or say both.
fn direction<'a>(metrics: impl Iterator<Item = &'a Metric>) -> Option<Direction> {
    let mut said = metrics.filter_map(|metric| {
        let (score, threshold) = (metric.score?, metric.threshold?);
        let is_above = match score.partial_cmp(&threshold)? {
            Ordering::Equal => return None,
            other => other == Ordering::Greater,
        };
        Some(if metric.success? == is_above {
            Direction::Maximize
        } else {
            Direction::Minimize
        })
    });
    let first = said.next()?;
    said.all(|other| other == first).then_some(first)
}

/// Returns a text without white space around it. `None` if it is empty.
fn said(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn scored(case: &Case) -> Scored {
    let input = match (&case.input, &case.scenario) {
        (Some(Value::String(text)), _) | (_, Some(text)) => text.clone(),
        (Some(input), _) => input.to_string(),
        (None, None) => String::new(),
    };
    let metrics = case.metrics_data.as_deref().unwrap_or_default();
    let mut scores: Vec<(String, Outcome)> = metrics
        .iter()
        .map(|metric| {
            let outcome = if metric.failed() {
                Outcome::Failed
            } else {
                stated(metric.score)
            };
            (metric.name.clone(), outcome)
        })
        .collect();
    let passed = match case.success {
        _ if metrics.iter().any(Metric::failed) => Outcome::Failed,
        Some(success) => truth(success),
        None => Outcome::Missing,
    };
    scores.push(("success".to_owned(), passed));
    Scored {
        item: said(case.name.as_deref()).map_or_else(|| digest(&input), ToOwned::to_owned),
        content: (!input.is_empty()).then(|| fingerprint(&input)),
        scores,
        cost: sum(case.token_cost, case.evaluation_cost),
        duration: sum(case.completion_time, case.run_duration),
        ..Scored::default()
    }
}

/// Returns the sum of two numbers, or the known one if the other is missing. `None` if both are.
fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}
