//! Posterior of independent arms with Gaussian scores.

mod known_variance;
mod logit;
mod normal_inverse_gamma;
mod pooled;

pub use known_variance::KnownVariance;
pub use logit::{AtTheBounds, Logit};
pub use normal_inverse_gamma::{NormalInverseGamma, PriorError};
pub use pooled::Pooled;

use crate::{
    best_arm::{among, draw_one, is_proper, of_proper},
    score::check,
};
use fiesta_core::{
    ArmId, Belief, Case, Marginal, Method, Moments, Observe, ObserveError, Posterior,
};
use rand::Rng;

/// Bound below which a sum of squared deviations is rounding, not spread: the scale from it may be 0.
pub(crate) const NO_SPREAD: f64 = 1e-290;

/// How the scores of all arms tell of each arm's mean, given that the means are independent.
pub trait MeanModel: Send + Sync {
    /// Returns how many scores of an arm are needed at least before its mean can have a
    /// distribution.
    fn least(&self) -> u64;

    /// Writes the distribution of every arm's mean, none where it is not defined yet; both slices
    /// have length K.
    fn marginals(&self, scores: &[Moments], marginals: &mut [Option<Marginal>]);

    /// Returns the point estimate of a mean from at least one score.
    fn mean(&self, scores: &Moments) -> f64;
}

/// A posterior of independent arms: the moments of their scores under a [`MeanModel`].
///
/// Cases play no role here: scores on shared splits are treated as if the splits were independent,
/// which wastes what they have in common but is never overconfident about a difference of two
/// positively correlated arms.
#[derive(Debug, Clone)]
pub struct GaussianArms<M> {
    model: M,
    scores: Vec<Moments>,
    marginals: Vec<Option<Marginal>>,
}

impl GaussianArms<NormalInverseGamma> {
    /// Posterior of K arms under FIESTA's prior, flat in mean and standard deviation.
    pub fn uniform(arms: usize) -> Self {
        Self::new(NormalInverseGamma::uniform(), arms)
    }

    /// Returns a posterior of this many arms under Jeffreys' prior.
    pub fn jeffreys(arms: usize) -> Self {
        Self::new(NormalInverseGamma::jeffreys(), arms)
    }
}

impl GaussianArms<Pooled> {
    /// Posterior of K arms whose variances are shrunk towards a common one.
    pub fn pooled(arms: usize) -> Self {
        Self::new(Pooled::default(), arms)
    }
}

impl<M: MeanModel> GaussianArms<M> {
    /// Returns a posterior of this many arms under a model.
    pub fn new(model: M, arms: usize) -> Self {
        let mut posterior = Self {
            model,
            scores: vec![Moments::default(); arms],
            marginals: vec![None; arms],
        };
        posterior.update();
        posterior
    }

    /// Computes all marginals anew. A marginal that is no distribution, as of numbers beyond all
    /// scores, becomes `None`.
    fn update(&mut self) {
        self.model.marginals(&self.scores, &mut self.marginals);
        for marginal in &mut self.marginals {
            *marginal = marginal.filter(is_proper);
        }
    }

    /// Returns the moments of an arm's scores. `None` if there is no such arm.
    pub fn scores(&self, arm: ArmId) -> Option<&Moments> {
        self.scores.get(arm.index())
    }
}

impl<M: MeanModel> Posterior for GaussianArms<M> {
    fn arms(&self) -> usize {
        self.scores.len()
    }

    /// Returns the number of scores that the model needs of an arm, or one more than it has while they do not suffice.
    fn required(&self, arm: ArmId) -> u64 {
        let (count, least) = (self.count(arm), self.model.least());
        if count >= least && self.marginal(arm).is_none() {
            count + 1
        } else {
            least
        }
    }

    fn mean(&self, arm: ArmId) -> Option<f64> {
        let scores = self.scores(arm).filter(|scores| scores.count() > 0);
        scores.map(|scores| self.model.mean(scores))
    }

    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        *self.marginals.get(arm.index())?
    }

    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        for (mean, marginal) in means.iter_mut().zip(&self.marginals) {
            *mean = marginal
                .as_ref()
                .map_or(f64::NEG_INFINITY, |marginal| draw_one(marginal, rng));
        }
    }

    /// Returns P(best) by quadrature, exact to [`TOLERANCE`](crate::best_arm::TOLERANCE).
    fn belief(&self, candidates: &[ArmId]) -> Belief {
        self.belief_with(candidates, |_| 0.0)
    }

    /// Returns P(best) that the arm would have if its mean were larger by the margin.
    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        let shifted = self
            .marginal(arm)
            .map_or(margin, |mean| mean.location + margin);
        if !shifted.is_finite() {
            return f64::from(u8::from(shifted > 0.0));
        }
        let bonus = |candidate| if candidate == arm { margin } else { 0.0 };
        self.belief_with(candidates, bonus).of(arm)
    }

    /// Returns the foreseen variances of differences; each arm's variance shrinks as 1/n.
    fn variances(&self, from: ArmId, extra: &[(ArmId, Case)]) -> Option<Vec<f64>> {
        self.marginal(from)?;
        let of = |arm: ArmId| {
            self.marginal(arm).map_or(f64::INFINITY, |marginal| {
                let known = self.count(arm) as f64;
                let more = extra.iter().filter(|(other, _)| *other == arm).count() as f64;
                marginal.scale * marginal.scale * known / (known + more)
            })
        };
        let own = of(from);
        let mut sums: Vec<f64> = ArmId::all(self.arms()).map(|arm| of(arm) + own).collect();
        sums[from.index()] = 0.0;
        Some(sums)
    }
}

impl<M: MeanModel> GaussianArms<M> {
    fn count(&self, arm: ArmId) -> u64 {
        self.scores(arm).map_or(0, Moments::count)
    }

    /// Returns P(best) that the candidates would have if each mean were larger by its bonus.
    fn belief_with(&self, candidates: &[ArmId], bonus: impl Fn(ArmId) -> f64) -> Belief {
        let known: Vec<(ArmId, Marginal)> = candidates
            .iter()
            .filter_map(|&arm| Some((arm, self.marginal(arm)?.shifted(bonus(arm)))))
            .collect();
        if known.is_empty() {
            return Belief::nothing(self.scores.len(), Method::Quadrature);
        }
        let (arms, marginals): (Vec<ArmId>, Vec<Marginal>) = known.into_iter().unzip();
        among(self.scores.len(), &arms, of_proper(&marginals))
    }
}

impl<M: MeanModel> Observe<f64> for GaussianArms<M> {
    fn observe(&mut self, arm: ArmId, _case: Case, score: f64) -> Result<(), ObserveError> {
        check(score)?;
        self.scores
            .get_mut(arm.index())
            .ok_or(ObserveError::NoSuchArm(arm.index()))?
            .push(score);
        self.update();
        Ok(())
    }
}
