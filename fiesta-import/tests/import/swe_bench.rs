//! Tests of importing reports of SWE-bench.

use super::{answers, logs, metric, refused};
use fiesta_import::{Imported, Tool, read_bytes, read_files};
use fiesta_records::Reading;
use std::fs;

const LARGE: &str = "swe_bench/org__large-1.5.sample.json";
const SMALL: &str = "swe_bench/org__small.sample.json";

fn scores(imported: &Imported) -> Vec<(String, String, Option<f64>)> {
    let rows = answers(&imported.records).into_iter();
    rows.map(|(arm, item, _, score)| (arm, item, score))
        .collect()
}

#[test]
fn two_models_by_reports_of_the_harness() {
    let imported = logs(&[LARGE, SMALL], Tool::SweBench, &Reading::default()).unwrap();
    assert_eq!(imported.records.arms(), ["org__large-1.5", "org__small"]);
    assert_eq!(imported.records.metric(), "resolved");
    let found = scores(&imported);
    let of = |arm: &str| -> Vec<Option<f64>> {
        let mut rows: Vec<_> = found.iter().filter(|row| row.0 == arm).collect();
        rows.sort_by(|a, b| a.1.cmp(&b.1));
        rows.into_iter().map(|row| row.2).collect()
    };
    // What ended with an error is a failure, an empty patch is not resolved.
    assert_eq!(
        of("org__large-1.5"),
        [Some(1.0), Some(1.0), Some(0.0), None, Some(1.0)]
    );
    assert_eq!(of("org__small"), [1.0, 0.0, 0.0, 0.0, 0.0, 1.0].map(Some));
    let told =
        "org__large-1.5.sample.json: 5 of 6 instances have a result; 1 has none and is left out";
    assert!(
        imported.notices[1].ends_with(told),
        "{:?}",
        imported.notices
    );
}

/// Imports reports of the leaderboard, each from the directory of a model.
fn leaderboard(reports: &[(&str, &str)]) -> Result<Imported, fiesta_import::ImportError> {
    let place = tempfile::tempdir().unwrap();
    let paths: Vec<_> = reports
        .iter()
        .map(|(model, report)| {
            let folder = place.path().join(model).join("results");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("results.json"), report).unwrap();
            folder.join("results.json")
        })
        .collect();
    read_files(&paths, Tool::SweBench, &Reading::default())
}

#[test]
fn results_of_the_leaderboard() {
    let first = r#"{"no_generation": ["a"], "no_logs": ["b"], "resolved": ["c"]}"#;
    let second = r#"{"no_generation": [], "no_logs": [], "resolved": ["d", "c"]}"#;
    let imported = leaderboard(&[("20240402_one.2", first), ("two", second)]).unwrap();
    assert_eq!(imported.records.arms(), ["20240402_one.2", "two"]);
    let mut found = scores(&imported);
    found.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let found: Vec<_> = found.iter().map(|row| (&*row.1, row.2)).collect();
    let expected = [
        ("a", Some(0.0)),
        ("b", None),
        ("c", Some(1.0)),
        ("d", Some(0.0)),
        ("a", Some(0.0)),
        ("b", Some(0.0)),
        ("c", Some(1.0)),
        ("d", Some(1.0)),
    ];
    assert_eq!(found, expected);
    assert!(
        imported.notices[1]
            .contains("not listed: 1 instance that other reports name counts as not resolved")
    );
    let alone = refused(leaderboard(&[("two", second)]));
    assert!(
        alone.ends_with("are not listed: read it together with reports of other models"),
        "{alone}"
    );
    // Earlier ones list what was tried.
    let earlier = r#"{"no_generation": ["a"], "generated": ["b", "c", "d"], "with_logs": ["b", "c"], "test_timeout": ["d"], "resolved": ["c"]}"#;
    let imported = leaderboard(&[("one", earlier)]).unwrap();
    let found: Vec<_> = scores(&imported).into_iter().map(|row| row.2).collect();
    assert_eq!(found, [Some(0.0), Some(0.0), Some(1.0), None]);
}

#[test]
fn a_report_may_have_no_patch() {
    let report = r#"{"total_instances": 2, "resolved_ids": [], "empty_patch_ids": ["a"], "error_ids": ["b"]}"#;
    let imported = read_bytes(
        report.as_bytes(),
        Tool::SweBench,
        &Reading::default(),
        "m.run.json",
    );
    let imported = imported.unwrap();
    assert_eq!(imported.records.arms(), ["m"]);
    let found: Vec<_> = scores(&imported).into_iter().map(|row| row.2).collect();
    assert_eq!(found, [Some(0.0), None]);
}

#[test]
fn what_is_no_report_is_refused() {
    let read = |text: &str| {
        refused(read_bytes(
            text.as_bytes(),
            Tool::SweBench,
            &Reading::default(),
            "r.json",
        ))
    };
    assert_eq!(
        read("{\"total_instances\": 3}"),
        "r.json: this is not what swe-bench writes: there is no list `resolved_ids` or `resolved`"
    );
    assert!(read("{\"resolved_ids\": 3}").contains("not what swe-bench writes: invalid type"));
    assert!(read("{\"resolved_ids\": []}").contains("no answer in this log"));
    let named = refused(logs(&[LARGE], Tool::SweBench, &metric("f1")));
    assert!(named.contains("no column `f1`, only `resolved`"), "{named}");
    for other in [
        r#"{"resolved": [1, 2]}"#,
        r#"{"total_instances": 3, "resolved": 2}"#,
    ] {
        assert_eq!(Tool::recognise(other.as_bytes()), None, "{other}");
    }
}
