//! Tail of an arm's scores towards better ones: its shape, and the weight of its trials.
//!
//! # The estimate
//! Excesses y over the median, and over the upper quartile, are taken to follow a generalised
//! Pareto distribution, whose shape ξ is estimated by L-moments (Hosking and Wallis 1987): ξ = 2 −
//! l₁/l₂, with l₁ the mean of the excesses and l₂/l₁ their Gini coefficient. It is 0 of an
//! exponential tail, about −0.35 above the median of normal scores, −1 of uniform ones, and 1/a of
//! scores whose tail falls as x⁻ᵃ.
//!
//! # What follows from it
//! The spread of E_n over repetitions grows with ξ, while by how much two arms differ does not: of
//! heavy tails, statements that ignore this are wrong far more often than they say, and no tail
//! that is fitted beyond the best score changes that, as its shape is hardly known there. So the
//! posterior is tempered (a power posterior, as in Grünwald's "safe Bayes"): with a weight w < 1
//! every trial counts as w of a trial, which widens E_n by 1/√w.
//!
//! ```text
//! ξ̃ = (m ξ̂ + m₀ ξ₀)/(m + m₀),     1/√w = 1 + c max(0, ξ̃ − ξ₁)
//! ```
//!
//! m is the number of excesses; ξ₀, towards which few of them are drawn, is light. Of the two
//! thresholds the one with the larger ξ̃ counts: above the median of symmetric scores a heavy tail
//! hardly shows, above the upper quartile there are few scores. The constants were chosen on some
//! families of distributions, frozen, and then measured on others: `docs/random-search.md`.

/// Number of excesses that the prior guess of a light tail is worth, m₀.
const GUESS_COUNTS: f64 = 10.0;
/// Prior guess of the tail's shape, ξ₀.
const GUESS: f64 = -0.2;
/// Shape from which on the posterior is widened, ξ₁.
const WIDENED_FROM: f64 = -0.1;
/// Widening of the posterior for each unit of the shape beyond [`WIDENED_FROM`], c.
const WIDENED_BY: f64 = 5.0;
/// Weight below which the tail is called heavy: the posterior is then wider by a third.
const HEAVY_BELOW: f64 = 9.0 / 16.0;
/// Lightest shape of a tail that is told apart; lighter shapes count as this one.
const LIGHTEST: f64 = -1.0;

/// The tail of an arm's scores towards better ones.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Tail {
    /// The estimated shape ξ of a generalised Pareto distribution of the better scores, at least
    /// −1: below 0 the tail has an end, above 0 it falls as a power of the score.
    pub shape: f64,
    /// Standard error of the shape, as large samples have it.
    pub standard_error: f64,
    /// Number of scores that the tail was estimated from: those better than the median, or than the
    /// upper quartile.
    pub scores: usize,
    /// Weight of each trial in the posterior: 1 where the tail is light, less where it is heavy.
    pub weight: f64,
}

impl Tail {
    /// Returns the tail of ascending scores, larger being better. `None` if fewer than two are
    /// better than the median.
    pub(super) fn new(scores: &[f64]) -> Option<Self> {
        let count = scores.len();
        let median = f64::midpoint(scores[(count - 1) / 2], scores[count / 2]);
        let quartile = scores[count - 1 - count / 4];
        let tails = [median, quartile].map(|threshold| Self::beyond(threshold, scores));
        let tails = tails.into_iter().flatten();
        tails.reduce(|first, other| {
            if other.weight < first.weight {
                other
            } else {
                first
            }
        })
    }

    /// Returns the tail of the scores beyond a threshold. `None` for fewer than two.
    fn beyond(threshold: f64, scores: &[f64]) -> Option<Self> {
        let excesses = &scores[scores.partition_point(|&score| score <= threshold)..];
        if excesses.len() < 2 {
            return None;
        }
        let m = excesses.len() as f64;
        let (mut sum, mut weighted) = (0.0, 0.0);
        for (place, score) in excesses.iter().enumerate() {
            let excess = score - threshold;
            sum += excess;
            weighted += excess * (2 * place + 1) as f64;
        }
        // l₂ = Σ (2i − m − 1) y_(i) / (m (m − 1)), with i from 1.
        let (first, second) = (sum / m, (weighted - m * sum) / (m * (m - 1.0)));
        let shape = if second > 0.0 {
            (2.0 - first / second).max(LIGHTEST)
        } else {
            LIGHTEST
        };
        let guessed = (m * shape + GUESS_COUNTS * GUESS) / (m + GUESS_COUNTS);
        let wider = 1.0 + WIDENED_BY * (guessed - WIDENED_FROM).max(0.0);
        Some(Self {
            shape,
            standard_error: (variance(shape) / m).sqrt(),
            scores: excesses.len(),
            weight: 1.0 / (wider * wider),
        })
    }

    /// Whether the tail is so heavy that the posterior is wider by a third or more: what is said of
    /// the best of n then rests on rare scores.
    pub fn is_heavy(&self) -> bool {
        self.weight < HEAVY_BELOW
    }
}

/// Returns m times the variance of the tail's estimated shape (Hosking and Wallis 1987, with k =
/// −ξ), which is infinite from ξ = ½ on; beyond ξ = 0.4 its value at 0.4 is taken.
fn variance(shape: f64) -> f64 {
    let k = -shape.min(0.4);
    (1.0 + k) * (2.0 + k).powi(2) * (1.0 + k + 2.0 * k * k) / ((1.0 + 2.0 * k) * (3.0 + 2.0 * k))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores at the quantiles of a distribution.
    fn scores(count: u32, quantile: impl Fn(f64) -> f64) -> Vec<f64> {
        let at = |i| (f64::from(i) + 0.5) / f64::from(count);
        (0..count).map(|i| quantile(at(i))).collect()
    }

    #[test]
    fn the_shape_is_that_of_the_distribution() {
        let shape = |quantile: fn(f64) -> f64| Tail::new(&scores(20_000, quantile)).unwrap();
        let exponential = shape(|u| -(1.0 - u).ln());
        assert!(exponential.shape.abs() < 0.01, "{exponential:?}");
        assert!((exponential.standard_error - (4.0_f64 / 3.0 / 1e4).sqrt()).abs() < 1e-4);
        let uniform = shape(|u| u);
        assert!((uniform.shape + 1.0).abs() < 1e-3 && (uniform.weight - 1.0).abs() < 1e-15);
        let pareto = shape(|u| (1.0 - u).powf(-1.0 / 3.0));
        assert!((pareto.shape - 1.0 / 3.0).abs() < 0.02, "{pareto:?}");
        assert!(pareto.is_heavy() && !uniform.is_heavy());
        // Neither unit nor origin matters.
        let moved = Tail::new(&scores(200, |u| 5.0 - 100.0 * (1.0 - u).ln())).unwrap();
        let plain = Tail::new(&scores(200, |u| -(1.0 - u).ln())).unwrap();
        assert!((moved.shape - plain.shape).abs() < 1e-9);
    }

    /// Tests that few scores weigh less than many of the same estimated shape, as each is drawn
    /// towards a light tail.
    #[test]
    fn a_few_scores_say_little() {
        assert_eq!(Tail::new(&[0.0, 0.0, 1.0]), None);
        assert_eq!(Tail::new(&[0.5; 9]), None);
        let few = Tail::new(&[0.0, 0.1, 0.2, 0.3, 0.5]).unwrap();
        assert!(
            few.shape.abs() < 1e-9 && (few.weight - 1.0).abs() < 1e-15,
            "{few:?}"
        );
        let many = Tail::new(&scores(2_000, |u| -(1.0 - u).ln())).unwrap();
        assert!(many.shape.abs() < 0.05 && many.weight < 0.6, "{many:?}");
        // Right or wrong: no tail at all.
        let answers = Tail::new(&[0.0, 0.0, 0.0, 1.0, 1.0]).unwrap();
        assert!((answers.weight - 1.0).abs() < 1e-15);
    }
}
