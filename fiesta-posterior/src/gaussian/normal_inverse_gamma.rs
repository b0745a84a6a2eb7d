//! Normal-inverse-gamma model: the conjugate model of one arm's scores.

use crate::{MeanModel, gaussian::NO_SPREAD};
use fiesta_core::{Marginal, Moments};

/// Normal scores with unknown mean and variance, each arm on its own, under a normal-inverse-gamma
/// prior NIG(m₀, κ₀, a₀, b₀).
///
/// After n scores with mean m and SS = Σ(x − m)²: κₙ = κ₀ + n, mₙ = (κ₀m₀ + nm)/κₙ, aₙ = a₀ + n/2
/// and bₙ = b₀ + SS/2 + κ₀n(m − m₀)²/(2κₙ); the mean is Student's t with 2aₙ degrees of freedom,
/// location mₙ and scale √(bₙ/(aₙκₙ)).
///
/// Under an improper prior (b₀ = 0), scores that are all equal say nothing of the variance: the
/// model then asks for one more observation. Source: Murphy, "Conjugate Bayesian analysis of the
/// Gaussian distribution" (2007), §6; FIESTA (Moss et al., ACL 2019), §3.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalInverseGamma {
    mean: f64,
    kappa: f64,
    shape: f64,
    rate: f64,
}

/// The error for parameters that make no prior of scores.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PriorError {
    /// The parameters are no normal-inverse-gamma distribution, not even an improper one.
    #[error(
        "normal-inverse-gamma prior with mean {mean}, kappa {kappa}, shape {shape} and rate {rate}: the mean must be finite, kappa and rate at least 0, the shape at least -1"
    )]
    NormalInverseGamma {
        /// The prior mean m₀.
        mean: f64,
        /// The parameter κ₀ of the prior.
        kappa: f64,
        /// The shape a₀ of the prior.
        shape: f64,
        /// The rate b₀ of the prior.
        rate: f64,
    },
    /// The prior degrees of freedom are out of range.
    #[error(
        "variances cannot be shrunk by {0} degrees of freedom: the number must be finite and above 0"
    )]
    Shrinkage(f64),
    /// The known standard deviation is out of range.
    #[error("the standard deviation {0} of a score cannot be known: it must be finite and above 0")]
    StandardDeviation(f64),
    /// The list of known standard deviations is empty.
    #[error("no standard deviation is known: at least one is needed")]
    NoStandardDeviation,
}

impl NormalInverseGamma {
    /// Returns a proper or improper prior: mean m₀ worth κ₀ observations, and variance
    /// InverseGamma(a₀, b₀).
    ///
    /// # Errors
    /// [`PriorError`] unless m₀ is finite, κ₀ ≥ 0, a₀ ≥ −1 and b₀ ≥ 0.
    pub fn new(mean: f64, kappa: f64, shape: f64, rate: f64) -> Result<Self, PriorError> {
        let finite = mean.is_finite() && kappa.is_finite() && shape.is_finite() && rate.is_finite();
        if finite && kappa >= 0.0 && shape >= -1.0 && rate >= 0.0 {
            Ok(Self {
                mean,
                kappa,
                shape,
                rate,
            })
        } else {
            Err(PriorError::NormalInverseGamma {
                mean,
                kappa,
                shape,
                rate,
            })
        }
    }

    /// Returns FIESTA's prior, flat in mean and standard deviation: t with n − 2 degrees of freedom
    /// and scale √(SS/(n(n − 2))), from n = 3.
    pub fn uniform() -> Self {
        Self {
            mean: 0.0,
            kappa: 0.0,
            shape: -1.0,
            rate: 0.0,
        }
    }

    /// Jeffreys' prior for mean and variance apart, p(μ, σ) ∝ 1/σ: t with n − 1 degrees of freedom
    /// and scale √(SS/(n(n − 1))), from n = 2.
    pub fn jeffreys() -> Self {
        Self {
            shape: -0.5,
            ..Self::uniform()
        }
    }

    /// Returns the distribution of the mean after these scores. `None` if it is not defined yet.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Moments;
    /// use fiesta_posterior::NormalInverseGamma;
    /// let scores: Moments = [1.0, 2.0, 3.0].into_iter().collect();
    /// let mean = NormalInverseGamma::jeffreys().marginal(&scores).unwrap();
    /// assert_eq!(mean.degrees_of_freedom, 2.0);
    /// assert!((mean.scale - (2.0_f64 / 6.0).sqrt()).abs() < 1e-15);
    /// ```
    pub fn marginal(&self, scores: &Moments) -> Option<Marginal> {
        let n = scores.count() as f64;
        let kappa = self.kappa + n;
        let shape = self.shape + n / 2.0;
        let shift = scores.mean() - self.mean;
        let rate = self.rate
            + scores.squares() / 2.0
            + if self.kappa > 0.0 {
                self.kappa * n * shift * shift / (2.0 * kappa)
            } else {
                0.0
            };
        (kappa > 0.0 && shape > 0.0 && rate >= NO_SPREAD).then(|| Marginal {
            location: self.location(scores),
            scale: (rate / (shape * kappa)).sqrt(),
            degrees_of_freedom: 2.0 * shape,
        })
    }

    fn location(&self, scores: &Moments) -> f64 {
        let n = scores.count() as f64;
        if self.kappa > 0.0 {
            (self.kappa * self.mean + n * scores.mean()) / (self.kappa + n)
        } else {
            scores.mean()
        }
    }
}

impl MeanModel for NormalInverseGamma {
    fn least(&self) -> u64 {
        let defined = |n: u64| self.shape + n as f64 / 2.0 > 0.0 && self.kappa + n as f64 > 0.0;
        (0..3).find(|&n| defined(n)).unwrap_or(3)
    }

    fn marginals(&self, scores: &[Moments], marginals: &mut [Option<Marginal>]) {
        for (marginal, scores) in marginals.iter_mut().zip(scores) {
            *marginal = self.marginal(scores);
        }
    }

    fn mean(&self, scores: &Moments) -> f64 {
        self.location(scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: &[f64]) -> Moments {
        values.iter().copied().collect()
    }

    #[test]
    fn uniform_is_fiesta_s_posterior() {
        let data = scores(&[0.5, 0.6, 0.9, 0.4]);
        let marginal = NormalInverseGamma::uniform().marginal(&data).unwrap();
        assert!((marginal.degrees_of_freedom - 2.0).abs() < 1e-15);
        assert!((marginal.location - 0.6).abs() < 1e-15);
        assert!((marginal.scale - (data.squares() / 8.0).sqrt()).abs() < 1e-15);
    }

    /// Tests a proper prior against the definition: the marginal of the mean integrates N(μ;
    /// …)·IG(σ²; …) over the variance.
    #[test]
    fn a_proper_prior_agrees_with_integration_over_the_variance() {
        let prior = NormalInverseGamma::new(0.3, 2.0, 1.5, 0.02).unwrap();
        let data = [0.5, 0.6, 0.9, 0.4];
        let marginal = prior.marginal(&scores(&data)).unwrap();
        // p(μ | data) ∝ ∫ N(μ; m0, v/κ0) IG(v; a0, b0) Π N(x; μ, v) dv, on a grid of log v.
        let unnormalised = |mu: f64| -> f64 {
            (0..20_000)
                .map(|i| {
                    let v = (-12.0 + 16.0 * f64::from(i) / 20_000.0_f64).exp();
                    let squares: f64 = data.iter().map(|x| (x - mu) * (x - mu)).sum();
                    let prior_square = 2.0 * (mu - 0.3) * (mu - 0.3);
                    let exponent = -(squares + prior_square) / (2.0 * v) - 0.02 / v;
                    // v^{-(a0+1)} · v^{-5/2} · dv, dv = v d(log v)
                    (exponent - (1.5 + 1.0 + 2.5 - 1.0) * v.ln()).exp()
                })
                .sum()
        };
        let t = |mu: f64| {
            let z = (mu - marginal.location) / marginal.scale;
            let df = marginal.degrees_of_freedom;
            (1.0 + z * z / df).powf(-(df + 1.0) / 2.0)
        };
        for mu in [0.2, 0.5, 0.7, 1.1] {
            let ratio = unnormalised(mu) / unnormalised(0.6);
            assert!((ratio - t(mu) / t(0.6)).abs() < 1e-6, "at {mu}");
        }
    }

    #[test]
    fn equal_scores_have_no_distribution() {
        let prior = NormalInverseGamma::uniform();
        assert_eq!(prior.least(), 3);
        assert_eq!(NormalInverseGamma::jeffreys().least(), 2);
        let mut data = scores(&[0.5; 3]);
        assert_eq!(prior.marginal(&data), None);
        data.push(0.6);
        assert!(prior.marginal(&data).is_some());
    }

    #[test]
    fn refuses_what_is_no_prior() {
        assert!(NormalInverseGamma::new(0.0, -1.0, 1.0, 1.0).is_err());
        assert!(NormalInverseGamma::new(f64::NAN, 1.0, 1.0, 1.0).is_err());
        assert!(NormalInverseGamma::new(0.0, 1.0, -2.0, 1.0).is_err());
    }
}
