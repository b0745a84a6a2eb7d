//! A measure of one's own on counts of documents: Jaccard's index TP/(TP + FP + FN).

use fiesta_core::{ArmId, Case, Counts, Observe, Posterior};
use fiesta_posterior::{FMeasureArms, f_measure::Measure};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let jaccard = Measure::Function(Arc::new(|&[tp, fp, _, fn_]: &[f64; 4]| {
        tp / (tp + fp + fn_)
    }));
    let mut posterior = FMeasureArms::new(2).measure(jaccard.clone());
    let documents = [
        [[12, 3, 80, 2], [7, 5, 60, 1], [20, 4, 90, 3]],
        [[9, 6, 77, 5], [6, 6, 59, 2], [14, 9, 85, 9]],
    ];
    for (arm, documents) in ArmId::all(2).zip(documents) {
        for (split, cells) in (0..).zip(documents) {
            posterior.observe(arm, Case { split, seed: 0 }, Counts::from_cells(cells))?;
        }
    }
    let arms: Vec<ArmId> = ArmId::all(2).collect();
    let belief = posterior.belief(&arms);
    for &arm in &arms {
        let sums = posterior.sums(arm).ok_or("no such arm")?;
        let observed = jaccard.of_counts(&sums).ok_or("no counts")?;
        println!(
            "tagger {}: index {observed:.3}, P(best) = {:.3}",
            arm.index(),
            belief.of(arm)
        );
    }
    assert!(belief.of(arms[0]) > 0.9);
    Ok(())
}
