//! Arms with independent Gaussian scores.

use super::{Observations, Problem, standardise};
use fiesta_core::{ArmId, Arms, ArmsError, Case, Design, Streams, greatest};
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

/// Arms with independent Gaussian scores.
#[derive(Debug, Clone)]
pub struct Gaussian {
    arms: Arms,
    scores: Vec<Normal<f64>>,
    best: f64,
}

/// The error for means and standard deviations that make no problem to simulate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GaussianError {
    /// Fewer than two arms are given.
    #[error(transparent)]
    Arms(#[from] ArmsError),
    /// The mean or standard deviation of an arm is out of range.
    #[error(
        "arm {arm} has mean {mean} and standard deviation {sd}: both must be finite, the latter at least 0"
    )]
    Moments {
        /// The number of the arm, from 1.
        arm: usize,
        /// The refused mean of the arm.
        mean: f64,
        /// The refused standard deviation of the arm.
        sd: f64,
    },
}

impl Gaussian {
    /// Returns a problem of arms with these means and standard deviations.
    ///
    /// # Errors
    /// [`GaussianError`] for fewer than two arms, or a mean or standard deviation that is not
    /// finite.
    pub fn new(moments: impl IntoIterator<Item = (f64, f64)>) -> Result<Self, GaussianError> {
        let moments: Vec<(f64, f64)> = moments.into_iter().collect();
        let arms = Arms::new((1..=moments.len()).map(|i| format!("arm{i}")))?;
        let scores = moments
            .iter()
            .enumerate()
            .map(|(index, &(mean, sd))| {
                let normal = Normal::new(mean, sd).ok();
                normal
                    .filter(|_| mean.is_finite() && sd.is_finite() && sd >= 0.0)
                    .ok_or(GaussianError::Moments {
                        arm: index + 1,
                        mean,
                        sd,
                    })
            })
            .collect::<Result<_, _>>()?;
        let best = greatest(moments.iter().map(|&(mean, _)| mean));
        Ok(Self { arms, scores, best })
    }
}

impl Problem for Gaussian {
    fn arms(&self) -> &Arms {
        &self.arms
    }

    fn shortfall(&self, arm: ArmId) -> f64 {
        self.best - self.scores[arm.index()].mean()
    }

    fn standardised(&self, arm: ArmId, score: f64) -> f64 {
        let scores = &self.scores[arm.index()];
        standardise(score, scores.mean(), scores.std_dev())
    }

    fn observations(
        &self,
        _design: Design,
        streams: &Streams,
        number: u64,
    ) -> Box<dyn Observations + '_> {
        Box::new(GaussianScores {
            scores: &self.scores,
            rng: streams.run(number),
        })
    }
}

struct GaussianScores<'a> {
    scores: &'a [Normal<f64>],
    rng: ChaCha8Rng,
}

impl Observations for GaussianScores<'_> {
    fn observe(&mut self, arm: ArmId, _case: Case) -> f64 {
        self.scores[arm.index()].sample(&mut self.rng)
    }
}
