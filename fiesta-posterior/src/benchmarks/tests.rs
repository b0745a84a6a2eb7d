//! Tests of the posterior of several benchmarks.

use super::*;
use crate::Paired;
use fiesta_core::{Case, Observe};

fn pool(seed: u64, items: u64, known: u64, arms: usize, like_these: bool) -> Pool {
    let mut pool = Pool::new(arms, items);
    if like_these {
        pool = pool.like_these();
    }
    let mix = |x: u64| (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    for item in 0..known {
        for arm in ArmId::all(arms) {
            let case = Case {
                split: item,
                seed: 0,
            };
            let level = mix(item * 31 + seed * 1009) % 100;
            let own = mix(item * 17 + arm.index() as u64 * 7919 + seed) % 40;
            let right = level + own < 90 + 3 * ((arm.index() as u64 + seed) % 3);
            pool.observe(arm, case, f64::from(u8::from(right))).unwrap();
        }
    }
    pool
}

#[test]
fn one_benchmark_alone_is_as_it_is() {
    let arms: Vec<ArmId> = ArmId::all(4).collect();
    for like_these in [false, true] {
        let alone = pool(1, 200, 120, 4, like_these);
        let both = Benchmarks::new(4)
            .pool(1.0, alone.clone())
            .pool(0.0, pool(2, 90, 90, 4, like_these));
        assert_eq!(both.belief(&arms), alone.belief(&arms));
        assert_eq!(
            both.difference(arms[0], arms[1]),
            alone.difference(arms[0], arms[1])
        );
    }
}

/// Tests that a second benchmark whose weight goes to 0 changes little.
#[test]
fn a_small_weight_changes_little() {
    let arms: Vec<ArmId> = ArmId::all(4).collect();
    for like_these in [false, true] {
        let alone = pool(1, 200, 120, 4, like_these);
        let both = Benchmarks::new(4)
            .pool(1.0, alone.clone())
            .pool(1e-6, pool(2, 90, 90, 4, like_these));
        let (of_both, of_one) = (both.belief(&arms), alone.belief(&arms));
        for arm in &arms {
            let (p, q) = (of_both.of(*arm), of_one.of(*arm));
            assert!((p - q).abs() < 0.01, "{like_these} {arm:?}: {p} {q}");
        }
    }
}

#[test]
fn benchmarks_that_are_counted_out_are_certain() {
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    let all = Benchmarks::new(3)
        .pool(0.5, pool(1, 60, 60, 3, false))
        .pool(0.5, pool(2, 80, 80, 3, false));
    let belief = all.belief(&arms);
    let (leader, p) = belief.leader();
    assert!(p > 1.0 - 1e-12);
    let value = |arm: ArmId| all.mean(arm).unwrap();
    assert!(arms.iter().all(|&arm| value(arm) <= value(leader)));
    // Equal arms share.
    let tied = Benchmarks::new(2)
        .pool(0.5, Pool::new(2, 2))
        .pool(0.5, Pool::new(2, 2));
    assert!(tied.belief(&arms[..2]).of(arms[0]) < 1e-12);
}

#[test]
fn equal_arms_share_and_draws_agree_with_the_belief() {
    use rand::{SeedableRng, rngs::ChaCha8Rng};
    let same = || {
        let mut pool = Pool::new(2, 5);
        for item in 0..5 {
            for arm in ArmId::all(2) {
                let case = Case {
                    split: item,
                    seed: 0,
                };
                pool.observe(arm, case, 1.0).unwrap();
            }
        }
        pool
    };
    let arms: Vec<ArmId> = ArmId::all(4).collect();
    let tied = Benchmarks::new(2).pool(0.5, same()).pool(0.5, same());
    assert!((tied.belief(&arms[..2]).of(arms[0]) - 0.5).abs() < 1e-12);
    let all = Benchmarks::new(4)
        .pool(0.3, pool(1, 200, 120, 4, true))
        .pool(0.7, pool(2, 90, 90, 4, true));
    let (mut rng, mut means) = (ChaCha8Rng::seed_from_u64(3), vec![0.0; 4]);
    let drawn = Belief::by_draws(4, &arms, 20_000, |drawn| {
        all.draw(&mut rng, &mut means);
        drawn.copy_from_slice(&means);
    });
    let belief = all.belief(&arms);
    for arm in arms {
        let (p, q) = (belief.of(arm), drawn.of(arm));
        assert!((p - q).abs() < 0.015, "{arm:?}: {p} {q}");
    }
}

/// Tests data sets with scores on splits, and what is more than a margin worse on one of them.
#[test]
fn data_sets_with_splits_add() {
    let arms: Vec<ArmId> = ArmId::all(2).collect();
    let paired = |ahead: f64| {
        let mut paired = Paired::new(2);
        for split in 0..8_u64 {
            for arm in &arms {
                let noise = ((split * 7 + arm.index() as u64 * 5) * (split + 3) % 11) as f64;
                let score = 0.004 * noise + if arm.index() == 0 { ahead } else { 0.0 };
                let case = Case { split, seed: 0 };
                paired.observe(*arm, case, score).unwrap();
            }
        }
        Box::new(paired)
    };
    let all = Benchmarks::new(2)
        .means(0.5, paired(0.06))
        .means(0.5, paired(-0.04));
    let p = all.belief(&arms).of(arms[0]);
    assert!((0.6..1.0).contains(&p), "{p}");
    assert!(all.worse_on(1, arms[0], arms[1], 0.0).unwrap() > 0.9);
    assert!(all.worse_on(1, arms[0], arms[1], 0.2).unwrap() < 0.01);
    assert_eq!(all.worse_on(2, arms[0], arms[1], 0.2), None);
}

/// Returns a study of two benchmarks with 60 and 40 items of which each arm answered the first ones.
fn studied(weights: [f64; 2], costs: [f64; 2], known: [u64; 2]) -> BenchmarksOfStudy {
    let mut study = BenchmarksOfStudy::new(3);
    for ((weight, cost), items) in weights.into_iter().zip(costs).zip([60, 40]) {
        study.add(weight, cost, Pool::new(3, items));
    }
    let mix = |x: u64| (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    for item in (0..known[0]).chain(60..60 + known[1]) {
        for arm in ArmId::all(3) {
            let case = Case {
                split: item,
                seed: 0,
            };
            let level = mix(item * 31 + 5) % 100 + 10 * arm.index() as u64;
            let right = level + mix(item * 17 + arm.index() as u64) % 30 < 80;
            study
                .observe(arm, case, f64::from(u8::from(right)))
                .unwrap();
        }
    }
    study
}

#[test]
fn a_study_believes_what_its_benchmarks_say() {
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    let study = studied([0.5, 0.5], [1.0, 1.0], [30, 30]);
    let exact = finest(&study);
    let (quick, exact) = (study.belief(&arms), exact.belief(&arms));
    for arm in &arms {
        let (p, q) = (quick.of(*arm), exact.of(*arm));
        assert!((p - q).abs() < 0.01, "{arm:?}: {p} {q}");
    }
    assert!((arms.iter().map(|arm| quick.of(*arm)).sum::<f64>() - 1.0).abs() < 1e-6);
    // Whoever looks after every answer errs more often than the belief says.
    let claim = study.claim(0.0, &arms).unwrap();
    assert!(claim.error > 1.0 - quick.of(claim.arms[0]));
    assert!(study.claim(0.2, &arms).unwrap().error < claim.error);
    // The first and the last item, and none beyond.
    let mut empty = studied([0.5, 0.5], [1.0, 1.0], [0, 0]);
    for (split, is_item) in [(0, true), (59, true), (60, true), (99, true), (100, false)] {
        let case = Case { split, seed: 0 };
        assert_eq!(
            empty.observe(arms[0], case, 1.0).is_ok(),
            is_item,
            "{split}"
        );
    }
}

/// Tests that a study of two benchmarks of which one does not count claims what the other's pool does,
/// and that no arm is named before it has answered on every benchmark.
#[test]
fn claims_are_those_of_pools() {
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    let study = studied([1.0, 0.0], [1.0, 1.0], [30, 0]);
    let pool = study.benchmarks().of(0).unwrap();
    assert_eq!(study.claim(0.0, &arms), pool.claim(0.0, &arms));
    let none = studied([0.5, 0.5], [1.0, 1.0], [30, 2]);
    assert!(none.claim(0.0, &arms).unwrap().error >= 1.0);
    assert!(none.required(arms[0]) == 6);
    // All is known.
    let all = studied([0.5, 0.5], [1.0, 1.0], [60, 40]);
    let claim = all.claim(0.0, &arms).unwrap();
    assert!(claim.error < 1e-12 && claim.arms == [arms[0]], "{claim:?}");
    let truth = all.mean(arms[0]).unwrap() - all.mean(arms[1]).unwrap();
    assert!(all.claim(0.0, &arms[1..]).unwrap().arms == [arms[1]] && truth > 0.0);
}

/// Tests that the next answer is asked where it takes away most for its price: of two benchmarks of
/// which as much is known, that with the greater weight or the lower price.
#[test]
fn answers_are_asked_where_they_tell_most() {
    let [one, other] = [0, 1].map(ArmId::new);
    let order: Vec<u64> = (0..100).collect();
    let next = |study: &BenchmarksOfStudy, from: [u64; 2]| {
        let can = |item: u64| item >= from[0] && item < 60 || item >= 60 + from[1];
        let askable = || fiesta_core::Askable {
            order: &order,
            from: 0,
            can: &can,
        };
        let (arm, item) = study.telling_evaluation(one, other, [askable(), askable()])?;
        Some((arm == one, item))
    };
    let asked = |weights, costs| next(&studied(weights, costs, [20, 20]), [20, 20]);
    assert_eq!(asked([0.8, 0.2], [1.0, 1.0]), Some((true, 20)));
    assert_eq!(asked([0.2, 0.8], [1.0, 1.0]), Some((true, 80)));
    assert_eq!(asked([0.5, 0.5], [1.0, 50.0]), Some((true, 20)));
    assert_eq!(asked([0.5, 0.5], [50.0, 1.0]), Some((true, 80)));
    // What is left of the other, and nothing.
    let of_one = studied([0.9, 0.1], [1.0, 1.0], [60, 20]);
    assert_eq!(next(&of_one, [60, 20]), Some((true, 80)));
    let all = studied([0.9, 0.1], [1.0, 1.0], [60, 40]);
    assert_eq!(next(&all, [60, 40]), None);
    // The rival lacks an answer that the leader has.
    let mut ahead = studied([0.8, 0.2], [1.0, 1.0], [20, 20]);
    let case = Case { split: 20, seed: 0 };
    ahead.observe(one, case, 1.0).unwrap();
    assert_eq!(next(&ahead, [20, 20]), Some((false, 20)));
}
