//! `fiesta reproduce fiesta` on the scores that the FIESTA paper published: the figures agree with independent runs of the same
//! methods.
//!
//! The scores are not part of this project: the test looks for `tdsa_macro_f1.csv` in the folder `shared/data` beside the
//! repository or in `$FIESTA_SHARED/data`, and says so if it skips. It prints the tables that `docs/reproduction.md` holds. The full
//! number of runs takes an optimised build; a debug build makes a tenth of them.

use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The runs behind the independent figures.
const THEIR_RUNS: f64 = 2000.0;

fn data() -> Option<PathBuf> {
    let shared = std::env::var_os("FIESTA_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let file = shared.join("data/tdsa_macro_f1.csv");
    if file.exists() {
        return Some(file);
    }
    eprintln!("skipped: there is no {}", file.display());
    None
}

/// The rows of some experiments that have an independent figure, with so many runs, or a tenth of them.
fn rows(file: &Path, experiments: &str, runs: u64) -> Vec<Value> {
    let runs = if cfg!(debug_assertions) {
        runs / 10
    } else {
        runs
    };
    let output = Command::new(env!("CARGO_BIN_EXE_fiesta"))
        .args(["reproduce", "fiesta"])
        .arg(file)
        .args(["--seed", "1", "--format", "json", "--only", experiments])
        .args(["--runs", &runs.to_string()])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    eprintln!("({runs} runs each)");
    let experiments = document["experiments"].as_array().unwrap().iter();
    let rows = experiments.flat_map(|experiment| experiment["rows"].as_array().unwrap());
    rows.filter(|row| row["independent"].is_number())
        .cloned()
        .collect()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no {key} in {row}"))
}

/// The mean number of evaluations to a confidence, 8 arms: within 4 standard errors of the difference, which chance
/// exceeds in one of 16,000 comparisons.
#[test]
fn fixed_confidence() {
    let Some(file) = data() else { return };
    let mut wrong = Vec::new();
    eprintln!(
        "| method | confidence | paper | independent | here | distance | correct |\n|---|--:|--:|--:|--:|--:|--:|"
    );
    let rows = rows(&file, "fixed-confidence,batches", 2000);
    assert_eq!(rows.len(), 12);
    for row in rows {
        let [mean, error, expected] =
            ["measured", "standard_error", "independent"].map(|key| number(&row, key));
        // Either mean has this standard deviation of a run, over its number of runs.
        let runs = if cfg!(debug_assertions) {
            200.0
        } else {
            2000.0
        };
        let distance = (mean - expected) / (error * f64::sqrt(1.0 + runs / THEIR_RUNS));
        eprintln!(
            "| {} | {} | {} | {expected} | {mean:.1} ± {error:.1} | {distance:+.1} | {:.1} % |",
            row["method"].as_str().unwrap(),
            row["confidence"],
            row["published"],
            number(&row, "correct") * 100.0
        );
        if distance.abs() > 4.0 {
            wrong.push(row);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The share of runs that find the best of 12 arms within a budget; those at 204, where the
/// published and the independent figures differ most, are only shown.
#[test]
fn fixed_budget() {
    let Some(file) = data() else { return };
    eprintln!("| method | budget | paper | independent | here |\n|---|--:|--:|--:|--:|");
    let rows = rows(&file, "fixed-budget", 10_000);
    assert_eq!(rows.len(), 4);
    for row in rows {
        let [correct, error, expected, budget] =
            ["measured", "standard_error", "independent", "budget"].map(|key| number(&row, key));
        let method = row["method"].as_str().unwrap();
        eprintln!(
            "| {method} | {budget} | {} | {expected} | {correct:.4} ± {error:.4} |",
            row["published"]
        );
        let chance = if cfg!(debug_assertions) {
            3.0 * error
        } else {
            0.0
        };
        let asserted = !(200.0..220.0).contains(&budget);
        assert!(
            !asserted || (correct - expected).abs() <= 0.012 + chance,
            "{method} at {budget}: {correct}"
        );
    }
}
