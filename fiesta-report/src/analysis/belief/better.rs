//! Probability that one arm's mean is better than another's, for every pair.

use fiesta_core::{ArmId, Marginal};
use fiesta_posterior::student;

/// P(the row's mean is better than the column's) of so many arms, where the difference of two means
/// has a shifted and scaled t distribution; none unless that is known of every pair. One half on
/// the diagonal.
pub fn probabilities_better(
    arms: usize,
    difference: impl Fn(ArmId, ArmId) -> Option<Marginal>,
) -> Option<Vec<Vec<f64>>> {
    let cell = |a: ArmId, b: ArmId| {
        if a == b {
            return Some(0.5);
        }
        difference(a, b).map(|difference| above_zero(&difference))
    };
    let row = |a: ArmId| ArmId::all(arms).map(|b| cell(a, b)).collect();
    ArmId::all(arms).map(row).collect()
}

fn above_zero(difference: &Marginal) -> f64 {
    let scaled = -difference.location / difference.scale;
    // What is rounded to certainty is none.
    student::upper_tail(scaled, difference.degrees_of_freedom).clamp(1e-12, 1.0 - 1e-12)
}
