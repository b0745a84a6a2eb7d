//! `experiments fiesta` on the scores that the FIESTA paper published: the figures agree with
//! independent runs of the same methods.
//!
//! The scores are not part of this project: the test looks for `tdsa_macro_f1.csv` in the folder
//! `shared/data` beside the repository or in `$FIESTA_SHARED/data`, and says so if it skips. The
//! full number of runs takes an optimised build; a debug build makes a twentieth of them.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{json, list, number};

/// Number of runs behind each independent figure.
const THEIR_RUNS: f64 = 2000.0;
/// Factor by which runs are fewer in a debug build.
const FEWER: u32 = if cfg!(debug_assertions) { 20 } else { 1 };

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

/// Returns the rows of an experiment that have an independent figure, of `runs` runs, or a
/// twentieth in a debug build.
fn rows(file: &Path, only: &str, runs: u32) -> Vec<Value> {
    let runs = (runs / FEWER).to_string();
    let file = file.to_str().unwrap();
    let document = json(&[
        "fiesta", file, "--seed", "1", "--only", only, "--runs", &runs,
    ]);
    let rows = list(&document[only.replace('-', "_")]).iter();
    rows.filter(|row| row["models"] == "recorded" && row["independent"].is_number())
        .cloned()
        .collect()
}

/// Tests the mean number of evaluations to a confidence, 8 arms: within 4 standard errors of the
/// difference, which chance exceeds in one of 16,000 comparisons.
#[test]
fn evaluations_until_a_confidence() {
    let Some(file) = data() else { return };
    let rows = rows(&file, "tables-2-3", 2000);
    assert_eq!(rows.len(), 12);
    for row in rows {
        let measured = &row["measured"];
        let [mean, error] = ["mean", "standard_error"].map(|name| number(&measured[name]));
        // Either mean has this standard deviation of a run, over its number of runs.
        let runs = number(&measured["runs"]);
        let distance =
            (mean - number(&row["independent"])) / (error * f64::sqrt(1.0 + runs / THEIR_RUNS));
        eprintln!(
            "{} at {}: {mean:.1} ± {error:.1}, {distance:+.1} from independent",
            row["method"], row["confidence"]
        );
        assert!(distance.abs() <= 4.0, "{row}");
    }
}

/// Tests the share of runs that find the best of 12 arms within a budget; those at 204, where the
/// published and the independent figures differ most, are only shown.
#[test]
fn within_a_budget() {
    let Some(file) = data() else { return };
    let rows = rows(&file, "figure-4", 10_000);
    assert_eq!(rows.len(), 4);
    for row in rows {
        let measured = &row["measured"];
        let [correct, error] =
            ["correct", "correct_standard_error"].map(|name| number(&measured[name]));
        eprintln!(
            "{} at {}: {correct:.4} ± {error:.4}, independent {}",
            row["policy"], row["budget"], row["independent"]
        );
        let chance = if FEWER > 1 { 3.0 * error } else { 0.0 };
        let is_close = (correct - number(&row["independent"])).abs() <= 0.012 + chance;
        assert!(row["budget"] == 204 || is_close, "{row}");
    }
}
