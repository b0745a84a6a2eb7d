//! Tests of the moments and quantiles of F and of every θ_j against exact values.

use super::system;
use fiesta_core::{ArmId, Counts, FBeta};
use fiesta_posterior::f_measure::{Concentration, PosteriorSummary};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use serde_json::Value;
use std::path::{Path, PathBuf};

const STATISTICS: [&str; 7] = ["mean", "sd", "q2.5", "q25", "q50", "q75", "q97.5"];
/// Number of independent repetitions, from which the standard errors come.
const REPETITIONS: usize = 30;
const DRAWS: usize = 20_000;
/// Monte Carlo standard errors that an estimate may be off: of a normal estimate 6 in 10⁵ are.
const FAR: f64 = 4.0;

fn statistics(summary: &PosteriorSummary) -> [f64; 7] {
    let [a, b, c, d, e] = summary.quantiles;
    [summary.mean, summary.standard_deviation, a, b, c, d, e]
}

/// Asserts that F and θ_1 … θ_4 have these statistics, to within 4 standard errors and the error of
/// the reference.
fn compare(name: &str, documents: &[Counts], expected: &[(&str, [f64; 7])]) {
    let posterior = system(documents, Concentration::fixed(1.0).unwrap());
    let mut found = vec![Vec::new(); expected.len()];
    for repetition in 0..REPETITIONS {
        let mut rng = ChaCha8Rng::seed_from_u64(repetition as u64);
        let draws = posterior.sample(ArmId::new(0), DRAWS, &mut rng).unwrap();
        for (quantity, found) in found.iter_mut().enumerate() {
            let summary = match quantity {
                0 => draws.summary(|theta, _| FBeta::F1.of(*theta)),
                j => draws.summary(|theta, _| theta[j - 1]),
            };
            found.push(statistics(&summary));
        }
    }
    let mut worst = 0.0_f64;
    for ((quantity, exact), found) in expected.iter().zip(&found) {
        for (place, statistic) in STATISTICS.iter().enumerate() {
            let n = REPETITIONS as f64;
            let mean = found.iter().map(|found| found[place]).sum::<f64>() / n;
            let squares: f64 = found.iter().map(|f| (f[place] - mean).powi(2)).sum();
            let error = (squares / (n - 1.0) / n).sqrt();
            let off = (mean - exact[place]).abs();
            assert!(
                off <= FAR * error + 2e-5,
                "{name}: {statistic} of {quantity} is {mean} ± {error}, not {}",
                exact[place]
            );
            worst = worst.max((off - 2e-5).max(0.0) / error);
        }
    }
    println!("{name}: at most {worst:.1} standard errors off");
}

/// Tests one document, TP = 12, FP = 4, TN = 6, FN = 3: exact values by quadrature.
#[test]
fn one_document() {
    let f = [
        0.511_612_40,
        0.238_581_41,
        0.058_499_14,
        0.327_428_38,
        0.528_418_82,
        0.704_271_00,
        0.908_298_86,
    ];
    let theta = [
        0.285_041_70,
        0.186_420_38,
        0.019_757_64,
        0.133_863_65,
        0.256_269_00,
        0.409_008_13,
        0.700_003_71,
    ];
    compare(
        "one document",
        &[Counts::from_cells([12, 4, 6, 3])],
        &[("F", f), ("θ_TP", theta)],
    );
}

/// Tests every reference set. The values are not part of this project: the test looks for
/// `f_measure_posteriors.json` in the folder `shared/reference` beside the repository or in
/// `$FIESTA_SHARED/reference`, and says so if it skips.
#[test]
fn every_reference_set() {
    let shared = std::env::var_os("FIESTA_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let file = shared.join("reference/f_measure_posteriors.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("skipped: there is no {}", file.display());
        return;
    };
    let reference: Value = serde_json::from_str(&text).unwrap();
    for set in reference["sets"].as_array().unwrap() {
        assert_eq!(
            (set["alpha"].as_f64(), set["alpha0"].as_f64()),
            (Some(1.0), Some(1.0))
        );
        let cell = |value: &Value| value.as_u64().unwrap();
        let document = |cells: &Value| Counts::from_cells(std::array::from_fn(|j| cell(&cells[j])));
        let documents: Vec<Counts> = set["counts"]
            .as_array()
            .unwrap()
            .iter()
            .map(document)
            .collect();
        let exact = &set["exact_quadrature"];
        let quantities = ["F", "theta[1]", "theta[2]", "theta[3]", "theta[4]"];
        let expected = quantities.map(|q| (q, STATISTICS.map(|s| exact[q][s].as_f64().unwrap())));
        compare(set["name"].as_str().unwrap(), &documents, &expected);
    }
}
