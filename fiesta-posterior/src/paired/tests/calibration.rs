//! Tests of calibration: truth from the prior, scores from the truth, and its rank among the draws.
//!
//! Means of 0 and s₀² = 1 will do: their priors are those that shifting and rescaling leave alone,
//! and so are the ranks of what neither changes.

use super::{
    super::sampler::{LIKENESS, Length},
    ChaCha8Rng, Score, cells, normal, rng, sample,
};
use rand::RngExt;
use rand_distr::{Distribution, Gamma};

const ARMS: usize = 4;

struct Truth {
    variances: [f64; ARMS],
    split_variance: f64,
    share: f64,
}

fn truth(rng: &mut ChaCha8Rng) -> Truth {
    let total: f64 = LIKENESS.iter().map(|(_, weight)| weight).sum();
    let mut left = rng.random::<f64>() * total;
    let mut likeness = 0.0;
    for (d0, weight) in LIKENESS {
        likeness = d0;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    let gamma = Gamma::new(likeness / 2.0, 1.0).unwrap();
    let correlation: f64 = rng.random();
    Truth {
        variances: std::array::from_fn(|_| {
            // A variance beyond all floating point says nothing.
            likeness / 2.0 / gamma.sample(rng).max(1e-60)
        }),
        split_variance: correlation / (1.0 - correlation),
        share: rng.random(),
    }
}

/// Draws scores on six splits, of which each arm sees some, some of them twice.
fn scores(truth: &Truth, rng: &mut ChaCha8Rng) -> Vec<Score> {
    loop {
        let mut scores = Vec::new();
        for split in 0..6 {
            let effect = truth.split_variance.sqrt() * normal(rng);
            for (arm, variance) in truth.variances.iter().enumerate() {
                let interaction = (truth.share * variance).sqrt() * normal(rng);
                let seeds = [0, 0, 1, 1, 1, 1, 2, 2][rng.random_range(0..8)];
                for _ in 0..seeds {
                    let noise = ((1.0 - truth.share) * variance).sqrt() * normal(rng);
                    scores.push((arm, split, effect + interaction + noise));
                }
            }
        }
        // Whether a design is taken does not depend on its scores.
        let seen = (0..ARMS).all(|arm| scores.iter().any(|score| score.0 == arm));
        if seen && scores.len() >= ARMS + 2 {
            return scores;
        }
    }
}

/// Returns Kolmogorov and Smirnov's √n·D of values that should be uniform; above 1.95 with
/// probability .001.
fn distance(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let each = values.iter().enumerate();
    let d = each.map(|(i, x)| {
        let i = i as f64;
        (x - i / n).abs().max(((i + 1.0) / n - x).abs())
    });
    d.fold(0.0, f64::max) * n.sqrt()
}

/// Returns χ² of the values in ten equal bins; above 27.9 with probability .001.
fn chi_squared(values: &[f64]) -> f64 {
    let bins: [f64; 10] = std::array::from_fn(|i| {
        let bin = i as f64 / 10.0..(i + 1) as f64 / 10.0;
        values.iter().filter(|value| bin.contains(value)).count() as f64
    });
    let expected = values.len() as f64 / 10.0;
    println!("  bins {bins:?}");
    bins.iter().map(|n| (n - expected).powi(2) / expected).sum()
}

fn ranks(data_sets: u64, length: Length, thin: usize) {
    let mut random = rng(2024);
    let [mut differences, mut correlations, mut shares] = [const { Vec::new() }; 3];
    for data_set in 0..data_sets {
        let truth = truth(&mut random);
        let scores = scores(&truth, &mut random);
        let draws = sample(&cells(ARMS, &scores), length, data_set);
        let kept = || (0..draws.len()).step_by(thin);
        // Anywhere between neighbouring draws.
        let mut rank =
            |below: usize| (below as f64 + random.random::<f64>()) / (kept().count() + 1) as f64;
        let below = |draw: &usize| draws.draw(*draw)[0] < draws.draw(*draw)[ARMS - 1];
        differences.push(rank(kept().filter(below).count()));
        let relative = truth.split_variance / truth.variances[1];
        let below =
            |&draw: &usize| draws.common[draw].0 / draws.variances[draw * ARMS + 1] < relative;
        correlations.push(rank(kept().filter(below).count()));
        let below = |&draw: &usize| 1.0 - draws.common[draw].1 < truth.share;
        shares.push(rank(kept().filter(below).count()));
    }
    for (name, values) in [
        ("differences", &mut differences),
        ("split variance", &mut correlations),
        ("interaction", &mut shares),
    ] {
        let (d, chi) = (distance(values), chi_squared(values));
        println!("  {name}: distance {d:.2}, chi squared {chi:.1}");
        assert!(d < 1.95, "{name}");
        assert!(chi < 27.9, "{name}");
    }
}

#[test]
fn ranks_of_the_truth_are_uniform() {
    let (data_sets, sweeps) = if cfg!(debug_assertions) {
        (150, 400)
    } else {
        (3_000, 2_000)
    };
    let length = Length {
        burn_in: 200,
        sweeps,
        per_sweep: 1,
    };
    ranks(data_sets, length, 20);
}

/// Tests the calibration's ranks at the usual length of a chain: 160 draws after the first 40 sweeps.
#[test]
fn so_they_are_at_the_usual_length() {
    let data_sets = if cfg!(debug_assertions) { 150 } else { 3_000 };
    ranks(data_sets, Length::USUAL, 4);
}
