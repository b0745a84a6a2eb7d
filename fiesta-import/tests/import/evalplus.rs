//! Tests of importing results of EvalPlus.

use super::{answers, logs, metric, refused};
use fiesta_import::{Tool, read, read_bytes};
use fiesta_records::Reading;
use std::fs;

const LARGE: &str = "evalplus/large_temp_0.0_eval_results.json";
const SMALL: &str = "evalplus/small_temp_0.8_eval_results.json";

#[test]
fn two_models_with_one_and_two_samples() {
    let error = logs(&[LARGE], Tool::EvalPlus, &Reading::default()).unwrap_err();
    let choices: Vec<String> = error.choices().iter().map(ToString::to_string).collect();
    assert_eq!(choices, ["--metric base", "--metric plus"]);
    let by = |name: &str| {
        let imported = logs(&[LARGE, SMALL], Tool::EvalPlus, &metric(name)).unwrap();
        let records = imported.records;
        assert_eq!(records.arms(), ["large_temp_0.0", "small_temp_0.8"]);
        assert_eq!(
            records.items(),
            ["HumanEval/0", "HumanEval/1", "HumanEval/10"]
        );
        records.by_arm()
    };
    assert_eq!(
        by("base"),
        [vec![1.0; 3], vec![0.0, 1.0, 1.0, 1.0, 0.0, 1.0]]
    );
    assert_eq!(
        by("plus"),
        [vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 1.0, 0.0, 0.0, 1.0]]
    );
    let imported = logs(&[SMALL], Tool::EvalPlus, &metric("plus")).unwrap();
    let seeds: Vec<_> = answers(&imported.records)
        .into_iter()
        .map(|row| row.2)
        .collect();
    assert_eq!(
        seeds,
        [Some(0), Some(1), Some(0), Some(1), Some(0), Some(1)]
    );
}

#[test]
fn other_forms() {
    let place = tempfile::tempdir().unwrap();
    let write = |folder: &str, text: &str| {
        let folder = place.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("eval_results.json"), text).unwrap();
        folder.join("eval_results.json")
    };
    // Before version 0.2.1; passing the further tests alone is not enough.
    let earlier = r#"{"date": "d", "hash": "h", "eval": {
        "a": {"nfiles": 2, "base": [["success", [true]], ["failed", [false]]], "plus": [["timed out", []], ["success", [true]]]}}}"#;
    let path = write("model_a", earlier);
    let read_by = |path: &std::path::Path, name: &str| {
        read(path, Tool::EvalPlus, &metric(name)).unwrap().records
    };
    assert_eq!(read_by(&path, "base").arms(), ["model_a"]);
    assert_eq!(read_by(&path, "base").by_arm(), [[1.0, 0.0]]);
    assert_eq!(read_by(&path, "plus").by_arm(), [[0.0, 0.0]]);
    // Where only the base tests ran, they are the score.
    let base = r#"{"date": "d", "hash": "i", "eval": {"a": [{"base_status": "pass", "plus_status": null}]}}"#;
    let path_of_base = write("model_b", base);
    let only = read(&path_of_base, Tool::EvalPlus, &Reading::default()).unwrap();
    assert_eq!(only.records.metric(), "base");
    let both = [path, path_of_base];
    let pool = |name| fiesta_import::read_files(&both, Tool::EvalPlus, &metric(name));
    assert_eq!(pool("base").unwrap().records.arms().len(), 2);
    assert!(refused(pool("plus")).contains("no column `plus`, only `base`"));
    // Another version of the further tests.
    let other = earlier.replace("\"h\"", "\"other\"");
    let both = [write("c", earlier), write("d", &other)];
    let pool = |name| fiesta_import::read_files(&both, Tool::EvalPlus, &metric(name));
    assert!(refused(pool("plus")).contains("the item `a` is another one than in"));
    pool("base").unwrap();
}

#[test]
fn what_is_no_result_is_refused() {
    let read = |text: &str| {
        refused(read_bytes(
            text.as_bytes(),
            Tool::EvalPlus,
            &metric("base"),
            "e.json",
        ))
    };
    assert!(
        read("{}").starts_with("e.json: this is not what evalplus writes: missing field `eval`")
    );
    assert!(read("{\"eval\": {\"a\": 1}}").contains("not what evalplus writes"));
    assert!(read("{\"eval\": {\"a\": []}}").contains("no answer in this log"));
    assert!(read("{\"eval\": {\"a\": [{}]}}").contains("no column `base`, only none"));
}
