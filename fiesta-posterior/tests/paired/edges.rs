//! Tests of the edges of the paired posterior.

use super::{
    Case, ChaCha8Rng, Observe, ObserveError, Paired, Posterior, RngExt, SeedableRng, all, arm,
    belief, finest, fitted, observe, ready, study,
};
use proptest::prelude::*;

/// Observes scores one by one; checks that there is no belief before every arm has its required
/// scores, and one from then on.
fn requirements_are_kept(arms: usize, scores: &[super::Score]) -> Paired {
    let mut posterior = Paired::new(arms);
    let mut counts = vec![0; arms];
    for &score in scores {
        let before = ready(&posterior, &counts);
        assert_eq!(posterior.marginal(arm(0)).is_some(), before, "{counts:?}");
        observe(&mut posterior, [score]);
        counts[score.0] += 1;
    }
    let is_ready = ready(&posterior, &counts);
    for &arm in &all(&posterior) {
        assert_eq!(posterior.marginal(arm).is_some(), is_ready, "{counts:?}");
    }
    assert_eq!(posterior.variances(arm(0), &[]).is_some(), is_ready);
    posterior
}

#[test]
fn one_arm_is_best_once_it_has_three_scores() {
    let scores = [(0, 0, 0.6), (0, 1, 0.7), (0, 2, 0.62)];
    for used in 0..3 {
        let posterior = requirements_are_kept(1, &scores[..used]);
        assert!(posterior.marginal(arm(0)).is_none());
        assert_eq!(posterior.required(arm(0)), 3);
    }
    let posterior = requirements_are_kept(1, &scores);
    assert_eq!(belief(&posterior).probability, [1.0]);
    // t with 2 degrees of freedom around the mean, as there is nobody else to learn from.
    let marginal = posterior.marginal(arm(0)).unwrap();
    assert!((marginal.location - 0.64).abs() < 1e-12);
}

#[test]
fn two_arms_need_four_scores() {
    let scores = [
        (0, 0, 0.6),
        (1, 0, 0.65),
        (1, 1, 0.7),
        (0, 1, 0.61),
        (0, 2, 0.6),
    ];
    for used in 0..=scores.len() {
        let posterior = requirements_are_kept(2, &scores[..used]);
        assert_eq!(posterior.marginal(arm(1)).is_some(), used >= 4);
    }
}

/// Tests that the posterior always requires more scores than it has.
fn asks_for_ever(arms: usize, rounds: u64, score: impl Fn(usize, u64) -> f64) {
    let mut posterior = Paired::new(arms);
    for split in 0..rounds {
        for index in 0..arms {
            observe(&mut posterior, [(index, split, score(index, split))]);
        }
        for &arm in &all(&posterior) {
            assert!(
                posterior.required(arm) > split + 1,
                "{arms} arms after {} rounds",
                split + 1
            );
            assert_eq!(posterior.marginal(arm), None);
            assert_eq!(posterior.mean(arm), Some(posterior.mean(arm).unwrap()));
        }
        assert_eq!(posterior.variances(arm(0), &[]), None);
        let belief = belief(&posterior);
        assert!(belief.probability.iter().all(|&p| p == 0.0));
        assert!(belief.absolute_error >= 1.0);
    }
}

#[test]
fn equal_scores_are_no_certainty() {
    asks_for_ever(2, 30, |_, _| 0.7);
    asks_for_ever(3, 10, |_, _| 0.0);
    // Each arm has its own.
    asks_for_ever(3, 30, |arm, _| 0.1 * arm as f64);
    asks_for_ever(2, 10, |_, _| 1e100);
    asks_for_ever(60, 5, |_, _| 0.7);
}

#[test]
fn scores_that_splits_explain_are_no_certainty() {
    let effect = |split: u64| ((split * 37) % 11) as f64 * 0.013;
    asks_for_ever(2, 30, |arm, split| 0.02 * arm as f64 + effect(split));
    asks_for_ever(5, 30, |arm, split| 0.02 * arm as f64 + effect(split));
    asks_for_ever(60, 6, |arm, split| 0.02 * arm as f64 + effect(split));
}

#[test]
fn one_split_that_differs_ends_the_asking() {
    let mut posterior = Paired::new(2);
    observe(
        &mut posterior,
        (0..6).flat_map(|split| [(0, split, 0.5), (1, split, 0.5)]),
    );
    assert_eq!(posterior.required(arm(0)), 7);
    observe(&mut posterior, [(0, 6, 0.5), (1, 6, 0.6)]);
    assert!(posterior.required(arm(0)) <= 7);
    assert!(belief(&posterior).of(arm(1)) > 0.5);
}

/// Tests that an arm whose scores are equal is not taken to be without spread, as the others have some.
#[test]
fn an_arm_without_spread_learns_from_the_others() {
    let mut scores = study(3, 5, 1, |arm, _| arm > 0);
    scores.extend((5..9).map(|split| (0, split, 0.65)));
    let posterior = fitted(3, scores);
    let scale = posterior.marginal(arm(0)).unwrap().scale;
    assert!((1e-4..0.1).contains(&scale), "{scale}");
    let belief = belief(&posterior);
    assert!(belief.probability.iter().all(|&p| p > 1e-4), "{belief:?}");
}

/// Tests that arms that share a single split are compared as they are there: as independent
/// samples.
#[test]
fn a_single_split_compares_seeds() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let noise: Vec<[f64; 2]> = (0..40).map(|_| [rng.random(), rng.random()]).collect();
    let scores = |split: fn(u64) -> u64| {
        (0..)
            .zip(&noise)
            .flat_map(move |(n, [a, b])| [(0, split(2 * n), *a), (1, split(2 * n + 1), b + 0.1)])
    };
    let single = fitted(2, scores(|_| 7));
    // As if no two were evaluated on the same split.
    let apart = fitted(2, scores(|n| n));
    let (a, b) = (belief(&single), belief(&apart));
    assert_close_beliefs(&a, &b);
    let scale = |posterior: &Paired| posterior.difference(arm(1), arm(0)).unwrap().scale;
    assert!((scale(&single) / scale(&apart) - 1.0).abs() < 0.05);
    // √(2·(1/12)/40)
    assert!((scale(&single) / (1.0_f64 / 240.0).sqrt() - 1.0).abs() < 0.2);
}

fn assert_close_beliefs(a: &super::Belief, b: &super::Belief) {
    super::assert_close(&a.probability, &b.probability, 0.02);
}

#[test]
fn arms_that_share_no_split_are_compared_all_the_same() {
    let posterior = fitted(3, study(3, 60, 4, |arm, split| split % 3 == arm as u64));
    let belief = belief(&posterior);
    assert!((belief.probability.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // Two means of 20 scores each, with deviation √(.03² + .02²).
    let scale = posterior.difference(arm(2), arm(0)).unwrap().scale;
    assert!((0.008..0.016).contains(&scale), "{scale}");
}

#[test]
fn what_is_no_score_is_refused() {
    let mut posterior = fitted(2, study(2, 4, 1, |_, _| true));
    let before = belief(&posterior);
    let case = Case { split: 9, seed: 0 };
    for score in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let refused = posterior.observe(arm(0), case, score);
        assert!(matches!(refused, Err(ObserveError::NotFinite(_))));
    }
    let refused = posterior.observe(arm(0), case, 1e101);
    assert!(matches!(refused, Err(ObserveError::OutOfDomain { .. })));
    let refused = posterior.observe(arm(2), case, 0.5);
    assert_eq!(refused, Err(ObserveError::NoSuchArm(2)));
    assert_eq!(belief(&posterior).probability, before.probability);
}

#[test]
fn candidates_share_the_belief_and_draws_are_finite() {
    let posterior = fitted(4, study(4, 8, 3, super::with_gaps));
    let two = posterior.belief(&[arm(1), arm(2)]);
    assert_eq!((two.of(arm(0)), two.of(arm(3))), (0.0, 0.0));
    assert!((two.of(arm(1)) + two.of(arm(2)) - 1.0).abs() < 1e-12);
    assert!(posterior.belief(&[]).probability.iter().all(|&p| p == 0.0));
    let everyone = all(&posterior);
    let within = posterior.within(arm(3), 0.0, &everyone);
    assert!((within - belief(&posterior).of(arm(3))).abs() < 1e-12);
    assert!(posterior.within(arm(0), 0.02, &everyone) > posterior.within(arm(0), 0.0, &everyone));
    assert!(posterior.within(arm(0), 10.0, &everyone) > 1.0 - 1e-9);
    let mut means = [f64::NAN; 4];
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    posterior.draw(&mut rng, &mut means);
    assert!(means.iter().all(|mean| (0.4..0.9).contains(mean)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 200 } else { 5_000 }))]

    /// Tests that there is no panic, and that probabilities are probabilities, whatever is observed
    /// and in whatever order.
    #[test]
    fn nothing_panics(
        arms in 1_usize..5,
        scores in prop::collection::vec(
            (0_usize..5, prop_oneof![0_u64..4, Just(u64::MAX)], prop_oneof![
                (0_u8..3).prop_map(f64::from),
                0.0..1.0,
                Just(1e100), Just(-1e100), Just(1e-300), Just(1e9),
            ]),
            0..30,
        ),
    ) {
        let scores: Vec<_> = scores.into_iter().filter(|score| score.0 < arms).collect();
        let mut counts = vec![0; arms];
        for score in &scores {
            counts[score.0] += 1;
        }
        let posterior = fitted(arms, scores);
        let belief = belief(&posterior);
        if ready(&posterior, &counts) {
            let sum: f64 = belief.probability.iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{belief:?}");
            prop_assert!(belief.probability.iter().all(|p| (0.0..=1.0).contains(p)), "{belief:?}");
            prop_assert!(belief.absolute_error >= 0.0);
            for a in all(&posterior) {
                let marginal = posterior.marginal(a).unwrap();
                prop_assert!(marginal.scale > 0.0 && marginal.scale.is_finite(), "{marginal:?}");
                prop_assert!(marginal.location.is_finite());
                let difference = posterior.difference(a, arm(0)).unwrap();
                prop_assert!(difference.location.is_finite() && difference.degrees_of_freedom > 0.0);
                let extra = [(a, Case { split: 2, seed: 0 }), (arm(0), Case { split: 9, seed: 0 })];
                for variance in posterior.variances(a, &extra).unwrap() {
                    prop_assert!(variance >= 0.0 && variance.is_finite(), "{variance}");
                }
            }
        } else {
            prop_assert!(belief.absolute_error >= 1.0);
        }
    }
}

/// Tests many draws beside an arm whose scores are all equal. A long chain would leave the range of
/// numbers: on these scores most streams did within 8000 draws.
#[test]
fn many_draws_beside_an_arm_of_equal_scores() {
    let scores = [
        [0.70; 10],
        [0.71, 0.69, 0.75, 0.66, 0.64, 0.73, 0.70, 0.62, 0.72, 0.68],
        [0.70, 0.69, 0.73, 0.66, 0.66, 0.73, 0.71, 0.61, 0.70, 0.67],
        [0.69, 0.70, 0.72, 0.65, 0.64, 0.71, 0.68, 0.62, 0.73, 0.66],
    ];
    let scores = || {
        let arms = scores.into_iter().enumerate();
        arms.flat_map(|(arm, of)| (0..).zip(of).map(move |(split, score)| (arm, split, score)))
    };
    for seed in 0..5 {
        let belief_of = |draws: usize| {
            let mut posterior = Paired::new(4).draws(draws).seed(seed);
            observe(&mut posterior, scores());
            belief(&posterior)
        };
        let (few, many) = (belief_of(160), belief_of(8_000));
        assert!((many.probability.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        for (few, many) in few.probability.iter().zip(&many.probability) {
            assert!((few - many).abs() < 0.1, "{few} {many}");
        }
        assert!(many.absolute_error > 0.0);
    }
}

/// Tests arms whose scores never differ beside arms whose scores do, on shared splits and on splits of
/// their own: P(best) is a number, sums to 1, and names the arm that is ahead.
#[test]
fn saturated_arms_have_a_belief() {
    let mut rng = ChaCha8Rng::seed_from_u64(20_261_128);
    for scores in [2, 5, 12, 27, 100] {
        for constants in [&[1.0][..], &[0.0], &[1.0, 0.9], &[0.5, 0.5]] {
            for (is_shared, noisy) in [(true, 1), (false, 1), (true, 3), (false, 3)] {
                let arms = constants.len() + noisy;
                let mut posterior = Paired::new(arms);
                for place in 0..arms {
                    for split in 0..scores {
                        let right = f64::from(u8::from(rng.random_bool(0.6)));
                        let score = constants.get(place).copied().unwrap_or(right);
                        let own = if is_shared { 0 } else { 1000 * place as u64 };
                        observe(&mut posterior, [(place, own + split, score)]);
                    }
                }
                let belief = finest(&posterior).belief(&all(&posterior));
                let told = format!("{constants:?}, {noisy} of {scores}: {belief:?}");
                let sum: f64 = belief.probability.iter().sum();
                // Scores without a residual leave no belief.
                if belief.probability.iter().all(|&p| p == 0.0) {
                    assert!(scores < 5, "{told}");
                    continue;
                }
                assert!((sum - 1.0).abs() < 1e-9, "{told}");
                if scores >= 60 && constants[0] > 0.9 {
                    assert!(belief.probability[0] > 0.99, "{told}");
                }
                if scores >= 60 && constants[0] == 0.0 {
                    assert!(belief.probability[0] < 0.01, "{told}");
                }
            }
        }
    }
}
