//! Measurements of reading large logs, made by hand with `--release -- --ignored --nocapture speed`.

use super::metric;
use fiesta_import::{Tool, read_bytes};
use fiesta_records::Reading;
use std::{
    fmt::Write as _,
    io::{Cursor, Write},
    time::Instant,
};
use zip::{ZipWriter, write::SimpleFileOptions};

const SAMPLES: usize = 100_000;

fn timed(name: &str, bytes: &[u8], tool: Tool, options: &Reading) {
    let start = Instant::now();
    let imported = read_bytes(bytes, tool, options, "log").unwrap();
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(imported.records.items().len(), SAMPLES);
    let megabytes = bytes.len() as f64 / 1e6;
    println!("{name}: {SAMPLES} samples, {megabytes:.0} MB in {seconds:.2} s");
    assert!(
        seconds < 1.0 || cfg!(debug_assertions),
        "{name}: {seconds} s"
    );
}

#[test]
#[ignore = "a measurement"]
fn speed_of_large_logs() {
    let filler = "It is a question of some length. ".repeat(11);
    let hash = "4eeaac7be4e3abb84afb9c462377dd13353caa4ffe20407a4cc1fc4a9787c0b6";
    let mut lines = String::new();
    let mut summaries = String::from("[");
    let mut samples = String::new();
    for id in 0..SAMPLES {
        let right = id % 3 % 2;
        writeln!(
            lines,
            r#"{{"doc_id": {id}, "doc": {{"question": "{filler}{id}", "answer": "x"}}, "target": "x", "arguments": {{"gen_args_0": {{"arg_0": "{filler}"}}}}, "resps": [["lol"]], "filtered_resps": ["lol"], "filter": "none", "metrics": ["acc", "acc_norm"], "doc_hash": "{id}{hash}", "acc": {right}.0, "acc_norm": 0.0}}"#
        )
        .unwrap();
        let comma = if id == 0 { "" } else { "," };
        write!(
            summaries,
            r#"{comma}{{"id": {id}, "epoch": 1, "input": "{filler}{filler}", "target": "{id}", "metadata": {{}}, "scores": {{"match": {{"value": "C", "answer": "2", "explanation": "2", "history": []}}}}, "model_usage": {{"m/large": {{"input_tokens": 40, "output_tokens": 2, "total_tokens": 42}}}}, "total_time": 1.094, "completed": true}}"#
        )
        .unwrap();
    }
    summaries.push(']');
    timed("lm-eval", lines.as_bytes(), Tool::LmEval, &metric("acc"));
    let header = r#""version": 2, "status": "success", "eval": {"task": "t", "model": "m"}"#;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Zstd);
    // As many members as there are samples, of which none is read.
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    writer.start_file("_journal/start.json", options).unwrap();
    for id in 0..SAMPLES {
        writer
            .start_file(format!("samples/{id}_epoch_1.json"), stored)
            .unwrap();
        writer.write_all(b"{}").unwrap();
    }
    for (name, text) in [
        ("header.json", format!("{{{header}}}")),
        ("summaries.json", summaries.clone()),
    ] {
        writer.start_file(name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    let archive = writer.finish().unwrap().into_inner();
    timed(
        "Inspect, .eval",
        &archive,
        Tool::Inspect,
        &Reading::default(),
    );
    write!(samples, "{{{header}, \"samples\": {summaries}}}").unwrap();
    timed(
        "Inspect, .json",
        samples.as_bytes(),
        Tool::Inspect,
        &Reading::default(),
    );
}

/// Measures reading a pool of the usual size in the wide form.
#[test]
#[ignore = "a measurement"]
fn speed_of_a_wide_pool() {
    let mut text = String::from("item");
    for arm in 0..41 {
        write!(text, ",arm-{arm}").unwrap();
    }
    for item in 0..721 {
        write!(text, "\nalgebra/{item}").unwrap();
        for arm in 0..41 {
            write!(text, ",{}", (item * 7 + arm) % 3 % 2).unwrap();
        }
    }
    let start = Instant::now();
    let records = fiesta_records::read_from(
        text.as_bytes(),
        None,
        &fiesta_records::Reading::default(),
        "s",
    )
    .unwrap();
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    assert_eq!(
        (records.items().len(), records.records().len()),
        (721, 29_561)
    );
    println!("41 arms on 721 items in {milliseconds:.1} ms");
    assert!(milliseconds < 20.0 || cfg!(debug_assertions));
}
