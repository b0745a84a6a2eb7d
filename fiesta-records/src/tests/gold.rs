//! Tests of predictions beside the right answers: scores and counts of them, and what is refused.

use crate::{ColumnNames, Missing, Reading, Role, Rule, SplitSource, gold};
use fiesta_core::Counts;

const CSV: &str = "id,text,label,large,small\n\
                   q1,a,yes,yes, yes\n\
                   q2,b,no,yes,no\n\
                   q3,c,yes,no,yeah\n";

fn options(column: &str) -> Reading {
    Reading {
        gold: Some(column.to_owned()),
        keep_columns: true,
        ..Reading::default()
    }
}

fn refused(text: &str, options: &Reading) -> String {
    let read = gold::scores(text.as_bytes(), None, options, "p");
    read.unwrap_err().to_string()
}

#[test]
fn a_prediction_is_right_if_it_is_the_label() {
    let (records, notices, roles) =
        gold::scores(CSV.as_bytes(), None, &options("label"), "p").unwrap();
    assert_eq!(records.metric(), "accuracy");
    assert_eq!(records.arms(), ["large", "small"]);
    assert_eq!(records.by_arm(), [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
    assert_eq!(records.items(), ["q1", "q2", "q3"]);
    assert_eq!(records.split_source(), SplitSource::Items);
    assert_eq!(records.columns(), ["gold"]);
    let lines: Vec<u64> = records.rows().map(|row| row.line).collect();
    assert_eq!(lines, [2, 2, 3, 3, 4, 4]);
    assert_eq!(
        notices,
        [
            "no arms, as they hold none of the right answers: `text`; --arms names the arms",
            "1 text that arms predict and `label` never holds, which count as wrong: `yeah`"
        ]
    );
    let roles: Vec<(&str, Role, Rule)> = roles
        .iter()
        .map(|of| (&*of.column, of.role, of.rule))
        .collect();
    assert_eq!(
        roles,
        [
            ("id", Role::Item, Rule::Word),
            ("text", Role::Nothing, Rule::NoLabel),
            ("label", Role::Gold, Rule::Named),
            ("large", Role::Predictions, Rule::Labels),
            ("small", Role::Predictions, Rule::Labels),
        ]
    );
    let named = Reading {
        arms: vec!["small".to_owned(), "text".to_owned()],
        metric: Some("exact_match".to_owned()),
        ..options("label")
    };
    let (records, ..) = gold::scores(CSV.as_bytes(), None, &named, "p").unwrap();
    assert_eq!(records.arms(), ["small", "text"]);
    assert_eq!(records.metric(), "exact_match");
    // A file of scores is read in the same way.
    assert_eq!(
        crate::read_from(CSV.as_bytes(), None, &named, "p").unwrap(),
        records
    );
}

#[test]
fn objects_and_rows_without_names_are_read() {
    let lines = "{\"truth\": 1, \"a\": 1, \"b\": 2}\n{\"truth\": 2, \"a\": \"2\", \"b\": 2}\n";
    let (records, notices, _) =
        gold::scores(lines.as_bytes(), None, &options("truth"), "p").unwrap();
    assert_eq!(records.by_arm(), [[1.0, 1.0], [0.0, 1.0]]);
    assert_eq!(records.items(), ["1", "2"]);
    assert!(notices.is_empty(), "{notices:?}");
}

#[test]
fn an_empty_prediction_is_a_missing_answer() {
    let csv = "id,label,a\n1,x,x\n2,y,\n3,y,y\n";
    let error = gold::scores(csv.as_bytes(), None, &options("label"), "p").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("p:3: the prediction of `a` is missing"),
        "{error}"
    );
    assert_eq!(error.choices().len(), 2);
    let kept = Reading {
        keep_missing: true,
        ..options("label")
    };
    let (records, ..) = gold::scores(csv.as_bytes(), None, &kept, "p").unwrap();
    assert_eq!(records.by_arm(), [[1.0, 1.0]]);
    assert_eq!(records.failures().len(), 1);
    let counted = |missing| {
        let options = Reading {
            missing,
            ..options("label")
        };
        gold::counts(csv.as_bytes(), None, &options, "y", "p")
    };
    assert!(
        counted(None)
            .unwrap_err()
            .to_string()
            .starts_with("p:3: the prediction")
    );
    assert_eq!(counted(Some(Missing::Drop)).unwrap().0.records().len(), 2);
    let (worst, _) = counted(Some(Missing::Fail)).unwrap();
    assert_eq!(worst.records()[1].counts, Counts::from_cells([0, 0, 0, 1]));
}

#[test]
fn each_item_is_a_document_with_one_count() {
    let (records, notices) =
        gold::counts(CSV.as_bytes(), None, &options("label"), " yes", "p").unwrap();
    assert_eq!(records.documents(), ["q1", "q2", "q3"]);
    let of = |arm: usize| {
        let records = &records.by_arm()[arm];
        records
            .iter()
            .map(|record| record.counts.cells())
            .collect::<Vec<_>>()
    };
    // tp, fp, tn, fn
    assert_eq!(of(0), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]);
    assert_eq!(of(1), [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]);
    assert_eq!(notices.len(), 2);
    let error = gold::counts(CSV.as_bytes(), None, &options("label"), "maybe", "p").unwrap_err();
    assert_eq!(
        error.to_string(),
        "p:1: no right answer (--gold) is `maybe` (--positive), only `no`, `yes`"
    );
}

#[test]
fn what_is_no_table_of_predictions_is_told() {
    let constant = refused("id,label,a\n1,x,x\n2,x,y\n", &options("label"));
    assert!(
        constant.starts_with("p:1: the right answer (--gold) is `x` on every row"),
        "{constant}"
    );
    let none = refused(CSV, &options("truth"));
    assert!(
        none.starts_with("p:1: there is no column `truth` (--gold), only `id`, `text`"),
        "{none}"
    );
    let empty = refused("id,label,a\n1,x,x\n2,,y\n3,y,y\n", &options("label"));
    assert!(
        empty.starts_with("p:3: the right answer is missing"),
        "{empty}"
    );
    let nothing = refused("id,label,a\n1,x,z\n2,y,w\n", &options("label"));
    assert!(
        nothing.contains("no other column holds any of the right answers"),
        "{nothing}"
    );
    let item = |name: &str| Reading {
        columns: ColumnNames {
            item: Some(name.to_owned()),
            ..ColumnNames::default()
        },
        ..options("label")
    };
    let twice = refused("doc,label,a\nd,x,x\ne,y,y\nd,y,x\n", &item("doc"));
    assert!(
        twice.starts_with("p:4: the item `d` is on line 2 already"),
        "{twice}"
    );
    let paired = Reading {
        paired_rows: true,
        ..options("label")
    };
    let paired = refused(CSV, &paired);
    assert!(
        paired.contains("--paired-rows is about rows with one score each"),
        "{paired}"
    );
}
