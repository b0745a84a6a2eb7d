//! Tests of importing logs of OpenAI's evals.

use super::{answers, column, logs, metric, refused};
use fiesta_import::{ImportError, Imported, Tool, read_bytes};
use fiesta_records::Reading;

const LARGE: &str = "openai_evals/org_large.jsonl";
const SMALL: &str = "openai_evals/org_small.jsonl";

#[test]
fn two_models_on_one_eval() {
    let imported = logs(&[LARGE, SMALL], Tool::OpenAiEvals, &Reading::default()).unwrap();
    let records = &imported.records;
    assert_eq!(imported.notices, ["the arms are called by their model"]);
    assert_eq!(records.arms(), ["org/large", "org/small"]);
    assert_eq!(records.metric(), "correct");
    let mut found = answers(records);
    found.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let scores: Vec<_> = found.iter().map(|row| row.3).collect();
    let large = [1.0, 1.0, 1.0, 0.0].map(Some);
    assert_eq!(
        scores,
        [&large[..], &[Some(1.0), Some(0.0), None, Some(1.0)]].concat()
    );
    assert_eq!(found[4].1, "sums.dev.0");
    assert_eq!(records.failures().len(), 1);
}

fn text(lines: &[&str], options: &Reading) -> Result<Imported, ImportError> {
    const SPEC: &str =
        r#"{"spec": {"completion_fns": ["m", "judge"], "eval_name": "e.v0", "run_id": "r"}}"#;
    let text = [&[SPEC], lines].concat().join("\n");
    read_bytes(text.as_bytes(), Tool::OpenAiEvals, options, "l.jsonl")
}

#[test]
fn events_of_a_sample_are_one_answer() {
    let lines = [
        r#"{"sample_id": "e.0", "type": "sampling", "data": {"prompt": [{"role": "user"}], "score": 7}}"#,
        r#"{"sample_id": "e.0", "type": "match", "data": {"correct": true, "expected": "x", "picked": 1}}"#,
        r#"{"sample_id": "e.0", "type": "match", "data": {"correct": false, "expected": "x"}}"#,
        r#"{"sample_id": "e.0", "type": "metrics", "data": {"f1_score": 0.25, "choice": "A"}}"#,
        r#"{"sample_id": "e.1", "type": "metrics", "data": {"f1_score": NaN}}"#,
    ];
    let imported = text(&lines[..4], &Reading::default()).unwrap();
    assert_eq!(imported.records.by_arm(), [[0.5]]);
    assert_eq!(imported.records.arms(), ["m"]);
    assert_eq!(column(&imported.records, "f1_score"), [Some("0.25")]);
    assert!(imported.notices[1].starts_with("l.jsonl: the evaluation did not come to its end"));
    let by_f1 = refused(text(&lines, &metric("f1_score")));
    assert!(
        by_f1.starts_with("1 trial ended without a finite `f1_score`"),
        "{by_f1}"
    );
    // Without a match, the only number is the score.
    let only = text(&lines[3..4], &Reading::default()).unwrap();
    assert_eq!(only.records.metric(), "f1_score");
}

#[test]
fn what_is_no_log_is_refused() {
    let broken = refused(text(&["{\"sample_id\": "], &Reading::default()));
    assert!(
        broken.starts_with("l.jsonl:2: this is not what openai-evals writes: EOF"),
        "{broken}"
    );
    let none = refused(text(&[], &Reading::default()));
    assert!(
        none.contains("no answer in this log of openai-evals"),
        "{none}"
    );
    let unnamed = read_bytes(
        b"{\"arm\": 1}\n",
        Tool::OpenAiEvals,
        &Reading::default(),
        "l.jsonl",
    );
    assert!(refused(unnamed).ends_with("no line has a `spec`"));
}
