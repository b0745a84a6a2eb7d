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

/// Tests that each arm's mean is weighted by the outcomes of the leader on the mean, also on a
/// benchmark that another arm leads.
#[test]
fn means_follow_the_leader_of_all_benchmarks() {
    let [one, other] = [0, 1].map(ArmId::new);
    let mut study = BenchmarksOfStudy::new(2);
    study.add(0.9, 1.0, Pool::new(2, 100));
    study.add(0.1, 1.0, Pool::new(2, 100));
    let mut alone = Pool::new(2, 100);
    let mut answer = |arm: ArmId, item: u64, right: bool| {
        let answer = f64::from(u8::from(right));
        let case = |split| Case { split, seed: 0 };
        study.observe(arm, case(item), answer).unwrap();
        if item >= 100 {
            alone.observe(arm, case(item - 100), answer).unwrap();
        }
    };
    for item in 0..40 {
        answer(one, item, true);
        answer(other, item, item % 2 == 0);
    }
    // The other leads the second benchmark, where it answered what the first one got wrong, and
    // two questions more.
    for item in 100..140 {
        answer(one, item, item % 4 == 0);
    }
    for item in (100..140).filter(|item| item % 4 > 0) {
        answer(other, item, item % 4 > 1);
    }
    answer(other, 100, false);
    answer(other, 104, false);
    let [followed, by_itself] = {
        let mean = alone.mean(other).unwrap();
        alone.lead_by(one);
        [alone.mean(other).unwrap(), mean]
    };
    assert!((followed - by_itself).abs() > 1e-3);
    assert_eq!(
        study.benchmarks().of(1).unwrap().mean(other),
        Some(followed)
    );
}

/// Tests that equal arms that are counted out are named together where a third is worse on what is
/// known, and that an arm which may still equal them is none to be named without.
#[test]
fn equal_arms_are_named_together() {
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    let mut study = BenchmarksOfStudy::new(3);
    study.add(0.5, 1.0, Pool::new(3, 8));
    study.add(0.5, 1.0, Pool::new(3, 8));
    for item in 0..16 {
        for arm in &arms {
            let case = Case {
                split: item,
                seed: 0,
            };
            // The third lacks the last answer, with which it may equal the others.
            let right = item > 0 && (arm.index() < 2 || item < 15);
            if arm.index() < 2 || item < 15 {
                study
                    .observe(*arm, case, f64::from(u8::from(right)))
                    .unwrap();
            }
        }
    }
    let claim = study.claim(0.0, &arms).unwrap();
    assert_eq!(claim.arms, arms[..2]);
    // The third may be worse by the one answer that it lacks, or equal: half an answer is between the two.
    assert!((study.benchmarks().least_answer() - 0.5 / 8.0).abs() < 1e-12);
    let margin = -0.5 * study.benchmarks().least_answer();
    let worse = study.benchmarks().sum(arms[0], arms[2], margin).unwrap();
    let differing = study.benchmarks().differing(arms[0], arms[2]);
    let expected = crate::pool::guard(worse.z, worse.behind, differing, 0.7);
    let exact = study.benchmarks().claim(0.0, &arms).unwrap();
    assert_eq!(exact.arms, arms[..2]);
    assert!((exact.error - expected.max(worse.behind)).abs() < 1e-9);
    let case = Case { split: 15, seed: 0 };
    study.observe(arms[2], case, 0.0).unwrap();
    assert!(study.claim(0.0, &arms).unwrap().error < 1e-12);
}

/// Tests that a claim about two arms has the chance that a lead is ever passed, with the effective number of
/// differing items: that of one benchmark where the other weighs next to nothing, and of both their sum where
/// they are alike.
#[test]
fn a_claim_counts_its_looks() {
    let arms: Vec<ArmId> = ArmId::all(2).collect();
    let of = |weights: [f64; 2]| {
        let mut study = BenchmarksOfStudy::new(2);
        for weight in weights {
            study.add(weight, 1.0, Pool::new(2, 60));
        }
        for item in (0..30).chain(60..90) {
            for (arm, right) in arms.iter().zip([item % 3 > 0, item % 5 > 1]) {
                let case = Case {
                    split: item,
                    seed: 0,
                };
                study
                    .observe(*arm, case, f64::from(u8::from(right)))
                    .unwrap();
            }
        }
        study
    };
    let [both, one] = [of([0.5, 0.5]), of([1.0, 1e-9])];
    let [w_both, w_one] = [&both, &one].map(|of| of.benchmarks().differing(arms[0], arms[1]));
    assert!(
        (w_both - 2.0 * w_one).abs() < 1e-3 * w_one,
        "{w_both} {w_one}"
    );
    let belief = both.belief(&arms);
    let (leader, _) = belief.leader();
    let lead = both.difference(leader, arms[1 - leader.index()]).unwrap();
    let z = lead.location / lead.scale;
    let tail = crate::student::upper_tail(z, f64::INFINITY);
    let expected = crate::pool::guard(z, tail, w_both, 0.7);
    let claim = both.claim(0.0, &arms).unwrap();
    assert!(
        (claim.error - expected).abs() < 1e-9,
        "{claim:?} {expected}"
    );
    assert!(expected > 2.0 * tail, "{expected} {tail}");
}
