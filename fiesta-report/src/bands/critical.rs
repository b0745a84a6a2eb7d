//! Critical values of bands: what each interval leaves out so that all hold at a confidence.

use super::{intervals::Intervals, joint_coverage::of_mirrored};

/// Value of a function, near its root, at which the search for the root stops: one more step would end at rounding.
const CLOSE: f64 = 1e-11;

/// Returns ln α such that the equal-coverage intervals which leave out α each cover jointly with
/// this confidence.
pub(super) fn ln_outside(
    count: usize,
    confidence: f64,
    intervals: fn(usize, f64) -> Intervals,
) -> f64 {
    // One interval covers more often than all, and all at least as often as their sum says.
    let most = (-confidence).ln_1p();
    let least = most - (count as f64).ln();
    if count == 1 {
        return most;
    }
    let excess = |ln_outside: f64| {
        let found = intervals(count, ln_outside);
        errors(of_mirrored(&found.lower, &found.upper)) - errors(confidence)
    };
    // The first guess of the root is a formula fitted at confidence .95. Any other guess costs two
    // more steps.
    let ln_count = (count as f64).ln();
    let guess = most - (1.0 + ln_count * (0.8 + 0.75 * ln_count)).ln();
    root(excess, guess, 1.0, least, most)
}

/// ε such that the empirical distribution is within ε of the true one everywhere with this
/// confidence: the exact quantile of Kolmogorov's statistic.
pub(super) fn kolmogorov(count: usize, confidence: f64, above: f64) -> f64 {
    let n = count as f64;
    if count == 1 {
        return f64::midpoint(1.0, confidence);
    }
    let excess = |square: f64| {
        let found = uniform_width(count, (square / n).sqrt());
        errors(confidence) - errors(of_mirrored(&found.lower, &found.upper))
    };
    // In nε², in which ln of the errors is nearly linear. The bound of Massart is above; below
    // 1/(2n) nothing is covered.
    let (least, most) = (0.25 / n, n * above * above);
    let guess = (most.sqrt() - 1.0 / (6.0 * n.sqrt())).powi(2);
    (root(excess, guess.max(least), 2.0, least, most) / n).sqrt()
}

/// Returns intervals of an empirical distribution ± ε.
pub(super) fn uniform_width(count: usize, epsilon: f64) -> Intervals {
    let n = count as f64;
    let upper: Vec<f64> = (0..count)
        .map(|i| (i as f64 / n + epsilon).min(1.0))
        .collect();
    Intervals {
        lower: upper.iter().rev().map(|end| 1.0 - end).collect(),
        upper,
    }
}

/// Returns ln(−ln coverage), which is nearly linear in ln α.
fn errors(coverage: f64) -> f64 {
    (-coverage.ln()).ln()
}

/// Finds the root of an increasing function with about this slope, between two numbers: by the
/// secant method, halving where that leads out of what is left.
fn root(value: impl Fn(f64) -> f64, guess: f64, slope: f64, mut low: f64, mut high: f64) -> f64 {
    let (mut at, mut slope) = (guess.clamp(low, high), slope);
    let mut last: Option<(f64, f64)> = None;
    for _ in 0..100 {
        let here = value(at);
        if here > 0.0 {
            high = at;
        } else {
            low = at;
        }
        if let Some((before, there)) = last
            && here.is_finite()
            && (at - before).abs() > 0.0
        {
            let secant = (here - there) / (at - before);
            if secant > 0.0 {
                slope = secant;
            }
        }
        let next = at - here / slope;
        if here.abs() < CLOSE {
            return next;
        }
        last = here.is_finite().then_some((at, here));
        at = if next > low && next < high {
            next
        } else {
            f64::midpoint(low, high)
        };
        if high - low <= f64::EPSILON * at.abs() {
            break;
        }
    }
    at
}
