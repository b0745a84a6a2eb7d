//! Tests of what a belief must not depend on: units, offsets, names of arms and splits, the order
//! of arrival.

use super::{Paired, Posterior, Score, all, arm, assert_close, belief, fitted, study, with_gaps};

fn rescaled(scores: &[Score], change: impl Fn(f64) -> f64) -> Vec<Score> {
    scores
        .iter()
        .map(|&(arm, split, score)| (arm, split, change(score)))
        .collect()
}

fn gaps() -> Vec<Score> {
    study(4, 9, 6, with_gaps)
}

fn seeds() -> Vec<Score> {
    let mut scores = gaps();
    let again: Vec<Score> = scores
        .iter()
        .step_by(3)
        .map(|&(arm, split, score)| (arm, split, score + 0.004 * ((split % 3) as f64 - 1.0)))
        .collect();
    scores.extend(again);
    scores
}

#[test]
fn the_unit_of_scores_does_not_matter() {
    for scores in [gaps(), seeds(), study(4, 12, 1, |_, _| true)] {
        let original = fitted(4, scores.clone());
        for unit in [1e99, 1e80, 1e9, 1e-9, 1e-80, 1e-99] {
            let other = fitted(4, rescaled(&scores, |score| score * unit));
            assert_close(
                &belief(&other).probability,
                &belief(&original).probability,
                1e-6,
            );
            for a in all(&original) {
                let (x, y) = (
                    original.difference(a, arm(1)).unwrap(),
                    other.difference(a, arm(1)).unwrap(),
                );
                assert_close(
                    &[y.location / unit, y.scale / unit, y.degrees_of_freedom],
                    &[x.location, x.scale, x.degrees_of_freedom],
                    1e-4,
                );
                assert_close(
                    &[other.mean(a).unwrap() / unit],
                    &[original.mean(a).unwrap()],
                    1e-6,
                );
            }
            let variances = other.variances(arm(0), &[]).unwrap();
            let variances: Vec<f64> = variances.iter().map(|v| v / unit / unit).collect();
            assert_close(&variances, &original.variances(arm(0), &[]).unwrap(), 1e-9);
        }
    }
}

#[test]
fn an_offset_does_not_matter() {
    for scores in [gaps(), seeds()] {
        let original = fitted(4, scores.clone());
        // Offsets that leave the scores as they are, to within 1e-9 of their spread.
        for offset in [1.0, -1e3, 1e5] {
            let other = fitted(4, rescaled(&scores, |score| score + offset));
            assert_close(
                &belief(&other).probability,
                &belief(&original).probability,
                1e-6,
            );
            assert_close(
                &[other.mean(arm(2)).unwrap()],
                &[original.mean(arm(2)).unwrap() + offset],
                1e-6,
            );
        }
    }
}

/// Tests a large offset: at 1e9 a score has steps of 1.2e-7; with noise of 1e-3 these are noise of
/// 1e-4 of the noise.
#[test]
fn nor_does_a_large_offset_beyond_its_rounding() {
    let small = rescaled(&gaps(), |score| score * 0.05);
    let original = fitted(4, small.clone());
    let other = fitted(4, rescaled(&small, |score| score + 1e9));
    assert_close(
        &belief(&other).probability,
        &belief(&original).probability,
        2e-3,
    );
}

#[test]
fn numbers_of_splits_do_not_matter() {
    let scores = seeds();
    let renamed = scores
        .iter()
        .map(|&(arm, split, score)| (arm, (split * 7) % 9 + 1_000_000, score));
    let (a, b) = (fitted(4, scores.clone()), fitted(4, renamed));
    assert_eq!(belief(&a).probability, belief(&b).probability);
    let single = |split: u64| {
        fitted(
            2,
            [0.0, 0.1, 0.4, 0.9, 1.6, 2.5]
                .into_iter()
                .enumerate()
                .map(move |(n, score)| (n % 2, split, score)),
        )
    };
    let extra = |posterior: &Paired, split| {
        posterior.variances(arm(0), &[(arm(1), super::Case { split, seed: 0 })])
    };
    for split in [1, u64::MAX, u64::MAX - 1] {
        assert_eq!(
            belief(&single(0)).probability,
            belief(&single(split)).probability
        );
        assert_eq!(extra(&single(0), 0), extra(&single(split), split));
    }
}

#[test]
fn the_order_of_arrival_does_not_matter() {
    let scores = seeds();
    let original = fitted(4, scores.clone());
    let mut other = scores.clone();
    other.reverse();
    assert_close(
        &belief(&fitted(4, other)).probability,
        &belief(&original).probability,
        1e-6,
    );
    let mut other = scores;
    other.sort_by(|a, b| a.2.total_cmp(&b.2));
    assert_close(
        &belief(&fitted(4, other)).probability,
        &belief(&original).probability,
        1e-6,
    );
}

/// Tests that a belief asked for on the way leaves no trace.
#[test]
fn looking_does_not_matter() {
    let mut looked = Paired::new(4);
    for score in seeds() {
        super::observe(&mut looked, [score]);
        let _ = belief(&looked);
        let _ = looked.variances(arm(0), &[]);
    }
    assert_eq!(
        belief(&looked).probability,
        belief(&fitted(4, seeds())).probability
    );
}

/// Tests that arms in another order are another stream of random numbers: the belief is the same to
/// within its error. Five standard errors of a difference of two; 48 comparisons, a false alarm in
/// 3e-5 of all seeds if they are normal.
#[test]
fn names_of_arms_do_not_matter() {
    let scores = gaps();
    let original = belief(&fitted(4, scores.clone()));
    for shift in 1..4 {
        for reflect in [false, true] {
            let rename = |arm: usize| {
                let arm = (arm + shift) % 4;
                if reflect { 3 - arm } else { arm }
            };
            let other = belief(&fitted(
                4,
                scores
                    .iter()
                    .map(|&(arm, split, score)| (rename(arm), split, score)),
            ));
            let error = original.absolute_error.hypot(other.absolute_error);
            for index in 0..4 {
                let difference = original.of(arm(index)) - other.of(arm(rename(index)));
                assert!(
                    difference.abs() < 5.0 * error,
                    "{difference} with error {error}"
                );
            }
        }
    }
}
