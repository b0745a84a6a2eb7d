//! Tests of synthetic problems: what their scores have in common and what not.

use super::{Design, Simulation, pooled, stopped_at};
use fiesta_core::{ArmId, Case, Moments, Streams};
use fiesta_policies::simulate::{
    Noise, Problem, Resolution, Shape, Synthetic, SyntheticArm, SyntheticError,
};

/// Standard errors of a statistical test, 4.5: one of 150,000 fails falsely, one of 3,700 where
/// both sides and twenty comparisons are meant.
const SIGMAS: f64 = 4.5;

fn two(noise: Noise) -> Synthetic {
    let arms = [SyntheticArm::new(0.65, 0.02), SyntheticArm::new(0.6, 0.05)];
    Synthetic::new(arms, noise).unwrap()
}

/// Returns the scores of an arm in run 0 on the splits from 0, with seeds that differ.
fn scores(problem: &Synthetic, arm: usize, count: u64) -> Vec<f64> {
    let streams = Streams::new(5);
    let mut scores = problem.observations(Design::Shared, &streams, 0);
    let mut score = |split| {
        let seed = (split * 7919 + arm as u64) % (1 << 31);
        scores.observe(ArmId::new(arm), Case { split, seed })
    };
    (0..count).map(&mut score).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let of = |values: &[f64]| values.iter().copied().collect::<Moments>();
    let (of_a, of_b) = (of(a), of(b));
    let products = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a - of_a.mean()) * (b - of_b.mean()));
    products.sum::<f64>() / (of_a.squares() * of_b.squares()).sqrt()
}

/// Asserts that mean and standard deviation of values are those stated, within the sample's own
/// standard errors.
#[track_caller]
fn assert_moments(values: &[f64], mean: f64, sd: f64) {
    let moments: Moments = values.iter().copied().collect();
    let z = (moments.mean() - mean) / moments.standard_error().unwrap();
    assert!(z.abs() < SIGMAS, "mean {} for {mean}", moments.mean());
    let squares: Moments = values.iter().map(|value| (value - mean).powi(2)).collect();
    let z = (squares.mean() - sd * sd) / squares.standard_error().unwrap();
    assert!(z.abs() < SIGMAS, "sd {} for {sd}", squares.mean().sqrt());
}

#[test]
fn what_a_split_does_is_common_to_all_arms() {
    let noise = Noise {
        split: 0.1,
        ..Noise::default()
    };
    let problem = two(noise);
    let (a, b) = (scores(&problem, 0, 5000), scores(&problem, 1, 5000));
    assert_moments(&a, 0.65, f64::hypot(0.02, 0.1));
    assert_moments(&b, 0.6, f64::hypot(0.05, 0.1));
    let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
    assert_moments(&difference, 0.05, f64::hypot(0.02, 0.05));
    let [own, rival] = [0, 1].map(|arm| problem.members()[arm]);
    let paired = own.paired_sd(&rival, &noise, Design::Shared);
    assert!((paired - f64::hypot(0.02, 0.05)).abs() < 1e-12);
    assert!((own.residual_sd(&noise) - 0.02).abs() < 1e-12);
    // On splits of their own nothing is common.
    let r = correlation(&a[..2500], &b[2500..]);
    assert!(r.abs() < SIGMAS / f64::sqrt(2500.0), "{r}");
    let apart: Vec<f64> = a[..2500]
        .iter()
        .zip(&b[2500..])
        .map(|(a, b)| a - b)
        .collect();
    assert_moments(
        &apart,
        0.05,
        own.paired_sd(&rival, &noise, Design::Independent),
    );
}

#[test]
fn without_common_effects_arms_are_independent() {
    let problem = two(Noise::default());
    let (a, b) = (scores(&problem, 0, 5000), scores(&problem, 1, 5000));
    let r = correlation(&a, &b);
    assert!(r.abs() < SIGMAS / f64::sqrt(5000.0), "{r}");
    let serial = correlation(&a[1..], &a[..4999]);
    assert!(serial.abs() < SIGMAS / f64::sqrt(5000.0), "{serial}");
}

/// Tests an effect on one arm alone: the same for all seeds of its split, another for the other
/// arm.
#[test]
fn interactions_belong_to_a_cell() {
    let noise = Noise {
        interaction: 0.1,
        ..Noise::default()
    };
    let still = [SyntheticArm::new(0.6, 0.0), SyntheticArm::new(0.6, 0.0)];
    let problem = Synthetic::new(still, noise).unwrap();
    let mut scores = problem.observations(Design::Shared, &Streams::new(1), 0);
    let mut of = |arm, split, seed| {
        scores
            .observe(ArmId::new(arm), Case { split, seed })
            .to_bits()
    };
    assert_eq!(of(0, 3, 1), of(0, 3, 2));
    assert_ne!(of(0, 3, 1), of(1, 3, 1));
    assert_ne!(of(0, 3, 1), of(0, 4, 1));
    // With noise, seeds differ; the same case is the same score.
    let noisy = two(Noise::default());
    let mut scores = noisy.observations(Design::Shared, &Streams::new(1), 0);
    let mut of = |split, seed| {
        scores
            .observe(ArmId::new(0), Case { split, seed })
            .to_bits()
    };
    assert_ne!(of(3, 1), of(3, 2));
    assert_ne!(of(3, 1), of(4, 1));
    assert_eq!(of(3, 1), of(3, 1));
}

#[test]
fn the_order_of_evaluations_does_not_matter() {
    let noise = Noise {
        split: 0.02,
        interaction: 0.01,
        shape: Shape::StudentT3,
        resolution: Resolution::Items(50),
    };
    let problem = Synthetic::new(
        [0.6, 0.65].map(|mean| SyntheticArm::new(mean, 0.02).diverging(0.1, 0.2)),
        noise,
    )
    .unwrap();
    let mut cases: Vec<(usize, Case)> = (0..200)
        .map(|i| {
            (
                i % 2,
                Case {
                    split: i as u64 / 3,
                    seed: 1000 + i as u64,
                },
            )
        })
        .collect();
    let made = |cases: &[(usize, Case)], run| -> Vec<f64> {
        let streams = Streams::new(9);
        let mut scores = problem.observations(Design::Shared, &streams, run);
        let score = |&(arm, case): &(usize, Case)| scores.observe(ArmId::new(arm), case);
        cases.iter().map(score).collect()
    };
    let forwards = made(&cases, 4);
    assert_ne!(forwards, made(&cases, 5), "another run");
    cases.reverse();
    let mut backwards = made(&cases, 4);
    backwards.reverse();
    assert_eq!(forwards, backwards);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let problem = two(Noise {
        split: 0.05,
        ..Noise::default()
    });
    let run = |threads| stopped_at(&Simulation::new(&problem, 40).threads(threads), &[0.95]);
    assert_eq!(run(1), run(4));
}

/// Tests noise of Student's t with 3 degrees of freedom: half of it lies within .7649, and one in
/// 100 beyond 5.841.
#[test]
fn heavy_tails_have_the_stated_spread() {
    let noise = Noise {
        shape: Shape::StudentT3,
        ..Noise::default()
    };
    let scores = scores(&two(noise), 1, 40_000);
    let share = |beyond: f64| {
        let limit = beyond / f64::sqrt(3.0) * 0.05;
        scores
            .iter()
            .filter(|score| (**score - 0.6).abs() > limit)
            .count() as f64
            / 40_000.0
    };
    for (beyond, expected) in [(0.7649, 0.5), (5.841, 0.01)] {
        let error = f64::sqrt(expected * (1.0 - expected) / 40_000.0);
        let found = share(beyond);
        assert!(
            (found - expected).abs() < SIGMAS * error,
            "{found} beyond {beyond}"
        );
    }
}

#[test]
fn divergences_are_as_frequent_as_stated() {
    let noise = Noise {
        split: 0.02,
        ..Noise::default()
    };
    let diverging = SyntheticArm::new(0.65, 0.02).diverging(0.05, 0.2);
    let problem = Synthetic::new([diverging, SyntheticArm::new(0.64, 0.02)], noise).unwrap();
    let values = scores(&problem, 0, 20_000);
    let diverged = values
        .iter()
        .filter(|score| (**score - 0.2).abs() < 1e-12)
        .count() as f64;
    let error = f64::sqrt(20_000.0 * 0.05 * 0.95);
    assert!((diverged - 1000.0).abs() < SIGMAS * error, "{diverged}");
    assert!((diverging.true_mean() - 0.6275).abs() < 1e-12);
    assert_moments(&values, 0.6275, diverging.total_sd(&noise));
    // The mixture decides who is best.
    assert!(!problem.is_best(ArmId::new(0)) && problem.is_best(ArmId::new(1)));
    let pair: Vec<f64> = values
        .iter()
        .zip(scores(&problem, 1, 20_000))
        .map(|(a, b)| a - b)
        .collect();
    let sd = diverging.paired_sd(&problem.members()[1], &noise, Design::Shared);
    assert_moments(&pair, 0.6275 - 0.64, sd);
}

#[test]
fn coarse_scores() {
    let noise = |resolution| Noise {
        split: 0.02,
        interaction: 0.01,
        resolution,
        ..Noise::default()
    };
    for (resolution, per_unit) in [
        (Resolution::Step(0.01), 100.0),
        (Resolution::Items(50), 50.0),
    ] {
        let problem = two(noise(resolution));
        let values = scores(&problem, 0, 20_000);
        for value in &values {
            let units = value * per_unit;
            assert!((units - units.round()).abs() < 1e-9, "{value}");
        }
        assert_moments(
            &values,
            0.65,
            problem.members()[0].total_sd(problem.noise()),
        );
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let good = SyntheticArm::new(0.6, 0.02);
    let refused = |arm: SyntheticArm, noise| Synthetic::new([good, arm], noise).unwrap_err();
    for bad in [
        SyntheticArm::new(f64::NAN, 0.1),
        SyntheticArm::new(0.6, -0.1),
        good.diverging(1.5, 0.2),
        good.diverging(0.5, f64::INFINITY),
        good.lasting(0.0),
        good.lasting(f64::NAN),
    ] {
        assert_eq!(refused(bad, Noise::default()), SyntheticError::Arm(2));
    }
    let still = Noise::default();
    for bad in [
        Noise {
            split: -0.1,
            ..still
        },
        Noise {
            interaction: f64::NAN,
            ..still
        },
        Noise {
            resolution: Resolution::Step(0.0),
            ..still
        },
        Noise {
            resolution: Resolution::Items(0),
            ..still
        },
    ] {
        assert_eq!(refused(good, bad), SyntheticError::Noise);
    }
    let alone = Synthetic::new([good], still);
    assert!(matches!(alone, Err(SyntheticError::Arms(_))));
    assert!(pooled(2).required(ArmId::new(0)) > 0);
}
