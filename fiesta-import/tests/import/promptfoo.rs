//! Tests of importing results of promptfoo.

use super::{answers, column, logs, metric, refused};
use fiesta_import::{Tool, read_bytes};
use fiesta_records::{ColumnNames, Reading};

const SUMS: &str = "promptfoo/sums.json";
const REPEATED: &str = "promptfoo/repeated.json";

#[test]
fn providers_with_prompts() {
    let imported = logs(&[SUMS], Tool::Promptfoo, &Reading::default()).unwrap();
    let records = &imported.records;
    assert_eq!(
        imported.notices,
        ["the arms are called by their provider and prompt"]
    );
    let mut found = answers(records);
    found.sort_by(|a, b| (&a.0, &b.1).cmp(&(&b.0, &a.1)));
    let expected = [
        ("paid+polite", "twice", Some(1.0)),
        ("paid+polite", "1", None),
        ("paid+terse", "twice", Some(1.0)),
        ("paid+terse", "1", Some(1.0)),
        ("plain+polite", "twice", Some(0.75)),
        ("plain+polite", "1", Some(1.0)),
        ("plain+terse", "twice", Some(0.5)),
        ("plain+terse", "1", Some(0.0)),
    ];
    let expected =
        expected.map(|(arm, item, score)| (arm.to_owned(), item.to_owned(), None, score));
    assert_eq!(found, expected);
    assert_eq!(records.items(), ["twice", "1"]);
    assert_eq!(
        records.columns(),
        ["holds", "input_tokens", "output_tokens"]
    );
    assert_eq!(column(records, "input_tokens")[1], Some("10"));
    let paid = records
        .rows()
        .find(|row| row.arm == "paid+terse" && row.item == Some("1"))
        .unwrap();
    assert_eq!(paid.cost, Some(0.75));
    assert!(
        records
            .rows()
            .all(|row| row.duration.is_some_and(|seconds| seconds < 1.0))
    );
}

#[test]
fn scores_may_be_passes_or_have_names() {
    let by = |name: &str| logs(&[SUMS], Tool::Promptfoo, &metric(name));
    let passed = by("pass").unwrap();
    let scores: Vec<f64> = passed.records.records().iter().map(|r| r.score).collect();
    assert_eq!(scores, [0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
    // Only one of the tests has it.
    assert!(refused(by("holds")).starts_with("3 trials ended without a finite `holds`"));
    assert!(refused(by("f1")).contains("no column `f1`, only `score`, `pass`, `holds`"));
    let provider = Reading {
        columns: ColumnNames {
            arm: Some("provider".into()),
            ..ColumnNames::default()
        },
        ..Reading::default()
    };
    let same = refused(logs(&[SUMS], Tool::Promptfoo, &provider));
    assert!(same.contains("this is the arm `plain`, as is"), "{same}");
}

#[test]
fn repeats_are_seeds() {
    let imported = logs(&[REPEATED], Tool::Promptfoo, &Reading::default()).unwrap();
    let expected = [("0", 0, 1.0), ("0", 1, 1.0), ("1", 0, 0.0), ("1", 1, 0.0)];
    let expected = expected
        .map(|(item, seed, score)| ("echo".to_owned(), item.to_owned(), Some(seed), Some(score)));
    assert_eq!(answers(&imported.records), expected);
}

fn output(results: &[String]) -> String {
    format!(
        r#"{{"evalId": "e", "results": {{"version": 3, "results": [{}]}}}}"#,
        results.join(",")
    )
}

fn result(test: u64, column: u64, description: &str, rest: &str) -> String {
    format!(
        r#"{{"provider": "p", "prompt": {{"label": "l{column}"}}, "promptIdx": {column}, "testIdx": {test},
        "testCase": {{"description": "{description}", "vars": {{}}}}, "success": true{rest}}}"#
    )
}

fn read_text(text: &str) -> Result<fiesta_import::Imported, String> {
    let read = read_bytes(
        text.as_bytes(),
        Tool::Promptfoo,
        &Reading::default(),
        "out.json",
    );
    read.map_err(|error| error.to_string())
}

#[test]
fn tests_of_one_description_have_numbers() {
    let score = ", \"score\": 1";
    let of = |description: &str, test| result(test, 0, description, score);
    let imported = read_text(&output(&[of("a", 0), of("b", 1), of("a", 2), of(" ", 3)])).unwrap();
    assert_eq!(imported.records.items(), ["a #0", "b", "a #2", "3"]);
    // A prompt without a label is its own label.
    let long = "x".repeat(61);
    let text = output(&[of("a", 0), result(0, 1, "a", score)]);
    let imported = read_text(&text.replace("l1", &long)).unwrap();
    assert_eq!(imported.records.arms(), ["p+l0", "p+prompt-2"]);
    // The same provider with the same prompt, configured otherwise.
    let imported = read_text(&text.replace("l1", "l0")).unwrap();
    assert_eq!(imported.records.arms(), ["p+1", "p+2"]);
}

#[test]
fn what_is_no_result_is_refused() {
    let refused = |text: &str| read_text(text).unwrap_err();
    assert!(
        refused("{}")
            .starts_with("out.json: this is not what promptfoo writes: missing field `results`")
    );
    assert!(
        refused(&output(&[]))
            .ends_with("there is no answer in this log of promptfoo: let it log its samples")
    );
    let twice = result(0, 0, "a", ", \"score\": 1");
    assert_eq!(
        refused(&output(&[twice.clone(), twice])),
        "out.json: result 2: the answer of `p` to item `a` is in out.json: result 1 already: keep one of the two"
    );
    assert!(
        refused(&output(&[result(0, 0, "a", "")])).contains("(the first is out.json: result 1)")
    );
    // Earlier versions do not say why it failed.
    let failed = result(0, 0, "a", ", \"score\": 0, \"error\": \"away\"");
    let graded = result(
        1,
        0,
        "b",
        ", \"score\": 0, \"error\": \"wrong\", \"gradingResult\": {}",
    );
    let imported = read_text(&output(&[failed, graded])).unwrap();
    assert_eq!(
        (
            imported.records.failures().len(),
            imported.records.records().len()
        ),
        (1, 1)
    );
}
