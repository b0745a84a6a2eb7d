//! Quantiles of the range of independent normal variables.

use statrs::function::erf::erfc;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Distance from 0 up to which the least of the variables has a density worth counting.
const REACH: f64 = 9.0;
/// Step of the trapezoidal rule, which converges faster than any power of the step on an analytic
/// integrand that vanishes at both ends: here to 1e-14.
const STEP: f64 = 0.02;

/// Returns the quantile of the studentised range of K means with infinitely many degrees of
/// freedom: that of the range of K independent standard normal variables, with distribution F(q) =
/// K ∫ φ(z) [Φ(z + q) − Φ(z)]^{K−1} dz.
///
/// Divided by √2 it is the q_α of Demšar (2006, Table 5) for Nemenyi's test.
///
/// # Panics
/// If `arms` is less than 2 or `p` not between 0 and 1.
pub(crate) fn studentised_range_quantile(p: f64, arms: usize) -> f64 {
    assert!(arms >= 2, "the range of {arms} variable");
    assert!(p > 0.0 && p < 1.0, "{p} is no probability");
    let (mut low, mut high) = (0.0, 4.0 * REACH);
    while high - low > 1e-13 * high {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if distribution(middle, arms) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

fn distribution(q: f64, arms: usize) -> f64 {
    #[allow(clippy::cast_possible_truncation, reason = "it is 900")]
    let steps = (2.0 * REACH / STEP) as i32;
    let power = (arms - 1) as f64;
    let density = |step: i32| {
        let z = -REACH + f64::from(step) * STEP;
        let between = between(z, z + q);
        (-z * z / 2.0).exp() * between.powf(power)
    };
    let sum: f64 = (0..=steps).map(density).sum();
    arms as f64 * sum * STEP / (2.0 * PI).sqrt()
}

/// Returns Φ(b) − Φ(a) of the normal distribution, without cancellation in the upper tail.
fn between(a: f64, b: f64) -> f64 {
    let above = |z: f64| 0.5 * erfc(z * FRAC_1_SQRT_2);
    if a > 0.0 {
        above(a) - above(b)
    } else {
        above(-b) - above(-a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests quantiles against scipy.stats.studentized_range.ppf(p, k, inf), whose error is of the order of 1e-10; the
    /// values at .95 and .90 over √2 are those of Demšar's Table 5 to its three digits.
    #[test]
    fn agrees_with_published_tables() {
        for (arms, [p90, p95, p99], demsar) in [
            (
                2,
                [2.326_174_307_4, 2.771_807_648_7, 3.642_772_735_4],
                Some((1.960, 1.645)),
            ),
            (
                3,
                [2.902_380_213_4, 3.314_493_155_4, 4.120_303_206_5],
                Some((2.343, 2.052)),
            ),
            (
                4,
                [3.240_446_220_9, 3.633_159_574_9, 4.402_800_861_4],
                Some((2.569, 2.291)),
            ),
            (
                5,
                [3.478_280_550_7, 3.857_655_510_4, 4.602_821_042_2],
                Some((2.728, 2.459)),
            ),
            (
                8,
                [3.931_349_100_5, 4.286_309_409_3, 4.987_182_689_1],
                Some((3.031, 2.780)),
            ),
            (
                10,
                [4.129_346_398_2, 4.474_124_221_7, 5.156_634_960_1],
                Some((3.164, 2.920)),
            ),
            (
                50,
                [5.356_686_875_3, 5.646_026_026_4, 6.228_392_608_6],
                None,
            ),
            (
                100,
                [5.812_496_242_3, 6.084_637_537_2, 6.635_541_907_4],
                None,
            ),
        ] {
            for (p, expected) in [(0.9, p90), (0.95, p95), (0.99, p99)] {
                let found = studentised_range_quantile(p, arms);
                assert!((found - expected).abs() < 2e-8, "{arms} {p}: {found}");
            }
            if let Some((at_95, at_90)) = demsar {
                let printed = |p| studentised_range_quantile(p, arms) / 2.0_f64.sqrt();
                assert!((printed(0.95) - at_95).abs() <= 1.001e-3, "{arms}");
                assert!((printed(0.90) - at_90).abs() <= 1.001e-3, "{arms}");
            }
        }
    }

    /// Tests that the quantile for two variables is √2 times the half-normal quantile, but for the error of erfc.
    #[test]
    fn of_two_is_the_normal() {
        let expected = 2.0_f64.sqrt() * 1.959_963_984_540_054;
        let found = studentised_range_quantile(0.95, 2);
        assert!(
            (found - expected).abs() < 1e-10,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn the_example_of_studentised_range_quantile() {
        use fiesta_report::summary::studentised_range_quantile;
        let q = studentised_range_quantile(0.95, 5) / 2.0_f64.sqrt();
        assert!((q - 2.728).abs() < 5e-4);
    }
}
