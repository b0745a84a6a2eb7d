//! Complexity of a problem whose variances, too, must be learnt.

use super::{Complexity, ComplexityError, complexity};
use fiesta_core::{bisect, highest};

/// A standard deviation below this share of the arm's gap counts as this share: the logarithm of a
/// ratio to 0 is of no use.
const LEAST_SD: f64 = 1e-9;
/// Steps of a golden-section search, to about nine digits of the place and all digits of the value.
const STEPS: u32 = 48;

/// Returns the complexity of Gaussian arms whose variances are unknown, all evaluations costing the
/// same.
///
/// As [`complexity`], with another price of pretending that arm a has the mean λ: where the
/// variance is unknown, a Gaussian of mean λ and any variance explains the scores, which leaves ½
/// ln(1 + (μ_a − λ)²/σ_a²) instead of (μ_a − λ)²/(2σ_a²), and
///
/// 1/T* = max_w min_{j≠b} inf_λ [w_b ½ ln(1 + (μ_b − λ)²/σ_b²) + w_j ½ ln(1 + (μ_j − λ)²/σ_j²)].
///
/// It exceeds the T* of known variances, by little when the gaps are small beside the standard
/// deviations.
///
/// Source: Jourdan, Degenne & Kaufmann, "Dealing with unknown variances in best-arm identification"
/// (ALT 2023).
///
/// # Errors
/// [`ComplexityError`] for fewer than two arms, numbers out of range, or two equal best arms.
///
/// # Example
/// ```
/// use fiesta_policies::plan::{complexity, unknown_variances};
///
/// let (means, sds) = ([0.65, 0.62], [0.03, 0.03]);
/// let known = complexity(&means, &sds, &[1.0, 1.0])?;
/// let unknown = unknown_variances(&means, &sds)?;
/// assert!(unknown.t_star > known.t_star && unknown.t_star < 1.2 * known.t_star);
/// # Ok::<(), fiesta_policies::plan::ComplexityError>(())
/// ```
pub fn unknown_variances(means: &[f64], sds: &[f64]) -> Result<Complexity, ComplexityError> {
    // What is refused there, is refused here.
    complexity(means, sds, &vec![1.0; means.len()])?;
    let best = highest(means.iter().copied());
    let rivals: Vec<Pair> = (0..means.len())
        .filter(|&arm| arm != best)
        .map(|arm| {
            let gap = means[best] - means[arm];
            let variance = |arm: usize| sds[arm].max(LEAST_SD * gap).powi(2);
            Pair {
                gap,
                best: variance(best),
                rival: variance(arm),
            }
        })
        .collect();
    // With one evaluation of the best arm, a rate of y against each rival takes x_j(y) of that
    // rival, convex in y; the rate per evaluation y/(1 + Σ x_j) then has one maximum, below the
    // least rate that the best arm alone can give.
    let most = rivals.iter().map(Pair::limit).fold(f64::INFINITY, f64::min);
    let spent = |y: f64| 1.0 + rivals.iter().map(|pair| pair.evaluations(y)).sum::<f64>();
    let y = maximum(|y| y / spent(y), most);
    let total = spent(y);
    let mut proportions: Vec<f64> = rivals
        .iter()
        .map(|pair| pair.evaluations(y) / total)
        .collect();
    proportions.insert(best, 1.0 / total);
    Ok(Complexity {
        t_star: total / y,
        proportions,
    })
}

/// Pair of the best arm and a rival.
struct Pair {
    gap: f64,
    /// The variance of the best arm.
    best: f64,
    /// The variance of the rival.
    rival: f64,
}

impl Pair {
    /// Returns the limit of the rate as the rival's evaluations grow: the rate against a rival of known mean.
    fn limit(&self) -> f64 {
        half_log(self.gap, self.best)
    }

    /// Returns the rate of one evaluation of the best arm with `x` of the rival: inf over u = λ −
    /// μ_j, at a root of the derivative, (1+x)u³ − (1+2x)Δu² + (σ_j² + xσ_b² + xΔ²)u − Δσ_j², of
    /// which there can be three.
    fn rate(&self, x: f64) -> f64 {
        let Self { gap, best, rival } = *self;
        let value = |u: f64| half_log(gap - u, best) + x * half_log(u, rival);
        let slope = |u: f64| {
            (((1.0 + x) * u - (1.0 + 2.0 * x) * gap) * u + rival + x * (best + gap * gap)) * u
                - gap * rival
        };
        // Between the two places where the slope turns, if any, it is monotonous.
        let (a, b, c) = (
            3.0 * (1.0 + x),
            -2.0 * (1.0 + 2.0 * x) * gap,
            rival + x * (best + gap * gap),
        );
        let discriminant = b * b - 4.0 * a * c;
        let turns = if discriminant > 0.0 {
            let root = discriminant.sqrt();
            [(-b - root) / (2.0 * a), (-b + root) / (2.0 * a)].map(|u| u.clamp(0.0, gap))
        } else {
            [0.0, 0.0]
        };
        let ends = [0.0, turns[0], turns[1], gap];
        let minima = ends
            .windows(2)
            .map(|ends| value(bisect(ends[0], ends[1], |u| slope(u) < 0.0).1));
        minima.fold(value(0.0).min(value(gap)), f64::min)
    }

    /// Returns how many evaluations of the rival, for each of the best arm, give the rate `y`, which is at most the limit.
    fn evaluations(&self, y: f64) -> f64 {
        // The rate is at least that with equal shares of the way, so that some power of two is
        // enough, unless y is the limit.
        let (mut low, mut high) = (0.0, 1.0);
        while self.rate(high) < y {
            (low, high) = (high, 4.0 * high);
            if high > 1e15 {
                return f64::INFINITY;
            }
        }
        let (low, high) = bisect(low, high, |x| self.rate(x) < y);
        f64::midpoint(low, high)
    }
}

/// Returns ½ ln(1 + d²/σ²).
fn half_log(distance: f64, variance: f64) -> f64 {
    0.5 * (distance * distance / variance).ln_1p()
}

/// Returns the argument at which a function has its only maximum, between 0 and `above`.
fn maximum(function: impl Fn(f64) -> f64, above: f64) -> f64 {
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.0, above);
    let (mut left, mut right) = (above * (1.0 - golden), above * golden);
    let (mut at_left, mut at_right) = (function(left), function(right));
    for _ in 0..STEPS {
        if at_left < at_right {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = function(right);
        } else {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = function(left);
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rate by a plain search on a grid over λ.
    fn slow_rate(pair: &Pair, x: f64) -> f64 {
        (0..=100_000)
            .map(|i| {
                let u = pair.gap * f64::from(i) / 1e5;
                half_log(pair.gap - u, pair.best) + x * half_log(u, pair.rival)
            })
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_least_of_several_minima() {
        for (gap, best, rival) in [
            (0.03, 9e-4, 9e-4),
            (1.0, 0.01, 0.02),
            (1.0, 1e-4, 1e-4),
            (1.0, 4.0, 1e-5),
            // Where the slope half-way leads to the worse of two minima, at x = 4.5.
            (1.0, 0.0186, 0.913),
        ] {
            for x in [0.01, 0.5, 1.0, 1.5, 4.5, 30.0] {
                let pair = Pair { gap, best, rival };
                let (found, expected) = (pair.rate(x), slow_rate(&pair, x));
                assert!(
                    found <= expected + 1e-12 && found > expected - 1e-5,
                    "{found} {expected} at {gap} {best} {rival} {x}"
                );
            }
        }
    }

    /// Tests that unknown variances cost nothing for small effects, which take many scores.
    #[test]
    fn small_gaps_are_as_with_known_variances() {
        let (means, sds) = ([0.5, 0.4999, 0.4995], [0.03, 0.02, 0.05]);
        let known = complexity(&means, &sds, &[1.0; 3]).unwrap();
        let unknown = unknown_variances(&means, &sds).unwrap();
        assert!(unknown.t_star > known.t_star);
        assert!(unknown.t_star < known.t_star * 1.0001);
        for (a, b) in known.proportions.iter().zip(&unknown.proportions) {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
    }

    #[test]
    fn no_spread_is_no_trouble_and_a_tie_is_refused() {
        let exact = unknown_variances(&[1.0, 0.5, 0.4], &[0.0, 0.0, 0.1]).unwrap();
        assert!(exact.t_star.is_finite() && exact.t_star > 0.0, "{exact:?}");
        assert!((exact.proportions.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(
            unknown_variances(&[1.0, 1.0], &[0.1, 0.1]),
            Err(ComplexityError::Tie)
        );
    }
}
