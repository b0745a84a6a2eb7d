//! Posterior of normal scores with known variances.

use crate::{MeanModel, PriorError};
use fiesta_core::{Marginal, Moments};

/// Normal scores with known standard deviations and a flat prior of the means: after n scores with
/// mean m, an arm's mean is normal around m with standard deviation σ/√n, from n = 1.
///
/// For simulations, in which the truth is known, and for instruments whose error is stated. A
/// standard deviation that was estimated from few scores is not known: then use a model that learns
/// it, such as [`Pooled`](crate::Pooled).
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Posterior, Case, Observe};
/// use fiesta_posterior::{GaussianArms, KnownVariance};
///
/// let mut posterior = GaussianArms::new(KnownVariance::new([0.1])?, 2);
/// for (split, score) in [(0, 0.62), (1, 0.66), (2, 0.61), (3, 0.67)] {
///     posterior.observe(ArmId::new(1), Case { split, seed: 0 }, score)?;
/// }
/// let mean = posterior.marginal(ArmId::new(1)).unwrap();
/// assert!((mean.location - 0.64).abs() < 1e-15 && (mean.scale - 0.05).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KnownVariance {
    /// Standard deviations of the scores; never empty.
    sds: Vec<f64>,
}

impl KnownVariance {
    /// Returns the model in which a score of each arm has this standard deviation, in the order of
    /// the arms. The last one holds for all further arms.
    ///
    /// # Errors
    /// [`PriorError`] if there is none, or one is not finite and above 0.
    pub fn new(sds: impl IntoIterator<Item = f64>) -> Result<Self, PriorError> {
        let sds: Vec<f64> = sds.into_iter().collect();
        if sds.is_empty() {
            return Err(PriorError::NoStandardDeviation);
        }
        // What is not above 0 has no posterior, and neither has what underflows when squared.
        match sds
            .iter()
            .find(|&&sd| !(sd > 0.0 && sd.is_finite() && sd * sd >= f64::MIN_POSITIVE))
        {
            Some(&improper) => Err(PriorError::StandardDeviation(improper)),
            None => Ok(Self { sds }),
        }
    }

    /// Returns the standard deviation of a score of the arm at this place.
    pub fn sd(&self, place: usize) -> f64 {
        self.sds[place.min(self.sds.len() - 1)]
    }
}

impl MeanModel for KnownVariance {
    fn least(&self) -> u64 {
        1
    }

    fn marginals(&self, scores: &[Moments], marginals: &mut [Option<Marginal>]) {
        for (place, (marginal, scores)) in marginals.iter_mut().zip(scores).enumerate() {
            *marginal = (scores.count() > 0).then(|| {
                let scale = self.sd(place) / (scores.count() as f64).sqrt();
                Marginal::normal(scores.mean(), scale)
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
    use crate::GaussianArms;
    use fiesta_core::{ArmId, Case, Observe, Posterior};

    const CASE: Case = Case { split: 0, seed: 0 };

    /// Returns three arms with these standard deviations of a score, and scores whose means are
    /// .62, .66 and .64.
    fn three() -> GaussianArms<KnownVariance> {
        let model = KnownVariance::new([0.1, 0.05, 0.2]).unwrap();
        let mut posterior = GaussianArms::new(model, 3);
        let scores: [&[f64]; 3] = [
            &[0.42, 0.62, 0.82],
            &[0.66, 0.66],
            &[0.54, 0.74, 0.64, 0.64],
        ];
        for (arm, scores) in ArmId::all(3).zip(scores) {
            for &score in scores {
                posterior.observe(arm, CASE, score).unwrap();
            }
        }
        posterior
    }

    /// Tests P(best) against SciPy 1.17: `quad` of the normal density of one mean times the
    /// distribution functions of the others.
    #[test]
    fn belief_by_reference() {
        let arms: Vec<ArmId> = ArmId::all(3).collect();
        let belief = three().belief(&arms);
        let expected = [0.178_249_646_89, 0.438_543_877_24, 0.383_206_475_87];
        for (p, expected) in belief.probability.iter().zip(expected) {
            assert!((p - expected).abs() < 1e-9, "{p} for {expected}");
        }
    }

    /// Tests that the difference of two normal means is normal, however the scores are spread.
    #[test]
    fn differences_are_normal() {
        let difference = three().difference(ArmId::new(1), ArmId::new(0)).unwrap();
        assert!((difference.location - 0.04).abs() < 1e-12);
        let variance: f64 = 0.05 * 0.05 / 2.0 + 0.1 * 0.1 / 3.0;
        assert!((difference.scale - variance.sqrt()).abs() < 1e-15);
        assert_eq!(
            difference.degrees_of_freedom.to_bits(),
            f64::INFINITY.to_bits()
        );
    }

    /// Tests that equal scores do not make an arm sure, and that an arm without scores says
    /// nothing.
    #[test]
    fn one_score_suffices() {
        let mut posterior = GaussianArms::new(KnownVariance::new([0.3]).unwrap(), 2);
        let arm = ArmId::new(1);
        assert_eq!(posterior.required(arm), 1);
        assert_eq!(posterior.marginal(arm), None);
        posterior.observe(arm, CASE, 0.5).unwrap();
        let marginal = posterior.marginal(arm).unwrap();
        assert!((marginal.scale - 0.3).abs() < 1e-15, "{marginal:?}");
        assert_eq!(posterior.required(arm), 1);
    }

    /// Tests that draws have the moments that the posterior states.
    #[test]
    fn draws_are_normal() {
        use rand::{SeedableRng, rngs::ChaCha8Rng};
        let posterior = three();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut means = [0.0; 3];
        let mut drawn = Moments::default();
        for _ in 0..40_000 {
            posterior.draw(&mut rng, &mut means);
            drawn.push(means[0]);
        }
        let sd = 0.1 / 3.0_f64.sqrt();
        assert!((drawn.mean() - 0.62).abs() < 4.5 * sd / 200.0);
        let variance = drawn.squares() / 39_999.0 / (sd * sd);
        assert!((variance - 1.0).abs() < 4.5 * (2.0 / 40_000.0_f64).sqrt());
    }

    #[test]
    fn refuses_what_is_no_standard_deviation() {
        assert_eq!(KnownVariance::new([]), Err(PriorError::NoStandardDeviation));
        for improper in [0.0, -0.1, f64::INFINITY, 1e-200] {
            assert_eq!(
                KnownVariance::new([0.1, improper]),
                Err(PriorError::StandardDeviation(improper))
            );
        }
        assert!(KnownVariance::new([f64::NAN]).is_err());
    }
}
