//! The probability that all order statistics of n uniform variables are within their intervals at
//! once, exactly.
//!
//! The number N(t) of variables up to t is a Poisson process of rate n, given that N(1) = n. U_(i)
//! ≥ lower_i says that N < i before lower_i, and U_(i) ≤ upper_i that N ≥ i at upper_i. So the
//! distribution of N over the counts that are still allowed moves from one end of an interval to
//! the next by a convolution with a Poisson distribution, and at each loses the counts that are
//! forbidden from there on. Every term is positive: rounding does not grow. Where lower and upper
//! ends mirror each other, so does the process, and only half of it is computed.
//!
//! Between two ends there are some 10 terms to a convolution, and some √n counts are allowed:
//! n^{3/2} operations in all, where the recursions of Noé and Steck take n³.
//!
//! Source: Moscovich & Nadler, "Fast calculation of boundary crossing probabilities for Poisson
//! processes" (Statistics & Probability Letters 2017), with truncated convolutions for the Fourier
//! transforms, which are less accurate.

use crate::{binomial::stirling_error, tuning_curve::CurveError};
use fiesta_core::Interrupt;

/// P(lower_i ≤ U_(i) ≤ upper_i for all i), where U_(1) ≤ … ≤ U_(n) are n independent uniform
/// variables, sorted: the confidence of the band of a continuous distribution that has these ends
/// at its n sorted scores.
///
/// ```
/// use fiesta_report::bands::joint_coverage;
///
/// // The smaller of two in [0, ½], the larger in [¼, 1]: 1 − (½)² − (¼)².
/// let coverage = joint_coverage(&[0.0, 0.25], &[0.5, 1.0]).unwrap();
/// assert!((coverage - 11.0 / 16.0).abs() < 1e-15);
/// ```
///
/// # Errors
/// [`CurveError`] if there is none, there are not as many lower as upper ends, or one is NaN.
pub fn joint_coverage(lower: &[f64], upper: &[f64]) -> Result<f64, CurveError> {
    if lower.len() != upper.len() || lower.is_empty() {
        return Err(CurveError::Refused(format!(
            "{} lower and {} upper ends make no intervals: give as many of both",
            lower.len(),
            upper.len()
        )));
    }
    if let Some(place) = lower.iter().zip(upper).position(|(a, b)| (a + b).is_nan()) {
        return Err(CurveError::Refused(format!(
            "an end of interval {} is not a number",
            place + 1
        )));
    }
    // As the variables are sorted, so are the ends in effect.
    let mut lower: Vec<f64> = lower.iter().map(|end| end.clamp(0.0, 1.0)).collect();
    let mut upper: Vec<f64> = upper.iter().map(|end| end.clamp(0.0, 1.0)).collect();
    for i in 1..lower.len() {
        lower[i] = lower[i].max(lower[i - 1]);
    }
    for i in (1..upper.len()).rev() {
        upper[i - 1] = upper[i - 1].min(upper[i]);
    }
    if lower.iter().zip(&upper).any(|(a, b)| a > b) {
        return Ok(0.0);
    }
    let count = lower.len();
    let walk = Walk::to(1.0, &lower, &upper);
    Ok(walk.at(count) / poisson_at_mean(count))
}

/// Computes the joint coverage of ascending ends within \[0, 1\] with `upper[i]` = 1 −
/// `lower[n−1−i]`.
pub(super) fn of_mirrored(lower: &[f64], upper: &[f64]) -> f64 {
    let count = lower.len();
    let walk = Walk::to(0.5, lower, upper);
    // What holds of the count up to ½ holds of the count from there, backwards.
    let both = |k: usize| walk.at(k) * walk.at(count - k);
    (0..=count).map(both).sum::<f64>() / poisson_at_mean(count)
}

/// Returns P(Poisson(n) = n).
fn poisson_at_mean(n: usize) -> f64 {
    (-stirling_error(n as u64)).exp() / (std::f64::consts::TAU * n as f64).sqrt()
}

/// P(N(t) = k, and nothing forbidden until t) for the counts k that are allowed.
struct Walk {
    time: f64,
    rate: f64,
    /// Smallest count that is allowed.
    least: usize,
    states: Vec<f64>,
    padded: Vec<f64>,
    poisson: Vec<f64>,
}

/// Number of values of a convolution side by side.
const LANES: usize = 8;
/// A jump is left out whose probability is less than this share of the likeliest one's.
const NEGLIGIBLE: f64 = 1e-19;
/// Longest step in time that is taken at once: in a longer one the probability of no jump would underflow to 0.
const LONGEST: f64 = 500.0;

impl Walk {
    fn to(end: f64, lower: &[f64], upper: &[f64]) -> Self {
        let count = lower.len();
        let mut walk = Self {
            time: 0.0,
            rate: count as f64,
            least: 0,
            states: vec![1.0],
            padded: Vec::new(),
            poisson: Vec::new(),
        };
        // How many ends have been passed: as many variables are allowed, and needed.
        let (mut allowed, mut needed) = (0, 0);
        loop {
            Interrupt::check();
            let next = |ends: &[f64], i: usize| {
                let end = ends.get(i).copied();
                end.unwrap_or(f64::INFINITY)
            };
            let (low, high) = (next(lower, allowed), next(upper, needed));
            if low.min(high) > end {
                break;
            }
            if low <= high {
                walk.move_to(low, needed, allowed);
                allowed += 1;
            } else {
                needed += 1;
                walk.move_to(high, needed, allowed);
            }
        }
        walk.move_to(end, needed, allowed);
        walk
    }

    fn at(&self, count: usize) -> f64 {
        count
            .checked_sub(self.least)
            .and_then(|i| self.states.get(i))
            .copied()
            .unwrap_or(0.0)
    }

    /// Moves to a time at which the counts from `least` to `most` are allowed.
    fn move_to(&mut self, time: f64, least: usize, most: usize) {
        let mut mean = self.rate * (time - self.time);
        self.time = time;
        if least > most {
            self.states.clear();
        } else {
            while mean > LONGEST {
                self.convolve(LONGEST, 0, most + 1 - self.least);
                mean -= LONGEST;
            }
            self.convolve(mean, least - self.least, most + 1 - least);
        }
        self.least = least;
    }

    /// Replaces the states by `length` values of their convolution with a Poisson distribution,
    /// without the first `skipped`.
    fn convolve(&mut self, mean: f64, skipped: usize, length: usize) {
        let old = self.states.len();
        poisson_backwards(&mut self.poisson, mean, skipped + length);
        let taps = self.poisson.len();
        // taps − 1 zeros in front, so that value k is Σ_q poisson[q]·padded[k + q].
        self.padded.clear();
        self.padded.resize(taps - 1, 0.0);
        self.padded.extend_from_slice(&self.states);
        let whole = length.div_ceil(LANES) * LANES;
        self.padded
            .resize((taps - 1 + old).max(skipped + whole + taps), 0.0);
        self.states.clear();
        for start in (0..whole).step_by(LANES) {
            let mut sums = [0.0; LANES];
            let windows = self.padded[skipped + start..].windows(LANES);
            for (weight, window) in self.poisson.iter().zip(windows) {
                for (sum, value) in sums.iter_mut().zip(window) {
                    *sum += weight * value;
                }
            }
            self.states.extend_from_slice(&sums);
        }
        self.states.truncate(length);
    }
}

/// Computes P(Poisson(mean) = j) from the largest j that matters, which is less than `limit`, down to 0.
fn poisson_backwards(weights: &mut Vec<f64>, mean: f64, limit: usize) {
    weights.clear();
    let (mut weight, mut most) = ((-mean).exp(), 0.0_f64);
    for j in 1..=limit {
        weights.push(weight);
        most = most.max(weight);
        weight *= mean / j as f64;
        if weight < NEGLIGIBLE * most {
            break;
        }
    }
    weights.reverse();
}
