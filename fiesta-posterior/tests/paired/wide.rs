//! Tests of more arms than cross-products are kept of.

use super::{Paired, Posterior, arm, belief, fitted, observe, study};

#[test]
fn a_thousand_arms() {
    let mut scores = study(1000, 10, 1, |arm, split| split < 4 + arm as u64 % 7);
    for score in &mut scores {
        score.2 -= 0.0099 * score.0 as f64;
        if score.0 == 400 {
            score.2 += 0.2;
        }
    }
    let posterior = fitted(1000, scores);
    let belief = belief(&posterior);
    assert!((belief.probability.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    assert!(belief.of(arm(400)) > 0.99, "{}", belief.of(arm(400)));
    // Noise of .02 on 4 + 400 mod 7 = 5 splits, whose effects a thousand arms tell.
    let scale = posterior.marginal(arm(400)).unwrap().scale;
    assert!((scale / (0.02 / 5_f64.sqrt()) - 1.0).abs() < 0.3, "{scale}");
}

#[test]
fn two_scores_of_each_are_needed() {
    let mut posterior = Paired::new(60);
    for split in 0..2_u64 {
        for index in 0..60 {
            assert!(posterior.marginal(arm(59)).is_none());
            assert!(belief(&posterior).absolute_error >= 1.0);
            assert_eq!(posterior.required(arm(index)), 2);
            observe(
                &mut posterior,
                [(
                    index,
                    split,
                    0.01 * ((index as u64 * 7 + split * 31) % 13) as f64,
                )],
            );
        }
    }
    assert!(posterior.marginal(arm(59)).is_some());
    assert!(belief(&posterior).absolute_error < 1e-3);
}

#[test]
fn a_single_split_compares_seeds() {
    let scores = study(60, 9, 2, |_, _| true);
    let scores = scores.into_iter().map(|(index, split, score)| {
        // Without the effects of the splits that they were.
        let noise = ((index as u64 * 7919 + split * 104_729) % 1000) as f64 / 1000.0 - 0.5;
        (index, 3, score * 0.0 + 0.1 * noise)
    });
    let posterior = fitted(60, scores);
    let belief = belief(&posterior);
    assert!((belief.probability.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    // 0.1/√12/√9
    let scale = posterior.marginal(arm(5)).unwrap().scale;
    assert!((0.5..2.0).contains(&(scale / 0.0096)), "{scale}");
}

/// Tests that two seeds on each split count as one score, their mean.
#[test]
fn seeds_on_a_split_are_averaged() {
    let once = study(60, 8, 2, |_, _| true);
    let twice = once.iter().flat_map(|&(index, split, score)| {
        [(index, split, score - 0.01), (index, split, score + 0.01)]
    });
    let (a, b) = (fitted(60, once.clone()), fitted(60, twice));
    super::assert_close(&belief(&a).probability, &belief(&b).probability, 1e-6);
}

#[test]
fn units_and_offsets_do_not_matter() {
    let scores = study(60, 6, 2, |arm, split| split < 3 + arm as u64 % 4);
    let original = belief(&fitted(60, scores.clone()));
    for (unit, offset) in [(1e90, 0.0), (1e-90, 0.0), (1.0, 1e4)] {
        let other = scores
            .iter()
            .map(|&(index, split, score)| (index, split, score * unit + offset));
        super::assert_close(
            &belief(&fitted(60, other)).probability,
            &original.probability,
            1e-6,
        );
    }
}
