//! Tests of the F-measure's moments under a prior whose mean is not uniform, against exact moments.

use super::system;
use fiesta_core::{ArmId, Case, Counts, FBeta, Observe};
use fiesta_posterior::f_measure::{Concentration, Prior};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use statrs::function::{beta::ln_beta, gamma::ln_gamma};
use std::f64::consts::FRAC_PI_2;

/// Number of points of the midpoint rule for an integral.
const POINTS: u32 = 2000;

/// Means and standard deviations of F₁ and of θ_1 … θ_4 after one document, at α = 1.
///
/// Since Γ(θ + c)/Γ(θ) = Σ_i s(c, i)θ^i with Stirling's numbers of the first kind, the posterior is
/// the mixture of Dirichlet(α₀θ₀ + i) with weights Π_j s(c_j, i_j) Γ(α₀θ₀_j + i_j) over
/// Γ(α₀ + Σ_j i_j). Given a component, X = θ_TP/(θ_TP + θ_FP + θ_FN) has a beta distribution, and
/// F₁ = 2X/(1 + X): an integral over sin² x = X, by the midpoint rule.
fn exact(shapes: [f64; 4], cells: [u64; 4]) -> [(f64, f64); 5] {
    let stirling = cells.map(stirling);
    let mut total = 0.0;
    let mut moments = [(0.0, 0.0); 5];
    let terms = |j: usize| 0..stirling[j].len();
    let combinations = terms(0).flat_map(|tp| {
        terms(1).flat_map(move |fp| {
            terms(2).flat_map(move |tn| terms(3).map(move |missed| [tp, fp, tn, missed]))
        })
    });
    for counts in combinations {
        let factor: f64 = (0..4).map(|j| stirling[j][counts[j]]).product();
        if factor == 0.0 {
            continue;
        }
        let a: [f64; 4] = std::array::from_fn(|j| shapes[j] + counts[j] as f64);
        let sum: f64 = a.iter().sum();
        let weight = factor * (a.iter().map(|&a| ln_gamma(a)).sum::<f64>() - ln_gamma(sum)).exp();
        total += weight;
        let of_f = of_f(a[0], a[1] + a[3]);
        let of_theta = a.map(|a| (a / sum, a * (a + 1.0) / (sum * (sum + 1.0))));
        for (moment, of) in moments.iter_mut().zip([of_f].iter().chain(&of_theta)) {
            moment.0 += weight * of.0;
            moment.1 += weight * of.1;
        }
    }
    moments.map(|(first, second)| {
        let mean = first / total;
        (mean, (second / total - mean * mean).sqrt())
    })
}

/// Returns the first and second moment of 2X/(1 + X) for X ~ Beta(p, q).
fn of_f(p: f64, q: f64) -> (f64, f64) {
    let scale = 2.0 * FRAC_PI_2 / f64::from(POINTS) / ln_beta(p, q).exp();
    let mut moments = (0.0, 0.0);
    for point in 0..POINTS {
        let (sin, cos) = (FRAC_PI_2 * (f64::from(point) + 0.5) / f64::from(POINTS)).sin_cos();
        let density = scale * sin.powf(2.0 * p - 1.0) * cos.powf(2.0 * q - 1.0);
        let f = 2.0 * sin * sin / (1.0 + sin * sin);
        moments.0 += f * density;
        moments.1 += f * f * density;
    }
    moments
}

/// Returns the coefficients of the polynomial x(x + 1)⋯(x + c − 1).
fn stirling(c: u64) -> Vec<f64> {
    let mut coefficients = vec![1.0];
    for i in 0..c {
        let mut next = vec![0.0; coefficients.len() + 1];
        for (power, coefficient) in coefficients.into_iter().enumerate() {
            next[power] += i as f64 * coefficient;
            next[power + 1] += coefficient;
        }
        coefficients = next;
    }
    coefficients
}

/// Tests that the sums and the midpoint rule give the reference values of a uniform θ₀.
#[test]
fn the_integral_is_that_of_the_reference() {
    let [f, tp, fp, ..] = exact([0.25; 4], [12, 4, 6, 3]);
    for (found, expected) in [
        (f.0, 0.511_612_398_6),
        (f.1, 0.238_581_412_1),
        (tp.0, 0.285_041_697_5),
        (tp.1, 0.186_420_384_4),
        (fp.0, 0.236_439_600_9),
    ] {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

/// Tests moments to within 4 standard errors of 40,000 effective draws: of a correct sampler 6
/// estimates in 10⁵ are farther off, and the seed is fixed. That of a standard deviation is at most
/// sd/√n where the kurtosis is at most 5.
#[test]
fn moments_are_exact_ones() {
    const DRAWS: usize = 40_000;
    for (theta0, alpha0, cells) in [
        ([0.5, 0.1, 0.3, 0.1], 2.0, [3, 1, 2, 1]),
        ([0.05, 0.15, 0.75, 0.05], 20.0, [12, 4, 6, 3]),
        ([0.1, 0.2, 0.3, 0.4], 1.0, [2, 0, 0, 5]),
    ] {
        let prior = Prior::expecting(theta0, alpha0).unwrap();
        let mut posterior = system(&[], Concentration::fixed(1.0).unwrap()).prior(prior);
        let (arm, case) = (ArmId::new(0), Case { split: 0, seed: 0 });
        posterior
            .observe(arm, case, Counts::from_cells(cells))
            .unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let draws = posterior.sample(arm, DRAWS, &mut rng).unwrap();
        for (quantity, (mean, sd)) in exact(theta0.map(|share| alpha0 * share), cells)
            .into_iter()
            .enumerate()
        {
            let found = match quantity {
                0 => draws.summary(|theta, _| FBeta::F1.of(*theta)),
                j => draws.summary(|theta, _| theta[j - 1]),
            };
            let error = 4.0 * sd / (DRAWS as f64).sqrt();
            assert!(
                (found.mean - mean).abs() < error,
                "{theta0:?}: mean of {quantity} is {}, not {mean} ± {error}",
                found.mean
            );
            assert!(
                (found.standard_deviation - sd).abs() < error,
                "{theta0:?}: sd of {quantity} is {}, not {sd} ± {error}",
                found.standard_deviation
            );
        }
    }
}
