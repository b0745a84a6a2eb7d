//! What holds for all records and all bytes.

use super::{Format, Options, Record, Records, read_from, write_csv};
use crate::{LARGEST_SCORE, Moments};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::fmt::Write as _;

const FORMATS: [Option<Format>; 5] = [
    None,
    Some(Format::Csv),
    Some(Format::Tsv),
    Some(Format::JsonLines),
    Some(Format::Json),
];

/// Names as people and spreadsheets have them, formulas and separators included.
fn name() -> impl Strategy<Value = String> {
    "[-=+@a-z\"][-=+@a-c \",;'{}\u{e9}\u{65e5}]{0,5}[a-c\"]"
}

fn finite() -> impl Strategy<Value = f64> {
    any::<u64>()
        .prop_map(f64::from_bits)
        .prop_filter("a score", |x| x.abs() <= LARGEST_SCORE)
}

fn expense() -> impl Strategy<Value = Option<f64>> {
    option::of(finite().prop_map(f64::abs))
}

/// Records with distinct cases.
fn records() -> impl Strategy<Value = Records> {
    let number = || option::of(any::<u64>());
    let row = (name(), finite(), number(), number(), expense(), expense());
    vec(row, 1..20).prop_map(|rows| {
        let mut records = Records::new("f1, macro").unwrap();
        for (index, (arm, score, split, seed, cost, duration)) in rows.into_iter().enumerate() {
            let record = Record {
                arm: arm.as_str(),
                score,
                split,
                // The low digits tell the cases apart, however small the others are.
                seed: seed.map(|seed| seed / 100 * 100 + index as u64),
                cost,
                duration,
                line: 0,
            };
            records.push(record).unwrap();
        }
        records
    })
}

/// All that a record says, floating point numbers by their bits.
fn bits<A>(record: Record<A>) -> (A, u64, [Option<u64>; 4]) {
    let others = [
        record.split,
        record.seed,
        record.cost.map(f64::to_bits),
        record.duration.map(f64::to_bits),
    ];
    (record.arm, record.score.to_bits(), others)
}

/// Text made of the pieces that the formats are made of: nearly right, and mostly wrong.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = [
        "arm",
        "score",
        "split",
        "seed",
        "cost",
        "a",
        "b",
        "0.5",
        "1",
        "-1",
        "1e400",
        "NaN",
        ",",
        ",",
        ",",
        ":",
        ":",
        "\"",
        "\"",
        "\n",
        "\n",
        "\r\n",
        "\r",
        "\t",
        " ",
        "{",
        "}",
        "[",
        "]",
        "\\",
        "\\u00e9",
        "\u{feff}",
        "\u{e9}",
        "\0",
        "null",
        "arm,score\n",
        "a,0.5\n",
        "{\"arm\":\"a\",\"score\":0.5}",
        "{\"a\":[0.5,1]",
        "\"arm\":",
        "\"a\"",
        "\"score\":",
    ];
    vec(select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        for format in FORMATS {
            if let Err(error) = read_from(&bytes[..], format, &Options::default(), "s") {
                prop_assert!(error.to_string().starts_with('s'));
            }
        }
    }

    /// What is read despite all is sound, and messages stay on one line.
    #[test]
    fn nearly_right_text_never_panics(text in pieces()) {
        let last = text.matches(['\n', '\r']).count() as u64 + 1;
        for format in FORMATS {
            match read_from(text.as_bytes(), format, &Options::default(), "s") {
                Ok(records) => {
                    prop_assert!(!records.records().is_empty());
                    prop_assert!(records.by_arm().iter().all(|scores| !scores.is_empty()));
                    for record in records.named() {
                        prop_assert!(record.score.is_finite());
                        prop_assert!((1..=last).contains(&record.line));
                        prop_assert_eq!(record.arm.trim(), record.arm);
                    }
                }
                Err(error) => prop_assert!(!error.to_string().contains(['\n', '\r'])),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_is_written_is_read_to_the_last_bit(records in records()) {
        let mut csv = Vec::new();
        write_csv(&mut csv, &records).unwrap();
        let options = Options { metric: Some("f1, macro".into()), bounds: None };
        let again = read_from(&csv[..], Some(Format::Csv), &options, "s").unwrap();
        prop_assert_eq!(again.arms(), records.arms());
        let before: Vec<_> = records.named().map(bits).collect();
        let after: Vec<_> = again.named().map(bits).collect();
        prop_assert_eq!(before, after);
        let lines: Vec<u64> = again.records().iter().map(|record| record.line).collect();
        prop_assert_eq!(lines, (2..records.records().len() as u64 + 2).collect::<Vec<_>>());
    }

    /// The same records, told in JSON lines and as a list, are the same to the last bit.
    #[test]
    fn json_tells_the_same(records in records()) {
        let object = |record: Record<&str>| {
            let mut object = serde_json::json!({"arm": record.arm}).to_string();
            object.pop();
            let number = |x: Option<f64>| x.map_or("null".to_owned(), |x| format!("{x:?}"));
            let whole = |x: Option<u64>| x.map_or("null".to_owned(), |x| x.to_string());
            write!(
                object,
                r#", "score": {:?}, "split": {}, "seed": {}, "cost": {}, "duration": {}}}"#,
                record.score,
                whole(record.split),
                whole(record.seed),
                number(record.cost),
                number(record.duration),
            )
            .unwrap();
            object
        };
        let objects: Vec<String> = records.named().map(object).collect();
        let before: Vec<_> = records.named().map(bits).collect();
        for text in [objects.join("\n"), format!("[{}]", objects.join(",\n"))] {
            let again = read_from(text.as_bytes(), None, &Options::default(), "s").unwrap();
            let after: Vec<_> = again.named().map(bits).collect();
            prop_assert_eq!(&before, &after);
        }
    }
}

#[test]
fn a_million_rows_are_all_there() {
    const ROWS: u64 = 1_000_000;
    let mut text = String::from("arm,split,seed,score\n");
    for row in 0..ROWS {
        let (arm, case) = (row % 12, row / 12);
        let score = (row % 1000) as f64 / 1000.0;
        writeln!(text, "model-{arm},{},{},{score}", case / 10, case % 10).unwrap();
    }
    let records = read_from(text.as_bytes(), None, &Options::default(), "s").unwrap();
    let names: Vec<String> = (0..12).map(|arm| format!("model-{arm}")).collect();
    assert_eq!(records.arms(), names);
    let counts: Vec<usize> = records.by_arm().iter().map(Vec::len).collect();
    assert_eq!(
        counts,
        [
            83_334, 83_334, 83_334, 83_334, 83_333, 83_333, 83_333, 83_333, 83_333, 83_333, 83_333,
            83_333
        ]
    );
    let scores: Moments = records
        .records()
        .iter()
        .map(|record| record.score)
        .collect();
    assert!((scores.mean() - 0.4995).abs() < 1e-12);
    let last = records.records().last().unwrap();
    assert_eq!((last.split, last.seed), (Some(8333), Some(3)));
    assert_eq!(last.line, ROWS + 1);
}
