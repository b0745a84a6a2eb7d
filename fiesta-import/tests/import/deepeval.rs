//! Tests of importing test runs of DeepEval.

use super::{answers, bytes, column, logs, metric, refused};
use fiesta_core::Direction;
use fiesta_import::{Tool, read_bytes};
use fiesta_records::Reading;

const LARGE: &str = "deepeval/large.json";
const SMALL: &str = "deepeval/small.json";

#[test]
fn two_models_with_two_metrics() {
    let error = logs(&[LARGE], Tool::DeepEval, &Reading::default()).unwrap_err();
    let choices: Vec<String> = error.choices().iter().map(ToString::to_string).collect();
    assert_eq!(
        choices,
        ["--metric Exact", "--metric Close", "--metric success"]
    );
    let imported = logs(&[LARGE, SMALL], Tool::DeepEval, &metric("Close")).unwrap();
    let records = &imported.records;
    assert_eq!(records.arms(), ["large", "small"]);
    assert_eq!(records.items(), ["sum-0", "sum-1", "sum-2", "sum-3"]);
    // Of one the metric broke.
    assert_eq!(records.by_arm(), [vec![1.0; 4], vec![1.0, 0.5, 1.0]]);
    assert_eq!(records.failures().len(), 1);
    assert_eq!(records.columns(), ["Exact", "success"]);
    let exact: Vec<_> = answers(records)
        .iter()
        .filter(|row| row.0 == "small")
        .map(|row| row.3)
        .collect();
    assert_eq!(exact, [Some(1.0), Some(0.5), None, Some(1.0)]);
    assert_eq!(column(records, "success")[5], Some("0"));
    assert_eq!(records.records().at(0).cost, Some(0.25));
    assert!(records.records().at(0).duration.is_some());
    let passed = logs(&[SMALL], Tool::DeepEval, &metric("success")).unwrap();
    assert_eq!(passed.records.by_arm(), [[1.0, 0.0, 1.0]]);
    let exact = logs(&[SMALL], Tool::DeepEval, &metric("Exact")).unwrap();
    assert_eq!(exact.records.by_arm(), [[1.0, 0.0, 0.0, 1.0]]);
}

fn text(
    text: &str,
    options: &Reading,
) -> Result<fiesta_import::Imported, fiesta_import::ImportError> {
    read_bytes(text.as_bytes(), Tool::DeepEval, options, "runs/r.json")
}

/// Tests that the threshold of a metric and who passed it say which scores are better, and that
/// nothing is said where both are so, or nobody was beside the threshold.
#[test]
fn thresholds_tell_the_direction() {
    let direction = |cases: &[(f64, bool)]| {
        let case = |(score, success): &(f64, bool)| {
            format!(
                r#"{{"input": "{score}?", "success": {success}, "metricsData": [{{"name": "Made up", "threshold": 0.5, "success": {success}, "score": {score}}}]}}"#
            )
        };
        let cases: Vec<String> = cases.iter().map(case).collect();
        let run = format!(r#"{{"testCases": [{}]}}"#, cases.join(", "));
        text(&run, &Reading::default()).unwrap().direction
    };
    let loss = direction(&[(0.1, true), (0.5, true), (0.9, false)]);
    assert_eq!(loss, Some(Direction::Minimize));
    let score = direction(&[(0.1, false), (0.9, true)]);
    assert_eq!(score, Some(Direction::Maximize));
    assert_eq!(direction(&[(0.1, true), (0.9, true)]), None);
    assert_eq!(direction(&[(0.5, true)]), None);
}

#[test]
fn other_forms() {
    // Within another object, in snake case, and without names.
    let run = r#"{"testRunData": {"test_cases": [
        {"input": "1+1?\nNow.", "success": true, "metrics_data": [{"name": "G", "score": 0.5}], "token_cost": 1, "evaluation_cost": 2, "completion_time": 3},
        {"input": "2+2?", "success": false, "metrics_data": [{"name": "G", "score": NaN}], "run_duration": 4}]}}"#;
    assert_eq!(Tool::recognise(run.as_bytes()), Some(Tool::DeepEval));
    let missing = refused(text(run, &Reading::default()));
    assert!(
        missing
            .starts_with("1 trial ended without a finite `G` (the first is runs/r.json: answer 2)"),
        "{missing}"
    );
    let imported = text(run, &metric("success")).unwrap();
    let records = imported.records;
    assert_eq!(records.arms(), ["r"]);
    assert_eq!(records.items(), ["3103a0dbae618a0f", "f0c4240bb02da665"]);
    assert_eq!(records.by_arm(), [[1.0, 0.0]]);
    let first = records.records().at(0);
    assert_eq!((first.cost, first.duration), (Some(3.0), Some(3.0)));
    assert_eq!(records.records().at(1).duration, Some(4.0));
    // Conversations, without any metric; the run has a name.
    let run = r#"{"testCases": [], "conversationalTestCases": [{"name": "talk", "scenario": "s", "success": true, "metricsData": []}], "identifier": "third"}"#;
    let imported = text(run, &Reading::default()).unwrap();
    assert_eq!(
        (imported.records.arms(), imported.records.metric()),
        (&["third".to_owned()][..], "success")
    );
}

#[test]
fn what_is_no_run_is_refused() {
    let read = |of: &str| refused(text(of, &Reading::default()));
    assert!(read("[]").starts_with("runs/r.json: this is not what deepeval writes"));
    assert!(read("{}").contains("no answer in this log of deepeval"));
    let large = String::from_utf8(bytes(&format!("logs/{LARGE}"))).unwrap();
    let twice = refused(text(
        &large.replace("sum-1", "sum-0").replace("1+1?", "0+0?"),
        &metric("Exact"),
    ));
    assert!(
        twice.contains("answer 2: the answer of `large` to item `sum-0` is in"),
        "{twice}"
    );
}
