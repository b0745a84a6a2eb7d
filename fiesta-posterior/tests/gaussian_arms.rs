//! The posterior of Gaussian arms: its draws, its differences, its belief, and its edge cases.

use fiesta_core::{ArmId, Belief, Beliefs, Case, Marginal, Observe, ObserveError};
use fiesta_posterior::{GaussianArms, NormalInverseGamma, by_name};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

const CASE: Case = Case { split: 0, seed: 0 };

fn arm(index: usize) -> ArmId {
    ArmId::new(index)
}

fn observe(posterior: &mut dyn Observe<f64>, index: usize, scores: &[f64]) {
    for &score in scores {
        posterior.observe(arm(index), CASE, score).unwrap();
    }
}

fn all(posterior: &dyn Beliefs) -> Vec<ArmId> {
    ArmId::all(posterior.arms()).collect()
}

/// Three arms with a few scores each, under each of the named priors.
fn three_arms() -> Vec<(&'static str, Box<dyn Observe<f64>>)> {
    let scores: [&[f64]; 3] = [
        &[0.61, 0.60, 0.65],
        &[0.64, 0.62, 0.66, 0.63, 0.66],
        &[0.55, 0.66, 0.67, 0.60],
    ];
    let observed = fiesta_posterior::NAMES.map(|name| {
        let mut posterior = by_name(name, 3).unwrap();
        for (index, scores) in scores.iter().enumerate() {
            observe(&mut posterior, index, scores);
        }
        (name, posterior)
    });
    observed.into()
}

mod draws {
    use super::{
        ChaCha8Rng, GaussianArms, Marginal, NormalInverseGamma, SeedableRng, all, arm, three_arms,
    };
    use fiesta_core::Beliefs;
    use fiesta_posterior::{best_arm::monte_carlo, student::upper_tail};

    const DRAWS: u32 = 100_000;

    /// The greatest distance of the empirical from the expected distribution function, times √n. Above
    /// 1.9495 in one of 1,000 samples of the right distribution.
    fn kolmogorov_smirnov(draws: &mut [f64], marginal: &Marginal) -> f64 {
        draws.sort_unstable_by(f64::total_cmp);
        let n = f64::from(DRAWS);
        let distance = draws
            .iter()
            .zip(0..DRAWS)
            .fold(0.0_f64, |distance, (draw, place)| {
                let standard = (draw - marginal.location) / marginal.scale;
                let below = 1.0 - upper_tail(standard, marginal.degrees_of_freedom);
                let (low, high) = (f64::from(place) / n, f64::from(place + 1) / n);
                distance.max(below - low).max(high - below)
            });
        distance * n.sqrt()
    }

    /// Draws of each arm, in columns.
    fn draw(posterior: &dyn Beliefs, seed: u64) -> Vec<Vec<f64>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut means = vec![0.0; posterior.arms()];
        let mut columns = vec![Vec::new(); posterior.arms()];
        for _ in 0..DRAWS {
            posterior.draw(&mut rng, &mut means);
            columns
                .iter_mut()
                .zip(&means)
                .for_each(|(column, &mean)| column.push(mean));
        }
        columns
    }

    /// Nine tests at a level of .001: one seed in 111 would fail falsely.
    #[test]
    fn have_the_distribution_of_the_marginals() {
        for (name, posterior) in three_arms() {
            for (index, mut column) in draw(&posterior, 1).into_iter().enumerate() {
                let marginal = posterior.marginal(arm(index)).unwrap();
                let distance = kolmogorov_smirnov(&mut column, &marginal);
                assert!(distance < 1.9495, "{name}, arm {index}: {distance}");
                // The test has power: 5 % more scale, or a tenth of a scale further, would be noticed.
                let wider = Marginal {
                    scale: marginal.scale * 1.05,
                    ..marginal
                };
                let shifted = Marginal {
                    location: marginal.location + 0.1 * marginal.scale,
                    ..marginal
                };
                assert!(
                    kolmogorov_smirnov(&mut column, &wider) > 1.9495,
                    "{name}, arm {index}"
                );
                assert!(
                    kolmogorov_smirnov(&mut column, &shifted) > 1.9495,
                    "{name}, arm {index}"
                );
            }
        }
    }

    /// Arms are drawn independently: the correlation of 100,000 ranks is below 4.5/√n, in all but one of
    /// 49,000 seeds for three pairs.
    #[test]
    fn are_independent() {
        let (_, posterior) = three_arms().remove(2);
        let signs: Vec<Vec<f64>> = draw(&posterior, 2)
            .iter()
            .zip(all(&posterior))
            .map(|(column, arm)| {
                let median = posterior.marginal(arm).unwrap().location;
                column.iter().map(|draw| (draw - median).signum()).collect()
            })
            .collect();
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let agreement: f64 = signs[a].iter().zip(&signs[b]).map(|(a, b)| a * b).sum();
            assert!(
                agreement.abs() < 4.5 * f64::from(DRAWS).sqrt(),
                "{a} and {b}: {agreement}"
            );
        }
    }

    /// How often each arm draws highest is its belief; nine z-tests at 4.5 standard errors fail falsely in
    /// one of 16,000 seeds.
    #[test]
    fn win_as_often_as_the_belief_says() {
        for (name, posterior) in three_arms() {
            let belief = posterior.belief(&all(&posterior));
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            let drawn = monte_carlo(3, u64::from(DRAWS), &mut rng, |rng, means| {
                posterior.draw(rng, means);
            })
            .unwrap();
            for (p, q) in belief.probability.iter().zip(&drawn.probability) {
                let error = (p * (1.0 - p) / f64::from(DRAWS)).sqrt();
                assert!((p - q).abs() < 4.5 * error, "{name}: {q} for {p}");
            }
        }
    }

    /// Of an arm without the required scores nothing can be said: it never wins a draw.
    #[test]
    fn are_minus_infinity_where_nothing_is_known() {
        let mut posterior = GaussianArms::new(NormalInverseGamma::jeffreys(), 3);
        super::observe(&mut posterior, 1, &[0.5, 0.6]);
        super::observe(&mut posterior, 2, &[0.9]);
        let mut means = [0.0; 3];
        posterior.draw(&mut ChaCha8Rng::seed_from_u64(4), &mut means);
        assert!(means[1].is_finite());
        assert!(means[0] == f64::NEG_INFINITY && means[2] == f64::NEG_INFINITY);
    }
}

mod differences {
    use super::{ChaCha8Rng, GaussianArms, RngExt, SeedableRng, all, arm, observe, three_arms};
    use fiesta_core::Beliefs;
    use fiesta_posterior::{best_arm::monte_carlo, student::upper_tail};

    /// P(a is better than b) from the difference.
    fn first_is_better(posterior: &dyn Beliefs, a: usize, b: usize) -> f64 {
        let difference = posterior.difference(arm(a), arm(b)).unwrap();
        upper_tail(
            -difference.location / difference.scale,
            difference.degrees_of_freedom,
        )
    }

    /// How far Welch's approximation may be off for three to five scores, the worse the fewer degrees of
    /// freedom there are: one for the three scores under the uniform prior, two under Jeffreys'. It errs on
    /// the side of confidence: the exact difference has the heavier tails.
    fn welch_error(name: &str) -> f64 {
        match name {
            "uniform" => 0.085,
            "jeffreys" => 0.045,
            _ => 0.02,
        }
    }

    /// A belief of the two arms alone is exact. With fifty scores each the approximation is good to .001.
    #[test]
    fn agree_with_the_belief_of_two_arms() {
        for (name, posterior) in three_arms() {
            for (a, b) in [(0, 1), (1, 0), (0, 2), (1, 2)] {
                let belief = posterior.belief(&[arm(a), arm(b)]);
                let p = first_is_better(&posterior, a, b);
                let error = p - belief.of(arm(a));
                assert!(
                    error.abs() < welch_error(name),
                    "{name}: {p} for {belief:?}"
                );
            }
        }
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for make in [GaussianArms::uniform, GaussianArms::jeffreys] {
            let mut posterior = make(2);
            for (index, spread) in [(0, 0.1), (1, 0.3)] {
                // Sums of two draws have mean 1: both arms have nearly the same one.
                let mut draw = || spread * (rng.random::<f64>() + rng.random::<f64>() - 1.0);
                let scores: Vec<f64> = (0..50).map(|_| draw()).collect();
                observe(&mut posterior, index, &scores);
            }
            let belief = posterior.belief(&all(&posterior));
            let p = first_is_better(&posterior, 0, 1);
            assert!((p - belief.of(arm(0))).abs() < 1e-3, "{p} for {belief:?}");
            assert!(p > 0.01 && p < 0.99, "the comparison says something: {p}");
        }
    }

    /// The tail of the difference beyond thresholds, against 200,000 joint draws: 36 z-tests at 4.5 standard
    /// errors (one of 4,000 seeds) on top of what Welch's approximation may be off.
    #[test]
    fn agree_with_joint_draws() {
        let count = 200_000_u32;
        for (name, posterior) in three_arms() {
            for (a, b) in [(0, 1), (0, 2), (2, 1)] {
                let difference = posterior.difference(arm(a), arm(b)).unwrap();
                for quantile in [-2.0, -0.7, 0.0, 1.3] {
                    let threshold = difference.location + quantile * difference.scale;
                    let mut rng = ChaCha8Rng::seed_from_u64(6);
                    // The two "arms" are whether the difference exceeds the threshold, and whether it does not.
                    let drawn = monte_carlo(2, u64::from(count), &mut rng, |rng, exceeds| {
                        let mut means = [0.0; 3];
                        posterior.draw(rng, &mut means);
                        exceeds[0] = means[a] - means[b] - threshold;
                        exceeds[1] = 0.0;
                    })
                    .unwrap();
                    let p = upper_tail(quantile, difference.degrees_of_freedom);
                    let tolerance =
                        welch_error(name) + 4.5 * (p * (1.0 - p) / f64::from(count)).sqrt();
                    let q = drawn.probability[0];
                    assert!(
                        (p - q).abs() < tolerance,
                        "{name} {a} − {b} > {quantile}: {q} for {p}"
                    );
                }
            }
        }
    }

    /// Welch and Satterthwaite by hand; turned around it changes its sign only.
    #[test]
    fn are_welch_s() {
        let mut posterior = GaussianArms::jeffreys(2);
        observe(&mut posterior, 0, &[1.0, 2.0, 3.0]);
        observe(&mut posterior, 1, &[0.0, 4.0]);
        // u = 1/3 with 2 degrees of freedom, v = 8/2 = 4 with 1.
        let difference = posterior.difference(arm(0), arm(1)).unwrap();
        let (u, v) = (1.0 / 3.0, 4.0_f64);
        assert!(difference.location.abs() < 1e-15);
        assert!((difference.scale - (u + v).sqrt()).abs() < 1e-14);
        let df = (u + v).powi(2) / (u * u / 2.0 + v * v);
        assert!((difference.degrees_of_freedom - df).abs() < 1e-12);
        let turned = posterior.difference(arm(1), arm(0)).unwrap();
        assert!((turned.location + difference.location).abs() < 1e-15);
        assert!((turned.scale - difference.scale).abs() < 1e-15);
    }

    #[test]
    fn need_both_arms() {
        let mut posterior = GaussianArms::jeffreys(2);
        observe(&mut posterior, 0, &[1.0, 2.0, 3.0]);
        observe(&mut posterior, 1, &[0.5]);
        assert_eq!(posterior.difference(arm(0), arm(1)), None);
        assert_eq!(posterior.difference(arm(1), arm(0)), None);
    }
}

mod belief {
    use super::{Belief, all, arm, three_arms};
    use fiesta_posterior::best_arm::{TOLERANCE, quadrature};

    #[test]
    fn is_that_of_the_marginals() {
        for (name, posterior) in three_arms() {
            let marginals: Vec<_> = all(&posterior)
                .into_iter()
                .map(|arm| posterior.marginal(arm).unwrap())
                .collect();
            let belief = posterior.belief(&all(&posterior));
            assert_eq!(belief, quadrature(&marginals, TOLERANCE).unwrap(), "{name}");
        }
    }

    /// An arm that is no candidate is no rival either, wherever it stands in the list.
    #[test]
    fn is_among_the_candidates_only() {
        for (name, posterior) in three_arms() {
            for (a, b, other) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
                let pair = [a, b].map(|index| posterior.marginal(arm(index)).unwrap());
                let expected = quadrature(&pair, TOLERANCE).unwrap();
                let belief: Belief = posterior.belief(&[arm(a), arm(b)]);
                assert_eq!(belief.probability.len(), 3);
                assert_eq!(
                    belief.of(arm(a)).to_bits(),
                    expected.probability[0].to_bits(),
                    "{name}"
                );
                assert_eq!(
                    belief.of(arm(b)).to_bits(),
                    expected.probability[1].to_bits(),
                    "{name}"
                );
                assert_eq!(belief.of(arm(other)).to_bits(), 0.0_f64.to_bits(), "{name}");
            }
            let alone = posterior.belief(&[arm(1)]);
            assert!((alone.of(arm(1)) - 1.0).abs() < 1e-9, "{name}: {alone:?}");
        }
    }

    /// Nobody, or nobody known, is no certainty.
    #[test]
    fn of_nobody_claims_nothing() {
        let (_, posterior) = three_arms().remove(0);
        let belief = posterior.belief(&[]);
        assert_eq!(belief.probability, [0.0; 3]);
        assert!(belief.absolute_error >= 1.0);
    }
}

mod edges {
    use super::{
        Beliefs, CASE, GaussianArms, NormalInverseGamma, Observe, ObserveError, all, arm, by_name,
        observe,
    };

    /// How many scores an arm is asked for, as they come in.
    fn requirements(name: &str, scores: &[f64]) -> Vec<u64> {
        let mut posterior = by_name(name, 2).unwrap();
        let mut required = vec![posterior.required(arm(0))];
        for &score in scores {
            observe(&mut posterior, 0, &[score]);
            required.push(posterior.required(arm(0)));
            let known = posterior.marginal(arm(0)).is_some();
            let count = (required.len() - 1) as u64;
            assert_eq!(
                known,
                count >= required[required.len() - 1],
                "{name} after {count}"
            );
        }
        required
    }

    #[test]
    fn a_single_score_has_a_mean_and_no_distribution() {
        for name in fiesta_posterior::NAMES {
            let mut posterior = by_name(name, 2).unwrap();
            assert_eq!(posterior.mean(arm(0)), None);
            observe(&mut posterior, 0, &[0.7]);
            assert_eq!(posterior.mean(arm(0)), Some(0.7));
            assert_eq!(posterior.marginal(arm(0)), None);
            assert_eq!(posterior.mean(arm(1)), None);
        }
    }

    #[test]
    fn equal_scores_ask_for_one_more_each_time() {
        let scores = [0.5, 0.5, 0.5, 0.5, 0.6];
        assert_eq!(requirements("uniform", &scores), [3, 3, 3, 4, 5, 3]);
        assert_eq!(requirements("jeffreys", &scores), [2, 2, 3, 4, 5, 2]);
        // No other arm has any spread either.
        assert_eq!(requirements("pooled", &scores), [2, 2, 3, 4, 5, 2]);
    }

    /// Each arm on its own asks for more; a pool takes the spread of the others.
    #[test]
    fn only_a_pool_knows_the_spread_of_equal_scores() {
        for (name, required) in [("uniform", 4), ("jeffreys", 4), ("pooled", 2)] {
            let mut posterior = by_name(name, 2).unwrap();
            observe(&mut posterior, 0, &[0.5; 3]);
            observe(&mut posterior, 1, &[0.4, 0.5, 0.7]);
            assert_eq!(posterior.required(arm(0)), required, "{name}");
            assert_eq!(posterior.marginal(arm(0)).is_some(), name == "pooled");
        }
    }

    /// Two arms that are exactly alike are as likely best, and a sum of ties is still one.
    #[test]
    fn ties_are_even() {
        for name in fiesta_posterior::NAMES {
            let mut posterior = by_name(name, 4).unwrap();
            for index in 0..4 {
                observe(&mut posterior, index, &[0.5, 0.6, 0.7]);
            }
            let belief = posterior.belief(&all(&posterior));
            for p in &belief.probability {
                assert!((p - 0.25).abs() < 1e-9, "{name}: {belief:?}");
            }
        }
    }

    /// One degree of freedom is Cauchy's distribution: two of the same scale s at distance d compare as
    /// ½ + arctan(d/2s)/π.
    #[test]
    fn one_degree_of_freedom() {
        let mut posterior = GaussianArms::uniform(2);
        observe(&mut posterior, 0, &[0.5, 0.6, 0.7]);
        observe(&mut posterior, 1, &[0.55, 0.65, 0.75]);
        let marginal = posterior.marginal(arm(1)).unwrap();
        assert!((marginal.degrees_of_freedom - 1.0).abs() < 1e-15);
        let scale = (0.02_f64 / 3.0).sqrt();
        assert!((marginal.scale - scale).abs() < 1e-12);
        let expected = 0.5 + (0.05 / (2.0 * scale)).atan() / std::f64::consts::PI;
        let belief = posterior.belief(&all(&posterior));
        assert!(
            (belief.of(arm(1)) - expected).abs() < 1e-9,
            "{belief:?} for {expected}"
        );
    }

    /// A million scores, far from zero: no cancellation, and the normal limit. The scores are c ± h in
    /// turn, with mean c and SS = n h²; the arms stand one standard error apart.
    #[test]
    fn a_million_observations() {
        let (n, h) = (1_000_000_u32, 0.01);
        for name in fiesta_posterior::NAMES {
            let mut posterior = by_name(name, 2).unwrap();
            for i in 0..n {
                let sign = if i % 2 == 0 { h } else { -h };
                observe(&mut posterior, 0, &[1000.0 + sign]);
                observe(
                    &mut posterior,
                    1,
                    &[1000.0 + sign + h / f64::from(n).sqrt()],
                );
            }
            let marginal = posterior.marginal(arm(0)).unwrap();
            assert!((marginal.location - 1000.0).abs() < 1e-9, "{name}");
            let scale = h / f64::from(n).sqrt();
            assert!(
                (marginal.scale / scale - 1.0).abs() < 1e-5,
                "{name}: {}",
                marginal.scale
            );
            assert!(
                (marginal.degrees_of_freedom - f64::from(n)).abs() < 10.0,
                "{name}"
            );
            // Φ(1/√2)
            let belief = posterior.belief(&all(&posterior));
            assert!(
                (belief.of(arm(1)) - 0.760_249_938_906_523_4).abs() < 1e-5,
                "{name}: {belief:?}"
            );
        }
    }

    #[test]
    fn what_is_no_score_is_refused_and_forgotten() {
        let mut posterior = GaussianArms::pooled(2);
        observe(&mut posterior, 0, &[0.5, 0.6]);
        let before = posterior.marginal(arm(0));
        for score in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = posterior.observe(arm(0), CASE, score).unwrap_err();
            assert!(matches!(error, ObserveError::NotFinite(_)));
        }
        assert_eq!(
            posterior.observe(arm(2), CASE, 0.5),
            Err(ObserveError::NoSuchArm(2))
        );
        assert_eq!(posterior.marginal(arm(0)), before);
        assert_eq!(posterior.scores(arm(0)).count(), 2);
    }

    /// A perplexity of e^700 is a finite number whose square is none: whatever can be said of it, the
    /// belief must not fail on it.
    #[test]
    fn scores_whose_squares_overflow() {
        for name in fiesta_posterior::NAMES {
            for huge in [1e120, 1e200, -1e308, f64::MAX] {
                let mut posterior = by_name(name, 2).unwrap();
                observe(&mut posterior, 0, &[0.5, 0.6, 0.7, 0.4]);
                observe(&mut posterior, 1, &[0.5, 0.6, 0.7]);
                let before = posterior.marginal(arm(1));
                let refused = posterior.observe(arm(1), CASE, huge).is_err();
                if refused {
                    assert_eq!(posterior.marginal(arm(1)), before);
                }
                let belief = posterior.belief(&all(&posterior));
                let total: f64 = belief.probability.iter().sum();
                assert!(
                    (total - 1.0).abs() <= belief.absolute_error,
                    "{name}, {huge}: {belief:?}"
                );
                assert_eq!(refused, huge.abs() > 1e150, "{name}, {huge}");
            }
        }
    }

    /// A proper prior says something before the first score.
    #[test]
    fn a_proper_prior_requires_nothing() {
        let prior = NormalInverseGamma::new(0.5, 2.0, 1.5, 0.02).unwrap();
        let posterior = GaussianArms::new(prior, 2);
        assert_eq!(posterior.required(arm(0)), 0);
        assert_eq!(posterior.required(arm(0)), 0);
        let belief = posterior.belief(&all(&posterior));
        assert!((belief.of(arm(0)) - 0.5).abs() < 1e-9);
    }
}

/// Spreads whose squares underflow are no spread; nothing may panic on them.
#[test]
fn spreads_too_small_for_floating_point_ask_for_more() {
    let arms: Vec<ArmId> = ArmId::all(2).collect();
    for mut posterior in [
        Box::new(GaussianArms::uniform(2)) as Box<dyn Observe<f64>>,
        Box::new(GaussianArms::pooled(2)),
    ] {
        for &arm in &arms {
            for (split, tiny) in (0..).zip([1.0, 2.0, 4.0]) {
                let case = Case { split, seed: 0 };
                posterior.observe(arm, case, tiny * 1e-162).unwrap();
            }
            assert_eq!(posterior.marginal(arm), None);
        }
        assert!(arms.iter().all(|&arm| posterior.required(arm) == 4));
        assert!(posterior.belief(&arms).absolute_error > 0.0);
    }
}
