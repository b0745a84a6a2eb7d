//! Tests of differences between Gaussian arms.

use super::{ChaCha8Rng, GaussianArms, RngExt, SeedableRng, all, arm, observe, three_arms};
use fiesta_core::Posterior;
use fiesta_posterior::{best_arm::monte_carlo, student::upper_tail};

/// Returns P(a is better than b) from the difference.
fn first_is_better(posterior: &dyn Posterior, a: usize, b: usize) -> f64 {
    let difference = posterior.difference(arm(a), arm(b)).unwrap();
    upper_tail(
        -difference.location / difference.scale,
        difference.degrees_of_freedom,
    )
}

/// How far Welch's approximation may be off for three to five scores, the worse the fewer degrees
/// of freedom there are: one for the three scores under the uniform prior, two under Jeffreys'. It
/// errs on the side of confidence: the exact difference has the heavier tails.
fn welch_error(name: &str) -> f64 {
    match name {
        "uniform" => 0.085,
        "jeffreys" => 0.045,
        _ => 0.02,
    }
}

/// Tests against a belief of the two arms alone, which is exact. With fifty scores each the
/// approximation is good to .001.
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

/// Tests the tail of the difference beyond thresholds, against 200,000 joint draws: 36 z-tests at
/// 4.5 standard errors (one of 4,000 seeds) on top of what Welch's approximation may be off.
#[test]
fn agree_with_joint_draws() {
    let count = 200_000_u32;
    for (name, posterior) in three_arms() {
        for (a, b) in [(0, 1), (0, 2), (2, 1)] {
            let difference = posterior.difference(arm(a), arm(b)).unwrap();
            for quantile in [-2.0, -0.7, 0.0, 1.3] {
                let threshold = difference.location + quantile * difference.scale;
                let mut rng = ChaCha8Rng::seed_from_u64(6);
                // The two "arms" are whether the difference exceeds the threshold, and whether it
                // does not.
                let drawn = monte_carlo(2, u64::from(count), &mut rng, |rng, exceeds| {
                    let mut means = [0.0; 3];
                    posterior.draw(rng, &mut means);
                    exceeds[0] = means[a] - means[b] - threshold;
                    exceeds[1] = 0.0;
                })
                .unwrap();
                let p = upper_tail(quantile, difference.degrees_of_freedom);
                let tolerance = welch_error(name) + 4.5 * (p * (1.0 - p) / f64::from(count)).sqrt();
                let q = drawn.probability[0];
                assert!(
                    (p - q).abs() < tolerance,
                    "{name} {a} − {b} > {quantile}: {q} for {p}"
                );
            }
        }
    }
}

/// Tests against Welch and Satterthwaite by hand; turned around the difference changes its sign
/// only.
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
