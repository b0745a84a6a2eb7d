//! Tests of importing samples of lm-eval.

use super::{answers, column, fixture, logs, metric, refused};
use fiesta_import::{Tool, read, read_bytes, read_files};
use fiesta_records::{ColumnNames, Missing, Reading};
use std::fs;

const LARGE: &str = "lm_eval/org__large/samples_colours_2026-11-23T03-39-12.490047.jsonl";
const SMALL: &str = "lm_eval/org__small/samples_colours_2026-11-23T03-39-25.340112.jsonl";
const SUMS: &str = "lm_eval/org__large/samples_sums_2026-11-23T03-39-12.490047.jsonl";

pub(super) fn sample(id: &str, rest: &str) -> String {
    format!("{{\"doc_id\": {id}, \"doc\": {{\"acc\": 7}}, \"filtered_resps\": [\"x\"]{rest}}}\n")
}

fn read_text(text: &str, options: &Reading) -> Result<fiesta_import::Imported, String> {
    let read = read_bytes(
        text.as_bytes(),
        Tool::LmEval,
        options,
        "dir/samples_a_2026-01-01T0.jsonl",
    );
    read.map_err(|error| error.to_string())
}

/// Tests that the scores are those that lm-eval printed, item by item.
#[test]
fn two_models_on_one_task() {
    let imported = logs(&[LARGE, SMALL], Tool::LmEval, &metric("acc")).unwrap();
    let records = &imported.records;
    assert_eq!(imported.notices, ["the arms are called by their model"]);
    assert_eq!(records.arms(), ["org/large", "org/small"]);
    let items: Vec<String> = (0..20).map(|item| item.to_string()).collect();
    assert_eq!(records.items(), items);
    let accuracies = records
        .by_arm()
        .into_iter()
        .map(|scores| scores.iter().sum::<f64>());
    assert_eq!(accuracies.collect::<Vec<_>>(), [11.0, 8.0]);
    assert_eq!(records.metric(), "acc");
    assert_eq!(records.columns(), ["acc_norm"]);
    assert_eq!(column(records, "acc_norm")[3], Some("1.0"));
    let small = &answers(records)[21];
    assert_eq!(small, &("org/small".into(), "1".into(), None, Some(0.0)));
    assert_eq!(records.records().at(21).line, 2);
}

#[test]
fn several_metrics_filters_and_tasks() {
    assert!(
        refused(logs(&[LARGE], Tool::LmEval, &Reading::default())).ends_with(
            "several columns could be the score: name one of `acc`, `acc_norm` with --metric"
        )
    );
    assert!(
        refused(logs(&[LARGE], Tool::LmEval, &metric("f1")))
            .contains("no column `f1`, only `acc`, `acc_norm`")
    );
    assert!(
        refused(logs(&[SUMS], Tool::LmEval, &Reading::default()))
            .ends_with("several filters: name one of `strict`, `any` with --filter")
    );
    let filter = |filter: &str| Reading {
        filter: Some(filter.into()),
        ..Reading::default()
    };
    assert!(
        refused(logs(&[SUMS], Tool::LmEval, &filter("none")))
            .contains("no filter `none`, only `strict`, `any`")
    );
    let any = logs(&[SUMS], Tool::LmEval, &filter("any")).unwrap();
    assert_eq!(any.records.by_arm(), [[1.0, 1.0, 0.0]]);
    let strict = logs(&[SUMS], Tool::LmEval, &filter("strict")).unwrap();
    assert_eq!(strict.records.by_arm(), [[0.0; 3]]);

    // Tasks have items of their own.
    let of_two = |metric: &str, task: &str| {
        let folder = tempfile::tempdir().unwrap();
        let colours = fs::read_to_string(fixture("logs").join(LARGE)).unwrap();
        let other = fs::read_to_string(fixture("logs").join(SUMS)).unwrap();
        let other = other.replace("exact_match", metric);
        let paths = [("colours", colours), (task, other)].map(|(task, text)| {
            let path = folder
                .path()
                .join(format!("samples_{task}_2026-01-01T0.jsonl"));
            fs::write(&path, text).unwrap();
            path
        });
        let options = Reading {
            metric: Some("acc".into()),
            columns: ColumnNames {
                arm: Some("model".into()),
                ..ColumnNames::default()
            },
            filter: None,
            ..Reading::default()
        };
        // Of the sums, the lines of one filter.
        let lines = fs::read_to_string(&paths[1]).unwrap();
        let lines: String = lines
            .lines()
            .filter(|line| line.contains("\"any\""))
            .map(|line| line.to_owned() + "\n")
            .collect();
        fs::write(&paths[1], lines).unwrap();
        read_files(&paths, Tool::LmEval, &options).map_err(|error| error.to_string())
    };
    let both = of_two("acc", "sums").unwrap();
    assert_eq!(both.records.arms().len(), 1);
    assert_eq!(
        (both.records.items().len(), &*both.records.items()[20]),
        (23, "sums/0")
    );
    assert!(
        both.notices[0].starts_with("there are 2 tasks"),
        "{:?}",
        both.notices
    );
    assert!(
        of_two("f1", "sums")
            .unwrap_err()
            .contains("no column `acc`, only `f1`")
    );
}

#[test]
fn models_are_called_by_their_results_or_directory() {
    let name = |path: &std::path::Path, options: &Reading| {
        let imported = read(path, Tool::LmEval, options).map_err(|error| error.to_string());
        imported.unwrap().records.arms().to_vec()
    };
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("org__large");
    fs::create_dir(&model).unwrap();
    for file in [
        "samples_colours_2026-11-23T03-39-12.490047.jsonl",
        "mine.jsonl",
    ] {
        fs::copy(fixture("logs").join(LARGE), model.join(file)).unwrap();
    }
    let path = model.join("samples_colours_2026-11-23T03-39-12.490047.jsonl");
    assert_eq!(
        name(&fixture("logs").join(LARGE), &metric("acc")),
        ["org/large"]
    );
    assert_eq!(name(&path, &metric("acc")), ["org__large"]);
    assert_eq!(name(&model.join("mine.jsonl"), &metric("acc")), ["mine"]);
    let arm = |arm: &str| Reading {
        columns: ColumnNames {
            arm: Some(arm.into()),
            ..ColumnNames::default()
        },
        ..metric("acc")
    };
    assert_eq!(name(&path, &arm("theirs")), ["theirs"]);
    assert_eq!(name(&path, &arm("model+task")), ["org__large+colours"]);
    // The same model on the same task, twice.
    let both = [LARGE, LARGE];
    let twice = refused(logs(&both, Tool::LmEval, &metric("acc")));
    assert!(
        twice.contains("this is the arm `org/large`, as is"),
        "{twice}"
    );
    let several = refused(logs(&[LARGE, SMALL], Tool::LmEval, &arm("theirs")));
    assert!(
        several.contains("cannot be the name of all 2 arms"),
        "{several}"
    );
    let by_file = logs(&[LARGE, SMALL], Tool::LmEval, &arm("file")).unwrap();
    assert_eq!(
        by_file.records.arms()[0],
        "samples_colours_2026-11-23T03-39-12.490047"
    );
}

#[test]
fn earlier_samples_say_neither_metrics_nor_filters() {
    let text = sample("0", ", \"acc\": 1") + "\n" + &sample("\"b\"", ", \"acc\": true");
    let imported = read_text(&text, &Reading::default()).unwrap();
    assert_eq!(imported.records.arms(), ["dir"]);
    assert_eq!(imported.records.items(), ["0", "b"]);
    assert_eq!(imported.records.by_arm(), [[1.0, 1.0]]);
    assert_eq!(imported.records.records().at(1).line, 3);
}

#[test]
fn what_is_no_sample_is_told_with_its_line() {
    let file = "dir/samples_a_2026-01-01T0.jsonl";
    let refused = |text: &str| read_text(text, &metric("acc")).unwrap_err();
    let good = sample("0", ", \"acc\": 1.0");
    let id = refused(&(good.clone() + &sample("[1]", ", \"acc\": 1.0")));
    assert_eq!(
        id,
        format!(
            "{file}:2: this is not what lm-eval writes: there is no `doc_id` that is a number or a text"
        )
    );
    let score = refused(&(good.clone() + &sample("1", ", \"acc\": [1, 2]")));
    assert_eq!(
        score,
        format!("{file}:2: the acc a list is no score: name another with --metric")
    );
    let absent = refused(&(good.clone() + &sample("1", ", \"f1\": 1")));
    assert!(
        absent.starts_with(&format!("{file}:2: there is no `acc` here, only `f1`")),
        "{absent}"
    );
    assert!(
        refused(&(good.clone() + "{\"doc_id\": 1,"))
            .starts_with(&format!("{file}:2: this is not what lm-eval writes: EOF"))
    );
    assert!(
        refused("").ends_with("there is no answer in this log of lm-eval: let it log its samples")
    );
    let twice = refused(&good.repeat(2));
    assert_eq!(
        twice,
        format!(
            "{file}:2: the answer of `dir` to item `0` is in {file}:1 already: keep one of the two"
        )
    );
    let hash = |hash: &str| sample("0", &format!(", \"acc\": 1.0, \"doc_hash\": \"{hash}\""));
    let other = refused(&(hash("a") + &hash("b")));
    assert!(
        other.starts_with(&format!(
            "{file}:2: the item `0` is another one than in {file}:1"
        )),
        "{other}"
    );

    // Python's numbers that are none.
    let nan = good + &sample("1", ", \"acc\": NaN, \"text\": \"NaN\"");
    assert!(refused(&nan).contains("without a finite `acc`"));
    let missing = |missing| Reading {
        missing: Some(missing),
        ..metric("acc")
    };
    let failed = read_text(&nan, &missing(Missing::Fail)).unwrap();
    assert_eq!(
        (
            failed.records.failures().len(),
            failed.records.items().len()
        ),
        (1, 2)
    );
    let dropped = read_text(&nan, &missing(Missing::Drop)).unwrap();
    assert_eq!(dropped.records.rows().count(), 1);
    assert!(
        dropped.notices[1].starts_with("1 answer without a finite `acc` left out"),
        "{:?}",
        dropped.notices
    );
    let bounds = Reading {
        bounds: Some((0.0, 0.5)),
        ..metric("acc")
    };
    assert!(
        read_text(&sample("0", ", \"acc\": 1"), &bounds)
            .unwrap_err()
            .starts_with(&format!("{file}:1: "))
    );
}
