//! Arms of the benches, whose scores are the same in every run, and a study of them under way.
//!
//! The arms resemble a real comparison: means between .60 and .65, however many they are, and
//! scores with a standard deviation of .02, ten of each arm when a measurement begins.

pub mod pool;

use criterion::Criterion;
use fiesta_core::{
    ArmId, Arms, Ask, Case, Evaluation, EvaluationId, Event, Marginal, Observe, Outcome, Policy,
    Selector, StoppingRule, Streams,
};
use rand_distr::{Distribution, StandardNormal};
use std::time::Duration;

/// The standard deviation of a score.
pub const DEVIATION: f64 = 0.02;
/// Number of scores of each arm when a measurement begins.
pub const ROUNDS: u64 = 10;
/// Number of different deviations of scores from their mean, after which they repeat.
const NOISES: usize = 4096;

/// Returns Criterion with short measurements, so that all benches together take a few minutes.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(50)
        .nresamples(20_000)
        .without_plots()
}

/// How many samples to take of a kernel over `arms` arms: fewer where one iteration takes
/// milliseconds.
pub fn samples(arms: usize) -> usize {
    if arms < 100 { 50 } else { 20 }
}

/// Returns the means of K arms, spread evenly but in no order: .60 + .05·frac(i·φ).
pub fn means(arms: usize) -> impl Iterator<Item = f64> {
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    (0..arms).map(move |i| 0.60 + 0.05 * (i as f64 * golden).fract())
}

/// Marginals of K arms' means after ten scores each under the uniform prior: 8 degrees of freedom,
/// and scales that differ by up to a factor of 2.
pub fn marginals(arms: usize) -> Vec<Marginal> {
    let scale = DEVIATION / (ROUNDS as f64).sqrt();
    let unevenness = |i: usize| 0.7 + 0.7 * (i as f64 * std::f64::consts::SQRT_2).fract();
    means(arms)
        .enumerate()
        .map(|(i, location)| Marginal {
            location,
            scale: scale * unevenness(i),
            degrees_of_freedom: 8.0,
        })
        .collect()
}

/// A selection and its workers, which answer at once from a fixed table.
pub struct Study {
    selector: Selector,
    ask: Ask,
    means: Vec<f64>,
    noise: Vec<f64>,
}

impl Study {
    /// A study of K arms that have `rounds` scores each already.
    ///
    /// # Panics
    /// If there are fewer than two arms, or the posterior was made for another number.
    pub fn new(
        arms: usize,
        rounds: u64,
        posterior: impl Observe<f64> + 'static,
        policy: impl Policy + 'static,
        stopping: impl StoppingRule + 'static,
    ) -> Self {
        let names =
            Arms::new((0..arms).map(|i| format!("arm{i}"))).expect("there are two arms or more");
        let builder = Selector::builder(names, posterior, policy, stopping).seed(1);
        let normal = StandardNormal.sample_iter(Streams::new(1).run(0));
        let mut study = Self {
            selector: builder.build().expect("the posterior has as many arms"),
            ask: Ask::Wait,
            means: means(arms).collect(),
            noise: normal.take(NOISES).collect(),
        };
        let cases = (0..rounds).flat_map(|split| ArmId::all(arms).map(move |arm| (split, arm)));
        for (id, (split, arm)) in (0..).zip(cases) {
            let case = Case { split, seed: 0 };
            let evaluation = Evaluation {
                id: EvaluationId(id),
                arm,
                case,
            };
            study.selector.accept(&Ask::Evaluate(evaluation));
            study.tell(&evaluation);
        }
        study.ask();
        study
    }

    /// Returns the selector's last answer: an evaluation, waiting or the end.
    pub fn asked(&self) -> &Ask {
        &self.ask
    }

    /// The outcome of an evaluation, at a cost of 1.
    pub fn outcome(&self, evaluation: &Evaluation) -> Event {
        let arm = evaluation.arm.index();
        let place = arm * 1021 + usize::try_from(evaluation.case.split).unwrap_or(0);
        Event::Ended {
            id: evaluation.id,
            outcome: Outcome::Observed(self.means[arm] + DEVIATION * self.noise[place % NOISES]),
            cost: 1.0,
        }
    }

    /// Tells the score that was asked for and asks again; false once the selection has ended.
    pub fn step(&mut self) -> bool {
        let Ask::Evaluate(evaluation) = self.ask else {
            return false;
        };
        self.tell(&evaluation);
        self.ask();
        true
    }

    fn tell(&mut self, evaluation: &Evaluation) {
        let outcome = self.outcome(evaluation);
        self.selector
            .tell(outcome)
            .expect("the evaluation is pending and its score a number");
    }

    fn ask(&mut self) {
        self.ask = self
            .selector
            .ask()
            .expect("the policy chooses among the arms");
    }
}
