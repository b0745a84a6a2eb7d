//! Workers on a virtual clock.

use super::Scores;
use fiesta_core::{Evaluation, EvaluationId, Event, Outcome, Selector, SelectorError, Workers};
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, Exp1};
use std::str::FromStr;

/// How long simulated evaluations take, in mean evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Durations {
    /// All equally long: what starts together ends together.
    #[default]
    Constant,
    /// Exponentially distributed: evaluations end one by one, out of order.
    Exponential,
}

/// A name that is no kind of durations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no kind of durations: use constant or exponential")]
pub struct UnknownDurations(String);

impl FromStr for Durations {
    type Err = UnknownDurations;

    fn from_str(name: &str) -> Result<Self, UnknownDurations> {
        match name {
            "constant" => Ok(Self::Constant),
            "exponential" => Ok(Self::Exponential),
            other => Err(UnknownDurations(other.to_owned())),
        }
    }
}

pub(super) struct VirtualWorkers<'a> {
    scores: Box<dyn Scores + 'a>,
    slots: usize,
    durations: Durations,
    rng: ChaCha8Rng,
    now: f64,
    running: Vec<Job>,
}

struct Job {
    id: EvaluationId,
    score: f64,
    duration: f64,
    end: f64,
}

impl<'a> VirtualWorkers<'a> {
    pub(super) fn new(
        scores: Box<dyn Scores + 'a>,
        slots: usize,
        durations: Durations,
        rng: ChaCha8Rng,
    ) -> Self {
        Self {
            scores,
            slots,
            durations,
            rng,
            now: 0.0,
            running: Vec::with_capacity(slots),
        }
    }
}

impl Workers<f64> for VirtualWorkers<'_> {
    type Error = SelectorError;

    fn vacancies(&self) -> usize {
        self.slots - self.running.len()
    }

    fn start(&mut self, evaluation: Evaluation) -> Result<(), SelectorError> {
        let duration = match self.durations {
            Durations::Constant => 1.0,
            Durations::Exponential => Exp1.sample(&mut self.rng),
        };
        self.running.push(Job {
            id: evaluation.id,
            score: self.scores.score(evaluation.arm, evaluation.case),
            duration,
            end: self.now + duration,
        });
        Ok(())
    }

    /// Everything that ends next, at one instant.
    fn wait(&mut self, _selector: &Selector) -> Result<Vec<Event>, SelectorError> {
        self.now = self
            .running
            .iter()
            .map(|job| job.end)
            .fold(f64::INFINITY, f64::min);
        let now = self.now;
        Ok(self
            .running
            .extract_if(.., |job| job.end <= now)
            .map(|job| Event::Ended {
                id: job.id,
                outcome: Outcome::Observed(job.score),
                cost: job.duration,
            })
            .collect())
    }
}
