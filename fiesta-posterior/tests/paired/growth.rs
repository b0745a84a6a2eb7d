//! Tests of the paired posterior with many observations, and of the error that it states.

use super::{
    ChaCha8Rng, Paired, RngExt, SeedableRng, all, belief, fitted, observe, study, with_gaps,
};
use fiesta_core::{Posterior, finest};
use rand_distr::{Distribution, StandardNormal};

/// Tests 10⁵ observations of eight arms, each without some of the last splits: the belief is there,
/// and right.
#[test]
fn a_hundred_thousand_observations_are_no_burden() {
    let mut posterior = Paired::new(8);
    let splits = |arm: usize| 12_500 - 100 * arm as u64;
    observe(
        &mut posterior,
        study(8, 12_500, 2, |arm, split| split < splits(arm)),
    );
    // A step each of the last few, as in a study.
    for split in 0..20 {
        observe(&mut posterior, [(7, 11_800 + split, 0.67)]);
        assert!(belief(&posterior).of(super::arm(7)) > 0.999);
    }
    let difference = posterior.difference(super::arm(7), super::arm(0)).unwrap();
    assert!((difference.location - 0.07).abs() < 0.002, "{difference:?}");
    // √(2·.02²/12,000)
    assert!(
        (difference.scale / 2.58e-4 - 1.0).abs() < 0.1,
        "{difference:?}"
    );
}

/// Tests that the stated error is a standard error: over many permutations of the arms, each with
/// random numbers of its own, beliefs spread as they say they do.
#[test]
fn the_stated_error_is_honest() {
    let mut spread = 0.0;
    let mut stated = 0.0;
    let studies = if cfg!(debug_assertions) { 6 } else { 40 };
    for study_seed in 0..studies {
        let scores = study(4, 6, study_seed, with_gaps);
        let mut rng = ChaCha8Rng::seed_from_u64(study_seed);
        let beliefs: Vec<(Vec<f64>, f64)> = (0..24)
            .map(|_| {
                let mut names = [0, 1, 2, 3];
                for i in (1..4).rev() {
                    names.swap(i, rng.random_range(0..=i));
                }
                // Another split that only one arm saw would be other data; another zero of each arm
                // is not.
                let mut renamed: Vec<_> = scores
                    .iter()
                    .map(|&(arm, split, score)| (names[arm], split, score))
                    .collect();
                let first = rng.random_range(0..renamed.len());
                renamed.rotate_left(first);
                let belief = belief(&fitted(4, renamed));
                let back = names.map(|name| belief.probability[name]);
                (back.to_vec(), belief.absolute_error)
            })
            .collect();
        let n = beliefs.len() as f64;
        // The arm whose belief spreads most, as the error is that of the largest.
        let variance = (0..4)
            .map(|arm| {
                let mean = beliefs.iter().map(|(p, _)| p[arm]).sum::<f64>() / n;
                beliefs
                    .iter()
                    .map(|(p, _)| (p[arm] - mean).powi(2))
                    .sum::<f64>()
                    / (n - 1.0)
            })
            .fold(0.0, f64::max);
        spread += variance;
        stated += beliefs.iter().map(|(_, error)| error * error).sum::<f64>() / n;
    }
    let ratio = (spread / stated).sqrt();
    println!(
        "beliefs spread {ratio:.2} times as much as they say; error {:.4}",
        (stated / studies as f64).sqrt()
    );
    assert!((0.6..1.4).contains(&ratio), "{ratio}");
}

/// Tests that what is printed of few scores is as exact as it says where an arm is best in few draws: in 160 draws these may
/// all be missing, and the estimate of the error then knows nothing of them. At most one of 60 tables may be further off than
/// five standard errors, of which 16 batches tell a fifth.
#[test]
fn what_is_printed_is_as_exact_as_it_says() {
    let mut off = Vec::new();
    for table in 0..60_u32 {
        let (arms, apart) = (2 + table as usize % 3, f64::from(table % 5));
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(table));
        let splits = rng.random_range(3..8_u64);
        let scores: Vec<_> = (0..splits * arms as u64)
            .map(|number| {
                let arm = usize::try_from(number).unwrap() % arms;
                let noise: f64 = StandardNormal.sample(&mut rng);
                (arm, number, apart * arm as f64 + noise)
            })
            .collect();
        let printed = fitted(arms, scores.iter().copied());
        let printed = finest(&printed).belief(&all(&printed));
        let mut long = Paired::new(arms).draws(20_000).seed(1);
        observe(&mut long, scores);
        let long = belief(&long);
        let error = printed.absolute_error.hypot(long.absolute_error);
        let distance = |arm| (printed.of(super::arm(arm)) - long.of(super::arm(arm))).abs();
        // Within 10⁻⁴ of 1 the error is smaller than it can be told.
        let distance = (0..arms).map(distance).fold(0.0, f64::max) - 1e-4;
        off.push(distance / error);
    }
    off.sort_by(f64::total_cmp);
    assert!(off[58] < 5.0, "{off:?}");
}

#[test]
fn draws_are_those_of_the_belief() {
    let posterior = fitted(4, study(4, 8, 3, with_gaps));
    let belief = belief(&posterior);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut wins = [0.0; 4];
    let mut means = [0.0; 4];
    for _ in 0..20_000 {
        posterior.draw(&mut rng, &mut means);
        let best = (0..4)
            .max_by(|&a, &b| means[a].total_cmp(&means[b]))
            .unwrap();
        wins[best] += 1.0 / 20_000.0;
    }
    // The 160 draws themselves have a standard error of .04 at most.
    super::assert_close(&wins, &belief.probability, 0.12);
    assert_eq!(all(&posterior).len(), 4);
}
