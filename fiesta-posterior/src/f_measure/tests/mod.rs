//! Tests of the F-measure posterior's own draws against a Gibbs sampler of the same model.

#[path = "../../../tests/f_measure/world.rs"]
mod world;

use super::{Concentration, FMeasureArms, Gibbs, Prior};
use fiesta_core::{ArmId, Case, Counts, FBeta, Observe};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use world::document;

const SWEEPS: usize = 40_000;
/// Number of sweeps in a batch; means of batches are taken for independent.
const BATCH: usize = 1000;

/// Function of θ and α whose means the test compares.
type Quantity = fn(&[f64; 4], f64) -> f64;

/// Asserts that means of F, F², every θ_j and ln α agree to within 4 standard errors of their
/// difference.
fn agree(name: &str, documents: &[Counts], alpha: Option<f64>) {
    let concentration = alpha.map_or(Concentration::Learned, Concentration::Fixed);
    let mut posterior = FMeasureArms::new(1).concentration(concentration);
    let arm = ArmId::new(0);
    for (split, &counts) in (0..).zip(documents) {
        posterior
            .observe(arm, Case { split, seed: 0 }, counts)
            .unwrap();
    }
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let draws = posterior.sample(arm, 200_000, &mut rng).unwrap();
    let mut chain = Gibbs::new(documents, Prior::default(), concentration).unwrap();
    for _ in 0..BATCH {
        chain.sweep(&mut rng);
    }
    let states: Vec<([f64; 4], f64)> = (0..SWEEPS).map(|_| chain.sweep(&mut rng)).collect();
    let quantities: [Quantity; 7] = [
        |theta, _| FBeta::F1.of(*theta),
        |theta, _| FBeta::F1.of(*theta).powi(2),
        |theta, _| theta[0],
        |theta, _| theta[1],
        |theta, _| theta[2],
        |theta, _| theta[3],
        |_, alpha| alpha.ln(),
    ];
    for (number, quantity) in quantities.into_iter().enumerate() {
        let ours = draws.summary(quantity);
        let batches: Vec<f64> = states
            .chunks(BATCH)
            .map(|batch| {
                batch
                    .iter()
                    .map(|(theta, alpha)| quantity(theta, *alpha))
                    .sum::<f64>()
                    / BATCH as f64
            })
            .collect();
        let n = batches.len() as f64;
        let mean = batches.iter().sum::<f64>() / n;
        let variance = batches.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / (n - 1.0) / n;
        let error = (variance + ours.standard_deviation.powi(2) / draws.effective()).sqrt();
        let off = (ours.mean - mean).abs();
        assert!(
            off <= 4.0 * error + 1e-9,
            "{name}, quantity {number}: {} and {mean} ± {error}",
            ours.mean
        );
    }
}

fn made_up(alpha: f64, length: u64, count: usize) -> Vec<Counts> {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let ln_theta = [0.5_f64, 0.1, 0.3, 0.1].map(f64::ln);
    (0..count)
        .map(|_| document(ln_theta, alpha, length, &mut rng))
        .collect()
}

#[test]
fn with_known_concentration() {
    agree("one", &[Counts::from_cells([12, 4, 6, 3])], Some(1.0));
    agree("few", &made_up(1.0, 25, 5), Some(1.0));
    agree("more than it says", &made_up(0.3, 25, 30), Some(10.0));
    agree("less than it says", &made_up(1e6, 100, 20), Some(0.3));
    agree(
        "an empty cell",
        &[[9, 0, 20, 2], [3, 0, 24, 0], [0, 0, 25, 0]].map(Counts::from_cells),
        Some(1.0),
    );
    agree(
        "an empty document",
        &[[9, 1, 20, 2], [0, 0, 0, 0]].map(Counts::from_cells),
        Some(2.5),
    );
}

#[test]
fn with_learned_concentration() {
    agree("one", &[Counts::from_cells([12, 4, 6, 3])], None);
    agree("none", &[], None);
    agree("very unlike", &made_up(0.3, 25, 30), None);
    agree("unlike", &made_up(3.0, 100, 20), None);
    agree("alike", &made_up(1e9, 100, 8), None);
}
