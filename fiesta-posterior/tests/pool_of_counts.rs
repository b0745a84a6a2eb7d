//! Tests of the posterior of F over a pool of single counts: against F itself, against a bootstrap,
//! and what it refuses.

use fiesta_core::{ArmId, Case, Counts, FBeta, Observe, Posterior};
use fiesta_posterior::PoolOfCounts;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

const KINDS: [[u64; 4]; 5] = [
    [1, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
    [0; 4],
];

fn case(item: usize) -> Case {
    Case {
        split: item as u64,
        seed: 0,
    }
}

/// Answers of two arms to items of which a third are to be found; the first is right a little more
/// often, and says yes less often.
fn answers(items: usize, rng: &mut ChaCha8Rng) -> Vec<[[u64; 4]; 2]> {
    let answer = |rng: &mut ChaCha8Rng, truth: bool, hit: f64, alarm: f64| {
        let yes = rng.random_bool(if truth { hit } else { alarm });
        KINDS[match (truth, yes) {
            (true, true) => 0,
            (false, true) => 1,
            (false, false) => 2,
            (true, false) => 3,
        }]
    };
    let item = |rng: &mut ChaCha8Rng| {
        let truth = rng.random_bool(1.0 / 3.0);
        [answer(rng, truth, 0.7, 0.1), answer(rng, truth, 0.75, 0.18)]
    };
    (0..items).map(|_| item(rng)).collect()
}

fn f(f_beta: FBeta, counts: impl Iterator<Item = [u64; 4]>) -> f64 {
    f_beta
        .of_counts(&counts.map(Counts::from_cells).sum())
        .unwrap()
}

/// Tests two arms known on half of a pool: their difference is the difference of F there but for
/// half a count, and its standard error is that of a new sample from the pool, times √(1 − n/N).
#[test]
fn a_difference_is_that_of_f_with_the_error_of_a_bootstrap() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (known, items) = (600_usize, 1200_u64);
    for f_beta in [
        FBeta::F1,
        FBeta::new(2.0).unwrap(),
        FBeta::new(0.5).unwrap(),
    ] {
        let answers = answers(known, &mut rng);
        let mut pool = PoolOfCounts::new(2, items, f_beta);
        for (item, of_arms) in answers.iter().enumerate() {
            for (arm, cells) in ArmId::all(2).zip(of_arms) {
                pool.observe(arm, case(item), Counts::from_cells(*cells))
                    .unwrap();
            }
        }
        let of = |arm: usize| f(f_beta, answers.iter().map(|cells| cells[arm]));
        let (a, b) = (ArmId::new(0), ArmId::new(1));
        let found = pool.difference(a, b).unwrap();
        let draws: Vec<f64> = (0..2000)
            .map(|_| {
                let drawn: Vec<_> = (0..known)
                    .map(|_| answers[rng.random_range(0..known)])
                    .collect();
                let of = |arm: usize| f(f_beta, drawn.iter().map(|cells| cells[arm]));
                of(0) - of(1)
            })
            .collect();
        let mean = draws.iter().sum::<f64>() / 2000.0;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 1999.0;
        let expected = (variance * (1.0 - known as f64 / items as f64)).sqrt();
        let ratio = found.scale / expected;
        assert!((0.93..1.12).contains(&ratio), "{f_beta}: {ratio}");
        // The location is Paulson's z in standard errors.
        let difference = of(0) - of(1);
        let away = (found.location - difference).abs() / found.scale;
        assert!(away < 0.15, "{f_beta}: {} {difference}", found.location);
        for (arm, name) in [(a, 0), (b, 1)] {
            let mean = pool.mean(arm).unwrap();
            assert!((mean - of(name)).abs() < 1e-9, "{mean}");
        }
    }
}

/// Tests that, once all answers are known, the arm with the highest F is certain, although the
/// other may be right more often; and equal F are a tie.
#[test]
fn all_that_is_known_is_f() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let arms: Vec<ArmId> = ArmId::all(2).collect();
    let (mut ties, mut against) = (0, 0);
    for _ in 0..300 {
        let items = 3 + rng.random_range(0..9);
        let answers = answers(items, &mut rng);
        let sums = [0, 1].map(|arm| {
            answers
                .iter()
                .map(|cells| Counts::from_cells(cells[arm]))
                .sum::<Counts>()
        });
        let of = sums.map(|sum| FBeta::F1.of_counts(&sum));
        let [Some(first), Some(second)] = of else {
            continue;
        };
        let mut pool = PoolOfCounts::new(2, items as u64, FBeta::F1);
        for (item, cells) in answers.iter().enumerate() {
            for &arm in &arms {
                let counts = Counts::from_cells(cells[arm.index()]);
                pool.observe(arm, case(item), counts).unwrap();
            }
        }
        let claim = pool.claim(0.0, &arms).unwrap();
        assert!(claim.error <= 0.0);
        if (first - second).abs() < 1e-12 {
            ties += 1;
            assert_eq!(claim.arms.len(), 2);
        } else {
            let best = arms[usize::from(second > first)];
            assert_eq!(claim.arms, [best], "{sums:?}");
            assert!(pool.belief(&arms).of(best) >= 1.0);
            let right = sums.map(|sum| sum.true_positives + sum.true_negatives);
            against += u32::from((first > second) != (right[0] > right[1]));
        }
    }
    assert!(ties > 5 && against > 5, "{ties} {against}");
}

#[test]
fn what_is_no_single_count_is_refused() {
    let mut pool = PoolOfCounts::new(2, 3, FBeta::F1);
    let arm = ArmId::new(0);
    let mut refused = |arm, item, cells| {
        let counts = Counts::from_cells(cells);
        pool.observe(arm, case(item), counts)
            .unwrap_err()
            .to_string()
    };
    let several = refused(arm, 0, [2, 0, 0, 0]);
    assert!(several.contains("at most one count"), "{several}");
    let outside = refused(arm, 3, [1, 0, 0, 0]);
    assert!(outside.contains("has 3 items"), "{outside}");
    assert!(refused(ArmId::new(2), 0, [1, 0, 0, 0]).contains("no arm"));
    for (item, cells) in KINDS[3..].iter().enumerate() {
        pool.observe(arm, case(item), Counts::from_cells(*cells))
            .unwrap();
    }
    let again = pool.observe(arm, case(0), Counts::from_cells(KINDS[0]));
    assert!(again.unwrap_err().to_string().contains("before"));
}
