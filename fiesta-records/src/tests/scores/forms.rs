//! Scores in the long and the wide form, under whatever names and in whatever columns.

use super::{all, read};
use crate::{Format, Reading, Record, read_from};

#[test]
fn reads_the_long_form() {
    let text = "\u{feff}note,arm, score ,split,seed,cost,duration\r\n\
                ,\"b, tied\",0.5, 3 ,4,0.1,7\r\n\
                \"two\nlines\",a,.25,,,,\r\n\
                x,=a,1e0,3,4,0,0\r\n\r\n \r\n";
    let records = read(text).unwrap();
    assert_eq!(records.arms(), ["b, tied", "a", "=a"]);
    let found: Vec<Record<&str>> = records.named().collect();
    let first = Record {
        arm: "b, tied",
        score: 0.5,
        split: Some(3),
        seed: Some(4),
        cost: Some(0.1),
        duration: Some(7.0),
        line: 2,
    };
    let second = Record {
        line: 3,
        ..Record::new("a", 0.25)
    };
    let third = Record {
        arm: "=a",
        score: 1.0,
        cost: Some(0.0),
        duration: Some(0.0),
        line: 5,
        ..first
    };
    assert_eq!(found, [first, second, third]);
}

#[test]
fn reads_tabs_and_another_metric() {
    let options = Reading {
        metric: Some("f1".into()),
        bounds: None,
        ..Reading::default()
    };
    let text = "arm\tscore\tf1\na, b\tx\t-3\n";
    let records = read_from(text.as_bytes(), Some(Format::Tsv), &options, "s").unwrap();
    assert_eq!(records.metric(), "f1");
    assert_eq!(records.arms(), ["a, b"]);
    assert_eq!(records.by_arm(), [[-3.0]]);
}

#[test]
fn reads_the_wide_form() {
    let records = read("b,split,a,c\n0.5,7,0.25,1\n,8,0.5\n1\n\n").unwrap();
    assert_eq!(records.arms(), ["b", "a", "c"]);
    assert_eq!(
        records.by_arm(),
        [vec![0.5, 1.0], vec![0.25, 0.5], vec![1.0]]
    );
    let cases: Vec<_> = records
        .records()
        .iter()
        .map(|r| (r.split, r.line))
        .collect();
    let expected = [
        (Some(7), 2),
        (Some(7), 2),
        (Some(7), 2),
        (Some(8), 3),
        (None, 4),
    ];
    assert_eq!(cases, expected);
    assert_eq!(records.records().at(0).seed, None);
}

/// Tests that arms keep the order of the columns, though their scores come in another.
#[test]
fn wide_arms_are_in_the_order_of_the_columns() {
    assert_eq!(read("split,a,b\n0,,1\n1,1,\n").unwrap().arms(), ["a", "b"]);
}

#[test]
fn long_columns_stand_anywhere() {
    let records = all("note,score,,seed,arm,,duration\nx,0.5,0,7,a,1,3\n").unwrap();
    let record = Record {
        seed: Some(7),
        duration: Some(3.0),
        line: 2,
        ..Record::new("a", 0.5)
    };
    assert_eq!(records.named().next(), Some(record));
    assert_eq!(records.columns(), ["note"]);
    assert_eq!(records.cell(0, 0), Some("x"));
}

#[test]
fn the_cost_may_be_the_score() {
    let options = Reading {
        metric: Some("cost".into()),
        keep_columns: true,
        ..Reading::default()
    };
    let text = "arm,cost,duration\na,0.5,3\n";
    let records = read_from(text.as_bytes(), None, &options, "s").unwrap();
    let record = Record {
        duration: Some(3.0),
        line: 2,
        ..Record::new("a", 0.5)
    };
    assert_eq!(records.named().next(), Some(record));
    assert!(records.columns().is_empty());
}

#[test]
fn wide_columns_are_arms() {
    let records = all("document,lstm,split,gru,seed\nd,0.5,1,0.25,2\n").unwrap();
    let found: Vec<_> = records
        .rows()
        .map(|row| (row.arm, row.score, row.split, row.seed, row.cell(0)))
        .collect();
    let expected = [("lstm", 0.5), ("gru", 0.25)]
        .map(|(arm, score)| (arm, Some(score), Some(1), Some(2), Some("d")));
    assert_eq!(found, expected);
}

#[test]
fn keeps_the_columns_of_the_user() {
    let text = ",arm,lr,score,'=note,opt\n0,a, 0.10 ,0.5,'=x;'@y,\n1,'=b,,0.25,'tis,\n";
    let records = all(text).unwrap();
    assert_eq!(records.arms(), ["a", "=b"]);
    assert_eq!(records.columns(), ["lr", "=note", "opt"]);
    let cells: Vec<_> = (0..2)
        .map(|row| [0, 1, 2].map(|column| records.cell(row, column)))
        .collect();
    assert_eq!(
        cells,
        [
            [Some("0.10"), Some("=x;@y"), None],
            [None, Some("'tis"), None]
        ]
    );
    // They are not so much as looked at otherwise.
    let records = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap();
    assert!(records.columns().is_empty());

    let wide = all("document,a,b\nd1,0.5,\nd2,0.25,1\n").unwrap();
    let documents: Vec<_> = wide.rows().map(|row| (row.arm, row.cell(0))).collect();
    assert_eq!(
        documents,
        [("a", Some("d1")), ("a", Some("d2")), ("b", Some("d2"))]
    );
}
