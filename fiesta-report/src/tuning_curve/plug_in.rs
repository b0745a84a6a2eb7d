//! Weights that are powers: p_iⁿ, with p_i = i/B for the plug-in estimator, and the ends of a band
//! of the distribution for its bands.

use super::sums::Weights;
use std::ops::Range;

/// Powers p_iⁿ for ascending p_i in \[0, 1\].
///
/// Where p is close to 1, its power depends on 1 − p, which is therefore given as well.
pub(crate) struct Powers {
    base: Vec<f64>,
    /// The complements 1 − p_i.
    rest: Vec<f64>,
}

impl Powers {
    /// Returns the powers of pairs (p, 1 − p).
    pub(crate) fn new(pairs: impl Iterator<Item = (f64, f64)>) -> Self {
        let (base, rest) = pairs.unzip();
        Self { base, rest }
    }

    /// Returns Σ p_iⁿ g_i for a real n, and its derivative by n.
    pub(crate) fn sum_and_slope(&self, gaps: &[f64], n: f64) -> (f64, f64) {
        let terms = self.base.iter().zip(&self.rest).zip(gaps);
        terms.fold((0.0, 0.0), |(sum, slope), ((&base, &rest), gap)| {
            let ln = ln(base, rest);
            let term = (n * ln).exp() * gap;
            // 0ⁿ is 0, and stays so.
            let change = if term > 0.0 { term * ln } else { 0.0 };
            (sum + term, slope + change)
        })
    }
}

/// Returns ln p to machine precision, given p and 1 − p.
fn ln(base: f64, rest: f64) -> f64 {
    if base < 0.5 {
        base.ln()
    } else {
        (-rest).ln_1p()
    }
}

impl Weights for Powers {
    const CONSTANT: bool = true;

    fn parameters(&self) -> &[f64] {
        &self.base
    }

    fn step(&self, _n: u64) -> (f64, f64) {
        (0.0, 1.0)
    }

    fn at(&self, n: u64, window: Range<usize>, weights: &mut [f64]) {
        if n == 1 {
            weights.copy_from_slice(&self.base[window]);
            return;
        }
        let bases = self.base[window.clone()].iter().zip(&self.rest[window]);
        for (weight, (&base, &rest)) in weights.iter_mut().zip(bases) {
            *weight = (n as f64 * ln(base, rest)).exp();
        }
    }
}
