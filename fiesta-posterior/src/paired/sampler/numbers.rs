//! Sums of vectors and logarithms, and random numbers of one distribution.

use crate::numeric::relative;
use rand::{Rng, RngExt};
use rand_distr::{ChiSquared, Distribution, Gamma};

/// Returns Σ a·b of two vectors, in four sums that a processor computes at once.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 4];
    for (a, b) in a.zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    rest + sums.iter().sum::<f64>()
}

/// Returns ln Σ exp(x).
pub(super) fn log_sum(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + logs.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
}

/// Draws from the gamma distribution of this shape and scale 1.
pub(super) fn gamma(shape: f64, rng: &mut dyn Rng) -> f64 {
    // Every shape here is a sum of positive degrees of freedom.
    Gamma::new(shape, 1.0).map_or(f64::NAN, |gamma| gamma.sample(rng))
}

/// Draws from the χ² distribution.
pub(super) fn chi_squared(degrees_of_freedom: f64, rng: &mut dyn Rng) -> f64 {
    ChiSquared::new(degrees_of_freedom).map_or(f64::NAN, |chi| chi.sample(rng))
}

/// Returns an index with probability proportional to exp(log weight).
pub(super) fn draw_index<const N: usize>(log_weights: [f64; N], rng: &mut dyn Rng) -> usize {
    let weights = relative(&log_weights);
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    for (index, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return index;
        }
    }
    N - 1
}
