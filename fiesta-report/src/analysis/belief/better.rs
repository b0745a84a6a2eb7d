//! Probability that one arm's mean is better than another's, for every pair.

use fiesta_core::ArmId;
use fiesta_posterior::Lead;

/// Returns P(the row's mean is better than the column's) of these arms. `None` unless the lead of
/// every pair is known. One half on the diagonal.
pub(crate) fn probabilities_better(
    arms: usize,
    lead: impl Fn(ArmId, ArmId) -> Option<Lead>,
) -> Option<Vec<Vec<f64>>> {
    let mut better = vec![vec![0.5; arms]; arms];
    for a in ArmId::all(arms) {
        for b in ArmId::all(a.index()) {
            // What is rounded to certainty is none.
            let p = lead(a, b)?.better.clamp(1e-12, 1.0 - 1e-12);
            better[a.index()][b.index()] = p;
            better[b.index()][a.index()] = 1.0 - p;
        }
    }
    Some(better)
}
