//! Tests that the results of simulations do not depend on how they are run. (Tests against
//! independent ones: `tests/reproduction.rs` of the root package.)

use fiesta_core::{Design, Observe, Policy, StoppingRule};
use fiesta_policies::{
    Batched, SequentialHalving, Thompson, TopTwo, Uniform,
    simulate::{Durations, Gaussian, MakeRule, Problem, Recorded, Simulation, SimulationSummary},
    stopping::PosteriorThreshold,
};
use fiesta_posterior::GaussianArms;

fn pooled(arms: usize) -> Box<dyn Observe<f64>> {
    Box::new(GaussianArms::pooled(arms))
}

fn ttts() -> Box<dyn Policy> {
    Box::new(TopTwo::thompson())
}

fn thompson() -> Box<dyn Policy> {
    Box::new(Thompson::default())
}

fn uniform() -> Box<dyn Policy> {
    Box::new(Uniform)
}

fn rules<'a>(levels: &[f64]) -> Vec<MakeRule<'a>> {
    let rule = |&level: &f64| -> MakeRule<'a> {
        Box::new(move || {
            Box::new(PosteriorThreshold::at_once(level).unwrap()) as Box<dyn StoppingRule>
        })
    };
    levels.iter().map(rule).collect()
}

/// Returns a problem of three arms at distances of a standard deviation.
fn three() -> Gaussian {
    Gaussian::new([(0.5, 0.1), (0.6, 0.1), (0.4, 0.1)]).unwrap()
}

/// Simulates top-two runs on a problem under the pooled posterior, stopped at these levels.
fn stopped_at(simulation: &Simulation<'_>, levels: &[f64]) -> Vec<SimulationSummary> {
    simulation.confidence(pooled, ttts, &rules(levels)).unwrap()
}

mod costs;
mod durations;
mod hanging;
mod recorded;
mod recorded_items;
mod reproducibility;
mod results;
mod synthetic;
