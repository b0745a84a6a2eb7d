//! Numerical methods: Student's t distribution in tables, the Gauss–Kronrod rule, and weights that
//! are given in logarithms.

pub(crate) mod gauss_kronrod;
pub mod student;

use fiesta_core::greatest;

/// Returns weights that are given in logarithms, divided by the largest.
pub(crate) fn relative(ln_weights: &[f64]) -> Vec<f64> {
    let largest = greatest(ln_weights.iter().copied());
    ln_weights.iter().map(|ln| (ln - largest).exp()).collect()
}
