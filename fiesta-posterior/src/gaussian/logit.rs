//! Posteriors of scores between 0 and 1 on the logit scale.

use fiesta_core::{ArmId, Around, Case, Observe, ObserveError, Posterior};

/// What to do with a score of exactly 0 or 1, whose logit is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum AtTheBounds {
    /// Refuse a score of exactly 0 or 1.
    Refuse,
    /// Move scores to at least half a `unit` from 0 and from 1, where the unit is the smallest step
    /// of the score: 1/N for an accuracy over N items.
    HalfUnit(f64),
}

/// A posterior of logit(score) = ln(score/(1 − score)): for scores near 0 or 1, whose spread
/// shrinks towards the bound and is skewed.
///
/// Means, marginals and draws are on the logit scale, and "best" is the arm with the highest mean
/// logit: for arms of different spread that need not be the one with the highest mean score.
/// Source: FIESTA (Moss et al., ACL 2019), §3.2, suggests the transformation for bounded metrics.
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Posterior, Case, Observe};
/// use fiesta_posterior::{AtTheBounds, GaussianArms, Logit};
/// let mut posterior = Logit::new(GaussianArms::jeffreys(2), AtTheBounds::Refuse);
/// let (arm, case) = (ArmId::new(0), Case { split: 0, seed: 0 });
/// posterior.observe(arm, case, 0.5)?;
/// assert_eq!(posterior.mean(arm), Some(0.0));
/// assert!(posterior.observe(arm, case, 1.0).is_err());
/// # Ok::<(), fiesta_core::ObserveError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Logit<P> {
    inner: P,
    at_the_bounds: AtTheBounds,
}

impl<P> Logit<P> {
    /// Returns the posterior `inner` of logit scores.
    pub fn new(inner: P, at_the_bounds: AtTheBounds) -> Self {
        Self {
            inner,
            at_the_bounds,
        }
    }

    fn logit(&self, score: f64) -> Result<f64, ObserveError> {
        let refuse = |reason: &str| {
            Err(ObserveError::OutOfDomain {
                score,
                reason: reason.to_owned(),
            })
        };
        if !(0.0..=1.0).contains(&score) {
            return refuse("the logit scale takes scores between 0 and 1");
        }
        let score = match self.at_the_bounds {
            AtTheBounds::HalfUnit(unit) if unit > 0.0 && unit < 1.0 => {
                score.clamp(unit / 2.0, 1.0 - unit / 2.0)
            }
            AtTheBounds::HalfUnit(_) => {
                return refuse("the unit of the logit scale must lie between 0 and 1");
            }
            AtTheBounds::Refuse if score > 0.0 && score < 1.0 => score,
            AtTheBounds::Refuse => {
                return refuse(
                    "its logit is infinite; state the score's unit to clip it by half a unit, or use another scale",
                );
            }
        };
        Ok((score / (1.0 - score)).ln())
    }
}

/// Posterior on the logit scale: so are all its means and margins.
impl<P: Posterior> Around for Logit<P> {
    type Inner = P;

    fn inner(&self) -> &P {
        &self.inner
    }
}

impl<P: Observe<f64>> Observe<f64> for Logit<P> {
    fn observe(&mut self, arm: ArmId, case: Case, score: f64) -> Result<(), ObserveError> {
        let logit = self.logit(score)?;
        self.inner.observe(arm, case, logit)
    }

    fn observe_whole_split(
        &mut self,
        evaluations: &mut dyn Iterator<Item = (ArmId, Case, f64)>,
    ) -> Result<(), ObserveError> {
        let logits = evaluations.map(|(arm, case, score)| Ok((arm, case, self.logit(score)?)));
        let logits = logits.collect::<Result<Vec<_>, ObserveError>>()?;
        self.inner.observe_whole_split(&mut logits.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GaussianArms;

    const CASE: Case = Case { split: 0, seed: 0 };

    #[test]
    fn clips_by_half_a_unit() {
        let mut posterior = Logit::new(GaussianArms::jeffreys(2), AtTheBounds::HalfUnit(0.01));
        posterior.observe(ArmId::new(0), CASE, 1.0).unwrap();
        let clipped = posterior.mean(ArmId::new(0)).unwrap();
        assert!((clipped - (0.995_f64 / 0.005).ln()).abs() < 1e-12);
    }

    #[test]
    fn refuses_what_has_no_logit() {
        let mut posterior = Logit::new(GaussianArms::jeffreys(2), AtTheBounds::Refuse);
        for score in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
            assert!(posterior.observe(ArmId::new(0), CASE, score).is_err());
        }
        assert_eq!(posterior.mean(ArmId::new(0)), None);
    }
}
