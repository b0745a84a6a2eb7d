//! Tests of reading files that pyarrow wrote (`fixtures/make.py`), and of damaged copies of them.

use fiesta_parquet::{Refused, text};

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("fixtures/", $name, ".parquet")) as &[u8]
    };
}

const LONG: &[u8] = fixture!("long");
const NESTED: &[u8] = fixture!("samples_sums_2026-11-27");

fn read(file: &[u8]) -> String {
    String::from_utf8(text(file.to_vec(), 1 << 20).unwrap()).unwrap()
}

#[test]
fn flat_tables_are_csv() {
    let long = read(LONG);
    let lines: Vec<&str> = long.lines().collect();
    assert_eq!(lines.len(), 21);
    assert_eq!(
        lines[..3],
        ["model,fold,accuracy", "large,0,0.81", "large,1,0.84"]
    );
    // Other codings of the same table.
    assert_eq!(read(fixture!("long_zstd")), long);
    assert_eq!(read(fixture!("long_gzip")), long);
}

#[test]
fn the_index_of_a_frame_comes_first() {
    let items = read(fixture!("items"));
    assert!(
        items.starts_with("item,gpt-large,gpt-base,gpt-small\nq0,"),
        "{items}"
    );
    let chosen = read(fixture!("chosen"));
    assert!(
        chosen.starts_with(",item,gpt-large,gpt-base,gpt-small\n0,q0,"),
        "{chosen}"
    );
}

#[test]
fn nested_tables_are_json_lines() {
    let samples = read(NESTED);
    let first: serde_json::Value = serde_json::from_str(samples.lines().next().unwrap()).unwrap();
    assert_eq!(first["doc"]["choices"], serde_json::json!(["0", "1"]));
    assert_eq!(first["arguments"]["gen_args_0"]["arg_1"]["until"][0], "\n");
    assert_eq!(first["resps"][0][0], "0");
    assert_eq!(
        (&first["exact_match"], &first["missing"]),
        (&0.0.into(), &1.5.into())
    );
    assert!(
        first["when"]
            .as_str()
            .unwrap()
            .starts_with("2026-11-27 10:00:00")
    );
    assert_eq!(samples.lines().count(), 12);
}

#[test]
fn what_is_too_large_is_refused() {
    let error = text(LONG.to_vec(), 40).unwrap_err();
    assert!(matches!(error, Refused::Large { most: 40 }), "{error}");
    // The footer says that its only group has 20 rows: here, that it has a milliard of them.
    let claim = [0x16, 0x28];
    let place = LONG.windows(2).rposition(|pair| pair == claim).unwrap() + 1;
    let milliard = [0x80, 0xa8, 0xd6, 0xb9, 0x07];
    let mut bytes = [&LONG[..place], &milliard, &LONG[place + 1..]].concat();
    let length = bytes.len() - 8;
    bytes[length] += 4;
    let error = text(bytes, 1 << 20).unwrap_err();
    let told = "this Parquet file says that it has 1000000000 rows, and at most 50000000 are read";
    assert!(error.to_string().starts_with(told), "{error}");
}

/// Tests that truncated files, and files with flipped bits, give a text or an error message.
#[test]
fn damaged_files_give_a_sentence() {
    let mut refused = 0;
    for file in [LONG, fixture!("long_zstd"), fixture!("long_gzip"), NESTED] {
        let step = file.len() / 60 + 1;
        for at in (0..file.len()).step_by(step) {
            assert!(text(file[..at].to_vec(), 1 << 20).is_err(), "{at}");
            for flipped in [1, 0x10, 0x80, 0xff] {
                let mut bytes = file.to_vec();
                bytes[at] ^= flipped;
                if let Err(error) = text(bytes, 1 << 20) {
                    let error = error.to_string();
                    assert!(
                        error.starts_with("this Parquet file ") && error.len() < 1500,
                        "{error}"
                    );
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 50, "{refused}");
}
