//! Tests of verdicts on items like those of a pool.

use fiesta_core::{ArmId, Askable, Case, Observe, Posterior, Target};
use fiesta_posterior::{Differences, Pool, student};
use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Exp1, StandardNormal};

fn arms(count: usize) -> Vec<ArmId> {
    ArmId::all(count).collect()
}

/// Returns a pool of these answers, a row an item.
fn pool(rows: &[Vec<f64>], items: u64) -> Pool {
    let mut pool = Pool::new(rows[0].len(), items).like_these();
    for (split, row) in (0..).zip(rows) {
        for (arm, &answer) in arms(row.len()).into_iter().zip(row) {
            pool.observe(arm, Case { split, seed: 0 }, answer).unwrap();
        }
    }
    pool
}

/// P(X ≤ `most`) for the heads X of `count` fair coins.
fn coins(count: u32, most: u32) -> f64 {
    let choose = |k: u32| {
        (0..k)
            .map(|i| f64::from(count - i) / f64::from(i + 1))
            .product::<f64>()
    };
    (0..=most).map(choose).sum::<f64>() / 2_f64.powi(count.cast_signed())
}

/// Tests that P(Beta(n₊ + 1, n₋ + 1) > ½) is P(of n₊ + n₋ + 1 fair coins at most n₊ are heads).
#[test]
fn right_and_wrong_answers_are_counted() {
    for (above, below) in [(0, 0), (3, 0), (1, 4), (12, 5), (40, 31)] {
        let all = (0..above).map(|_| 1.0).chain((0..below).map(|_| -1.0));
        let differences: Differences = all.chain([0.0; 7]).collect();
        let expected = coins(above + below + 1, above);
        assert!(
            (differences.better() - expected).abs() < 1e-12,
            "{above} {below}"
        );
    }
}

/// Tests that symmetrical differences have no skewness: Student's t of n degrees of freedom.
#[test]
fn graded_answers_have_a_t() {
    let around = [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3].map(|d| d + 0.11);
    let differences: Differences = around.into_iter().collect();
    let square: f64 = around.iter().map(|d| d * d).sum();
    // (n − 1)·s² = .28, and Q/k = Σ D²/7.
    let error = ((0.28 + square / 7.0) / 49.0).sqrt();
    let expected = 1.0 - student::upper_tail(0.11 / error, 7.0);
    assert!((differences.better() - expected).abs() < 1e-9);
    assert!(differences.skewness().unwrap().abs() < 1e-9);
}

/// Tests that a long tail away from the better arm leaves P as it is, one towards it is believed
/// less.
#[test]
fn a_long_tail_is_not_believed() {
    let tail = [0.9, 0.1, 0.05, 0.02, 0.01, 0.01, 0.02, 0.03, 0.04, 0.02];
    let mean = tail.iter().sum::<f64>() / 10.0;
    let better = |lead: f64| {
        let all = tail.iter().map(|d| d - mean + lead);
        all.collect::<Differences>()
    };
    let [ahead, behind] = [0.15, -0.15].map(|lead| better(lead).better());
    assert!(1.0 - ahead < behind, "{ahead} {behind}");
    assert!(better(0.1).are_few_and_skewed());
    let bits: Differences = [1.0, 0.0, 0.0, 0.0, 0.0].into_iter().collect();
    assert!(!bits.are_few_and_skewed());
}

#[test]
fn few_differences_claim_little() {
    // Two of two sizes: between 1/8 and 7/8, however many are equal.
    let few: Differences = [0.3, 0.31].into_iter().chain([0.0; 400]).collect();
    assert!(few.better() <= 0.875 + 1e-12 && few.better() > 0.8);
    let none: Differences = [0.0; 30].into_iter().collect();
    assert!((none.better() - 0.5).abs() < 1e-12 && none.skewness().is_none());
    assert!((Differences::default().better() - 0.5).abs() < 1e-12);
}

/// Tests the accuracies of two methods on 8 data sets: better on all, by .0271 ± .0038.
#[test]
fn accuracies_by_data_set() {
    let base = [
        0.7948, 0.8814, 0.8278, 0.8323, 0.6664, 0.6158, 0.8303, 0.8241,
    ];
    let ours = [
        0.8401, 0.9126, 0.8517, 0.8522, 0.6778, 0.6392, 0.8679, 0.848,
    ];
    let rows: Vec<Vec<f64>> = base.iter().zip(ours).map(|(&b, o)| vec![b, o]).collect();
    let better = pool(&rows, 8).belief(&arms(2)).of(ArmId::new(1));
    assert!(better > 0.999 && better < 0.9999, "{better}");
}

/// Tests that once all answers are known, the verdict is certain for these items, and not for items like these.
#[test]
fn nothing_is_ever_certain() {
    let row = |item: u32| {
        vec![
            f64::from(u8::from(item < 12)),
            f64::from(u8::from(item < 10)),
        ]
    };
    let rows: Vec<Vec<f64>> = (0..20).map(row).collect();
    let pool = pool(&rows, 20);
    assert_eq!(pool.target(), Target::ItemsLikeThese);
    let belief = pool.belief(&arms(2));
    assert!(
        (belief.of(ArmId::new(0)) - 0.875).abs() < 1e-9,
        "{belief:?}"
    );
    let claim = pool.claim(0.0, &arms(2)).unwrap();
    assert!(claim.error > 0.125 && claim.arms == [ArmId::new(0)]);
    // The mean of more items has the standard error √(.6·.4/20), and no correction for a finite pool.
    let known = pool.marginal(ArmId::new(0)).unwrap();
    assert!((known.location - 0.6).abs() < 1e-12);
    assert!((0.105..0.12).contains(&known.scale), "{known:?}");
    // Equal arms are not known to be equal.
    let equal = vec![vec![1.0, 1.0]; 20];
    let claim = self::pool(&equal, 20).claim(0.0, &arms(2)).unwrap();
    assert!(claim.arms.len() == 1 && claim.error > 0.49);
}

/// Tests that the posterior prefers no item to another: items chosen by what the leader answered
/// are no sample.
#[test]
fn no_item_tells_more_than_another() {
    let mut chosen = Pool::new(2, 50);
    let mut random = Pool::new(2, 50).like_these();
    for split in 0..30 {
        let case = Case { split, seed: 0 };
        for pool in [&mut chosen, &mut random] {
            pool.observe(ArmId::new(0), case, f64::from(u8::from(split % 3 > 0)))
                .unwrap();
            if split < 10 {
                pool.observe(ArmId::new(1), case, f64::from(u8::from(split % 2 > 0)))
                    .unwrap();
            }
        }
    }
    let order: Vec<u64> = (0..50).collect();
    let can = |item: u64| item >= 10;
    let askable = Askable {
        order: &order,
        from: 10,
        can: &can,
    };
    let telling = |pool: &Pool| pool.telling_item(ArmId::new(0), ArmId::new(1), askable);
    assert!(telling(&chosen).is_some() && telling(&random).is_none());
}

/// Tests that a margin lets an arm be good enough, and that a margin of 0 changes nothing.
#[test]
fn a_margin_helps_the_leader() {
    let bit = |right: bool| f64::from(u8::from(right));
    for graded in [false, true] {
        let row = |item: u32| {
            let other = bit(item % 7 != 3);
            let step = if graded {
                0.1 * f64::from(item % 3)
            } else {
                0.0
            };
            let own = bit(!item.is_multiple_of(8));
            vec![own * (1.0 - step), other]
        };
        let rows: Vec<Vec<f64>> = (0..60).map(row).collect();
        let pool = pool(&rows, 60);
        let error = |margin| pool.claim(margin, &arms(2)).unwrap().error;
        assert!(
            error(0.0) > error(0.1) && error(0.1) > error(0.3),
            "{graded}"
        );
        assert!(error(0.3) < 0.02);
    }
}

/// Tests that the mean of an item's answers stands for the item where answers vary.
#[test]
fn repeats_are_averaged() {
    let mut once = Pool::new(2, 30).like_these();
    let mut often = Pool::new(2, 30).repeating().like_these();
    for split in 0..30 {
        let means = [0.25 * (split % 5) as f64, 0.5 * (split % 3) as f64];
        for (arm, mean) in arms(2).into_iter().zip(means) {
            once.observe(arm, Case { split, seed: 0 }, mean).unwrap();
            for (seed, step) in (0..).zip([-0.25, 0.25]) {
                let answer = (mean + step).clamp(0.0, 1.0);
                let answer = if (0.25..=0.75).contains(&mean) {
                    answer
                } else {
                    mean
                };
                often.observe(arm, Case { split, seed }, answer).unwrap();
            }
        }
    }
    let [one, other] = [&once, &often].map(|pool| pool.belief(&arms(2)).of(ArmId::new(0)));
    assert!((one - other).abs() < 1e-6, "{one} {other}");
}

/// Tests the weights where a rival was asked only items that the leader failed, as in a study of
/// these items: such an item counts by its share among the leader's answers.
#[test]
fn chosen_items_are_weighted() {
    let [mut random, mut chosen] = [
        Pool::new(2, 200).like_these(),
        Pool::new(2, 200).like_these_chosen(),
    ];
    for split in 0..100 {
        let case = Case { split, seed: 0 };
        // The leader is right on 80 of 100, the rival on 60 of these and on half of the others.
        let of_leader = f64::from(u8::from(split % 5 > 0));
        let of_rival = f64::from(u8::from(if split % 5 > 0 {
            split % 4 > 0
        } else {
            split % 2 > 0
        }));
        let is_asked = split % 5 == 0 || split < 20;
        for pool in [&mut random, &mut chosen] {
            pool.observe(ArmId::new(0), case, of_leader).unwrap();
            if is_asked {
                pool.observe(ArmId::new(1), case, of_rival).unwrap();
            }
        }
    }
    let lead = |pool: &Pool| {
        pool.difference(ArmId::new(0), ArmId::new(1))
            .unwrap()
            .location
    };
    // On the items of both the rival is ahead; over all it is .1 behind.
    assert!(
        lead(&random) < 0.0 && lead(&chosen) > 0.05,
        "{} {}",
        lead(&random),
        lead(&chosen)
    );
}

/// Tests how often one of two equal arms is thought better with at least each probability: in as
/// many of 4000 runs as the probability leaves, and three standard errors: right and wrong, normal,
/// mostly tied, and with a long tail on either side. False alarms of all 30 comparisons together: 4
/// %.
#[test]
fn a_wrong_arm_is_seldom_named() {
    let draw = |population: u8, rng: &mut dyn Rng| {
        let normal: f64 = rng.sample(StandardNormal);
        let exponential: f64 = rng.sample::<f64, _>(Exp1) - 1.0;
        match population {
            0 => f64::from(rng.random_range(-1_i8..=1)),
            1 => normal,
            2 if rng.random::<f64>() < 0.2 => normal,
            2 => 0.0,
            3 => exponential,
            _ => -exponential,
        }
    };
    for population in 0..5 {
        for items in [20, 85] {
            let mut rng = ChaCha8Rng::seed_from_u64(5);
            let mut named = [0.0; 3];
            let levels = [0.8, 0.9, 0.95];
            for _ in 0..4000 {
                let all = (0..items).map(|_| draw(population, &mut rng) / 20.0);
                let better = all.collect::<Differences>().better();
                for (count, level) in named.iter_mut().zip(levels) {
                    *count += f64::from(u8::from(better >= level)) / 4000.0;
                }
            }
            for (share, level) in named.iter().zip(levels) {
                let most = 1.0 - level + 3.0 * (level * (1.0 - level) / 4000.0_f64).sqrt();
                assert!(*share <= most, "{population}, {items}, {level}: {share}");
            }
        }
    }
}
