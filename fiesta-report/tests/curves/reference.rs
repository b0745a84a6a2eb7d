//! Reference values of curves, budgets and pass@k.
//!
//! The values are not part of this project: the tests look for them in the folder
//! `shared/reference` beside the repository or in `$FIESTA_SHARED/reference`, and say so if they
//! skip.

use fiesta_core::Direction;
use fiesta_report::tuning_curve::{Estimator, TrialScores};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Reads a file of the shared folder, if that is there.
pub(crate) fn shared(name: &str) -> Option<String> {
    let shared = std::env::var_os("FIESTA_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let file = shared.join(name);
    let text = std::fs::read_to_string(&file).ok();
    if text.is_none() {
        eprintln!("SKIPPED: there is no {}", file.display());
    }
    text
}

fn document() -> Option<Value> {
    let text = shared("reference/tuning_curves.json")?;
    Some(serde_json::from_str(&text).unwrap())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap()
}

fn number(value: &Value, key: &str) -> f64 {
    value[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} of {value}"))
}

struct Case<'a> {
    name: &'a str,
    value: &'a Value,
    sample: TrialScores,
    /// The scores of `sample` negated, smaller being better.
    losses: TrialScores,
}

impl<'a> Case<'a> {
    fn new(value: &'a Value) -> Self {
        assert_eq!(value["direction"], "max");
        let scores = list(value, "ys").iter().map(|y| y.as_f64().unwrap());
        let negated = scores.clone().map(|score| -score);
        let sample = TrialScores::new(scores, Direction::Maximize).unwrap();
        assert_eq!(Some(sample.count() as u64), value["B"].as_u64());
        Self {
            name: value["name"].as_str().unwrap(),
            value,
            sample,
            losses: TrialScores::new(negated, Direction::Minimize).unwrap(),
        }
    }

    fn close(&self, found: f64, row: &Value, key: &str, tolerance: &str) {
        let (expected, tolerance) = (
            number(row, key),
            number(&self.value["tolerance"], tolerance),
        );
        let n = &row["n"];
        assert!(
            (found - expected).abs() <= tolerance,
            "{} at {n}: {key} is {found}, not {expected}",
            self.name
        );
    }
}

#[test]
fn every_row_of_the_curves() {
    let Some(document) = document() else { return };
    for case in list(&document, "cases").iter().map(Case::new) {
        let rows = list(case.value, "rows");
        let up_to = rows.last().unwrap()["n"].as_u64().unwrap();
        let up_to = usize::try_from(up_to).unwrap();
        let curve = |sample: &TrialScores, estimator| sample.curve(estimator, up_to);
        let plug_in = curve(&case.sample, Estimator::PlugIn);
        let unbiased = curve(&case.sample, Estimator::Unbiased);
        let losses = curve(&case.losses, Estimator::PlugIn);
        let shading: Vec<(f64, f64)> = plug_in.shading().collect();
        assert_eq!(plug_in.up_to(), up_to);
        assert_eq!(unbiased.up_to(), up_to.min(case.sample.count()));
        for row in rows {
            let n = row["n"].as_u64().unwrap();
            let at = usize::try_from(n).unwrap();
            let alone = case.sample.best_of(Estimator::PlugIn, n).unwrap();
            for best in [alone, plug_in.best_of(at).unwrap()] {
                case.close(best.mean, row, "plugin_mean", "mean_abs");
                case.close(best.sd, row, "plugin_sd", "sd_abs");
            }
            case.close(-losses.mean()[at - 1], row, "plugin_mean", "mean_abs");
            case.close(losses.sd()[at - 1], row, "plugin_sd", "sd_abs");
            case.close(shading[at - 1].0, row, "band_lo_clipped", "sd_abs");
            case.close(shading[at - 1].1, row, "band_hi_clipped", "sd_abs");
            let alone = case.sample.best_of(Estimator::Unbiased, n);
            if row["ustat_mean"].is_null() {
                assert!(row["ustat_sd"].is_null());
                assert_eq!((alone, unbiased.best_of(at)), (None, None));
            } else {
                for best in [alone.unwrap(), unbiased.best_of(at).unwrap()] {
                    case.close(best.mean, row, "ustat_mean", "ustat_abs");
                    case.close(best.sd, row, "ustat_sd", "sd_abs");
                }
            }
        }
    }
}

#[test]
fn every_budget() {
    let Some(document) = document() else { return };
    for case in list(&document, "cases").iter().map(Case::new) {
        for row in list(case.value, "inverse") {
            let target = number(row, "target");
            let budget = case.sample.budget(Estimator::PlugIn, target).unwrap();
            assert_eq!(
                budget,
                case.losses.budget(Estimator::PlugIn, -target).unwrap()
            );
            assert_eq!(budget.status(), row["status"].as_str().unwrap(), "{row}");
            let within = matches!(budget, fiesta_report::budget::Budget::Within(_));
            assert_eq!(Some(within), row["within_B"].as_bool(), "{row}");
            let Some(reached) = budget.reached() else {
                assert!(row["first_n_plugin"].is_null());
                continue;
            };
            assert_eq!(Some(reached.n), row["first_n_plugin"].as_u64(), "{row}");
            let close = |found: f64, key: &str| {
                let expected = number(row, key);
                assert!(
                    (found - expected).abs() <= 1e-9 * expected,
                    "{found}: {row}"
                );
            };
            close(reached.real.unwrap(), "real_n");
            close(reached.interpolated, "linear_interp_n");
        }
    }
}

#[test]
fn every_fraction() {
    let Some(document) = document() else { return };
    let sample = TrialScores::new([0.1, 0.2, 0.4], Direction::Maximize).unwrap();
    for row in list(&document, "hand3_fractions") {
        let (above, below) = row["plugin_fraction"]
            .as_str()
            .unwrap()
            .split_once('/')
            .unwrap();
        let fraction = above.parse::<f64>().unwrap() / below.parse::<f64>().unwrap();
        let n = row["n"].as_u64().unwrap();
        let mean = sample.best_of(Estimator::PlugIn, n).unwrap().mean;
        assert!((mean - fraction).abs() < 1e-15 && (mean - number(row, "value")).abs() < 1e-15);
    }
}

/// Tests pass@k (Chen et al. 2021, equation 1), the expected best of k scores that are 1 where an
/// answer is correct and else 0.
#[test]
fn every_pass_at_k() {
    let Some(document) = document() else { return };
    for row in list(&document, "pass_at_k") {
        let [answers, correct, k] =
            ["n_samples", "correct", "k"].map(|key| row[key].as_u64().unwrap());
        let scores = (0..answers).map(|i| if i < correct { 1.0 } else { 0.0 });
        let sample = TrialScores::new(scores, Direction::Maximize).unwrap();
        for (estimator, key) in [
            (Estimator::Unbiased, "unbiased"),
            (Estimator::PlugIn, "plugin"),
        ] {
            let pass = sample.best_of(estimator, k).unwrap().mean;
            assert!((pass - number(row, key)).abs() < 1e-14, "{pass}: {row}");
        }
    }
}
