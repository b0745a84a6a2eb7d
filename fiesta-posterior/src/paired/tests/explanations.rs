//! Tests of scores that splits or the noise of an arm may explain, where a chain stays with what it began with.

use super::{Length, Score, cells, normal, rng, sample};
use fiesta_core::ArmId;

/// Tests an arm on 40 splits of which another has seen the first 20: lower there on each split by five standard deviations.
/// The other 20 splits have scores about 20 higher. Explained by the noise of the first arm, scores are e¹⁶ times less
/// probable than by effects of splits.
#[test]
fn splits_and_not_an_arm_explain_the_scores() {
    for seed in 0..6 {
        let mut random = rng(100 + seed);
        let mut scores: Vec<Score> = Vec::new();
        for split in 0..40 {
            let cheap = split < 20;
            let effect = if cheap { 0.4 } else { 6.0 } * normal(&mut random);
            let base = if cheap { 1.0 } else { 21.0 } + effect;
            scores.push((0, split, base + 0.1 * normal(&mut random)));
            if cheap {
                scores.push((1, split, base + 0.5 + 0.1 * normal(&mut random)));
            }
        }
        let exact = cells(2, &scores);
        let candidates: Vec<ArmId> = ArmId::all(2).collect();
        for stream in 0..8 {
            let draws = sample(&exact, Length::USUAL, stream);
            let best = draws.best(1, &candidates, |_| 0.0).probability;
            assert!(best[1] > 0.999, "scores {seed}, stream {stream}: {best:?}");
        }
    }
}
