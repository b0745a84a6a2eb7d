//! Dirichlet variables, in logarithms.

use crate::numeric::relative;
use fiesta_core::greatest;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma, OpenClosed01};

/// Returns ln of shares from the Dirichlet distribution with these shapes, all above 0.
///
/// With a shape of ¼ one share in 10⁷⁷ is no longer a number above zero; its logarithm is. A gamma
/// variable of shape a is one of shape a + 1 times u^(1/a), u being uniform.
///
/// # Panics
/// If a shape is not above 0.
pub(super) fn ln_shares(shapes: [f64; 4], rng: &mut impl Rng) -> [f64; 4] {
    let ln = shapes.map(|shape| {
        let raised = Gamma::new(shape + 1.0, 1.0).expect("a shape above 0");
        let uniform: f64 = rng.sample(OpenClosed01);
        raised.sample(rng).ln() + uniform.ln() / shape
    });
    let total = ln_sum(&ln);
    ln.map(|ln| ln - total)
}

/// Returns ln Σ e^x over numbers x, without overflow.
pub(super) fn ln_sum(ln: &[f64; 4]) -> f64 {
    greatest(*ln) + relative(ln).iter().sum::<f64>().ln()
}
