//! Best score of each arm, as a random search needs it.

use fiesta_core::{ArmId, Belief, Case, Marginal, Method, Observe, ObserveError, Posterior};
use rand::Rng;

/// Posterior that keeps the best score of every arm, and has no belief.
///
/// The point estimate [`Posterior::mean`] is the best score so far, so that the recommendation of a
/// random search, the arm with the highest point estimate, is the one with the best score: that
/// model exists, and is what a random search was run for. No number of scores suffices for a belief
/// ([`Posterior::required`]). P(best) is about means over all that is drawn, of which a search
/// tells little and nobody asks; which arm has the higher expected best of n trials is another
/// question.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    best: Vec<Option<f64>>,
}

impl Best {
    /// Creates the posterior of `arms` arms without any score.
    pub fn new(arms: usize) -> Self {
        Self {
            best: vec![None; arms],
        }
    }
}

impl Posterior for Best {
    fn arms(&self) -> usize {
        self.best.len()
    }

    fn required(&self, _arm: ArmId) -> u64 {
        u64::MAX
    }

    fn mean(&self, arm: ArmId) -> Option<f64> {
        *self.best.get(arm.index())?
    }

    fn marginal(&self, _arm: ArmId) -> Option<Marginal> {
        None
    }

    fn draw(&self, _rng: &mut dyn Rng, means: &mut [f64]) {
        means.fill(f64::NEG_INFINITY);
    }

    /// Returns a belief that nobody asks for, as no arm ever has what is
    /// [`required`](Posterior::required): every candidate alike.
    fn belief(&self, candidates: &[ArmId]) -> Belief {
        let mut belief = Belief::nothing(self.best.len(), Method::MonteCarlo);
        for arm in candidates {
            if let Some(probability) = belief.probability.get_mut(arm.index()) {
                *probability = 1.0 / candidates.len() as f64;
            }
        }
        belief
    }

    fn within(&self, _arm: ArmId, _margin: f64, _candidates: &[ArmId]) -> f64 {
        0.0
    }
}

impl Observe<f64> for Best {
    fn observe(&mut self, arm: ArmId, _case: Case, score: f64) -> Result<(), ObserveError> {
        if !score.is_finite() {
            return Err(ObserveError::NotFinite(score));
        }
        let best = self
            .best
            .get_mut(arm.index())
            .ok_or(ObserveError::NoSuchArm(arm.index()))?;
        *best = Some(best.map_or(score, |best| best.max(score)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_best_and_refuses_what_is_no_score() {
        let mut best = Best::new(2);
        let (arm, case) = (ArmId::new(1), Case { split: 0, seed: 0 });
        assert_eq!(best.mean(arm), None);
        for score in [-3.0, -1.0, -2.0] {
            best.observe(arm, case, score).unwrap();
        }
        assert_eq!(best.mean(arm), Some(-1.0));
        assert_eq!(best.mean(ArmId::new(0)), None);
        let refused = best.observe(arm, case, f64::NAN);
        assert!(matches!(refused, Err(ObserveError::NotFinite(_))));
        let nobody = best.observe(ArmId::new(2), case, 0.0);
        assert_eq!(nobody, Err(ObserveError::NoSuchArm(2)));
        assert_eq!(best.mean(arm), Some(-1.0));
    }
}
