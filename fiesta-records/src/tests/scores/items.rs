//! Tests of scores on items of a pool, which are numbered in the order of appearance.

use super::{all, paired, refused};
use crate::{Evaluations, Reading, Record, Row, RowProblem, SplitSource, read_from};

/// Returns the item and the score of each row.
fn answers(records: &Evaluations) -> Vec<(&str, &str, Option<f64>)> {
    let answer = |row: Row<'_>| {
        let known = |names: &'_ [String], name: &str| names.iter().position(|known| known == name);
        let arm = known(records.arms(), row.arm).unwrap();
        let item = known(records.items(), row.item.unwrap()).unwrap();
        assert_eq!(row.split, Some(item as u64));
        (arm, item, row.score)
    };
    let found: Vec<_> = records.rows().map(answer).collect();
    let named = |(arm, item, score): (usize, usize, _)| {
        (&*records.arms()[arm], &*records.items()[item], score)
    };
    found.into_iter().map(named).collect()
}

#[test]
fn items_are_numbered_as_they_appear() {
    let expected = [
        ("a", "q 2", Some(1.0)),
        ("b", "q 2", Some(0.5)),
        ("b", "7", Some(0.25)),
        ("a", "7", None),
    ];
    for text in [
        "arm,item,score,status\na,q 2,1,\nb, q 2 ,0.5,\nb,7,0.25,ok\na,7,,failed\n",
        r#"{"arm": "a", "item": "q 2", "score": 1}
        {"arm": "b", "item": " q 2", "score": 0.5, "split": null}
        {"arm": "b", "item": 7, "score": 0.25}
        {"arm": "a", "item": "7", "status": "failed"}"#,
        r#"[{"arm": "a", "item": "q 2", "score": 1}, {"arm": "b", "item": "q 2", "score": 0.5},
        {"arm": "b", "item": 7, "score": 0.25}, {"arm": "a", "item": "7", "status": "failed"}]"#,
    ] {
        let records = all(text).unwrap();
        assert_eq!(records.items(), ["q 2", "7"], "{text}");
        assert_eq!(answers(&records), expected, "{text}");
        assert_eq!(records.split_source(), SplitSource::Items);
        assert!(!records.rows_may_be_splits());
        assert!(records.columns().is_empty());
        let b = records.select(&[records.find("b").unwrap()]);
        assert_eq!(answers(&b), [expected[1], expected[2]]);
        assert_eq!(b.items(), ["q 2", "7"]);
    }
    assert!(all("arm,score\na,1\n").unwrap().items().is_empty());
}

#[test]
fn wide_rows_may_be_items() {
    let text = "a,item,document,b,seed\n1,q1,d1,0,3\n,'=q2,d2,1,3\n0,q3,,,\n,q4,,,\n";
    let records = all(text).unwrap();
    assert_eq!(records.arms(), ["a", "b"]);
    // An item that no arm has answered is one of the pool all the same.
    assert_eq!(records.items(), ["q1", "=q2", "q3", "q4"]);
    assert_eq!(
        answers(&records),
        [
            ("a", "q1", Some(1.0)),
            ("b", "q1", Some(0.0)),
            ("b", "=q2", Some(1.0)),
            ("a", "q3", Some(0.0)),
        ]
    );
    assert_eq!(records.records().at(2).seed, Some(3));
    assert_eq!(records.cell(2, 0), Some("d2"));
}

#[test]
fn says_what_is_wrong_with_items() {
    for header in ["arm,item,split,score\na,q,1,2\n", "split,item,a\n1,q,2\n"] {
        assert_eq!(
            refused(header),
            "s.csv:1: there is a column `split` and a column `item`, and either says which scores belong together: \
             leave one of the two out"
        );
    }
    let missing = "the item is missing: fill it in, or remove the row";
    assert_eq!(
        refused("arm,item,score\na,q,1\nb,,1\n"),
        format!("s.csv:3: {missing}")
    );
    assert_eq!(
        refused("a,b,item\n1,0,q\n1,0\n"),
        format!("s.csv:3: {missing}")
    );
    assert_eq!(
        refused("arm,item,score\na,q,1\nb,q,1\na,q,0\n"),
        "s.csv:4: the answer of `a` on item `q` is on line 2 already: keep one of the two, or tell repeats apart by a column `seed`"
    );
    assert_eq!(
        refused("arm,item,seed,score\na,q,1,1\na,q,2,1\na,p,1,1\na,q,1,0\n"),
        "s.csv:5: the answer of `a` on item `q` with seed 1 is on line 2 already: keep one of the two"
    );
    // A repeat without a seed may be any of the others.
    assert!(
        refused("arm,item,seed,score\na,q,1,1\na,q,,1\n")
            .starts_with("s.csv:3: the answer of `a` on item `q` is on line 2")
    );
    assert!(
        refused("item,a,b\nq,1,\np,0,1\nq,,1\nq,1,\n")
            .starts_with("s.csv:5: the answer of `a` on item `q`")
    );
    // Made again when the cause of its failure was mended.
    assert!(all("arm,item,score,status\na,q,,failed\na,q,1,\n").is_ok());
    let json = |rows: [&str; 2]| {
        let text = rows.map(|row| format!("{{\"arm\": \"a\", \"score\": 1{row}}}\n"));
        let options = Reading::default();
        read_from(text.concat().as_bytes(), None, &options, "s")
            .unwrap_err()
            .to_string()
    };
    let (q, split) = (r#", "item": "q""#, r#", "split": 3"#);
    let some =
        "s:2: some rows have an `item`, and some have none: name the item of every row, or of none";
    assert_eq!(json([q, ""]), some);
    assert_eq!(json(["", q]), some);
    assert_eq!(json([split, q]), some);
    assert!(
        json([q, r#", "item": "p", "split": 3"#])
            .starts_with("s:2: there is a `split` and an `item`")
    );
    assert!(json([q, r#", "item": null"#]).ends_with(missing));
    assert_eq!(
        json([q, r#", "item": [1]"#]),
        "s:2: the item [1] is no name: write text or a number"
    );
    assert!(
        all("{\"item\": [1, 2], \"a\": [1, 0]}")
            .unwrap_err()
            .to_string()
            .contains("lists of scores cannot say their items")
    );
    assert!(
        paired("arm,item,score\na,q,2\n")
            .unwrap_err()
            .to_string()
            .starts_with("s:1: the column `item` says already")
    );
    assert!(
        paired(r#"{"arm": "a", "item": 1, "score": 1}"#)
            .unwrap_err()
            .to_string()
            .starts_with("s:1: there is an `item`")
    );
    let options = Reading {
        metric: Some("item".into()),
        ..Reading::default()
    };
    let metric = read_from(&b"arm,score\na,1\n"[..], None, &options, "s").unwrap_err();
    assert!(
        metric
            .to_string()
            .starts_with("no score can be called `item`")
    );
}

#[test]
fn records_of_items_are_all_of_items() {
    let mut records = Evaluations::new("f1").unwrap();
    let on = |split| Record {
        split,
        ..Record::new("a", 1.0)
    };
    assert_eq!(
        (records.item("q"), records.item(" p "), records.item("q")),
        (Ok(0), Ok(1), Ok(0))
    );
    for split in [None, Some(2)] {
        let refused = records.push(on(split)).unwrap_err().to_string();
        assert!(refused.contains("there are 2 items"), "{refused}");
        let failed = Record {
            split,
            ..Record::failed("a")
        };
        let refused = records.push_failure(failed).unwrap_err().to_string();
        assert!(refused.contains("there are 2 items"), "{refused}");
    }
    records.push(on(Some(1))).unwrap();
    assert!(records.push_with(on(Some(1)), [("item", "x")]).is_err());
    assert!(records.clone().renamed("item").is_err());
    let mut without = Evaluations::new("f1").unwrap();
    without.push(on(None)).unwrap();
    assert_eq!(without.item("q"), Err(RowProblem::ItemOfSome));
    assert!(without.items().is_empty());
}
