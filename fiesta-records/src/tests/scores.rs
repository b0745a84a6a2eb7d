//! Tables of scores that are read and that are refused.

use crate::{
    Failed, Format, ReadOptions, Record, Records, RecordsError, Row, RowProblem, SplitSource,
    read_from,
};

fn read(text: &str) -> Result<Records, RecordsError> {
    let options = ReadOptions {
        bounds: Some((0.0, 1.0)),
        ..ReadOptions::default()
    };
    read_from(text.as_bytes(), Some(Format::Csv), &options, "s.csv")
}

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

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
    let options = ReadOptions {
        metric: Some("f1".into()),
        bounds: None,
        ..ReadOptions::default()
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
    assert_eq!(records.records()[0].seed, None);
}

/// Arms keep the order of the columns, though their scores come in another.
#[test]
fn wide_arms_are_in_the_order_of_the_columns() {
    assert_eq!(read("a,b\n,1\n1,\n").unwrap().arms(), ["a", "b"]);
}

#[test]
fn says_what_is_wrong_with_a_long_row() {
    for (row, message) in [
        (
            "a,1,2",
            "the row has 3 fields and the header 7: put fields that contain a separator in \
                   quotes, and write numbers with a decimal point",
        ),
        (
            "a,0,71,1,2,,,",
            "the row has 8 fields and the header 7: put fields that contain a separator \
                         in quotes, and write numbers with a decimal point",
        ),
        (" ,0.5,1,2,,,", "the name of the arm is empty: name the arm"),
        (
            "\"a\nb\",0.5,1,2,,,",
            "the name `a\\nb` contains a line break, a tab or another control \
                               character: remove it, or close the quote before it",
        ),
        (
            "a,,1,2,,,",
            "the score is missing: fill it in, or remove the row, or say with --failed what an evaluation without one counts as \
             (drop, worst)",
        ),
        (
            "a,good,1,2,,,",
            "the score `good` is not a number: write digits, with a decimal point if \
                           need be",
        ),
        (
            "a,NaN,1,2,,,",
            "the score `NaN` is not finite: correct it, or remove the row of an \
                          evaluation that failed, or say with --failed what it counts as (drop, worst)",
        ),
        (
            "a,-inf,1,2,,,",
            "the score `-inf` is not finite: correct it, or remove the row of an \
                           evaluation that failed",
        ),
        (
            "a,1e400,1,2,,,",
            "the score `1e400` is not finite: correct it, or remove the row of an \
                            evaluation that failed",
        ),
        (
            "a,1.01,1,2,,,",
            "the score 1.01 is outside the bounds [0, 1] of score: correct the row or \
                           the bounds",
        ),
        (
            "a,0.5,1.5,2,,,",
            "the split `1.5` is not a whole number from 0 to 2^64 - 1: number them \
                            0, 1, 2, …",
        ),
        (
            "a,0.5,1,x,,,",
            "the seed `x` is not a whole number from 0 to 2^64 - 1: number them \
                          0, 1, 2, …",
        ),
        (
            "a,0.5,1,2,-0.1,,",
            "the cost `-0.1` is negative: give what was spent, as a number from 0 \
                              upwards",
        ),
        (
            "a,0.5,1,2,,-3,",
            "the duration `-3` is negative: give what was spent, as a number from 0 \
                            upwards",
        ),
        (
            "a,0.5,1,2,,1s,",
            "the duration `1s` is not a number: write digits, with a decimal point if \
                            need be",
        ),
        (
            "a,0.5,1,2,nan,,",
            "the cost `nan` is not finite: correct it, or remove the row of an \
                             evaluation that failed",
        ),
        (
            "g,0.5,0,0,,,",
            "the evaluation of `g` on split 0 with seed 0 is on line 2 already: keep one \
                          of the two",
        ),
        (
            "a,0.5,1,2,,,\"x",
            "a quote is opened and never closed, so that the rest of the file is one \
                            field: close it",
        ),
    ] {
        let header = "arm,score,split,seed,cost,duration,note";
        let text = format!("{header}\ng,1,0,0,,,\n\n{row}\nh,1,0,0,,,\n");
        assert_eq!(refused(&text), format!("s.csv:4: {message}"), "{row}");
    }
}

#[test]
fn counts_what_it_does_not_show() {
    let message = refused("arm,score\na,1\nb,2\nc,x\nd\ne,0\n");
    assert!(message.starts_with("s.csv:3: the score 2 is outside"));
    assert!(message.ends_with(" (2 further problems in this file)"));
    let duplicate_first = "arm,score,split,seed\na,1,0,0\na,1,0,0\na,1,0,0\nb,x,0,0\n";
    let message = refused(duplicate_first);
    assert!(message.starts_with("s.csv:3: the evaluation of `a`"));
    assert!(message.ends_with(" (2 further problems in this file)"));
}

/// Without a seed, or without a split, two equal rows may be two evaluations.
#[test]
fn only_a_whole_case_can_be_a_duplicate() {
    assert!(read("arm,score,split,seed\na,1,0,\na,1,0,\na,1,,0\na,1,,0\n").is_ok());
    assert!(read("arm,score,split,seed\na,1,0,0\nb,1,0,0\na,1,1,0\na,1,0,1\n").is_ok());
}

#[test]
fn says_what_is_wrong_with_a_wide_row() {
    for (text, message) in [
        (
            "rnn,cnn\nlstm,0.5\n",
            "s.csv:2: in the column `rnn`, the score `lstm` is not a number: write digits, with a \
             decimal point if need be (in a file without a column `arm`, every column is an arm)",
        ),
        (
            "a,b\n1,1\n0,3\n",
            "s.csv:3: in the column `b`, the score 3 is outside the bounds [0, 1] of score: correct \
             the row or the bounds",
        ),
        (
            "a,b\n1,1,1\n",
            "s.csv:2: the row has 3 fields and the header 2: put fields that contain a separator in \
             quotes, and write numbers with a decimal point",
        ),
        (
            "a,b\n1,\n1\n",
            "s.csv:1: the arm `b` has no score in any row: add its scores, or remove the column",
        ),
        (
            "a,split\n1,x\n",
            "s.csv:2: the split `x` is not a whole number from 0 to 2^64 - 1: number them 0, 1, 2, …",
        ),
        (
            "a,split,seed\n1,0,0\n1,0,0\n",
            "s.csv:3: the evaluation of `a` on split 0 with seed 0 is on line 2 already: keep one of \
             the two",
        ),
        (
            "\"a\nb\",c\n1,1\n",
            "s.csv:1: the name `a\\nb` contains a line break, a tab or another control character: \
             remove it, or close the quote before it",
        ),
    ] {
        assert_eq!(refused(text), message, "{text}");
    }
}

#[test]
fn says_what_is_wrong_with_a_file() {
    for (text, message) in [
        ("", "s.csv: there are no scores in this file"),
        ("\n \r\n", "s.csv: there are no scores in this file"),
        (
            "arm,score\n\n",
            "s.csv: there is a header, but no row of scores below it",
        ),
        (
            "a,b",
            "s.csv: there is a header, but no row of scores below it",
        ),
        (
            "\narm,f1\na,1\n",
            "s.csv:2: there is no column `score`, only `arm`, `f1`: name the column of the score with \
             --metric; by its names and contents, `f1` could be the score",
        ),
        (
            "arm,score,score\na,1,1\n",
            "s.csv:1: two columns are called `score`: rename or remove one",
        ),
        (
            "\"a\nb\",\"a\nb\"\n1,1\n",
            "s.csv:1: two columns are called `a\\nb`: rename or remove one",
        ),
        (
            "arm,\"score\na,1\n",
            "s.csv:1: a quote is opened and never closed, so that the rest of the file is one field: close it",
        ),
    ] {
        assert_eq!(refused(text), message, "{text}");
    }
}

/// What is read with failures and the user's own columns.
fn all(text: &str) -> Result<Records, RecordsError> {
    let options = ReadOptions {
        keep_failures: true,
        keep_missing: true,
        keep_columns: true,
        ..ReadOptions::default()
    };
    read_from(text.as_bytes(), None, &options, "s")
}

#[test]
fn failures_stand_apart() {
    let text =
        "arm,seed,score,status,cost\na,1,0.5,Finished,\nb,1,,CRASHED,2\na,2,0.25,,\na,3,,failed,\n";
    let records = all(text).unwrap();
    assert_eq!(records.arms(), ["a", "b"]);
    assert_eq!(records.by_arm(), [vec![0.5, 0.25], vec![]]);
    let failures = records.failures();
    let of = |f: &Failed| (f.arm.index(), f.seed, f.cost, f.line);
    assert_eq!(of(&failures[0]), (1, Some(1), Some(2.0), 3));
    assert_eq!(of(&failures[1]), (0, Some(3), None, 5));
    let order: Vec<u64> = records.rows().map(|row| row.line).collect();
    assert_eq!(order, [2, 3, 4, 5]);
    let error = read_from(text.as_bytes(), None, &ReadOptions::default(), "s").unwrap_err();
    assert_eq!(
        error.to_string(),
        "s:3: the evaluation failed (status `CRASHED`), and nothing says what it counts as: say it with --failed (drop or \
         worst), or remove the row (1 further problem in this file)"
    );
}

#[test]
fn says_what_is_wrong_with_a_status() {
    let row = |row: &str| {
        let text = format!("arm,split,seed,score,status\na,0,0,0.5,ok\n{row}\n");
        let message = all(&text).unwrap_err().to_string();
        message
            .strip_prefix("s:3: ")
            .expect("the third line")
            .to_owned()
    };
    assert!(row("a,0,1,,running").starts_with("the status `running` is unknown: write `ok` where"));
    assert!(row("a,0,1,,pruned").starts_with("the status `pruned` is unknown"));
    assert_eq!(
        row("a,0,1,0.5,failed"),
        "the evaluation failed (status `failed`), and yet there is the score `0.5`: remove one of the two"
    );
    for without in ["a,0,1,,ok", "a,0,1,,", "a,0,1,NaN,failed"] {
        let text = format!("arm,split,seed,score,status\na,0,0,0.5,ok\n{without}\n");
        assert_eq!(all(&text).unwrap().failures().len(), 1, "{without}");
    }
    assert!(
        row("a,0,0,,failed")
            .starts_with("the evaluation of `a` on split 0 with seed 0 is on line 2")
    );
    assert!(row(",0,1,,failed").starts_with("the name of the arm is empty"));
    assert!(row("a,x,1,,failed").starts_with("the split `x` is not a whole number"));
    // Also where every row failed.
    let none = all("arm,score,status\na,,failed\n").unwrap();
    assert_eq!((none.records().len(), none.failures().len()), (0, 1));
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
    let records = read_from(text.as_bytes(), None, &ReadOptions::default(), "s").unwrap();
    assert!(records.columns().is_empty());

    let wide = all("document,a,b\nd1,0.5,\nd2,0.25,1\n").unwrap();
    let documents: Vec<_> = wide.rows().map(|row| (row.arm, row.cell(0))).collect();
    assert_eq!(
        documents,
        [("a", Some("d1")), ("a", Some("d2")), ("b", Some("d2"))]
    );
}

fn paired(text: &str) -> Result<Records, RecordsError> {
    let options = ReadOptions {
        keep_failures: true,
        paired_rows: true,
        ..ReadOptions::default()
    };
    read_from(text.as_bytes(), None, &options, "s")
}

/// The splits of each arm's rows.
fn splits(records: &Records) -> Vec<(&str, Option<u64>)> {
    records.rows().map(|row| (row.arm, row.split)).collect()
}

#[test]
fn rows_are_splits_if_they_are_said_to_be() {
    // The wide form, in which cells may be empty; blank lines are no rows.
    let wide = paired("a,b\n1,2\n\n,3\n4\n").unwrap();
    assert_eq!(
        splits(&wide),
        [
            ("a", Some(0)),
            ("b", Some(0)),
            ("b", Some(1)),
            ("a", Some(2))
        ]
    );
    assert_eq!(wide.split_source(), SplitSource::Rows);
    let arms = [wide.find("b").unwrap()];
    assert_eq!(wide.select(&arms).split_source(), SplitSource::Rows);
    // The k-th rows of the long form and the k-th scores of lists; failures have their places.
    let long = paired("arm,score,status\na,1,\na,,failed\nb,2,\na,3,\nb,4,\nb,5,\n").unwrap();
    let expected = [("a", 0), ("a", 1), ("b", 0), ("a", 2), ("b", 1), ("b", 2)];
    assert_eq!(
        splits(&long),
        expected.map(|(arm, split)| (arm, Some(split)))
    );
    let lists = paired("{\"a\": [1, 2], \"b\": [3, 4]}").unwrap();
    let expected = [("a", 0), ("a", 1), ("b", 0), ("b", 1)];
    assert_eq!(
        splits(&lists),
        expected.map(|(arm, split)| (arm, Some(split)))
    );
}

#[test]
fn rows_that_cannot_be_splits_are_refused() {
    let refused = |text: &str| paired(text).unwrap_err().to_string();
    assert!(
        refused("arm,split,score\na,1,2\n").starts_with("s:1: the column `split` says already")
    );
    assert!(refused("split,a,b\n1,2,3\n").starts_with("s:1: the column `split` says already"));
    let stated = "{\"arm\": \"a\", \"score\": 1}\n{\"arm\": \"a\", \"score\": 1, \"split\": 3}\n";
    assert!(refused(stated).starts_with("s:2: there is a `split` already"));
    let uneven = refused("{\"a\": [1, 2], \"b\": [3]}");
    assert!(
        uneven.contains("`a` has 2, `b` has 1: write a CSV"),
        "{uneven}"
    );
}

/// Only where rows could be splits and nothing says that they are.
#[test]
fn says_whether_rows_may_be_splits() {
    for (text, may_be) in [
        ("a,b\n1,2\n3,\n", true),
        ("{\"a\": [1, 2], \"b\": [3, 4]}", true),
        ("{\"a\": [1, 2], \"b\": [3]}", false),
        ("{\"a\": [1, 2]}", false),
        ("split,a,b\n1,2,3\n2,3,4\n", false),
    ] {
        let records = read_from(text.as_bytes(), None, &ReadOptions::default(), "s").unwrap();
        assert_eq!(records.rows_may_be_splits(), may_be, "{text}");
    }
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
    let options = ReadOptions {
        metric: Some("cost".into()),
        keep_columns: true,
        ..ReadOptions::default()
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
fn says_what_is_wrong_with_a_header() {
    let header = |header: &str| {
        let message = refused(&format!("{header}\n"));
        let message = message.strip_prefix("s.csv:1: ").expect("the first line");
        message.to_owned()
    };
    assert_eq!(
        header("arm,split,f1,acc"),
        "there is no column `score`, only `arm`, `split`, `f1`, `acc`: \
         name the column of the score with --metric"
    );
    assert_eq!(
        header("model,score"),
        "there is no column `arm`, only `model`, `score`: \
         name the column with the names of the candidates with --arm"
    );
    assert!(header("arm,score,arm").starts_with("two columns are called `arm`"));
    assert!(header("lstm,").starts_with("column 2 has no name"));
    assert!(
        header("lstm,fold").starts_with("is the column `fold` an arm, or does it say which split")
    );
    assert!(header("lstm,cost").starts_with("the column `cost` does not say whose"));
    assert!(header("split,seed").starts_with("no column is an arm"));
    let commas = "arm,score\na,1\n";
    let options = ReadOptions::default();
    let tabs = read_from(commas.as_bytes(), Some(Format::Tsv), &options, "s").unwrap_err();
    assert!(tabs.to_string().ends_with("separate them by tabs"));
    assert!(read("lstm\n1\n").is_ok());
    for counts in ["arm,tp,fp,fn", "document,fn,fp,tp"] {
        assert!(header(counts).ends_with("read confusion counts with --counts"));
    }
    let options = ReadOptions {
        metric: Some("tp".into()),
        ..ReadOptions::default()
    };
    let counts = "arm,tp,fp,fn\na,1,2,3\n";
    assert!(read_from(counts.as_bytes(), None, &options, "s").is_ok());
}

/// The item and the score of each row.
fn answers(records: &Records) -> Vec<(&str, &str, Option<f64>)> {
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
    assert_eq!(records.records()[2].seed, Some(3));
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
    assert!(refused("item,a\n\"x\ny\",1\n").contains("`x\\ny` contains a line break"));
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
        let options = ReadOptions::default();
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
    let options = ReadOptions {
        metric: Some("item".into()),
        ..ReadOptions::default()
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
    let mut records = Records::new("f1").unwrap();
    let on = |split| Record {
        split,
        ..Record::new("a", 1.0)
    };
    assert_eq!(
        (records.item("q"), records.item(" p "), records.item("q")),
        (Ok(0), Ok(1), Ok(0))
    );
    for split in [None, Some(2)] {
        assert_eq!(
            records.push(on(split)),
            Err(RowProblem::NoSuchItem { items: 2 })
        );
        let failed = Record {
            split,
            ..Record::failed("a")
        };
        assert_eq!(
            records.push_failure(failed),
            Err(RowProblem::NoSuchItem { items: 2 })
        );
    }
    records.push(on(Some(1))).unwrap();
    assert!(records.push_with(on(Some(1)), [("item", "x")]).is_err());
    assert!(records.clone().renamed("item").is_err());
    let mut without = Records::new("f1").unwrap();
    without.push(on(None)).unwrap();
    assert_eq!(without.item("q"), Err(RowProblem::ItemOfSome));
    assert!(without.items().is_empty());
}
