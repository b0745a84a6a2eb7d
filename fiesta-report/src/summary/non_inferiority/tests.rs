//! Tests of a difference against a margin: known values, sizes over all outcomes, and by simulation.

use super::{PairedDifference, score_test::z};
use fiesta_core::rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use rand::RngExt;
use rand_distr::{Beta, Distribution, StandardNormal};
use statrs::distribution::{Binomial, Discrete};

fn counts(items: usize, above: usize, below: usize) -> PairedDifference {
    let all = [(above, 1.0), (below, -1.0), (items - above - below, 0.0)];
    let all = all.map(|(count, of)| std::iter::repeat_n(of, count));
    PairedDifference::new(all.into_iter().flatten(), 1.0)
}

/// Tests the statistic against the constrained maximum of the likelihood b·ln(q + δ) + c·ln q + (n
/// − b − c)·ln(1 − 2q − δ), found by a search over 200,000 values of q.
#[test]
fn the_statistic_is_that_of_the_constrained_maximum() {
    let search = |n: f64, b: f64, c: f64, delta: f64| {
        let low = (-delta).max(0.0);
        let high = (1.0 - delta) / 2.0;
        let likelihood = |q: f64| {
            let term = |count: f64, p: f64| if count > 0.0 { count * p.ln() } else { 0.0 };
            term(b, q + delta) + term(c, q) + term(n - b - c, 1.0 - 2.0 * q - delta)
        };
        let (mut best, mut at) = (f64::NEG_INFINITY, 0.0);
        for step in 1..200_000 {
            let q = low + (high - low) * f64::from(step) / 200_000.0;
            if likelihood(q) > best {
                (best, at) = (likelihood(q), q);
            }
        }
        (b - c - n * delta) / (n * (2.0 * at + delta * (1.0 - delta))).sqrt()
    };
    for (n, b, c, delta) in [
        (50_u32, 6_u32, 2_u32, -0.1),
        (200, 3, 9, -0.02),
        (200, 9, 3, 0.05),
        (1000, 30, 31, -0.02),
    ] {
        let expected = search(f64::from(n), f64::from(b), f64::from(c), delta);
        let found = z(n.into(), b.into(), c.into(), delta);
        assert!(
            (found - expected).abs() < 2e-3,
            "{n} {b} {c} {delta}: {found} {expected}"
        );
    }
    // At no difference, McNemar's (b − c)/√(b + c).
    assert!((z(80, 9, 4, 0.0) - 5.0 / 13.0_f64.sqrt()).abs() < 1e-12);
}

/// Tests p-values of the exact test against the same sum in Python 3 with SciPy 1.17.1
/// (`binom.pmf`, `binom.sf`, `beta.ppf`), over the same 32 shares.
#[test]
fn the_exact_p_value_is_that_of_scipy() {
    for (n, b, c, threshold, expected) in P_VALUES {
        let found = counts(n, b, c).p_above(threshold);
        assert!(
            (found - expected).abs() < 1e-8,
            "{n} {b} {c}: {found} {expected}"
        );
    }
}

const P_VALUES: [(usize, usize, usize, f64, f64); 4] = [
    (50, 6, 2, -0.1, 0.002_824_306_436_347),
    (200, 6, 2, -0.02, 0.006_299_931_738_978),
    (200, 9, 3, 0.02, 0.291_835_262_238_608),
    (500, 20, 25, -0.05, 0.002_567_665_654_343),
];

/// Returns the probability of the outcomes that ship at exactly the margin, and of those that are
/// blocked just above it: each is at most α. Nothing is simulated.
fn sizes(n: usize, margin: f64, share: f64, error: f64) -> [f64; 2] {
    let of_items = Binomial::new(share, n as u64).unwrap();
    let mut sizes = [0.0, 0.0];
    let most = n as f64 * share + 9.0 * (n as f64 * share * (1.0 - share)).sqrt() + 9.0;
    for differing in (3..=n).take_while(|&differing| differing as f64 <= most) {
        let right = Binomial::new((share - margin) / (2.0 * share), differing as u64).unwrap();
        let p = of_items.pmf(differing as u64);
        if p < 1e-9 {
            continue;
        }
        // The most that is blocked and the least that ships: all beyond does so too.
        let of = |above: usize| counts(n, above, differing - above);
        let last = |is: &dyn Fn(usize) -> bool| {
            let (mut from, mut to) = (0, differing + 1);
            while from < to {
                let middle = usize::midpoint(from, to);
                if is(middle) {
                    to = middle;
                } else {
                    from = middle + 1;
                }
            }
            to
        };
        let ships = last(&|above| of(above).is_above(-margin, error));
        let kept = last(&|above| !of(above).is_at_most(-margin, error));
        let tail = |from: usize| (from..=differing).map(|k| right.pmf(k as u64)).sum::<f64>();
        sizes[0] += p * tail(ships);
        sizes[1] += p * (1.0 - tail(kept)).max(0.0);
    }
    sizes
}

#[test]
fn right_or_wrong_answers_err_in_at_most_their_share() {
    for (n, margin, share) in [(50, 0.1, 0.1), (50, 0.02, 0.1), (100, 0.02, 0.03)] {
        for size in sizes(n, margin, share, 0.05) {
            assert!(size <= 0.05, "{n} {margin} {share}: {size}");
        }
    }
}

/// Prints the sizes of the exact test in all cells:
/// `cargo test --release -p fiesta-report --all-features --lib -- --ignored non_inferiority --nocapture` (2026-11-27).
#[test]
#[ignore = "minutes"]
fn sizes_of_right_or_wrong_answers() {
    let mut greatest = 0.0_f64;
    for error in [0.05, 0.01] {
        for n in [50, 200, 1000] {
            for margin in [0.005, 0.02, 0.05, 0.1] {
                for share in [0.01, 0.02, 0.05, 0.1, 0.2, 0.4] {
                    if share < margin {
                        continue;
                    }
                    let [ships, blocked] = sizes(n, margin, share, error);
                    println!("{error} {n} {margin} {share}: {ships:.4} {blocked:.4}");
                    greatest = greatest.max(ships.max(blocked) / error);
                }
            }
        }
    }
    println!("greatest size over its level: {greatest:.3}");
    assert!(greatest <= 1.0);
}

/// A distribution of differences: what is drawn, and its mean.
type Drawn = (&'static str, f64, fn(&mut ChaCha8Rng) -> f64);

fn sparse(rng: &mut ChaCha8Rng, share: f64, below: f64) -> f64 {
    let size: f64 = Beta::new(1.0, 3.0).unwrap().sample(rng);
    match (rng.random::<f64>() < share, rng.random::<f64>() < below) {
        (false, _) => 0.0,
        (true, true) => -size,
        (true, false) => size,
    }
}

const GRADED: [Drawn; 8] = [
    ("normal", 0.0, |rng| {
        0.2 * Distribution::<f64>::sample(&StandardNormal, rng)
    }),
    ("grid of .1", 0.0, |rng| {
        let grade = Beta::new(2.0, 2.0).unwrap();
        ((grade.sample(rng) - grade.sample(rng)) * 10.0_f64).round() / 10.0
    }),
    ("exponential losses", -0.1, |rng| {
        0.1 * rng.random::<f64>().ln()
    }),
    ("log-normal losses", -0.068_563, |rng| {
        -(0.8 * Distribution::<f64>::sample(&StandardNormal, rng) - 3.0).exp()
    }),
    ("5 % differ", -0.0125, |rng| sparse(rng, 0.05, 1.0)),
    ("10 % differ", -0.02, |rng| sparse(rng, 0.1, 0.9)),
    ("20 % differ", -0.02, |rng| sparse(rng, 0.2, 0.7)),
    ("40 % differ", -0.02, |rng| sparse(rng, 0.4, 0.6)),
];

/// Shares of runs in which a mean at the threshold is shown to be above it, and to be below.
fn simulated(
    runs: u32,
    threshold: f64,
    mut draw: impl FnMut(&mut ChaCha8Rng) -> PairedDifference,
) -> [f64; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(37);
    let mut wrong = [0_u32; 2];
    for _ in 0..runs {
        let found = draw(&mut rng);
        wrong[0] += u32::from(found.is_above(threshold, 0.05));
        wrong[1] += u32::from(found.is_at_most(threshold, 0.05));
    }
    wrong.map(|wrong| f64::from(wrong) / f64::from(runs))
}

/// Draws the differences of clusters: an item does as its cluster does with probability `together`.
fn clustered(rng: &mut impl Rng, sizes: &[usize], share: f64, together: f64) -> PairedDifference {
    const MARGIN: f64 = 0.02;
    let draw = |rng: &mut dyn FnMut() -> f64| match rng() {
        at if at < (share - MARGIN) / 2.0 => 1.0,
        at if at < share => -1.0,
        _ => 0.0,
    };
    let mut all = Vec::new();
    for (cluster, &size) in sizes.iter().enumerate() {
        let of_cluster = draw(&mut || rng.random());
        for _ in 0..size {
            let own = draw(&mut || rng.random());
            let is_together = rng.random::<f64>() < together;
            all.push((if is_together { of_cluster } else { own }, cluster));
        }
    }
    PairedDifference::of_clusters(&all, 1.0)
}

fn calibrated(runs: u32, items: &[usize], clusters: &[usize]) {
    let two_errors = 2.0 * (0.05 * 0.95 / f64::from(runs)).sqrt();
    let mut failed = Vec::new();
    let mut check = |cell: String, sizes: [f64; 2]| {
        println!("{cell}: {:.4} {:.4}", sizes[0], sizes[1]);
        if sizes.into_iter().any(|size| size > 0.05 + two_errors) {
            failed.push(cell);
        }
    };
    for &n in items {
        for (name, mean, draw) in GRADED {
            let of = |rng: &mut ChaCha8Rng| PairedDifference::new((0..n).map(|_| draw(rng)), 1.0);
            check(format!("{n} items, {name}"), simulated(runs, mean, of));
        }
    }
    for &n in clusters {
        let equal = vec![10; n];
        let unequal: Vec<usize> = (0..n).map(|of| 1 + 3 * (of % 8)).collect();
        for (name, sizes) in [("equal", equal), ("unequal", unequal)] {
            for share in [0.03, 0.05, 0.1, 0.4] {
                for together in [0.2, 0.8] {
                    let of = |rng: &mut ChaCha8Rng| clustered(rng, &sizes, share, together);
                    let cell = format!("{n} {name} clusters, {share} differ, {together} together");
                    check(cell, simulated(runs, -0.02, of));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn graded_answers_and_clusters_err_in_about_their_share() {
    calibrated(1000, &[50], &[20]);
}

/// Prints the sizes of the tests of graded answers and of clusters, from 20,000 runs a cell: run it as the test of right or wrong answers above.
#[test]
#[ignore = "minutes"]
fn sizes_of_graded_answers_and_of_clusters() {
    calibrated(20_000, &[50, 200, 1000], &[10, 20, 50, 100]);
}

/// Tests that with fewer than 50 items or 3 that differ nothing is decided, whatever the numbers say.
#[test]
fn few_items_decide_nothing() {
    for found in [counts(49, 40, 0), counts(5000, 2, 0), counts(5000, 0, 2)] {
        assert!(!found.is_above(-0.5, 0.05) && !found.is_at_most(0.5, 0.05));
        assert_eq!(found.interval(0.05), None);
    }
    let clusters: Vec<(f64, usize)> = (0..400).map(|item| (0.9, item / 100)).collect();
    assert!(!PairedDifference::of_clusters(&clusters, 1.0).is_enough());
    assert!(PairedDifference::new([], 1.0).interval(0.05).is_none());
}

/// Tests the t test of splits against the closed form of 4 degrees of freedom, P(T > t) = ½ − x(3 − x²)/4 with
/// x = t/√(4 + t²), and against the quantile 2.131847 of tables.
#[test]
fn splits_have_student_t() {
    let found = PairedDifference::of_splits([0.01, 0.0, 0.02, -0.005, 0.015], 1.0);
    assert!((found.mean() - 0.008).abs() < 1e-15);
    let x = 3.881_979_835_323_783 / (4.0 + 3.881_979_835_323_783_f64.powi(2)).sqrt();
    let expected = 0.5 - x * (3.0 - x * x) / 4.0;
    assert!((found.p_above(-0.01) - expected).abs() < 1e-12);
    let ends = found.interval(0.05).unwrap();
    let half = 2.131_847 * 0.004_636_809_247_747_851;
    assert!((ends.lower - (0.008 - half)).abs() < 1e-5);
    assert!((ends.upper - (0.008 + half)).abs() < 1e-5);
}

/// Tests that the ends of the interval are where the tests turn, in both orders of the arms.
#[test]
fn the_interval_is_that_of_the_tests() {
    let graded = PairedDifference::new((0..120).map(|i| f64::from(i % 7) / 10.0 - 0.25), 1.0);
    for found in [counts(200, 9, 14), counts(3000, 900, 700), graded] {
        let ends = found.interval(0.05).unwrap();
        assert!(ends.lower < found.mean() && found.mean() < ends.upper);
        assert!(
            found.is_above(ends.lower - 1e-5, 0.05) && !found.is_above(ends.lower + 1e-5, 0.05)
        );
        assert!(found.is_at_most(ends.upper + 1e-5, 0.05));
        assert!(!found.is_at_most(ends.upper - 1e-5, 0.05));
    }
    let (one, other) = (counts(200, 9, 14), counts(200, 14, 9));
    let [one, other] = [one, other].map(|of| of.interval(0.05).unwrap());
    assert!((one.lower + other.upper).abs() < 1e-6);
}

/// Tests that equal answers with the differences of `decidable` ship on some nine of ten samples.
#[test]
fn the_margin_that_can_be_decided_is_decided() {
    let margin = counts(200, 5, 5).decidable(0.05).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let shipped = (0..300).filter(|_| {
        let all = (0..200).map(|_| match rng.random::<f64>() {
            at if at < 0.025 => 1.0,
            at if at < 0.05 => -1.0,
            _ => 0.0,
        });
        PairedDifference::new(all, 1.0).is_above(-margin, 0.05)
    });
    let shipped = shipped.count();
    assert!((255..=297).contains(&shipped), "{margin} {shipped}");
}
