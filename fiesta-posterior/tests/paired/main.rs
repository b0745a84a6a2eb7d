//! Tests of the paired posterior from outside: its edges, what its beliefs must not depend on, how
//! it grows, and what it foresees. The sampler itself is tested beside it.

use fiesta_core::{ArmId, Belief, Case, Observe, ObserveError, Posterior, finest};
use fiesta_posterior::Paired;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, StandardNormal};

mod edges;
mod growth;
mod invariance;
mod look_ahead;
mod top;
mod wide;

/// A score with its arm and its split.
type Score = (usize, u64, f64);

fn arm(index: usize) -> ArmId {
    ArmId::new(index)
}

fn all(posterior: &Paired) -> Vec<ArmId> {
    ArmId::all(posterior.arms()).collect()
}

fn observe(posterior: &mut Paired, scores: impl IntoIterator<Item = Score>) {
    for (index, split, score) in scores {
        posterior
            .observe(arm(index), Case { split, seed: 0 }, score)
            .unwrap();
    }
}

fn fitted(arms: usize, scores: impl IntoIterator<Item = Score>) -> Paired {
    let mut posterior = Paired::new(arms);
    observe(&mut posterior, scores);
    posterior
}

fn belief(posterior: &Paired) -> Belief {
    posterior.belief(&all(posterior))
}

/// Returns whether every arm has the scores that it needs.
fn ready(posterior: &Paired, counts: &[u64]) -> bool {
    all(posterior)
        .iter()
        .zip(counts)
        .all(|(&arm, &count)| count >= posterior.required(arm))
}

/// Returns scores of arms .01 apart on splits 0, 1, … where `seen` is true: split effects of .03, noise of .02.
fn study(arms: usize, splits: u64, seed: u64, seen: impl Fn(usize, u64) -> bool) -> Vec<Score> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let mut scores = Vec::new();
    for split in 0..splits {
        let effect = 0.03 * normal();
        for arm in 0..arms {
            let score = 0.6 + 0.01 * arm as f64 + effect + 0.02 * normal();
            if seen(arm, split) {
                scores.push((arm, split, score));
            }
        }
    }
    scores
}

fn with_gaps(arm: usize, split: u64) -> bool {
    (arm as u64 * 3 + split * 5) % 7 > 2
}

fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance, "{a:?} is not {b:?}");
    }
}
