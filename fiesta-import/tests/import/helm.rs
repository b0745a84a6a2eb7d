//! Tests of importing runs of HELM.

use super::{answers, bytes, column, fixture, logs, metric, refused};
use fiesta_import::{Imported, Tool, read, read_bytes, read_files, read_results};
use fiesta_records::{Missing, Reading};
use std::fs;

const LARGE: &str = "helm/org_large/per_instance_stats.json";
const SMALL: &str = "helm/org_small/per_instance_stats.json";

fn text(text: &str, options: &Reading) -> Result<Imported, fiesta_import::ImportError> {
    read_bytes(text.as_bytes(), Tool::Helm, options, "s.json")
}

fn entry(id: &str, split: &str, mean: &str) -> String {
    format!(
        r#"{{"instance_id": "{id}", "train_trial_index": 0, "stats": [{{"name": {{"name": "f1", "split": "{split}"}}, "count": 2, "mean": {mean}}}]}}"#
    )
}

#[test]
fn two_models_on_one_scenario() {
    let right = metric("exact_match");
    let missing = refused(logs(&[LARGE, SMALL], Tool::Helm, &right));
    assert!(
        missing.starts_with("1 trial ended without a finite `exact_match`"),
        "{missing}"
    );
    let options = Reading {
        missing: Some(Missing::Fail),
        ..right
    };
    let imported = logs(&[LARGE, SMALL], Tool::Helm, &options).unwrap();
    let records = &imported.records;
    assert_eq!(records.arms(), ["org/large", "org/small"]);
    let changed = "id1+gender-pronouns-male-female";
    assert_eq!(records.items(), ["id0", "id1", changed, "id2"]);
    // The second trial is another seed, and HELM leaves out what is no number.
    let mut found = answers(records);
    found.retain(|(arm, _, seed, _)| arm == "org/small" && *seed == Some(0));
    found.sort_by(|a, b| a.1.cmp(&b.1));
    let found: Vec<_> = found.iter().map(|row| (&*row.1, row.3)).collect();
    let expected = [
        ("id0", Some(1.0)),
        ("id1", Some(0.0)),
        (changed, Some(0.0)),
        ("id2", None),
    ];
    assert_eq!(found, expected);
    assert_eq!(records.failures().len(), 1);
    // Of the second list of statistics.
    assert_eq!(column(records, "num_output_tokens")[3], Some("3"));
    assert_eq!(records.records().at(0).duration, Some(0.5));
    let by_time = logs(&[LARGE], Tool::Helm, &metric("inference_runtime")).unwrap();
    assert_eq!(by_time.records.by_arm()[0][0].to_string(), "0.5");
}

#[test]
fn a_metric_is_named_by_whoever_reads() {
    let error = logs(&[LARGE], Tool::Helm, &Reading::default()).unwrap_err();
    let choices: Vec<String> = error.choices().iter().map(ToString::to_string).collect();
    assert_eq!(choices, ["--metric exact_match"]);
    let wrong = refused(logs(&[LARGE], Tool::Helm, &metric("bleu")));
    assert!(
        wrong.contains("no column `bleu`, only `exact_match`, `inference_runtime`"),
        "{wrong}"
    );
}

/// Copies a run into a directory of its own.
fn copied(folder: &std::path::Path, names: &[&str]) -> std::path::PathBuf {
    fs::create_dir_all(folder).unwrap();
    let from = fixture("logs/helm/org_large");
    for name in names {
        fs::copy(from.join(name), folder.join(name)).unwrap();
    }
    folder.join("per_instance_stats.json")
}

#[test]
fn what_stands_beside_names_the_run() {
    let place = tempfile::tempdir().unwrap();
    let alone = copied(
        &place.path().join("sums:model=org_medium,x=1"),
        &["per_instance_stats.json"],
    );
    let options = metric("exact_match");
    let imported = read(&alone, Tool::Helm, &options).unwrap();
    assert_eq!(imported.records.arms(), ["org_medium"]);
    // Another question of the same name, told by the large file where the small one is missing.
    let names = ["per_instance_stats.json", "run_spec.json"];
    let other = copied(&place.path().join("other"), &names);
    let instances = fs::read_to_string(fixture("logs/helm/org_large/instances.json")).unwrap();
    let instances: Vec<serde_json::Value> =
        serde_json::from_str(&instances.replace("2+2?", "2+3?")).unwrap();
    let states: Vec<_> = instances
        .iter()
        .map(|one| serde_json::json!({"instance": one}))
        .collect();
    let states = serde_json::json!({"request_states": states});
    fs::write(
        other.with_file_name("scenario_state.json"),
        states.to_string(),
    )
    .unwrap();
    let spec = fs::read_to_string(other.with_file_name("run_spec.json")).unwrap();
    fs::write(
        other.with_file_name("run_spec.json"),
        spec.replace("org/large", "org/other"),
    )
    .unwrap();
    let both = [fixture("logs").join(LARGE), other];
    let differ = refused(read_files(&both, Tool::Helm, &options));
    assert!(
        differ.contains("the item `id0` is another one than in"),
        "{differ}"
    );
}

#[test]
fn a_directory_of_runs() {
    let options = Reading {
        missing: Some(Missing::Drop),
        ..metric("exact_match")
    };
    let imported = read_results(&[fixture("logs/helm")], &options).unwrap();
    assert_eq!(imported.records.arms().len(), 2);
    assert!(imported.notices[0].ends_with("2 logs of helm read; 6 other files there passed over"));
}

#[test]
fn only_the_split_of_tests_counts() {
    let all = format!(
        "[{},{}]",
        entry("a", "test", "0.5"),
        entry("b", "valid", "1")
    );
    let imported = text(&all, &Reading::default()).unwrap();
    assert_eq!(
        answers(&imported.records),
        [("s".into(), "a".into(), None, Some(0.5))]
    );
    assert_eq!(
        imported.notices[1],
        "s.json: 1 answer of other splits than `test` is left out"
    );
    let valid = format!("[{}]", entry("b", "valid", "1"));
    assert_eq!(
        text(&valid, &Reading::default()).unwrap().records.items(),
        ["b"]
    );
}

#[test]
fn what_is_no_run_is_refused() {
    let wrong = refused(text("[{\"instance_id\": 1}]", &Reading::default()));
    assert!(
        wrong.starts_with("s.json: this is not what helm writes: invalid type"),
        "{wrong}"
    );
    assert!(refused(text("[]", &Reading::default())).contains("no answer in this log of helm"));
    let predictions = r#"[{"instance_id": "a", "train_trial_index": 0, "stats": {"f1": 1}}]"#;
    assert_eq!(Tool::recognise(predictions.as_bytes()), None);
    assert_eq!(
        Tool::recognise(&bytes("logs/helm/org_large/instances.json")),
        None
    );
}
