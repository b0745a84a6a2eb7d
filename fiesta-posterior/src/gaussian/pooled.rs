//! Pooled variances: a prior of all arms' variances, learnt from them together.

use crate::{MeanModel, PriorError, gaussian::NO_SPREAD};
use fiesta_core::{Marginal, Moments};

/// Normal scores whose variances are shrunk towards a common one, worth d₀ degrees of freedom.
///
/// With s₀² = ΣSS/Σ(n − 1) over all arms, v = (d₀s₀² + SS)/(d₀ + n − 1) for each arm, and its mean
/// is m + √(v/n)·t with min(d₀ + n − 1, Σ(n − 1)) degrees of freedom, from n = 2. Arms that look
/// alike after a few scores because theirs happen to lie close together are not mistaken for
/// precise ones, and an arm whose scores are all equal still has a spread. If no arm has any
/// spread, every arm is asked for one more observation.
///
/// Source: Smyth, "Linear models and empirical Bayes methods" (2004), §3, with fixed d₀.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pooled {
    prior_degrees_of_freedom: f64,
}

/// The default degrees of freedom d₀ of the prior.
const PRIOR_DEGREES_OF_FREEDOM: f64 = 4.0;

impl Default for Pooled {
    fn default() -> Self {
        Self {
            prior_degrees_of_freedom: PRIOR_DEGREES_OF_FREEDOM,
        }
    }
}

impl Pooled {
    /// Variances shrunk with the weight of `prior_degrees_of_freedom`, d₀ > 0.
    ///
    /// # Errors
    /// [`PriorError`] unless d₀ is finite and above zero.
    pub fn new(prior_degrees_of_freedom: f64) -> Result<Self, PriorError> {
        if prior_degrees_of_freedom.is_finite() && prior_degrees_of_freedom > 0.0 {
            Ok(Self {
                prior_degrees_of_freedom,
            })
        } else {
            Err(PriorError::Shrinkage(prior_degrees_of_freedom))
        }
    }
}

/// Returns the pooled sums ΣSS and Σ(n − 1) over the arms with at least two scores.
fn pool(scores: &[Moments]) -> (f64, f64) {
    scores
        .iter()
        .filter(|s| s.count() > 1)
        .fold((0.0, 0.0), |(squares, df), s| {
            (squares + s.squares(), df + (s.count() - 1) as f64)
        })
}

impl MeanModel for Pooled {
    fn least(&self) -> u64 {
        2
    }

    fn marginals(&self, scores: &[Moments], marginals: &mut [Option<Marginal>]) {
        let d0 = self.prior_degrees_of_freedom;
        let (squares, pooled_df) = pool(scores);
        let pooled_variance = squares / pooled_df;
        for (marginal, scores) in marginals.iter_mut().zip(scores) {
            *marginal = (scores.count() > 1 && squares >= NO_SPREAD).then(|| {
                let n = scores.count() as f64;
                let df = d0 + n - 1.0;
                let variance = (d0 * pooled_variance + scores.squares()) / df;
                Marginal {
                    location: scores.mean(),
                    scale: (variance / n).sqrt(),
                    degrees_of_freedom: df.min(pooled_df),
                }
            });
        }
    }

    fn mean(&self, scores: &Moments) -> f64 {
        scores.mean()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinks_towards_the_pooled_variance() {
        let scores: [Moments; 2] = [
            [0.5, 0.5, 0.5].into_iter().collect(),
            [0.4, 0.6, 0.5].into_iter().collect(),
        ];
        let mut marginals = [None; 2];
        Pooled::default().marginals(&scores, &mut marginals);
        let [quiet, loud] = marginals.map(Option::unwrap);
        // s0² = 0.02/4 = 0.005; v = (4·0.005 + SS)/6
        assert!((quiet.scale - (0.02_f64 / 6.0 / 3.0).sqrt()).abs() < 1e-12);
        assert!((loud.scale - (0.04_f64 / 6.0 / 3.0).sqrt()).abs() < 1e-12);
        assert!((quiet.degrees_of_freedom - 4.0).abs() < 1e-12);
    }

    #[test]
    fn without_any_spread_nothing_has_a_distribution() {
        let scores: [Moments; 2] = [
            [0.5, 0.5].into_iter().collect(),
            [0.7].into_iter().collect(),
        ];
        let pooled = Pooled::default();
        let mut marginals = [None; 2];
        pooled.marginals(&scores, &mut marginals);
        assert_eq!(marginals, [None, None]);
    }
}
