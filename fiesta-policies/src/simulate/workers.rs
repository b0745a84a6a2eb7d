//! Simulated workers on a virtual clock.

use super::{Observations, Problem};
use fiesta_core::{
    ArmId, Evaluation, EvaluationId, Event, Outcome, Selector, SelectorError, Workers,
};
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, Exp1};
use std::sync::{Arc, Mutex, PoisonError};

/// How long simulated evaluations take, relative to the mean duration of their arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Durations {
    /// Durations are all equal: what starts together ends together.
    #[default]
    Constant,
    /// Durations are exponentially distributed: evaluations end one by one, out of order.
    Exponential,
    /// Durations grow with the score, compared to the others of its arm: e^(z − ½), where z is the
    /// score's [standardised](Problem::standardised) value, at most 3 either way. What has ended
    /// early is worse than what is still running, which deceives a rule that takes the outcomes in
    /// the order in which they come.
    HighLate,
    /// Durations fall with the score, compared to the others of its arm: e^(−z − ½).
    HighEarly,
}

impl Durations {
    fn draw<O: Copy>(
        self,
        problem: &dyn Problem<O>,
        arm: ArmId,
        observation: O,
        rng: &mut ChaCha8Rng,
    ) -> f64 {
        let standardised = || problem.standardised(arm, observation).clamp(-3.0, 3.0);
        let relative = match self {
            Self::Constant => 1.0,
            Self::Exponential => Exp1.sample(rng),
            Self::HighLate => (standardised() - 0.5).exp(),
            Self::HighEarly => (-standardised() - 0.5).exp(),
        };
        relative * problem.mean_duration(arm)
    }
}

fiesta_core::names! {
    Durations {
        Constant = "constant", Exponential = "exponential", HighLate = "high-late",
        HighEarly = "high-early"
    }
    /// The name of a kind of durations is unknown.
    #[error("`{0}` is no kind of durations: use constant, exponential, high-late or high-early")]
    UnknownDurations
}

/// Meter of the cost that a run has spent so far, running evaluations included; shared with the
/// rules that note it.
#[derive(Clone, Default)]
pub(super) struct Meter(Arc<Mutex<f64>>);

impl Meter {
    fn add(&self, cost: f64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += cost;
    }

    pub(super) fn read(&self) -> f64 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct VirtualWorkers<'a, O> {
    pub(super) problem: &'a dyn Problem<O>,
    pub(super) observations: Box<dyn Observations<O> + 'a>,
    pub(super) slots: usize,
    pub(super) durations: Durations,
    pub(super) rng: ChaCha8Rng,
    pub(super) meter: Meter,
    pub(super) now: f64,
    pub(super) running: Vec<Job<O>>,
}

pub(super) struct Job<O> {
    id: EvaluationId,
    observation: O,
    duration: f64,
    end: f64,
}

impl<O: Copy> Workers<O> for VirtualWorkers<'_, O> {
    type Error = SelectorError;

    fn vacancies(&self) -> usize {
        self.slots - self.running.len()
    }

    fn start(&mut self, evaluation: Evaluation) -> Result<(), SelectorError> {
        let Evaluation { id, arm, case } = evaluation;
        let observation = self.observations.observe(arm, case);
        let duration = self
            .durations
            .draw(self.problem, arm, observation, &mut self.rng);
        self.running.push(Job {
            id,
            observation,
            duration,
            end: self.now + duration,
        });
        Ok(())
    }

    /// Returns the next reading of the clock, followed by all evaluations that end at that instant.
    fn wait(&mut self, _selector: &Selector<O>) -> Result<Vec<Event<O>>, SelectorError> {
        let ends = self.running.iter().map(|job| job.end);
        let now = ends.fold(f64::INFINITY, f64::min);
        self.meter.add((now - self.now) * self.running.len() as f64);
        self.now = now;
        let ended = self
            .running
            .extract_if(.., |job| job.end <= now)
            .map(|job| Event::Ended {
                id: job.id,
                outcome: Outcome::Observed(job.observation),
                cost: job.duration,
            });
        Ok(std::iter::once(Event::Clock(now)).chain(ended).collect())
    }
}
