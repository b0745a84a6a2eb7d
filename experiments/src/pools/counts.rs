//! Right and wrong answers as confusion counts.

use super::OfArm;
use fiesta_core::Counts;
use rand::{RngExt, rngs::ChaCha8Rng};

/// The name of an arm, and its counts on each item.
type Counted = (String, Vec<(String, Counts)>);

/// Returns every answer as one confusion count. Each item is truly positive with probability
/// `positives`.
pub(super) fn of(arms: &[OfArm], positives: f64, rng: &mut ChaCha8Rng) -> Vec<Counted> {
    let items = arms.first().map_or(0, |(_, answers)| answers.len());
    let truths: Vec<bool> = (0..items).map(|_| rng.random_bool(positives)).collect();
    let count = |((item, score), truth): (&(String, f64), &bool)| {
        let cells = match (truth, *score >= 0.5) {
            (true, true) => [1, 0, 0, 0],
            (false, false) => [0, 1, 0, 0],
            (false, true) => [0, 0, 1, 0],
            (true, false) => [0, 0, 0, 1],
        };
        (item.clone(), Counts::from_cells(cells))
    };
    let counted = arms.iter().map(|(name, answers)| {
        let counts = answers.iter().zip(&truths).map(count);
        (name.clone(), counts.collect())
    });
    counted.collect()
}
