//! Tests of `fiesta belief` on several benchmarks.

use super::{
    belief,
    support::{Bench, arm, assert_close, code},
};
use std::fmt::Write;

/// Tests that the data sets of a column are benchmarks, and that a verdict about all of them is one
/// document.
#[test]
fn several_benchmarks_have_one_answer() {
    let bench = Bench::new();
    let mut csv = "model,dataset,question,score\n".to_owned();
    for (data_set, items, right) in [("maths", 200, [150, 130]), ("safety", 100, [70, 78])] {
        for item in 0..items {
            for (model, right) in ["large", "small"].iter().zip(right) {
                writeln!(csv, "{model},{data_set},{item},{}", u8::from(item < right)).unwrap();
            }
        }
    }
    bench.file("runs.csv", &csv);
    let document = belief(&bench, &["runs.csv", "--benchmark", "dataset"]);
    let all = &document["benchmarks"];
    assert_eq!(all["best"][0], "large");
    assert_close(&all["lead"], (0.1 - 0.08) / 2.0, 1e-12);
    assert_close(&arm(&document, "large")["mean"], 0.725, 1e-12);
    let weights = [
        "runs.csv",
        "--benchmark",
        "dataset",
        "--weights",
        "maths=1,safety=3",
    ];
    let document = belief(&bench, &weights);
    assert_eq!(document["benchmarks"]["best"][0], "small");
    assert_eq!(document["reading"][0]["role"], "benchmark");
    for (arguments, why) in [
        (
            &["runs.csv", "--benchmark", "x"][..],
            "there is no column `x` (--benchmark)",
        ),
        (
            &[
                "runs.csv",
                "--item",
                "dataset+question",
                "--weights",
                "items",
            ],
            "name the column of the benchmarks with --benchmark",
        ),
        (
            &["runs.csv", "--benchmark", "dataset", "--weights", "maths=1"],
            "no weight to safety",
        ),
        (
            &["runs.csv", "--benchmark", "dataset", "--outlook"],
            "--outlook is about one benchmark",
        ),
    ] {
        let ran = bench.fiesta(&[&["belief"], arguments].concat());
        ran.tells(code::USAGE, &[why]);
    }
}
