//! Tests of properties that hold for every sample of scores.

use fiesta_core::Direction;
use fiesta_report::tuning_curve::{Estimator, TrialScores};
use proptest::{collection::vec, prelude::*};

const ESTIMATORS: [Estimator; 2] = [Estimator::PlugIn, Estimator::Unbiased];

/// Strategy of scores, many of them equal.
fn scores() -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![
        vec(-1e3..1e3, 1..80),
        vec((0..5_u8).prop_map(f64::from), 1..80),
        vec((-300..100_i32).prop_map(|e| f64::from(e).exp2()), 1..40),
    ]
}

fn maximize(scores: &[f64]) -> TrialScores {
    TrialScores::new(scores.iter().copied(), Direction::Maximize).unwrap()
}

/// Returns the largest score in absolute value: rounding is relative to it.
fn size(scores: &[f64]) -> f64 {
    scores
        .iter()
        .fold(0.0, |size: f64, score| size.max(score.abs()))
}

proptest! {
    #[test]
    fn more_trials_are_never_worse(scores in scores()) {
        let (sample, slack) = (maximize(&scores), 1e-14 * size(&scores));
        for estimator in ESTIMATORS {
            let curve = sample.curve(estimator, 3 * scores.len());
            prop_assert!(curve.mean().windows(2).all(|pair| pair[1] >= pair[0] - slack));
            prop_assert!(curve.mean().iter().chain(curve.sd()).all(|value| value.is_finite()));
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            prop_assert!((curve.mean()[0] - mean).abs() <= 100.0 * slack);
        }
        let medians = sample.median_curve(300);
        prop_assert!(medians.windows(2).all(|pair| pair[1] >= pair[0]));
        prop_assert!(medians.iter().all(|median| scores.contains(median)));
    }

    #[test]
    fn the_plug_in_is_never_above_the_unbiased(scores in scores()) {
        let sample = maximize(&scores);
        let [low, high] = ESTIMATORS.map(|estimator| sample.curve(estimator, scores.len()));
        for (low, high) in low.mean().iter().zip(high.mean()) {
            prop_assert!(*low <= high + 1e-14 * size(&scores));
        }
        prop_assert!(high.mean().last() == Some(&sample.best()));
    }

    #[test]
    fn smaller_is_better_of_negated_scores(scores in scores()) {
        let (sample, n) = (maximize(&scores), 2 * scores.len());
        let losses = TrialScores::new(scores.iter().map(|score| -score), Direction::Minimize).unwrap();
        for estimator in ESTIMATORS {
            let (up, down) = (sample.curve(estimator, n), losses.curve(estimator, n));
            let negated: Vec<f64> = down.mean().iter().map(|mean| -mean).collect();
            prop_assert_eq!(up.mean(), negated);
            prop_assert_eq!(up.sd(), down.sd());
            let turned: Vec<(f64, f64)> = down.shading().map(|(low, high)| (-high, -low)).collect();
            prop_assert_eq!(up.shading().collect::<Vec<_>>(), turned);
        }
        let negated: Vec<f64> = losses.median_curve(n).iter().map(|median| -median).collect();
        prop_assert_eq!(sample.median_curve(n), negated);
    }

    #[test]
    fn moves_and_stretches_with_the_scores(scores in vec(-1e3..1e3, 1..80), shift in -1e3..1e3_f64, scale in 0.01..100.0_f64) {
        let sample = maximize(&scores);
        let moved: Vec<f64> = scores.iter().map(|score| scale * score + shift).collect();
        let moved = maximize(&moved);
        for estimator in ESTIMATORS {
            let (before, after) = (sample.curve(estimator, 200), moved.curve(estimator, 200));
            let size = scale * 1e3 + shift.abs();
            for (a, b) in before.mean().iter().zip(after.mean()) {
                prop_assert!((scale * a + shift - b).abs() <= 1e-13 * size);
            }
            for (a, b) in before.sd().iter().zip(after.sd()) {
                // Where all scores are nearly the best, rounding of the scores themselves is all
                // there is.
                prop_assert!((scale * a - b).abs() <= 1e-9 * size);
            }
        }
    }

    #[test]
    fn a_budget_is_the_first_n_that_reaches(scores in scores(), share in 0.0..1.0_f64) {
        let sample = maximize(&scores);
        let value = sample.worst() + share * (sample.best() - sample.worst());
        for estimator in ESTIMATORS {
            let budget = sample.budget(estimator, value).unwrap();
            let Some(found) = budget.reached() else {
                prop_assert!(value >= sample.best());
                continue;
            };
            let slack = 1e-14 * size(&scores);
            prop_assert!(sample.best_of(estimator, found.n).unwrap().mean >= value - slack);
            if found.n > 1 {
                prop_assert!(sample.best_of(estimator, found.n - 1).unwrap().mean <= value + slack);
            }
            let (above, n) = ((found.n - 1) as f64, found.n as f64);
            for n_real in [Some(found.interpolated), found.real].into_iter().flatten() {
                prop_assert!(n_real >= above.max(1.0) && n_real <= n);
            }
        }
    }
}
