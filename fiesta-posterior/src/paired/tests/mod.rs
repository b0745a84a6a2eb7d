//! Tests of the paired posterior's fits, with chains longer than any study's. Heavy in a release build.

use super::{
    cells::Cells,
    draws::Draws,
    sampler::{self, Length},
};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, StandardNormal};

mod calibration;
mod explanations;
mod reference;
mod wide;

/// A score with its arm and its split.
type Score = (usize, u64, f64);

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn cells(arms: usize, scores: &[Score]) -> Cells {
    let mut cells = Cells::new(arms, true);
    for &(arm, split, score) in scores {
        cells.add(arm, split, score);
    }
    cells
}

fn sample(cells: &Cells, length: Length, seed: u64) -> Draws {
    sampler::sample(cells, length, &mut rng(seed)).expect("cross-products are kept")
}
