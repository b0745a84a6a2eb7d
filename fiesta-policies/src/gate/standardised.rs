//! Evidence that a standardised effect, a mean in standard deviations, exceeds a threshold.

use crate::stopping::anytime::martingale::ln_sum;

/// Distances beyond the threshold that are bet on, in standard deviations, with their weights.
const BEYOND: [(f64, f64); 6] = [
    (0.1, 0.1),
    (0.2, 0.2),
    (0.4, 0.25),
    (0.8, 0.25),
    (1.6, 0.15),
    (3.2, 0.05),
];

/// Returns ln M for μ/σ > `threshold` from n ≥ 2 independent Gaussian values with this
/// r = Σx/√(nΣx²), which lies between −1 and 1.
///
/// M is a mixture over effects δ above the threshold θ of the likelihood ratios L(δ)/L(θ) of all
/// that r tells, whatever σ is:
/// ```text
/// L(δ) ∝ exp(−nδ²/2) ∫ uⁿ⁻¹ exp(−u²/2 + δ√n·r·u) du
/// ```
/// M is a martingale if μ/σ = θ. It rises with r, and r with μ/σ for the same noise. So if μ/σ is
/// less than θ, no path of M lies above the one at θ, and Ville's inequality holds as it does there.
/// Source: Pérez-Ortiz, Lardy, de Heide & Grünwald, "E-statistics, group invariance and
/// anytime-valid testing" (2024).
pub(super) fn ln(n: u64, r: f64, threshold: f64) -> f64 {
    let at = ln_likelihood(n, r, threshold);
    let ratio =
        |&(beyond, weight): &(f64, f64)| ln_likelihood(n, r, threshold + beyond) - at + weight.ln();
    BEYOND.iter().map(ratio).fold(f64::NEG_INFINITY, ln_sum)
}

/// Returns ln L(`effect`) up to what does not depend on the effect.
fn ln_likelihood(n: u64, r: f64, effect: f64) -> f64 {
    let n = n as f64;
    ln_integral(n, effect * n.sqrt() * r) - 0.5 * n * effect * effect
}

/// Returns ln ∫ uⁿ⁻¹ exp(−u²/2 + au) du over u > 0, by the trapezoidal rule in ln u about the mode,
/// which is exact to rounding for such a smooth integrand.
fn ln_integral(n: f64, a: f64) -> f64 {
    let root = (a * a + 4.0 * n).sqrt();
    let mode = if a < 0.0 {
        2.0 * n / (root - a)
    } else {
        0.5 * (a + root)
    };
    let step = 0.5 / (mode * mode + n).sqrt();
    let log = |place: f64| {
        let u = mode * (step * place).exp();
        n * step * place - 0.5 * (u * u - mode * mode) + a * (u - mode)
    };
    // The left tail falls as uⁿ, the right one faster.
    let sum: f64 = (-60..=24).map(|place| log(f64::from(place)).exp()).sum();
    n * mode.ln() - 0.5 * mode * mode + a * mode + (step * sum).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stopping::anytime::martingale::Mixture;

    /// Tests the likelihood ratios against the closed form of a half-normal mixture of them over 0,
    /// by which other gates on splits decide.
    #[test]
    fn half_normal_mixtures_have_a_closed_form() {
        for (n, r) in [(2, 0.9), (5, -0.4), (30, 0.3), (400, -0.05), (400, 0.2)] {
            let closed = Mixture::DIFFERENCES.ln(n, r).exp();
            let width = 0.002;
            let effects = (0..6000).map(|place| (f64::from(place) + 0.5) * width);
            let prior = |effect: f64| {
                let of = |&(weight, precision): &(f64, f64)| {
                    let density = (2.0 * precision / std::f64::consts::PI).sqrt();
                    weight * density * (-0.5 * precision * effect * effect).exp()
                };
                Mixture::DIFFERENCES
                    .components()
                    .iter()
                    .map(of)
                    .sum::<f64>()
            };
            let ratio = |effect| (ln_likelihood(n, r, effect) - ln_likelihood(n, r, 0.0)).exp();
            let found: f64 = effects
                .map(|effect| prior(effect) * ratio(effect) * width)
                .sum();
            assert!(
                (found / closed - 1.0).abs() < 1e-3,
                "{n} {r}: {found} {closed}"
            );
        }
    }

    /// Tests that M rises with r, on which its validity below the threshold rests.
    #[test]
    fn it_rises_with_r() {
        for (n, threshold) in [(2, 0.3), (20, -0.3), (300, 0.0), (2000, 1.0)] {
            let all = (-50..=50).map(|place| ln(n, f64::from(place) / 50.0, threshold));
            assert!(all.is_sorted_by(|a, b| a < b), "{n} {threshold}");
        }
    }
}
