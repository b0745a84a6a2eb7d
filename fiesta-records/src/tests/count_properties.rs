//! Properties that hold for all records of counts, and for all bytes.

use crate::Format;
use crate::{CountRecord, CountRecords, read_counts_from, write_counts_csv};
use fiesta_core::Counts;
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::fmt::Write as _;

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

fn expense() -> impl Strategy<Value = Option<f64>> {
    option::of(any::<f64>().prop_filter_map("an expense", |x| x.is_finite().then_some(x.abs())))
}

fn records() -> impl Strategy<Value = CountRecords> {
    let cells = [(); 4].map(|()| prop_oneof![0..20_u64, 0..=Counts::LARGEST]);
    let row = (name(), name(), cells, expense(), expense());
    vec(row, 1..20).prop_map(|rows| {
        let mut records = CountRecords::default();
        for (arm, document, cells, cost, duration) in rows {
            let record = CountRecord {
                cost,
                duration,
                ..CountRecord::new(arm.as_str(), document.as_str(), Counts::from_cells(cells))
            };
            // The same document once more is refused, and the others are there.
            let _ = records.push(record);
        }
        records
    })
}

/// Text made of the pieces that the formats are made of: nearly right, and mostly wrong.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = [
        "arm,document,tp,fp,tn,fn\n",
        "arm,document,class,tp,fp,fn\n",
        "arm,tp,fp,fn\n",
        "a,d,1,2,3,4\n",
        "a,1,2,3\n",
        "{\"arm\":\"a\",\"document\":1,\"tp\":1,\"fp\":2,\"fn\":3}",
        "{\"arm\":\"b\",\"tp\":1,\"fp\":2,\"fn\":3}",
        "\"class\":",
        "\"document\":",
        "arm",
        "a",
        "d",
        "x",
        "1",
        "-1",
        "0.5",
        "2.0",
        "1e9",
        "NaN",
        ",",
        ",",
        ",",
        ":",
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
        "\u{feff}",
        "\u{e9}",
        "\0",
        "null",
    ];
    vec(select(pieces.to_vec()), 0..30).prop_map(|pieces| pieces.concat())
}

/// Returns all fields of a record, with floating point numbers as bits.
fn bits<A, D>(record: CountRecord<A, D>) -> (A, D, Counts, [Option<u64>; 2]) {
    let others = [record.cost, record.duration].map(|x| x.map(f64::to_bits));
    (record.arm, record.document, record.counts, others)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        for format in FORMATS {
            if let Err(error) = read_counts_from(&bytes[..], format, "s") {
                prop_assert!(error.to_string().starts_with('s'));
            }
        }
    }

    /// Tests that damaged text yields valid records or a one-line message.
    #[test]
    fn nearly_right_text_never_panics(text in pieces()) {
        let last = text.matches(['\n', '\r']).count() as u64 + 1;
        for format in FORMATS {
            match read_counts_from(text.as_bytes(), format, "s") {
                Ok(records) => {
                    prop_assert!(records.by_arm().iter().all(|records| !records.is_empty()));
                    let mut seen = std::collections::HashSet::new();
                    for record in records.named() {
                        prop_assert!(seen.insert((record.arm, record.document)));
                        prop_assert!((1..=last).contains(&record.line));
                        prop_assert!(record.counts.cells().iter().all(|&count| count <= Counts::LARGEST));
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
        write_counts_csv(&mut csv, &records).unwrap();
        let again = read_counts_from(&csv[..], Some(Format::Csv), "s").unwrap();
        prop_assert_eq!(again.arms(), records.arms());
        prop_assert_eq!(again.documents(), records.documents());
        let before: Vec<_> = records.named().map(bits).collect();
        let after: Vec<_> = again.named().map(bits).collect();
        prop_assert_eq!(before, after);
        prop_assert!(again.records().iter().zip(2..).all(|(record, line)| record.line == line));
    }

    /// Tests that counts add up the same however they are split into classes, and in whatever order
    /// the rows come.
    #[test]
    fn classes_add_up_to_the_whole(
        parts in vec([0..9_u64, 0..9, 0..9, 0..9], 1..8),
        order in Just((0..8_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let whole: Counts = parts.iter().map(|&cells| Counts::from_cells(cells)).sum();
        let mut text = String::from("arm,document,class,tp,fp,tn,fn\n");
        for class in order.into_iter().filter(|&class| class < parts.len()) {
            let [tp, fp, tn, fn_] = parts[class];
            writeln!(text, "a,d,{class},{tp},{fp},{tn},{fn_}").unwrap();
        }
        let records = read_counts_from(text.as_bytes(), None, "s").unwrap();
        prop_assert_eq!(records.records().len(), 1);
        prop_assert_eq!(records.records()[0].counts, whole);
    }
}
