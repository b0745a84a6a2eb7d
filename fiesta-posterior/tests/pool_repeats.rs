//! Tests of the posterior of a pool whose answers vary: against sampling, and that it is never certain.

use fiesta_core::{ArmId, Case, Observe, Posterior};
use fiesta_posterior::Pool;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};

fn arms(count: usize) -> Vec<ArmId> {
    ArmId::all(count).collect()
}

fn answer(pool: &mut Pool, arm: usize, item: usize, score: f64) {
    let case = Case {
        split: item as u64,
        seed: 0,
    };
    pool.observe(ArmId::new(arm), case, score).unwrap();
}

/// Returns the expected answers of two arms to `items` items, between `noise`/2 and 1 − `noise`/2.
fn expected(items: usize, noise: f64, rng: &mut ChaCha8Rng) -> [Vec<f64>; 2] {
    [0.62, 0.55].map(|rate| {
        let of = |_| {
            let right = f64::from(u8::from(rng.random::<f64>() < rate));
            (1.0 - noise) * right + noise / 2.0
        };
        (0..items).map(of).collect()
    })
}

/// Tests that the mean square of the error of the estimated difference, over samples of items and
/// of answers, is the posterior's variance on average: of part of the pool, of all of it and of
/// several rounds, and for right and wrong answers as for graded ones.
#[test]
fn the_variance_is_that_of_sampling() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let items = 240;
    for (known, rounds, noise, levels) in [
        (80, 1, 0.3, 1),
        (240, 1, 0.3, 1),
        (240, 3, 0.3, 1),
        (80, 1, 0.8, 1),
        (240, 2, 0.8, 1),
        (160, 1, 0.4, 8),
        (240, 1, 0.4, 8),
    ] {
        let truth = expected(items, noise, &mut rng);
        let mean = |arm: usize| truth[arm].iter().sum::<f64>() / items as f64;
        let gap = mean(0) - mean(1);
        let (mut square, mut variance) = (0.0, 0.0);
        let runs = 400;
        for _ in 0..runs {
            let mut pool = Pool::new(2, items as u64).repeating();
            let mut order: Vec<usize> = (0..items).collect();
            order.shuffle(&mut rng);
            for (place, &item) in order[..known].iter().enumerate() {
                // One in ten is asked once more, so that noise is known.
                let times = rounds + usize::from(rounds == 1 && place % 10 == 0);
                for (arm, truth) in truth.iter().enumerate() {
                    for _ in 0..times {
                        let right = |_| u32::from(rng.random::<f64>() < truth[item]);
                        let right: u32 = (0..levels).map(right).sum();
                        answer(&mut pool, arm, item, f64::from(right) / f64::from(levels));
                    }
                }
            }
            let found = pool.difference(ArmId::new(0), ArmId::new(1)).unwrap();
            square += (found.location - gap).powi(2) / f64::from(runs);
            variance += found.scale * found.scale / f64::from(runs);
        }
        let ratio = variance / square;
        assert!(
            (0.8..1.3).contains(&ratio),
            "{known} {rounds} {noise} {levels}: {variance} for {square}"
        );
    }
}

/// Tests that, once all items are answered, the variance that is left is (σ²_a·h_a + σ²_j·h_j)/N,
/// whatever the rounds.
#[test]
fn noise_alone_is_left_of_a_pool_that_was_gone_through() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let items = 50;
    let truth = expected(items, 0.5, &mut rng);
    let mut pool = Pool::new(2, items as u64).repeating();
    let mut means = [0.0; 2];
    for round in 1..=6_i32 {
        for item in 0..items {
            for (arm, truth) in truth.iter().enumerate() {
                let score = f64::from(u8::from(rng.random::<f64>() < truth[item]));
                answer(&mut pool, arm, item, score);
                means[arm] += score / items as f64;
            }
        }
        let [a, j] = [0, 1].map(|arm| pool.within_item(ArmId::new(arm)).unwrap());
        let left = (a.sd * a.sd + j.sd * j.sd) / f64::from(round) / items as f64;
        let found = pool.difference(ArmId::new(0), ArmId::new(1)).unwrap();
        assert!(
            (found.scale * found.scale / left - 1.0).abs() < 1e-6,
            "{round}"
        );
        let own = pool.marginal(ArmId::new(0)).unwrap();
        assert!(
            (own.scale.powi(2) * items as f64 * f64::from(round) / a.sd.powi(2) - 1.0).abs() < 1e-6
        );
        assert!(
            (own.location - means[0] / f64::from(round)).abs() < 1e-9,
            "{own:?}"
        );
        if round > 2 {
            let most = found.location / ((means[0] - means[1]) / f64::from(round));
            assert!((0.8..1.2).contains(&most), "{round} {found:?}");
            assert!((0.3..0.5).contains(&a.sd), "{a:?}");
        }
    }
}

/// Tests that neither the order of answers nor the scale of the scores matters.
#[test]
fn neither_order_nor_scale_matters() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut all: Vec<(usize, usize, f64)> = Vec::new();
    for item in 0..40 {
        for arm in 0..3 {
            for _ in 0..=(item + arm) % 3 {
                all.push((arm, item, f64::from(rng.random_range(0..5_u32)) / 4.0));
            }
        }
    }
    let scale = |score: f64| 10.0 * score - 3.0;
    let believe = |all: &[(usize, usize, f64)]| {
        let mut unit = Pool::new(3, 60).repeating();
        let mut wide = Pool::new(3, 60).bounded(-3.0, 7.0).unwrap().repeating();
        for &(arm, item, score) in all {
            answer(&mut unit, arm, item, score);
            answer(&mut wide, arm, item, scale(score));
        }
        let one = unit.difference(ArmId::new(0), ArmId::new(2)).unwrap();
        let other = wide.difference(ArmId::new(0), ArmId::new(2)).unwrap();
        assert!((one.location * 10.0 - other.location).abs() < 1e-9);
        let [one_sd, other_sd] =
            [&unit, &wide].map(|pool| pool.within_item(ArmId::new(1)).unwrap().sd);
        assert!((one_sd * 10.0 - other_sd).abs() < 1e-9);
        [one.location, one.scale, one_sd]
    };
    let first = believe(&all);
    // The first answer to an item decides where it is counted: it stays the first.
    let mut seen = std::collections::BTreeSet::new();
    let (firsts, mut rest): (Vec<_>, Vec<_>) = all
        .iter()
        .copied()
        .partition(|&(arm, item, _)| seen.insert((arm, item)));
    rest.shuffle(&mut rng);
    let mixed: Vec<_> = firsts.into_iter().chain(rest).collect();
    for (one, other) in first.iter().zip(believe(&mixed)) {
        assert!((one - other).abs() < 1e-9, "{one} {other}");
    }
}

/// Tests that neither P(best) nor a claim is certain, that equal arms are not known to be equal,
/// and that answers that never differ are no proof.
#[test]
fn nothing_is_ever_certain() {
    for (scores, rounds) in [([1.0, 0.0], 1), ([1.0, 0.0], 30), ([1.0, 1.0], 30)] {
        let mut pool = Pool::new(2, 20).repeating();
        for item in 0..20 * rounds {
            for (arm, score) in scores.into_iter().enumerate() {
                answer(&mut pool, arm, item % 20, score);
            }
        }
        let all = arms(2);
        let belief = pool.belief(&all);
        assert!(belief.of(ArmId::new(0)) < 1.0, "{belief:?}");
        let claim = pool.claim(0.0, &all).unwrap();
        assert_eq!(claim.arms.len(), 1);
        assert!(claim.error > 0.0, "{claim:?}");
        let within = pool.within_item(ArmId::new(0)).unwrap();
        assert!(within.sd > 0.0, "{within:?}");
        if scores[0] > scores[1] {
            assert!(belief.of(ArmId::new(0)) > 0.99, "{belief:?}");
        } else {
            assert!(claim.error > 0.5 && (belief.of(ArmId::new(0)) - 0.5).abs() < 1e-6);
            // Within a tenth, that is.
            assert!(pool.claim(0.1, &all).unwrap().error < 0.05);
        }
    }
    assert_eq!(Pool::new(2, 3).within_item(ArmId::new(0)), None);
    let none = Pool::new(2, 3).repeating();
    assert_eq!(none.within_item(ArmId::new(1)).unwrap().observed_sd, None);
    assert_eq!(none.within_item(ArmId::new(2)), None);
}
