//! One run, step by step.

use super::Failure;
use fiesta::{
    core::{Ask, Design, Event, Observe, Outcome, Policy, Selector, StoppingRule, Streams},
    policies::simulate::Problem,
};

/// After so many evaluations.
pub(super) struct Step {
    pub(super) evaluations: u64,
    /// P(best) of each arm.
    pub(super) belief: Vec<f64>,
    /// The evaluations of each arm.
    pub(super) counts: Vec<u64>,
}

/// The first of the runs that a simulation with this seed makes, from the first belief to the stop.
pub(super) fn trace(
    problem: &dyn Problem,
    posterior: Box<dyn Observe<f64>>,
    policy: Box<dyn Policy>,
    rule: impl StoppingRule + 'static,
    seed: u64,
) -> Result<Vec<Step>, Failure> {
    let streams = Streams::new(seed);
    let mut scores = problem.observations(Design::Independent, &streams, 0);
    let mut selector = Selector::builder(problem.arms().clone(), posterior, policy, rule)
        .design(Design::Independent)
        .seed(streams.run_seed(0))
        .build()?;
    let mut steps = Vec::new();
    // With one worker nothing is ever waited for.
    while let Ask::Evaluate(evaluation) = selector.ask()? {
        let score = scores.observe(evaluation.arm, evaluation.case);
        selector.tell(Event::Ended {
            id: evaluation.id,
            outcome: Outcome::Observed(score),
            cost: 1.0,
        })?;
        let view = selector.view();
        if let Some(belief) = view.belief() {
            steps.push(Step {
                evaluations: view.total_ended(),
                belief: belief.probability.clone(),
                counts: problem.arms().ids().map(|arm| view.observed(arm)).collect(),
            });
        }
    }
    Ok(steps)
}
