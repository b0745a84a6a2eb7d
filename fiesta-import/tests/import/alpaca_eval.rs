//! Tests of importing annotations of AlpacaEval.

use super::{answers, bytes, column, logs, metric, refused};
use fiesta_import::{ImportError, Imported, Tool, read_bytes};
use fiesta_records::{Missing, Reading};

const LARGE: &str = "alpaca_eval/large/annotations.json";
const SMALL: &str = "alpaca_eval/small/annotations.json";

#[test]
fn two_models_against_a_reference() {
    let missing = refused(logs(&[LARGE, SMALL], Tool::AlpacaEval, &Reading::default()));
    assert!(
        missing.starts_with("1 trial ended without a finite `win`"),
        "{missing}"
    );
    let options = Reading {
        missing: Some(Missing::Drop),
        ..Reading::default()
    };
    let imported = logs(&[LARGE, SMALL], Tool::AlpacaEval, &options).unwrap();
    let records = &imported.records;
    assert_eq!(records.arms(), ["large", "small"]);
    assert_eq!(records.items().len(), 4);
    assert_eq!(
        records.by_arm(),
        [vec![1.0, 1.0, 0.0, 1.0], vec![0.0, 0.5, 1.0]]
    );
    assert_eq!(column(records, "annotation")[5], Some("2"));
    let first = records.records().at(0);
    assert_eq!((first.cost, first.duration), (Some(0.25), Some(0.5)));
}

fn annotation(instruction: &str, reference: &str, model: &str, preference: &str) -> String {
    format!(
        r#"{{"instruction": "{instruction}", "output_1": "{reference}", "generator_1": "r", "output_2": "o", "generator_2": "{model}", "annotator": "j", "preference": {preference}}}"#
    )
}

fn list(annotations: &[String]) -> Result<Imported, ImportError> {
    let text = format!("[{}]", annotations.join(","));
    read_bytes(
        text.as_bytes(),
        Tool::AlpacaEval,
        &Reading::default(),
        "a.json",
    )
}

#[test]
fn instructions_are_known_by_their_text() {
    let of = |instruction: &str, model: &str, preference: &str| {
        annotation(instruction, "x", model, preference)
    };
    // In another order; 0 is a tie in earlier versions.
    let all = [
        of("q", "a", "1.25"),
        of("p", "a", "0"),
        of("p", "b", "2"),
        of("q", "b", "1"),
        of("p", "b", "1"),
    ];
    let imported = list(&all).unwrap();
    let found: Vec<_> = answers(&imported.records)
        .into_iter()
        .map(|row| (row.0, row.1, row.3))
        .collect();
    let (p, q) = ("af63ed4c8602096f", "af63ec4c860207bc");
    let expected = [
        ("a", q, 0.25),
        ("a", p, 0.5),
        ("b", p, 1.0),
        ("b", q, 0.0),
        ("b", "af63ed4c8602096f#2", 0.0),
    ];
    let expected =
        expected.map(|(arm, item, score)| (arm.to_owned(), item.to_owned(), Some(score)));
    assert_eq!(found, expected);
    // Another reference is another item.
    let other = refused(list(&[of("q", "a", "1"), annotation("q", "y", "b", "2")]));
    assert!(
        other.contains("is another one than in a.json: answer 1"),
        "{other}"
    );
}

/// Tests that the reference is an arm beside one model alone, and not beside several.
#[test]
fn the_reference_of_one_model_is_an_arm() {
    let all = ["1.25", "2", "0"].map(|preference| annotation(preference, "x", "a", preference));
    let imported = list(&all).unwrap();
    assert_eq!(imported.records.arms(), ["a", "r"]);
    assert_eq!(
        imported.records.by_arm(),
        [[0.25, 1.0, 0.5], [0.75, 0.0, 0.5]]
    );
    assert!(
        imported
            .notices
            .iter()
            .any(|notice| notice.starts_with("`r` is the reference")),
        "{:?}",
        imported.notices
    );
    let two = [
        annotation("q", "x", "a", "1"),
        annotation("q", "x", "b", "2"),
    ];
    assert_eq!(list(&two).unwrap().records.arms(), ["a", "b"]);
}

#[test]
fn what_is_no_annotation_is_refused() {
    let wrong = refused(list(&[annotation("q", "x", "a", "7")]));
    assert_eq!(
        wrong,
        "a.json: annotation 1: the preference 7 is no score: name another with --metric"
    );
    assert!(
        refused(list(&["{}".into()]))
            .contains("not what alpaca-eval writes: missing field `instruction`")
    );
    assert!(refused(list(&[])).contains("no answer in this log of alpaca-eval"));
    assert!(
        refused(logs(&[LARGE], Tool::AlpacaEval, &metric("f1")))
            .contains("no column `f1`, only `win`")
    );
    assert_eq!(
        Tool::recognise(b",win_rate,standard_error\nlarge,50,1\n"),
        None
    );
    assert_eq!(
        Tool::recognise(&bytes("logs/alpaca_eval/small/annotations.json")),
        Some(Tool::AlpacaEval)
    );
}
