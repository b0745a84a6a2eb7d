//! `fiesta simulate` on the scores that the FIESTA paper published, beside independent runs of the same methods.
//!
//! The scores are not part of this project: the test looks for `tdsa_macro_f1.csv` in the folder `shared/data` beside the
//! repository or in `$FIESTA_SHARED/data`, and says so if it skips. It prints the table that `docs/reproduction.md` holds. The full number of
//! runs takes an optimised build; a debug build makes a tenth of them.

use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

/// The runs behind the independent figures.
const THEIR_RUNS: f64 = 2000.0;

fn data() -> Option<PathBuf> {
    let shared = std::env::var_os("FIESTA_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let file = shared.join("data/tdsa_macro_f1.csv");
    if file.exists() {
        return Some(file);
    }
    eprintln!("skipped: there is no {}", file.display());
    None
}

fn runs(full: u64) -> u64 {
    if cfg!(debug_assertions) {
        full / 10
    } else {
        full
    }
}

fn simulate(file: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_fiesta"))
        .arg("simulate")
        .arg(file)
        .args([
            "--splits",
            "independent",
            "--posterior",
            "uniform",
            "--seed",
            "1",
            "--format",
            "json",
        ])
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The mean number of evaluations to a confidence, 8 arms: within 4 standard errors of the difference, which chance
/// exceeds in one of 16,000 comparisons.
#[test]
fn fixed_confidence() {
    let Some(file) = data() else { return };
    let eight = "atae,atae_50,ian,ian_50,lstm,lstm_50,tdlstm,tdlstm_50";
    let count = runs(2000).to_string();
    let methods: [(&str, &[&str], [f64; 3]); 4] = [
        (
            "non-adaptive",
            &["--policy", "uniform"],
            [281.8, 209.7, 130.4],
        ),
        ("TTTS", &["--policy", "ttts"], [151.3, 117.5, 83.8]),
        (
            "BTS-4",
            &["--policy", "bts", "--batch", "4"],
            [317.0, 176.0, 102.0],
        ),
        (
            "BTS-8",
            &["--policy", "bts", "--batch", "8"],
            [311.0, 174.0, 105.0],
        ),
    ];
    let began = Instant::now();
    let mut wrong = Vec::new();
    eprintln!(
        "| method | confidence | independent | here | difference in its standard errors | correct |"
    );
    eprintln!("|---|--:|--:|--:|--:|--:|");
    for (name, policy, theirs) in methods {
        let fixed = [
            "--arms",
            eight,
            "--confidence",
            "0.95,0.9,0.8",
            "--runs",
            &count,
        ];
        let document = simulate(&file, &[&fixed[..], policy].concat());
        assert_eq!(document["best"], "tdlstm");
        for (result, expected) in document["results"].as_array().unwrap().iter().zip(theirs) {
            let mean = result["evaluations"]["mean"].as_f64().unwrap();
            let error = result["evaluations"]["standard_error"].as_f64().unwrap();
            let runs = result["runs"].as_f64().unwrap();
            let of_difference = error * (1.0 + runs / THEIR_RUNS).sqrt();
            let distance = (mean - expected) / of_difference;
            let correct = result["correct"].as_f64().unwrap() * 100.0;
            eprintln!(
                "| {name} | {} | {expected} | {mean:.1} ± {error:.1} | {distance:+.1} | {correct:.1} % |",
                result["confidence"]
            );
            if distance.abs() > 4.0 {
                wrong.push(format!(
                    "{name} at {}: {mean} for {expected}",
                    result["confidence"]
                ));
            }
        }
    }
    eprintln!(
        "({count} runs each, {:.1} s in all)",
        began.elapsed().as_secs_f64()
    );
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The share of runs that find the best of 12 arms within a budget.
#[test]
fn fixed_budget() {
    let Some(file) = data() else { return };
    let count = runs(10_000).to_string();
    let began = Instant::now();
    eprintln!("| method | budget | independent | here |");
    eprintln!("|---|--:|--:|--:|");
    for (policy, budget, expected, asserted) in [
        ("sequential-halving", "120", 0.895, true),
        ("sequential-halving", "204", 0.969, false),
        ("uniform", "204", 0.859, false),
        ("uniform", "228", 0.880, true),
    ] {
        let document = simulate(
            &file,
            &["--policy", policy, "--budget", budget, "--runs", &count],
        );
        let result = &document["results"][0];
        let correct = result["correct"].as_f64().unwrap();
        let error = result["correct_standard_error"].as_f64().unwrap();
        eprintln!("| {policy} | {budget} | {expected} | {correct:.4} ± {error:.4} |");
        let tolerance = 0.012
            + if cfg!(debug_assertions) {
                3.0 * error
            } else {
                0.0
            };
        assert!(
            !asserted || (correct - expected).abs() <= tolerance,
            "{policy} at {budget}: {correct}"
        );
    }
    eprintln!(
        "({count} runs each, {:.1} s in all)",
        began.elapsed().as_secs_f64()
    );
}
