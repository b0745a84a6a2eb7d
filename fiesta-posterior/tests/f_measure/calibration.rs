//! Simulation-based calibration: where parameters are drawn from the prior and documents from the
//! model, the truth is a draw from the posterior like any other (Talts et al. 2018): the share of
//! the posterior below it is uniform.

use super::{
    systems,
    world::{dirichlet, document},
};
use fiesta_core::{ArmId, Case, Counts, FBeta, Observe, Posterior};
use fiesta_posterior::f_measure::{Concentration, FMeasureArms, Prior, WeightedDraws};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

const DATA_SETS: usize = 2000;
const DRAWS: usize = 1000;
/// Kolmogorov's distance exceeds this over √n with probability 10⁻⁴, for each of the quantities.
const KOLMOGOROV: f64 = 2.225;

/// Returns the share of the posterior below the truth; of draws equal to the truth, a random share counts.
fn share(
    draws: &WeightedDraws,
    truth: f64,
    of: impl Fn(&[f64; 4], f64) -> f64,
    uniform: f64,
) -> f64 {
    let below = |(theta, alpha, weight): ([f64; 4], f64, f64)| {
        let value = of(&theta, alpha);
        if value < truth {
            weight
        } else if value <= truth {
            weight * uniform
        } else {
            0.0
        }
    };
    draws.iter().map(below).sum()
}

/// Returns the share of the posterior of ln α below the truth, the mass of each node spread over
/// half the way to its neighbours.
fn share_of_lattice(draws: &WeightedDraws, truth: f64) -> f64 {
    let mut nodes: Vec<(f64, f64)> = Vec::new();
    for (_, alpha, weight) in draws.iter() {
        match nodes
            .iter_mut()
            .find(|node| (node.0 - alpha.ln()).abs() < 1e-9)
        {
            Some(node) => node.1 += weight,
            None => nodes.push((alpha.ln(), weight)),
        }
    }
    nodes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let middle = |i: usize| f64::midpoint(nodes[i].0, nodes[i + 1].0);
    let last = nodes.len() - 1;
    let below = |i: usize| {
        let (at, mass) = nodes[i];
        let low = if i == 0 {
            at - (middle(0) - at)
        } else {
            middle(i - 1)
        };
        let high = if i == last {
            at + (at - middle(last - 1))
        } else {
            middle(i)
        };
        mass * ((truth - low) / (high - low)).clamp(0.0, 1.0)
    };
    (0..=last).map(below).sum()
}

fn assert_uniform(name: &str, mut shares: Vec<f64>) {
    shares.sort_by(f64::total_cmp);
    let n = shares.len() as f64;
    let distance = shares
        .iter()
        .enumerate()
        .map(|(i, &share)| (share - i as f64 / n).max((i + 1) as f64 / n - share))
        .fold(0.0, f64::max);
    let mean = shares.iter().sum::<f64>() / n;
    println!(
        "{name}: Kolmogorov's distance {distance:.4} of {:.4}, mean {mean:.3}",
        KOLMOGOROV / n.sqrt()
    );
    assert!(distance < KOLMOGOROV / n.sqrt(), "{name}: {distance}");
}

/// Draws α with a uniform ρ = 1/(1 + α), within the range that is learned.
fn concentration(rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let rho: f64 = rng.random();
        let alpha = 1.0 / rho - 1.0;
        if (0.03125..=2048.0).contains(&alpha) {
            return alpha;
        }
    }
}

struct Truth {
    theta: [f64; 4],
    alpha: f64,
}

/// Tests the ranks of F, θ_TP, θ_TN and α over many data sets of `count` documents of one of `arms` systems.
fn calibrate(name: &str, known: Option<f64>, shared: bool, count: usize, length: u64) {
    let arms = if shared { 3 } else { 1 };
    let mut shares = [const { Vec::new() }; 4];
    for number in 0..DATA_SETS {
        let mut rng = ChaCha8Rng::seed_from_u64(number as u64);
        let alpha = known.unwrap_or_else(|| concentration(&mut rng));
        let mut truth = Truth {
            theta: [0.0; 4],
            alpha,
        };
        let documents: Vec<Vec<Counts>> = (0..arms)
            .map(|arm| {
                let (theta, ln_theta) = dirichlet(Prior::default().shapes(), &mut rng);
                if arm == 0 {
                    truth.theta = theta;
                }
                (0..count)
                    .map(|_| document(ln_theta, alpha, length, &mut rng))
                    .collect()
            })
            .collect();
        let kind = match known {
            Some(alpha) => Concentration::fixed(alpha).unwrap(),
            None if shared => Concentration::Shared,
            None => Concentration::Learned,
        };
        let posterior: FMeasureArms = systems(&documents, kind);
        let draws = posterior.sample(ArmId::new(0), DRAWS, &mut rng).unwrap();
        let f = |theta: &[f64; 4]| {
            let f = FBeta::F1.of(*theta);
            if f.is_nan() { 0.0 } else { f }
        };
        let uniform: f64 = rng.random();
        shares[0].push(share(&draws, f(&truth.theta), |theta, _| f(theta), uniform));
        shares[1].push(share(&draws, truth.theta[0], |theta, _| theta[0], uniform));
        shares[2].push(share(&draws, truth.theta[2], |theta, _| theta[2], uniform));
        if known.is_none() {
            shares[3].push(share_of_lattice(&draws, truth.alpha.ln()));
        }
    }
    for (quantity, shares) in ["F", "θ_TP", "θ_TN", "α"].into_iter().zip(shares) {
        if !shares.is_empty() {
            assert_uniform(&format!("{name}, {quantity}"), shares);
        }
    }
}

#[test]
fn known_concentration() {
    calibrate("α = 1, 5 documents of 25", Some(1.0), false, 5, 25);
    calibrate("α = .1, 20 documents of 10", Some(0.1), false, 20, 10);
    calibrate("α = 30, 3 documents of 400", Some(30.0), false, 3, 400);
}

#[test]
fn learned_concentration() {
    calibrate("learned, 2 documents of 25", None, false, 2, 25);
    calibrate("learned, 10 documents of 100", None, false, 10, 100);
    calibrate("learned, 60 documents of 50", None, false, 60, 50);
}

#[test]
fn shared_concentration() {
    calibrate("shared by 3, 4 documents of 50", None, true, 4, 50);
}

/// Tests the belief about F of a whole collection after some of its documents: the place of the
/// true F in it is uniform.
fn calibrate_collection(
    name: &str,
    known: Option<f64>,
    seen: usize,
    collection: usize,
    length: u64,
) {
    let prior = Prior::uniform(4.0).unwrap();
    let mut shares = Vec::new();
    for number in 0..DATA_SETS {
        let mut rng = ChaCha8Rng::seed_from_u64(number as u64);
        let alpha = known.unwrap_or_else(|| concentration(&mut rng));
        let (_, ln_theta) = dirichlet(prior.shapes(), &mut rng);
        let documents: Vec<Counts> = (0..collection)
            .map(|_| document(ln_theta, alpha, length, &mut rng))
            .collect();
        let all: Counts = documents.iter().copied().sum();
        let Some(truth) = FBeta::F1.of_counts(&all) else {
            continue;
        };
        let kind = known.map_or(Concentration::Learned, |alpha| {
            Concentration::fixed(alpha).unwrap()
        });
        let mut posterior = FMeasureArms::new(1)
            .prior(prior)
            .concentration(kind)
            .documents(collection as u64);
        for (split, &counts) in (0..).zip(&documents[..seen]) {
            posterior
                .observe(ArmId::new(0), Case { split, seed: 0 }, counts)
                .unwrap();
        }
        // Counts are whole and draws are not: what is nearer than half an item is the same, as it
        // is where TP = 0.
        let [tp, fp, _, missed] = all.cells();
        let half = 0.5 / (2 * tp + fp + missed) as f64;
        let uniform: f64 = rng.random();
        let mut below = 0.0;
        let mut mean = [0.0];
        for _ in 0..DRAWS {
            posterior.draw(&mut rng, &mut mean);
            below += if (mean[0] - truth).abs() < half {
                uniform
            } else {
                f64::from(u8::from(mean[0] < truth))
            };
        }
        shares.push((below + uniform) / (DRAWS as f64 + 1.0));
    }
    assert_uniform(name, shares);
}

#[test]
fn the_rest_of_a_collection() {
    calibrate_collection("5 of 10 documents, α = 1", Some(1.0), 5, 10, 40);
    calibrate_collection("18 of 20 documents, α = 3", Some(3.0), 18, 20, 60);
    calibrate_collection("20 of 30 documents, α learned", None, 20, 30, 50);
    calibrate_collection("10 of 1000 documents, α = 1", Some(1.0), 10, 1000, 40);
}
