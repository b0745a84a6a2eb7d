//! Proof of the anytime-valid test: its statements about numbers, by quadrature.

use crate::stopping::anytime::martingale::{Mixture, standardised};
use fiesta_core::Moments;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::{FRAC_PI_2, PI};

/// Returns ∫ f over [from, to] by Simpson's rule.
fn integral(from: f64, to: f64, steps: u32, f: impl Fn(f64) -> f64) -> f64 {
    let step = (to - from) / f64::from(steps);
    let of = |i: u32| {
        let weight = if i == 0 || i == steps {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        };
        weight * f(from + step * f64::from(i))
    };
    (0..=steps).map(of).sum::<f64>() * step / 3.0
}

/// Tests M⁺ against its definition: the likelihood with δ = μ/σ half-normal, over that with δ = 0,
/// both integrated over dσ/σ. With y = √Q/σ, Q = Σx², it is ∫∫ y^{n−1} e^{−y²/2 + δ√n·r·y − nδ²/2}
/// dy π(δ) dδ / ∫ y^{n−1} e^{−y²/2} dy.
#[test]
fn the_closed_form_is_the_mixture() {
    for (n, r) in [
        (1, 1.0),
        (2, 0.6),
        (3, -0.7),
        (5, 0.99),
        (8, 0.1),
        (12, -0.3),
        (20, 0.8),
    ] {
        let count = f64::from(n);
        let power = |y: f64| y.powi(n - 1);
        let null = integral(0.0, 14.0, 1000, |y| power(y) * (-0.5 * y * y).exp());
        let given = |delta: f64| {
            let shift = delta * count.sqrt() * r;
            // Completing the square keeps the exponents small.
            let inner = integral(0.0, 40.0, 2000, |y| {
                power(y) * (-0.5 * y * y + shift * y - 0.5 * count * delta * delta).exp()
            });
            inner / null
        };
        let exact: f64 = Mixture::DIFFERENCES
            .components()
            .iter()
            .map(|&(weight, precision)| {
                let prior = |delta: f64| {
                    (2.0 * precision / PI).sqrt() * (-0.5 * precision * delta * delta).exp()
                };
                weight * integral(0.0, 12.0, 600, |delta| prior(delta) * given(delta))
            })
            .sum();
        let found = Mixture::DIFFERENCES.ln(n.unsigned_abs().into(), r).exp();
        assert!(
            (found / exact - 1.0).abs() < 1e-5,
            "n {n}, r {r}: {found} for {exact}"
        );
    }
}

/// Tests that M⁺ is a martingale. Given n values with mean 0, the next is √Q·tan φ as far as their
/// ratios tell, with a density of φ proportional to cos^{n−1} φ: t_n/√n. Then r' = (√n·r·cos φ +
/// sin φ)/√(n + 1), and the mean of M⁺(n + 1, r') must be M⁺(n, r).
#[test]
fn the_mean_of_the_next_value_is_the_present_one() {
    let first =
        0.5 * (Mixture::DIFFERENCES.ln(1, 1.0).exp() + Mixture::DIFFERENCES.ln(1, -1.0).exp());
    assert!((first - 1.0).abs() < 1e-12, "{first}");
    for n in [1_u32, 2, 3, 7, 30, 400] {
        for r in [-1.0, -0.9, -0.2, 0.0, 0.4, 0.97, 1.0] {
            if n == 1 && f64::abs(r) < 1.0 {
                continue;
            }
            let count = f64::from(n);
            let now = Mixture::DIFFERENCES.ln(u64::from(n), r);
            let weight = |phi: f64| phi.cos().abs().powf(count - 1.0);
            let then = |phi: f64| {
                let r = (count.sqrt() * r * phi.cos() + phi.sin()) / (count + 1.0).sqrt();
                weight(phi) * (Mixture::DIFFERENCES.ln(u64::from(n) + 1, r) - now).exp()
            };
            let mean = integral(-FRAC_PI_2, FRAC_PI_2, 4000, then)
                / integral(-FRAC_PI_2, FRAC_PI_2, 4000, weight);
            assert!((mean - 1.0).abs() < 1e-6, "n {n}, r {r}: {mean} times");
        }
    }
}

/// Tests that M⁺ increases with r, and so falls as the value that the mean is compared with rises.
#[test]
fn it_falls_as_the_compared_value_rises() {
    let values: Moments = [0.3, 1.2, -0.4, 0.9, 2.0].into_iter().collect();
    let at = |origin| Mixture::DIFFERENCES.ln(values.count(), standardised(&values, origin));
    let mut before = at(f64::NEG_INFINITY);
    for step in -400..=400 {
        let now = at(f64::from(step) * 0.02);
        assert!(now <= before + 1e-12, "{step}: {now} after {before}");
        before = now;
    }
    assert!(at(f64::INFINITY) <= before && before < 0.0);
}

/// Tests by simulation that, of 4,000 series of 300 values with mean 0, at most the share 1/x ever
/// has M⁺ ≥ x. The allowance of 4 standard errors fails falsely once in 30,000 seeds, were the
/// probability 1/x itself.
#[test]
fn few_series_without_an_effect_ever_reach_a_threshold() {
    let runs = 4000;
    let mut reached = [0_u32; 3];
    for run in 0..runs {
        let mut rng = ChaCha8Rng::seed_from_u64(run);
        let mut values = Moments::default();
        let mut greatest = 0.0_f64;
        for _ in 0..300 {
            values.push(StandardNormal.sample(&mut rng));
            let r = standardised(&values, 0.0);
            greatest = greatest.max(Mixture::DIFFERENCES.ln(values.count(), r));
        }
        for (count, x) in reached.iter_mut().zip([4.0_f64, 10.0, 20.0]) {
            *count += u32::from(greatest >= x.ln());
        }
    }
    for (count, x) in reached.into_iter().zip([4.0_f64, 10.0, 20.0]) {
        let share = f64::from(count) / 4000.0;
        let error = (1.0 / x * (1.0 - 1.0 / x) / 4000.0).sqrt();
        assert!(share <= 1.0 / x + 4.0 * error, "{share} reach {x}");
        // Nor is it idle: the supremum is nearly that probable.
        assert!(share >= 0.4 / x, "{share} reach {x}");
    }
}
