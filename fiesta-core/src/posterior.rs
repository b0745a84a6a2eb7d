//! The traits of posteriors: what every arm's mean performance may be.

use crate::{ArmId, Belief, Case, Marginal};
use rand::Rng;

/// A joint distribution of the arms' mean performances, where larger is always better. Object-safe.
pub trait Posterior: Send {
    /// The number of arms, K.
    fn arms(&self) -> usize;

    /// How many observations of this arm are needed, given those made so far, before [`marginal`] is
    /// defined. It may grow: scores that are all equal say nothing of their spread.
    ///
    /// [`marginal`]: Posterior::marginal
    fn required(&self, arm: ArmId) -> u64;

    /// The point estimate of an arm's mean; none before its first observation.
    fn mean(&self, arm: ArmId) -> Option<f64>;

    /// The distribution of an arm's mean; none with fewer than the required observations.
    fn marginal(&self, arm: ArmId) -> Option<Marginal>;

    /// The distribution of mean(a) − mean(b); none unless both have the required observations.
    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal>;

    /// One joint draw of all means, into a slice of length K; −∞ for arms of which nothing can be said.
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]);

    /// P(best) of each of the `candidates`, all of which have the required observations; 0 for the others.
    fn belief(&self, candidates: &[ArmId]) -> Belief;

    /// P(no candidate's mean exceeds that of `arm` by more than `margin`); with margin 0 its P(best). All
    /// candidates have the required observations.
    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64;

    /// Whether an arm is known well enough to stop on what is believed of it. What a posterior says of an arm may be right on
    /// average and yet too sure where it is looked at again and again from the very beginning.
    fn settled(&self, arm: ArmId) -> bool {
        let _ = arm;
        true
    }

    /// The variance of mean(a) − mean(`from`) for every arm a, as it is foreseen to be once the `extra` evaluations
    /// have been observed as well: what they will show is unknown, how precise it will be is not. ∞ for an arm without
    /// the required observations, none if `from` is without them. A posterior that cannot look ahead ignores `extra`.
    fn variances(&self, from: ArmId, extra: &[(ArmId, Case)]) -> Option<Vec<f64>> {
        let _ = extra;
        self.marginal(from)?;
        let of = |arm| {
            if arm == from {
                return 0.0;
            }
            self.difference(arm, from)
                .map_or(f64::INFINITY, |difference| {
                    difference.scale * difference.scale
                })
        };
        Some(ArmId::all(self.arms()).map(of).collect())
    }
}

/// A posterior that learns from observations of type `O`: scores, or confusion counts.
pub trait Observe<O>: Posterior {
    /// Takes an observation of `arm` on `case` into account.
    ///
    /// # Errors
    /// [`ObserveError`] if the observation cannot be one; the posterior is then unchanged.
    fn observe(&mut self, arm: ArmId, case: Case, observation: O) -> Result<(), ObserveError>;
}

/// Why an observation was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObserveError {
    /// The score is NaN or infinite.
    #[error("the score {0} is not a finite number")]
    NotFinite(f64),
    /// The score lies outside what this posterior can take.
    #[error("the score {score} is refused: {reason}")]
    OutOfDomain {
        /// The refused score.
        score: f64,
        /// What the posterior takes, and what to do.
        reason: String,
    },
    /// The observation is of another kind than this posterior learns from.
    #[error("{found} were observed where this posterior learns from {expected}")]
    Kind {
        /// What the posterior takes.
        expected: &'static str,
        /// What was observed.
        found: &'static str,
    },
    /// The counts of a document are out of range.
    #[error("the count {0} is refused: the largest that is taken is {max}", max = crate::Counts::LARGEST)]
    TooManyCounts(u64),
    /// There is no such arm.
    #[error("there is no arm number {0}")]
    NoSuchArm(usize),
}

impl<T: Posterior + ?Sized> Posterior for Box<T> {
    fn arms(&self) -> usize {
        (**self).arms()
    }
    fn required(&self, arm: ArmId) -> u64 {
        (**self).required(arm)
    }
    fn mean(&self, arm: ArmId) -> Option<f64> {
        (**self).mean(arm)
    }
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        (**self).marginal(arm)
    }
    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        (**self).difference(a, b)
    }
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        (**self).draw(rng, means);
    }
    fn belief(&self, candidates: &[ArmId]) -> Belief {
        (**self).belief(candidates)
    }
    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        (**self).within(arm, margin, candidates)
    }
    fn settled(&self, arm: ArmId) -> bool {
        (**self).settled(arm)
    }
    fn variances(&self, from: ArmId, extra: &[(ArmId, Case)]) -> Option<Vec<f64>> {
        (**self).variances(from, extra)
    }
}

impl<O, T: Observe<O> + ?Sized> Observe<O> for Box<T> {
    fn observe(&mut self, arm: ArmId, case: Case, observation: O) -> Result<(), ObserveError> {
        (**self).observe(arm, case, observation)
    }
}
