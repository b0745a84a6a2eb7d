//! Tests of files of counts, valid and invalid.

use crate::{CountRecord, CountRecords, read_counts_from};
use crate::{Format, RecordsError, RowProblem};
use fiesta_core::{ArmId, Counts};

fn read(format: Format, text: &str) -> Result<CountRecords, RecordsError> {
    read_counts_from(text.as_bytes(), Some(format), "s")
}

fn csv(text: &str) -> CountRecords {
    read(Format::Csv, text).unwrap()
}

fn refused(text: &str) -> String {
    read(Format::Csv, text).unwrap_err().to_string()
}

/// Returns the message about the line `bad` after a good line.
fn refused_object(bad: &str) -> String {
    let good = r#"{"arm": "a", "document": 1, "tp": 1, "fp": 0, "fn": 0}"#;
    let lines = read(Format::JsonLines, &format!("{good}\n\n{bad}\n"));
    let message = lines.unwrap_err().to_string();
    let list = read(Format::Json, &format!("[{good},\n\n{bad}]"));
    assert_eq!(message, list.unwrap_err().to_string());
    message
        .strip_prefix("s:3: ")
        .expect("the third line")
        .to_owned()
}

fn cells(records: &CountRecords) -> Vec<(usize, u64, [u64; 4])> {
    let of = |r: &CountRecord| (r.arm.index(), r.document, r.counts.cells());
    records.records().iter().map(of).collect()
}

#[test]
fn reads_tables() {
    let records = csv("\u{feff}fn,note,arm, tp ,document,fp,duration,cost,tn\r\n\
         3,x,\"b, 2\",12.0,\"d\"\"1\",4,1.5,,6\r\n\r\n\
         0,,a,0, 7 ,0,,0.25,0\r\n");
    assert_eq!(records.arms(), ["b, 2", "a"]);
    assert_eq!(records.documents(), ["d\"1", "7"]);
    let named: Vec<_> = records.named().collect();
    let first = CountRecord {
        duration: Some(1.5),
        line: 2,
        ..CountRecord::new("b, 2", "d\"1", Counts::from_cells([12, 4, 6, 3]))
    };
    let second = CountRecord {
        cost: Some(0.25),
        line: 4,
        ..CountRecord::new("a", "7", Counts::default())
    };
    assert_eq!(named, [first, second]);
    let tabs = read(Format::Tsv, "arm\ttp\tfp\tfn\nx\t1\t2\t3\n").unwrap();
    assert_eq!(cells(&tabs), [(0, 0, [1, 2, 0, 3])]);
}

#[test]
fn reads_objects() {
    let first = r#"{"arm": "a", "document": "d\u00e9", "tp": 1, "fp": 2, "tn": 3.0, "fn": 4}"#;
    let second =
        r#"{"fn": 0, "fp": 0, "tp": 9, "document": 17, "arm": "b", "cost": null, "x": []}"#;
    let lines = read(Format::JsonLines, &format!("{first}\n{second}\n")).unwrap();
    let list = read(Format::Json, &format!("[{first},\n{second}]")).unwrap();
    assert_eq!(lines, list);
    assert_eq!(lines.documents(), ["dé", "17"]);
    assert_eq!(cells(&lines), [(0, 0, [1, 2, 3, 4]), (1, 1, [9, 0, 0, 0])]);
}

#[test]
fn documents_are_numbered_as_they_appear() {
    let records = csv("arm,document,tp,fp,fn\na,z,1,0,0\nb,y,2,0,0\nb,z,3,0,0\na,y,4,0,0\n");
    assert_eq!(records.documents(), ["z", "y"]);
    let found = [(0, 0, 1), (1, 1, 2), (1, 0, 3), (0, 1, 4)];
    assert_eq!(
        cells(&records),
        found.map(|(a, d, tp)| (a, d, [tp, 0, 0, 0]))
    );
    let of_b = &records.by_arm()[records.find("b").unwrap().index()];
    let lines: Vec<u64> = of_b.iter().map(|record| record.line).collect();
    assert_eq!(lines, [3, 4]);
}

#[test]
fn without_documents_the_rows_of_each_arm_are_numbered() {
    let records = csv("arm,tp,fp,fn\na,1,0,0\na,2,0,0\nb,3,0,0\na,4,0,0\nb,5,0,0\n");
    assert_eq!(records.documents(), ["1", "2", "3"]);
    let found = [(0, 0, 1), (0, 1, 2), (1, 0, 3), (0, 2, 4), (1, 1, 5)];
    assert_eq!(
        cells(&records),
        found.map(|(a, d, tp)| (a, d, [tp, 0, 0, 0]))
    );
}

#[test]
fn classes_are_added_up() {
    let records = csv("arm,document,class,tp,fp,tn,fn,cost,duration\n\
         a,d,person,3,0,1,1,0.5,\n\
         b,d,person,1,1,1,1,,\n\
         a,d,place,1,2,0,0,0.5,2\n\
         a,e,person,7,0,0,0,,\n");
    assert_eq!(
        cells(&records),
        [
            (0, 0, [4, 2, 1, 1]),
            (1, 0, [1, 1, 1, 1]),
            (0, 1, [7, 0, 0, 0])
        ]
    );
    let first = &records.records()[0];
    assert_eq!(
        (first.cost, first.duration, first.line),
        (Some(0.5), Some(2.0), 2)
    );
}

#[test]
fn says_what_is_wrong_with_a_header() {
    assert_eq!(
        refused("arm,document,tp,fp\na,d,1,2\n"),
        "s:1: there is no column `fn`, only `arm`, `document`, `tp`, `fp`: a file of counts has the columns `arm`, `document`, \
         `tp`, `fp`, `fn` and, if there are any, `tn`; read one of scores without --counts"
    );
    assert!(refused("document,tp,fp,fn\nd,1,2,3\n").contains("no column `arm`"));
    assert!(refused("arm,tp,fp,fn,tp\na,1,2,3,4\n").contains("two columns are called `tp`"));
    let read = read_counts_from("arm;tp;fp;fn\na;1;2;3\n".as_bytes(), None, "s").unwrap();
    assert_eq!(read.arms(), ["a"]);
    assert!(refused("arm,class,tp,fp,fn\na,x,1,2,3\n").contains("but none `document`"));
    assert_eq!(
        refused("arm,tp,fp,fn\n"),
        "s: there is a header, but no row of counts below it"
    );
    assert_eq!(refused(""), "s: there are no counts in this file");
}

#[test]
fn says_what_is_wrong_with_a_row() {
    let row = |row: &str| {
        let message = refused(&format!(
            "arm,document,class,tp,fp,tn,fn,cost\na,d,x,1,2,3,4,0.5\n{row}\n"
        ));
        message
            .strip_prefix("s:3: ")
            .expect("the third line")
            .to_owned()
    };
    assert!(row("a,e,x,1,-2,3,4,").starts_with("the fp `-2` is not a count: write a whole"));
    assert!(row("a,e,x,1,2,3,4.5,").starts_with("the fn `4.5` is not a count"));
    assert!(row("a,e,x,1000000001,2,3,4,").ends_with("from 0 to 1000000000"));
    assert!(row("a,e,x,nan,2,3,4,").contains("is not finite"));
    assert!(row("a,e,x,many,2,3,4,").contains("the tp `many` is not a number"));
    assert!(row("a,e,x,1,2,,4,").starts_with("the tn is missing: fill it in"));
    assert!(row("a,,x,1,2,3,4,").starts_with("the document is missing"));
    assert!(row("a,e,,1,2,3,4,").starts_with("the class is missing"));
    assert!(row(",e,x,1,2,3,4,").starts_with("the name of the arm is empty"));
    assert!(row("a,\"e\nf\",x,1,2,3,4,").contains("`e\\nf` contains a line break"));
    assert!(row("a,e,x,1,2,3,4,-1").contains("cost `-1` is negative"));
    assert!(row("a,e,x,1,2,3").contains("6 fields and the header 8"));
    assert_eq!(
        row("a,d,x,1,2,3,4,"),
        "the counts of `a` on document `d` in class `x` are on line 2 already: keep one of the two"
    );
    assert!(
        row("a,d,y,1,2,3,4,0.25")
            .starts_with("the cost of `a` on document `d` is another one on line 2")
    );
    assert!(
        row("a,d,y,1,1000000000,3,4,")
            .contains("the fp of all classes of `a` on document `d` add up to 1000000002")
    );
    assert_eq!(
        refused("arm,document,tp,fp,fn\na,d,1,2,3\nb,d,1,2,3\na, d,4,5,6\na,d,4,5,6\n"),
        "s:4: `a` has counts on document `d` already, on line 2: keep one of the two, or tell the rows of several classes apart \
         by a column `class` (1 further problem in this file)"
    );
}

#[test]
fn says_what_is_wrong_with_an_object() {
    assert!(
        refused_object("[1]").ends_with(
            r#"such as {"arm": "tagger", "document": "d1", "tp": 12, "fp": 4, "fn": 3}"#
        )
    );
    assert!(
        refused_object(r#"{"arm": "a", "document": 2, "tp": 1, "fn": 0}"#).starts_with(
            "there is no key `fp` (keys: `arm`, `document`, `tp`, `fn`): an object of counts"
        )
    );
    assert!(refused_object(r#"{"document": 2, "tp": 1}"#).starts_with("there is no key `arm`"));
    assert!(refused_object(r#"{"arm": "a", "arm": "b"}"#).contains("`arm` occurs twice"));
    let with = |rest: &str| refused_object(&format!(r#"{{"arm": "a", "tp": 1, "fp": 0, {rest}}}"#));
    assert!(with(r#""fn": "1", "document": 2"#).contains("fn \"1\" is text, not a number"));
    assert!(with(r#""fn": null, "document": 2"#).starts_with("the fn is missing"));
    assert!(with(r#""fn": 1, "document": null"#).starts_with("the document is missing"));
    assert!(with(r#""fn": 1, "document": [2]"#).starts_with("the document [2] is no name"));
    assert!(with(r#""fn": 1"#).starts_with("there is no key `document`, and other rows have one"));
    // Counts of the whole document are there already.
    assert!(with(r#""fn": 1, "document": 1, "class": "x""#).contains("already, on line 1"));
    let classes = r#"{"arm": "a", "class": "x", "tp": 1, "fp": 0, "fn": 0}"#;
    let message = read(Format::JsonLines, classes).unwrap_err().to_string();
    assert!(
        message.starts_with("s:1: there is a key `class`, but none `document`"),
        "{message}"
    );
    let lists = read(Format::Json, r#"{"a": [1]}"#).unwrap_err().to_string();
    assert!(
        lists.contains("expected `[`, for a list of objects"),
        "{lists}"
    );
}

#[test]
fn what_is_added_by_hand_is_looked_at_as_well() {
    let mut records = CountRecords::default();
    let counts = Counts::from_cells([1, 2, 3, 4]);
    let good = CountRecord::new("a", "d", counts);
    records.push(good).unwrap();
    let mut refused = |record| records.push(record).unwrap_err().to_string();
    assert!(
        refused(CountRecord {
            document: " d ",
            ..good
        })
        .starts_with("`a` has counts on document `d` already: keep")
    );
    assert!(refused(CountRecord { arm: " ", ..good }).contains("name of the arm is empty"));
    assert!(
        refused(CountRecord {
            document: "",
            ..good
        })
        .contains("document is missing")
    );
    assert!(
        refused(CountRecord {
            document: "\t1\u{7}",
            ..good
        })
        .contains("control character")
    );
    let huge = Counts::from_cells([0, 0, Counts::LARGEST + 1, 0]);
    assert!(
        refused(CountRecord::new("b", "d", huge)).contains("the tn `1000000001` is not a count")
    );
    let nan = Some(f64::NAN);
    assert!(
        refused(CountRecord {
            cost: nan,
            ..CountRecord::new("b", "d", counts)
        })
        .contains("not finite")
    );
    assert_eq!(records.arms(), ["a"]);
    assert_eq!(records.find("b"), None);
    assert_eq!(records.find("a"), Some(ArmId::new(0)));
    assert!(matches!(
        records.push(CountRecord {
            duration: Some(-1.0),
            ..CountRecord::new("b", "d", counts)
        }),
        Err(RowProblem::Negative {
            field: "duration",
            ..
        })
    ));
}
