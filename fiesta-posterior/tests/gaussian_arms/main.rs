//! Tests of the posterior of Gaussian arms: its draws, its differences, its belief, and its edge cases.

use fiesta_core::{ArmId, Belief, Case, Marginal, Observe, ObserveError, Posterior};
use fiesta_posterior::{GaussianArms, NormalInverseGamma, posterior_by_name};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

/// The names of the posteriors of independent arms, which are computed rather than sampled.
const INDEPENDENT: [&str; 3] = ["uniform", "jeffreys", "pooled"];

const CASE: Case = Case { split: 0, seed: 0 };

fn arm(index: usize) -> ArmId {
    ArmId::new(index)
}

fn observe(posterior: &mut dyn Observe<f64>, index: usize, scores: &[f64]) {
    for &score in scores {
        posterior.observe(arm(index), CASE, score).unwrap();
    }
}

fn all(posterior: &dyn Posterior) -> Vec<ArmId> {
    ArmId::all(posterior.arms()).collect()
}

/// Returns three arms with a few scores each, under each of the named priors.
fn three_arms() -> Vec<(&'static str, Box<dyn Observe<f64>>)> {
    let scores: [&[f64]; 3] = [
        &[0.61, 0.60, 0.65],
        &[0.64, 0.62, 0.66, 0.63, 0.66],
        &[0.55, 0.66, 0.67, 0.60],
    ];
    let observed = INDEPENDENT.map(|name| {
        let mut posterior = posterior_by_name(name, 3).unwrap();
        for (index, scores) in scores.iter().enumerate() {
            observe(&mut posterior, index, scores);
        }
        (name, posterior)
    });
    observed.into()
}

mod belief;
mod differences;
mod draws;
mod edges;

/// Tests that spreads whose squares underflow are no spread; nothing may panic on them.
#[test]
fn spreads_too_small_for_floating_point_ask_for_more() {
    let arms: Vec<ArmId> = ArmId::all(2).collect();
    for mut posterior in [
        Box::new(GaussianArms::uniform(2)) as Box<dyn Observe<f64>>,
        Box::new(GaussianArms::pooled(2)),
    ] {
        for &arm in &arms {
            for (split, tiny) in (0..).zip([1.0, 2.0, 4.0]) {
                let case = Case { split, seed: 0 };
                posterior.observe(arm, case, tiny * 1e-162).unwrap();
            }
            assert_eq!(posterior.marginal(arm), None);
        }
        assert!(arms.iter().all(|&arm| posterior.required(arm) == 4));
        assert!(posterior.belief(&arms).absolute_error > 0.0);
    }
}
