//! Tests of properties of all records of scores and all bytes.

use crate::{Evaluations, Failed, Format, Reading, Record, Row, read_from, write_csv, write_jsonl};
use fiesta_core::{LARGEST_SCORE, Moments, one_spelling};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::{collections::HashMap, fmt::Write as _};

const FORMATS: [Option<Format>; 5] = [
    None,
    Some(Format::Csv),
    Some(Format::Tsv),
    Some(Format::JsonLines),
    Some(Format::Json),
];

/// Strategy of names as people and spreadsheets have them, with formulas and separators among them.
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

/// Strategy of texts of the user's own columns: some look like numbers, JSON or formulas, some go
/// over several lines.
fn text() -> impl Strategy<Value = String> {
    let odd = [
        "",
        "null",
        "-0.5",
        "0.10",
        "=1",
        "'=1",
        "[1,2]",
        "[1, 2]",
        "{\"a\":null}",
        "\"x\"",
        "a\r\nb",
        "x;=y",
        "NaN",
        "007",
        "true",
    ];
    prop_oneof![
        select(odd.to_vec()).prop_map(ToOwned::to_owned),
        name(),
        "[-=@;'a\n,\"]{0,4}"
    ]
}

/// Returns whether a text is a valid name of an item.
fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(char::is_control)
}

/// Evaluations and failures with distinct cases, and columns of the user's own.
fn records() -> impl Strategy<Value = Evaluations> {
    let number = || option::of(any::<u64>());
    let score = option::weighted(0.8, finite());
    let others = vec(
        (
            select(vec!["lr", "=evil", "document", "evaluation", "a b"]),
            text(),
        ),
        0..4,
    );
    let row = (
        name(),
        score,
        number(),
        number(),
        expense(),
        expense(),
        others,
    );
    // Of a pool of items, or not.
    let items = vec(
        option::weighted(0.7, text().prop_filter("a name", |text| is_name(text))),
        20,
    );
    (vec(row, 1..20), items, any::<bool>()).prop_map(|(rows, items, of_items)| {
        let mut records = Evaluations::new("f1, macro").unwrap();
        // Names that look alike are refused: the later row has the earlier one's arm, or item.
        let (mut arms, mut known) = (HashMap::new(), HashMap::new());
        let first = |names: &mut HashMap<String, String>, name: String| {
            let spelling = one_spelling(&name).into_owned();
            names.entry(spelling).or_insert(name).clone()
        };
        for (index, (arm, score, split, seed, cost, duration, mut others)) in
            rows.into_iter().enumerate()
        {
            // The low digits tell the cases apart, however small the others are.
            let seed = seed.map(|seed| seed / 100 * 100 + index as u64);
            others.sort();
            others.dedup_by_key(|(name, _)| *name);
            let arm = first(&mut arms, arm);
            let arm = arm.as_str();
            let (split, seed) = if of_items {
                let item = items[index].clone().unwrap_or_else(|| "q".to_owned());
                let number = records.item(&first(&mut known, item)).unwrap();
                (
                    Some(number),
                    Some(seed.unwrap_or_default() / 100 * 100 + index as u64),
                )
            } else {
                (split, seed)
            };
            let failed = Failed {
                arm,
                score: (),
                split,
                seed,
                cost,
                duration,
                line: 0,
            };
            match score {
                Some(score) => records.push_with(
                    Record {
                        arm,
                        score,
                        split,
                        seed,
                        cost,
                        duration,
                        line: 0,
                    },
                    others,
                ),
                None => records.push_failure_with(failed, others),
            }
            .unwrap();
        }
        records
    })
}

/// Contents of a row but for its line: the name of its item or its split, floating point numbers by
/// their bits, and the user's own columns by their names.
type Said = (
    String,
    Option<String>,
    [Option<u64>; 5],
    Vec<(String, String)>,
);

fn said(records: &Evaluations) -> Vec<Said> {
    let of = |row: Row<'_>| {
        let numbers = [
            row.score.map(f64::to_bits),
            row.split.filter(|_| row.item.is_none()),
            row.seed,
            row.cost.map(f64::to_bits),
            row.duration.map(f64::to_bits),
        ];
        let names = records.columns().iter().enumerate();
        let cells =
            names.filter_map(|(column, name)| Some((name.clone(), row.cell(column)?.to_owned())));
        let mut cells: Vec<_> = cells.collect();
        cells.sort();
        (
            row.arm.to_owned(),
            row.item.map(ToOwned::to_owned),
            numbers,
            cells,
        )
    };
    records.rows().map(of).collect()
}

/// Returns the columns, in the order in which they are written.
fn columns(records: &Evaluations) -> Vec<&str> {
    let mut columns: Vec<&str> = records.columns().iter().map(String::as_str).collect();
    columns.sort_by_key(|name| *name != "evaluation");
    columns
}

fn everything() -> Reading {
    Reading {
        metric: Some("f1, macro".into()),
        // Scores of any size are none of two scales.
        bounds: Some((f64::MIN, f64::MAX)),
        keep_failures: true,
        keep_columns: true,
        ..Reading::default()
    }
}

/// Text made of the pieces that the formats are made of: nearly right, and mostly wrong.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = [
        "arm",
        "score",
        "item",
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
            if let Err(error) = read_from(&bytes[..], format, &Reading::default(), "s") {
                prop_assert!(error.to_string().starts_with('s'));
            }
        }
    }

    /// Tests that damaged text yields valid records or a one-line message.
    #[test]
    fn nearly_right_text_never_panics(text in pieces()) {
        let last = text.matches(['\n', '\r']).count() as u64 + 1;
        for format in FORMATS {
            match read_from(text.as_bytes(), format, &Reading::default(), "s") {
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
        let again = read_from(&csv[..], Some(Format::Csv), &everything(), "s").unwrap();
        prop_assert_eq!(again.arms(), records.arms());
        prop_assert_eq!(again.items(), records.items());
        prop_assert_eq!(said(&again), said(&records));
        prop_assert_eq!(columns(&again), columns(&records));

        let mut lines = Vec::new();
        write_jsonl(&mut lines, &records).unwrap();
        let again = read_from(&lines[..], Some(Format::JsonLines), &everything(), "s").unwrap();
        prop_assert_eq!(said(&again), said(&records));
        prop_assert_eq!(columns(&again), columns(&records));
        let rows: Vec<u64> = again.rows().map(|row| row.line).collect();
        prop_assert_eq!(rows, (1..=records.rows().count() as u64).collect::<Vec<_>>());

        // One format after the other changes nothing.
        let mut second = Vec::new();
        write_csv(&mut second, &again).unwrap();
        prop_assert_eq!(second, csv);
    }

    /// Tests that a selection of arms has their rows, in its own order.
    #[test]
    fn a_selection_leaves_out_the_others(records in records()) {
        let arms: Vec<_> = fiesta_core::ArmId::all(records.arms().len()).rev().step_by(2).collect();
        let selected = records.select(&arms);
        let names: Vec<&String> = arms.iter().map(|arm| &records.arms()[arm.index()]).collect();
        prop_assert_eq!(selected.arms().iter().collect::<Vec<_>>(), names);
        let mut expected = said(&records);
        expected.retain(|(arm, ..)| selected.find(arm).is_some());
        prop_assert_eq!(said(&selected), expected);
    }

    /// Tests reading without failures and columns: the scores, or an error if there are failures.
    #[test]
    fn failures_are_refused_and_columns_left_out(records in records()) {
        let mut csv = Vec::new();
        write_csv(&mut csv, &records).unwrap();
        let options = Reading { keep_failures: false, keep_columns: false, ..everything() };
        match read_from(&csv[..], None, &options, "s") {
            Ok(again) => {
                prop_assert!(records.failures().is_empty());
                prop_assert!(again.columns().is_empty());
                prop_assert_eq!(again.by_arm(), records.by_arm());
            }
            Err(error) => {
                prop_assert!(!records.failures().is_empty());
                prop_assert!(error.to_string().contains("the evaluation failed (status `failed`)"));
            }
        }
    }

    /// Tests that evaluations are read the same, to the last bit, from JSON lines and from a JSON
    /// list.
    #[test]
    fn json_tells_the_same(records in records()) {
        let object = |row: Row<'_>| {
            let mut object = serde_json::json!({"arm": row.arm}).to_string();
            object.pop();
            let number = |x: Option<f64>| x.map_or("null".to_owned(), |x| format!("{x:?}"));
            let whole = |x: Option<u64>| x.map_or("null".to_owned(), |x| x.to_string());
            write!(
                object,
                r#", "score": {}, {}, "seed": {}, "cost": {}, "duration": {}, "status": {}}}"#,
                number(row.score),
                match row.item {
                    Some(item) => format!("\"item\": {}", serde_json::Value::from(item)),
                    None => format!("\"split\": {}", whole(row.split)),
                },
                whole(row.seed),
                number(row.cost),
                number(row.duration),
                if row.score.is_some() { "null" } else { "\"CRASHED\"" },
            )
            .unwrap();
            object
        };
        let objects: Vec<String> = records.rows().map(object).collect();
        let numbers = |records: &Evaluations| said(records).into_iter().map(|(arm, item, numbers, _)| (arm, item, numbers)).collect::<Vec<_>>();
        let options = Reading { metric: None, ..everything() };
        for text in [objects.join("\n"), format!("[{}]", objects.join(",\n"))] {
            let again = read_from(text.as_bytes(), None, &options, "s").unwrap();
            prop_assert_eq!(numbers(&records), numbers(&again));
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
    let records = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap();
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
    let last = records.records().iter().last().unwrap();
    assert_eq!((last.split, last.seed), (Some(8333), Some(3)));
    assert_eq!(last.line, ROWS + 1);
}
