//! Tests of the edges of the posterior of Gaussian arms.

use super::{
    CASE, GaussianArms, INDEPENDENT, NormalInverseGamma, Observe, ObserveError, Posterior, all,
    arm, observe, posterior_by_name,
};
use fiesta_core::{LARGEST_SCORE, Method};

/// Returns how many scores an arm is asked for, as they come in.
fn requirements(name: &str, scores: &[f64]) -> Vec<u64> {
    let mut posterior = posterior_by_name(name, 2).unwrap();
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
    for name in fiesta_posterior::POSTERIORS {
        let mut posterior = posterior_by_name(name, 2).unwrap();
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

/// Tests that an arm with equal scores asks for more under priors of its own, and takes the others'
/// spread under pooled variances.
#[test]
fn only_a_pool_knows_the_spread_of_equal_scores() {
    for (name, required) in [("uniform", 4), ("jeffreys", 4), ("pooled", 2)] {
        let mut posterior = posterior_by_name(name, 2).unwrap();
        observe(&mut posterior, 0, &[0.5; 3]);
        observe(&mut posterior, 1, &[0.4, 0.5, 0.7]);
        assert_eq!(posterior.required(arm(0)), required, "{name}");
        assert_eq!(posterior.marginal(arm(0)).is_some(), name == "pooled");
    }
}

/// Tests that two arms that are exactly alike are equally likely best, and probabilities with ties
/// sum to one; where they are sampled, within 4.5 stated standard errors.
#[test]
fn ties_are_even() {
    for name in fiesta_posterior::POSTERIORS {
        let mut posterior = posterior_by_name(name, 4).unwrap();
        for index in 0..4 {
            observe(&mut posterior, index, &[0.5, 0.6, 0.7]);
        }
        let belief = posterior.belief(&all(&posterior));
        let tolerance = match belief.method {
            Method::MonteCarlo => 4.5 * belief.absolute_error,
            _ => 1e-9,
        };
        for p in &belief.probability {
            assert!((p - 0.25).abs() < tolerance, "{name}: {belief:?}");
        }
    }
}

/// Tests one degree of freedom, which is Cauchy's distribution: two of the same scale s at distance
/// d compare as ½ + arctan(d/2s)/π.
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

/// Tests a million scores, far from zero: no cancellation, and the normal limit. The scores are c ±
/// h in turn, with mean c and SS = n h²; the arms stand one standard error apart.
#[test]
fn a_million_observations() {
    let (n, h) = (1_000_000_u32, 0.01);
    for name in INDEPENDENT {
        let mut posterior = posterior_by_name(name, 2).unwrap();
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
    assert_eq!(posterior.scores(arm(0)).unwrap().count(), 2);
}

/// Tests a perplexity of e^700, a finite number whose square is none: whatever can be said of it,
/// the belief must not fail on it.
#[test]
fn scores_whose_squares_overflow() {
    for name in fiesta_posterior::POSTERIORS {
        for huge in [LARGEST_SCORE, -1.1 * LARGEST_SCORE, 1e200, -1e308, f64::MAX] {
            let mut posterior = posterior_by_name(name, 2).unwrap();
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
            assert_eq!(refused, huge.abs() > LARGEST_SCORE, "{name}, {huge}");
        }
    }
}

/// Tests that a proper prior says something before the first score.
#[test]
fn a_proper_prior_requires_nothing() {
    let prior = NormalInverseGamma::new(0.5, 2.0, 1.5, 0.02).unwrap();
    let posterior = GaussianArms::new(prior, 2);
    assert_eq!(posterior.required(arm(0)), 0);
    assert_eq!(posterior.required(arm(0)), 0);
    let belief = posterior.belief(&all(&posterior));
    assert!((belief.of(arm(0)) - 0.5).abs() < 1e-9);
}
