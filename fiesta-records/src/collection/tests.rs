//! Tests of records: what is refused, and what stays with its row.

use super::*;

#[test]
fn refuses_what_is_no_record() {
    let mut records = Evaluations::new("duration").unwrap();
    let good = Record::new("a", 1.0);
    let mut refused = |record| records.push(record).unwrap_err().to_string();
    assert!(refused(Record::new(" ", 1.0)).contains("empty"));
    assert!(refused(Record::new("a\tb", 1.0)).contains("`a\\tb` contains"));
    assert!(refused(Record::new("a", f64::NAN)).contains("score `NaN` is not finite"));
    let negative = Record {
        cost: Some(-1.0),
        ..good
    };
    assert!(refused(negative).contains("cost `-1` is negative"));
    let infinite = Record {
        cost: Some(f64::INFINITY),
        ..good
    };
    assert!(refused(infinite).contains("cost `inf` is not finite"));
    let twice = Record {
        duration: Some(1.0),
        ..good
    };
    assert!(refused(twice).contains("leave it out"));
    assert!(records.records().is_empty());
    assert!(records.arms().is_empty());
}

#[test]
fn a_metric_has_a_name_of_its_own() {
    assert!(matches!(
        Evaluations::new(" "),
        Err(RecordsError::Metric(MetricError::Unnamed))
    ));
    assert!(matches!(
        Evaluations::new("seed"),
        Err(RecordsError::ReservedMetric(_))
    ));
    assert_eq!(Evaluations::new(" f1 ").unwrap().metric(), "f1");
}

#[test]
fn columns_belong_to_their_rows() {
    let mut records = Evaluations::new("f1").unwrap();
    let record = Record::new("a", 0.5);
    records.push(record).unwrap();
    records.push_failure(Record::failed("a")).unwrap();
    records.push_with(record, [("lr", " 0.1 ")]).unwrap();
    records.push_with(record, [("lr", "")]).unwrap();
    let others = [("opt", "adam"), ("lr", "0.2")];
    records
        .push_failure_with(Record::failed("b"), others)
        .unwrap();
    let rows: Vec<_> = records
        .rows()
        .map(|row| [row.cell(0), row.cell(1)])
        .collect();
    let expected = [
        [None, None],
        [None, None],
        [Some("0.1"), None],
        [None, None],
        [Some("0.2"), Some("adam")],
    ];
    assert_eq!(rows, expected);
    assert_eq!(records.columns(), ["lr", "opt"]);
    assert_eq!(
        (records.cell(1, 0), records.cell(2, 0), records.cell(9, 9)),
        (Some("0.1"), None, None)
    );
    assert_eq!(
        (records.failure_cell(0, 0), records.failure_cell(1, 1)),
        (None, Some("adam"))
    );

    let mut refused = |name: &str| {
        let error = records.push_with(record, [(name, "1")]).unwrap_err();
        error.to_string()
    };
    assert!(refused(" ").starts_with("a column has no name"));
    assert!(refused("a\nb").contains("control character"));
    for reserved in ["arm", "f1", "split", "seed", "cost", "duration", "status"] {
        assert!(refused(reserved).starts_with("no column of one's own can be called"));
    }
    let twice = records.push_with(record, [("new", "1"), ("new ", "2")]);
    assert!(
        twice
            .unwrap_err()
            .to_string()
            .contains("`new` occurs twice")
    );
    assert_eq!((records.records().len(), records.columns().len()), (3, 2));
}

#[test]
fn a_metric_may_be_renamed() {
    let mut records = Evaluations::new("f1").unwrap();
    let with_cost = Record {
        cost: Some(1.0),
        ..Record::new("a", 0.5)
    };
    records.push_with(with_cost, [("lr", "0.1")]).unwrap();
    for taken in ["lr", "cost", "status", " "] {
        assert!(records.clone().renamed(taken).is_err(), "{taken}");
    }
    let renamed = records.renamed("score").unwrap();
    assert_eq!(
        (renamed.metric(), renamed.by_arm()),
        ("score", vec![vec![0.5]])
    );
}

#[test]
fn names_are_numbered_once() {
    let mut records = Evaluations::new("score").unwrap();
    for name in ["b", "a", " b ", "c"] {
        records.push(Record::new(name, 0.0)).unwrap();
    }
    assert_eq!(records.arms(), ["b", "a", "c"]);
    assert_eq!(records.find("a"), Some(ArmId::new(1)));
    assert_eq!(records.find("d"), None);
    let names: Vec<&str> = records.named().map(|record| record.arm).collect();
    assert_eq!(names, ["b", "a", "b", "c"]);
}
