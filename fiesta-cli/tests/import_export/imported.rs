//! Tests of importing other tools' results, and of exporting them again.

use super::{bench, lines, objects, tools, with_input};
use crate::support::code;

#[test]
fn what_is_imported_is_exported_and_imported_again() {
    let bench = bench();
    for (name, flags, metric, rows, failures) in tools() {
        let imported = bench.fiesta(&[&["import", name, "-o", "1.csv"], flags].concat());
        imported.says(
            code::DONE,
            &["the arms are"].map(|words| {
                if name == "mlflow_page.csv" {
                    "one arm"
                } else {
                    words
                }
            }),
        );
        let first = bench.text("1.csv");
        let header = lines(&first)[0];
        assert!(
            header.starts_with(&format!("arm,{metric},duration,")),
            "{header}"
        );
        assert_eq!(lines(&first).len(), rows + 1, "{name}");
        for (from, to) in [
            ("1.csv", "2.jsonl"),
            ("2.jsonl", "3.csv"),
            ("3.csv", "4.jsonl"),
        ] {
            bench
                .fiesta(&["export", from, "--metric", metric, "-o", to])
                .says(code::DONE, &[]);
        }
        let failed = objects(&bench.text("2.jsonl"));
        let failed = failed.iter().filter(|row| row["status"] == "failed");
        assert_eq!(failed.count(), failures, "{name}");
        assert_eq!(bench.text("3.csv"), first, "{name}");
        assert_eq!(bench.text("4.jsonl"), bench.text("2.jsonl"), "{name}");
        let again = bench.fiesta(&["import", "2.jsonl", "--metric", metric, "--format", "csv"]);
        assert_eq!(again.stdout, first, "{name}");
        // From the standard input, as JSON lines at once.
        let piped = with_input(
            &bench,
            name,
            &[&["import", "-", "--format", "jsonl"], flags].concat(),
        );
        assert_eq!(piped.code, Some(code::DONE), "{piped:?}");
        if name != "mlflow_page.csv" {
            assert_eq!(piped.stdout, bench.text("2.jsonl"), "{name}");
        }
    }
    // What a spreadsheet would run is text in CSV, and itself in JSON.
    bench.fiesta(&[
        "import",
        "mlflow_search_runs.csv",
        "--metric",
        "val_acc",
        "-o",
        "1.csv",
    ]);
    assert!(bench.text("1.csv").contains(",'=1+1,") && !bench.text("1.csv").contains(",=1+1"));
    bench.fiesta(&[
        "import",
        "mlflow_search_runs.csv",
        "--metric",
        "val_acc",
        "-o",
        "1.jsonl",
    ]);
    assert_eq!(objects(&bench.text("1.jsonl"))[0]["params.note"], "=1+1");
}
