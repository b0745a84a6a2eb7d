use super::*;
use fiesta_core::ArmId;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};
use rand_distr::{Distribution, Normal};

const ALPHA: f64 = 0.05;

/// Returns in how many of `runs` random orders of a pool the version ships, and in how many it is
/// blocked.
fn answers(pool: &[f64], evidence: &Evidence, runs: u32) -> (u32, u32) {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut pool = pool.to_vec();
    let (mut shipped, mut blocked) = (0, 0);
    for _ in 0..runs {
        pool.shuffle(&mut rng);
        let mut evidence = evidence.clone();
        let mut differences = pool.iter();
        let first = loop {
            let answer = evidence.answer(ALPHA);
            match (answer, differences.next()) {
                (Answer::Undecided, Some(difference)) => evidence.push(*difference),
                _ => break answer,
            }
        };
        shipped += u32::from(first == Answer::Ships);
        blocked += u32::from(first == Answer::Blocked);
    }
    assert_eq!(shipped + blocked, runs);
    (shipped, blocked)
}

fn pool(items: usize, better: usize, worse: usize) -> Vec<f64> {
    let mut pool = vec![0.0; items];
    pool[..better].fill(1.0);
    pool[better..better + worse].fill(-1.0);
    pool
}

/// Tests that a version at the margin ships, and one a single item above it is blocked, in at most
/// α of 1,000 orders. The allowance is 4 standard errors: a false alarm in one of 30,000 seeds.
#[test]
fn errors_are_rare_however_often_one_looks() {
    let (runs, most) = (1000, 50.0 + 4.0 * 47.5_f64.sqrt());
    for (items, differing) in [(50, 10), (200, 12), (200, 80)] {
        let margin = items / 50;
        let evidence = Evidence::of_pool(items as u64, (-1.0, 1.0), -0.02).unwrap();
        let better = (differing - margin) / 2;
        let at = pool(items, better, better + margin);
        let above = pool(items, better, better + margin - 1);
        for evidence in [evidence.clone(), evidence.in_steps_of(1.0)] {
            let (shipped, _) = answers(&at, &evidence, runs);
            let (_, blocked) = answers(&above, &evidence, runs);
            assert!(
                f64::from(shipped) < most && f64::from(blocked) < most,
                "{shipped} {blocked}"
            );
        }
    }
}

/// Tests that graded scores with a mean difference of exactly the margin are blocked at the last
/// item, whatever the sums round to, and ship with one hundredth of a point more.
#[test]
fn rounding_decides_nothing() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..200 {
        let hundredths: Vec<i32> = (0..50).map(|_| rng.random_range(-30..=30)).collect();
        let total: i32 = hundredths.iter().sum();
        for excess in [0, 1] {
            let mut all: Vec<f64> = hundredths.iter().map(|d| f64::from(*d) / 100.0).collect();
            let threshold = f64::from(total - excess) / 5000.0;
            all.shuffle(&mut rng);
            let mut evidence = Evidence::of_pool(50, (-1.0, 1.0), threshold).unwrap();
            for difference in all {
                evidence.push(difference);
            }
            let expected = if excess == 1 {
                Answer::Ships
            } else {
                Answer::Blocked
            };
            assert_eq!(evidence.certain(), Some(expected));
        }
    }
}

/// Tests that an answer is certain as soon as the items that are left cannot change it, and not before.
#[test]
fn what_is_left_cannot_change_what_is_certain() {
    let new = || {
        Evidence::of_pool(10, (-1.0, 1.0), -0.2)
            .unwrap()
            .in_steps_of(1.0)
    };
    let mut better = new();
    // 5 − 5 > −2, but 4 − 6 is not.
    for difference in [1.0, 1.0, 1.0, 1.0] {
        better.push(difference);
        assert_eq!(better.certain(), None);
    }
    better.push(1.0);
    assert_eq!(better.certain(), Some(Answer::Ships));
    let mut worse = new();
    // −6 + 4 ≤ −2, but −5 + 5 is not.
    for _ in 0..5 {
        worse.push(-1.0);
        assert_eq!(worse.certain(), None);
    }
    worse.push(-1.0);
    assert_eq!(worse.certain(), Some(Answer::Blocked));
}

/// Tests that over all orders of a pool at the margin the mean wealth is at most 1 at every time,
/// and exactly 1 while no hypothesis is impossible.
#[test]
fn the_wealth_is_a_martingale_at_the_margin() {
    let mut orders = 0.0;
    let mut total = [0.0; 7];
    for code in 0..3_u32.pow(7) {
        let kinds: Vec<u32> = (0..7).map(|turn| code / 3_u32.pow(turn) % 3).collect();
        let count = |kind| kinds.iter().filter(|&&k| k == kind).count();
        if (count(0), count(2)) != (3, 2) {
            continue;
        }
        let mut evidence = Evidence::of_pool(7, (-1.0, 1.0), -1.0 / 7.0).unwrap();
        for (turn, kind) in kinds.iter().enumerate() {
            evidence.push(f64::from(*kind) - 1.0);
            total[turn] += evidence.for_shipping().exp();
        }
        orders += 1.0;
    }
    assert!((total[0] / orders - 1.0).abs() < 1e-12, "{total:?}");
    for wealth in total {
        assert!(wealth / orders < 1.0 + 1e-12, "{total:?}");
    }
}

/// Tests that the interval leaves the threshold on the side that is shown, at the same difference.
#[test]
fn the_interval_agrees_with_the_answer() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for (mean, evidence) in [
        (0.0, Evidence::of_pool(300, (-1.0, 1.0), -0.05).unwrap()),
        (-0.3, Evidence::without_end((-1.0, 1.0), -0.05).unwrap()),
        (0.2, Evidence::gaussian(0.0).unwrap()),
        (0.1, Evidence::without_end((-0.5, 1.0), 0.0).unwrap()),
    ] {
        let mut evidence = evidence;
        for _ in 0..200 {
            let before = evidence.answer(ALPHA);
            evidence.push((mean + rng.random_range(-0.2..0.2_f64)).clamp(-0.5, 1.0));
            let answer = evidence.answer(ALPHA);
            if evidence.bounds().is_none() && before != Answer::Undecided {
                break;
            }
            let (lower, upper) = evidence.interval(ALPHA).unwrap_or((-1.0, 1.0));
            let threshold = evidence.threshold();
            assert_eq!(answer == Answer::Ships, lower > threshold - 1e-9, "{lower}");
            assert_eq!(
                answer == Answer::Blocked,
                upper < threshold + 1e-9,
                "{upper}"
            );
        }
        assert_ne!(evidence.answer(ALPHA), Answer::Undecided, "{mean}");
    }
}

/// Tests 1,000 items of which 6 % differ, a margin of .02: equal versions are decided after half of
/// the items, better ones after a fifth (medians of 100 orders).
#[test]
fn half_of_the_items_decide() {
    let median = |better: usize, worse: usize| {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut pool = pool(1000, better, worse);
        let mut counts: Vec<u64> = (0..101)
            .map(|_| {
                pool.shuffle(&mut rng);
                let mut evidence = Evidence::of_pool(1000, (-1.0, 1.0), -0.02).unwrap();
                let mut differences = pool.iter();
                while evidence.answer(ALPHA) == Answer::Undecided {
                    evidence.push(*differences.next().unwrap());
                }
                evidence.count()
            })
            .collect();
        counts.sort_unstable();
        counts[50]
    };
    let (equal, better) = (median(30, 30), median(40, 20));
    assert!(equal < 520 && better < 220, "{equal} {better}");
}

/// Returns the answers to `runs` gates of `arms` arms on 150 splits with scores that are right with
/// probability .99, and a latency above 2 with the probabilities `slow` of the versions, of which at
/// most .1 may be.
fn constrained(slow: &[f64], runs: u64) -> Vec<Vec<Answer>> {
    let constraint = Constraint {
        measure: 7,
        limit: Limit::Share {
            above: 2.0,
            at_most: 0.1,
        },
    };
    let arms: Vec<ArmId> = ArmId::all(slow.len() + 1).collect();
    let gate = |seed| {
        let evidence = Evidence::without_end((-1.0, 1.0), -0.15).unwrap();
        let gate = Gate::new(arms.len(), arms[0], evidence, ALPHA).unwrap();
        let mut gate = gate.with_constraint(constraint).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for turn in 0..400 {
            for &arm in &arms {
                let probability = arm.index().checked_sub(1).map_or(0.5, |place| slow[place]);
                let latency = 1.0 + 2.0 * f64::from(u8::from(rng.random_bool(probability)));
                gate.measure(arm, turn, |measure| (measure == 7).then_some(latency));
                gate.score(arm, turn, f64::from(u8::from(rng.random_bool(0.99))));
            }
        }
        arms[1..].iter().map(|&arm| gate.answer(arm)).collect()
    };
    (0..runs).map(gate).collect()
}

/// Tests that a version whose score is good ships in at most α of 300 gates where its latency is at
/// the bound, that several such versions ship as rarely together, and that clear cases are decided by
/// the constraint. The allowance is 4 standard errors.
#[test]
fn constraints_decide_beside_the_score() {
    let most = 15.0 + 4.0 * 14.25_f64.sqrt();
    for slow in [&[0.1][..], &[0.1, 0.1, 0.1]] {
        let any = constrained(slow, 300);
        let any = any.iter().filter(|all| all.contains(&Answer::Ships));
        assert!((any.count() as f64) < most, "{slow:?}");
    }
    for (slow, expected) in [(0.01, Answer::Ships), (0.3, Answer::Blocked)] {
        let found = constrained(&[slow], 50);
        let count = found.iter().filter(|all| all[0] == expected).count();
        assert!(count > 45, "{slow} {count}");
    }
}

/// Tests that each demand has its own answer: a version with a good score and a large latency is
/// blocked by the latency, and one whose failures have no latency is, too.
#[test]
fn every_demand_has_an_answer() {
    let constraint = Constraint {
        measure: 0,
        limit: Limit::OfBaseline {
            factor: 1.1,
            bounds: (0.0, 4.0),
        },
    };
    let arms: Vec<ArmId> = ArmId::all(3).collect();
    let evidence = Evidence::of_pool(300, (-1.0, 1.0), -0.05).unwrap();
    let gate = Gate::new(3, arms[0], evidence, ALPHA).unwrap();
    let mut gate = gate
        .on_failure(0.0, 1.0)
        .with_constraint(constraint)
        .unwrap();
    for turn in 0..300 {
        for (arm, latency) in arms.iter().zip([1.0, 3.0, 1.0]) {
            gate.measure(*arm, turn, |_| Some(latency));
            gate.score(*arm, turn, 1.0);
        }
    }
    let answers = |arm: ArmId| [0, 1, 2].map(|demand| gate.answer_of(arm, demand));
    assert_eq!(gate.answer(arms[1]), Answer::Blocked);
    assert_eq!(answers(arms[1])[1..], [Answer::Blocked, Answer::Undecided]);
    // Ten percent more than the baseline may be, and this version needs no more.
    assert_eq!(gate.answer(arms[2]), Answer::Ships);
    assert_eq!(
        answers(arms[2]),
        [Answer::Ships, Answer::Ships, Answer::Undecided]
    );
    assert_eq!(gate.evidence_of(arms[2], 2), None);
    gate.take_back(arms[2], 0);
    assert_eq!(gate.answer(arms[2]), Answer::Undecided);
    gate.measure(arms[2], 0, |_| None);
    gate.failure(arms[2], 0);
    assert_eq!(gate.answer(arms[2]), Answer::Ships);
}

/// Tests that with a threshold of −.3 standard deviations, whatever these are, versions whose effect is
/// the threshold ship, and such versions are blocked, in at most α of 150 gates each; that versions of
/// half a standard deviation more ship, and those of half a one less are blocked. The allowance is 4
/// standard errors.
#[test]
fn thresholds_in_standard_deviations() {
    let ends = |effect: f64, sd: f64| {
        let mut rng = ChaCha8Rng::seed_from_u64(17);
        let noise = Normal::new(effect * sd, sd).unwrap();
        let (mut shipped, mut blocked) = (0.0, 0.0);
        for _ in 0..150 {
            let mut evidence = Evidence::standardised(-0.3).unwrap();
            while evidence.count() < 80 && evidence.answer(ALPHA) == Answer::Undecided {
                evidence.push(noise.sample(&mut rng));
            }
            shipped += f64::from(u8::from(evidence.answer(ALPHA) == Answer::Ships));
            blocked += f64::from(u8::from(evidence.answer(ALPHA) == Answer::Blocked));
        }
        (shipped, blocked)
    };
    let most = 7.5 + 4.0 * 7.1_f64.sqrt();
    let at = ends(-0.3, 1.0);
    assert!(at.0 < most && at.1 < most && at.0 + at.1 > 0.0, "{at:?}");
    assert_eq!(ends(-0.3, 1e-6), at);
    let (better, worse) = (ends(0.2, 4.0), ends(-0.8, 0.1));
    assert!(better.0 > 120.0 && better.1 < 2.0, "{better:?}");
    assert!(worse.1 > 120.0 && worse.0 < 2.0, "{worse:?}");
}
