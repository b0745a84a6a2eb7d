//! Made-up documents for the tests of the F-measure.

use fiesta_core::Counts;
use rand::{RngExt, rngs::ChaCha8Rng};
use rand_distr::{Binomial, Distribution, Gamma, OpenClosed01};

/// Draws shares from Dirichlet(shapes), and their logarithms, which do not underflow.
pub(crate) fn dirichlet(shapes: [f64; 4], rng: &mut ChaCha8Rng) -> ([f64; 4], [f64; 4]) {
    let ln = shapes.map(|shape| {
        let raised: f64 = Gamma::new(shape + 1.0, 1.0).unwrap().sample(rng);
        let uniform: f64 = rng.sample(OpenClosed01);
        raised.ln() + uniform.ln() / shape
    });
    let largest = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = largest + ln.iter().map(|ln| (ln - largest).exp()).sum::<f64>().ln();
    let ln = ln.map(|ln| ln - total);
    (ln.map(f64::exp), ln)
}

/// Draws a document of `length` items with its own probabilities around θ.
pub(crate) fn document(
    ln_theta: [f64; 4],
    alpha: f64,
    length: u64,
    rng: &mut ChaCha8Rng,
) -> Counts {
    let shapes = ln_theta.map(|ln| (alpha * ln.exp()).max(f64::MIN_POSITIVE));
    let (shares, _) = dirichlet(shapes, rng);
    let (mut left, mut rest) = (length, 1.0);
    let mut cells = [0; 4];
    for j in 0..3 {
        let p: f64 = if rest > 0.0 { shares[j] / rest } else { 0.0 };
        cells[j] = Binomial::new(left, p.clamp(0.0, 1.0)).unwrap().sample(rng);
        left -= cells[j];
        rest -= shares[j];
    }
    cells[3] = left;
    Counts::from_cells(cells)
}
