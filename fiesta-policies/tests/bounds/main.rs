//! Lower bounds of the scores that the FIESTA paper published, beside those computed independently.
//!
//! The scores are not part of this project: the test looks for `tdsa_macro_f1.csv` in the folder
//! `shared/data` beside the repository or in `$FIESTA_SHARED/data`, and says so if it skips.

use fiesta_core::Moments;
use fiesta_policies::plan::{Complexity, Instance, complexity, unknown_variances};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

const LEVELS: [f64; 3] = [0.05, 0.1, 0.2];
const ARMS: [&str; 8] = [
    "atae",
    "atae_50",
    "ian",
    "ian_50",
    "lstm",
    "lstm_50",
    "tdlstm",
    "tdlstm_50",
];

/// Reads the scores of each arm with their splits.
fn scores() -> Option<Vec<Vec<(u64, f64)>>> {
    let shared = std::env::var_os("FIESTA_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let file = shared.join("data/tdsa_macro_f1.csv");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("skipped: there is no {}", file.display());
        return None;
    };
    let mut arms: BTreeMap<&str, Vec<(u64, f64)>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        arms.entry(cells[0])
            .or_default()
            .push((cells[1].parse().unwrap(), cells[3].parse().unwrap()));
    }
    Some(ARMS.iter().map(|arm| arms[arm].clone()).collect())
}

/// Returns √(Σ(x − m)²/n): the figures take the recorded scores for the population.
fn population_sd(values: impl Iterator<Item = f64>) -> f64 {
    let moments: Moments = values.collect();
    (moments.squares() / moments.count() as f64).sqrt()
}

fn compare(known: &Complexity, unknown: &Complexity, expected: [(f64, f64); 3]) {
    for (delta, (of_known, of_unknown)) in LEVELS.into_iter().zip(expected) {
        for (found, expected) in [
            (known.lower_bound(delta), of_known),
            (unknown.lower_bound(delta), of_unknown),
        ] {
            assert!(
                (found - expected).abs() < 0.06,
                "{found} for {expected} at {delta}"
            );
        }
    }
}

#[test]
fn independent_splits() {
    let Some(scores) = scores() else { return };
    let means: Vec<f64> = scores
        .iter()
        .map(|scores| scores.iter().map(|s| s.1).collect::<Moments>().mean())
        .collect();
    let sds: Vec<f64> = scores
        .iter()
        .map(|scores| population_sd(scores.iter().map(|s| s.1)))
        .collect();
    compare(
        &complexity(&means, &sds, &[1.0; 8]).unwrap(),
        &unknown_variances(&means, &sds).unwrap(),
        [(125.4, 139.5), (83.2, 92.6), (39.4, 43.8)],
    );
}

/// Tests the standard deviations of scores less their splits' means. An [`Instance`] divides by the
/// degrees of freedom left, 3,893, where these figures divide by the number of scores, 4,000.
#[test]
fn residual_variance_of_shared_splits() {
    let Some(scores) = scores() else { return };
    let instance = Instance::of_shared_scores(&scores).unwrap();
    let biased = (3893.0_f64 / 4000.0).sqrt();
    let sds: Vec<f64> = instance
        .residual_sds()
        .iter()
        .map(|sd| sd * biased)
        .collect();
    compare(
        &complexity(instance.means(), &sds, &[1.0; 8]).unwrap(),
        &unknown_variances(instance.means(), &sds).unwrap(),
        [(49.5, 62.7), (32.8, 41.6), (15.5, 19.7)],
    );
}
