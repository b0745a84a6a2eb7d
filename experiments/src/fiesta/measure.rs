//! Runs of the FIESTA paper's experiments, and their measurements.

use super::{
    Arguments, Source,
    published::{AtConfidence, Example, Method, Round, Share, Synthetic},
};
use crate::{Failure, makers};
use fiesta_core::{
    Arms, Ask, Design, Event, Observe, Outcome, Policy, Selector, StoppingRule, Streams,
};
use fiesta_policies::{
    Parameters, SequentialHalving, TopTwo,
    simulate::{Durations, Gaussian, MakeRule, Problem, Simulation, SimulationSummary},
    stopping::{LevelError, Never, PosteriorThreshold},
};
use fiesta_posterior::GaussianArms;
use serde::Serialize;
use std::collections::BTreeSet;

#[derive(Serialize)]
pub(super) struct Halving {
    pub(super) rounds: Vec<Round>,
    pub(super) output: String,
}

#[derive(Serialize)]
pub(super) struct UntilConfidence {
    pub(super) models: &'static str,
    pub(super) table: String,
    pub(super) method: String,
    #[serde(flatten)]
    pub(super) at: AtConfidence,
    pub(super) measured: SimulationSummary,
    /// Ratio of the measured mean to the published mean.
    pub(super) ratio: f64,
}

#[derive(Serialize)]
pub(super) struct OneRun {
    pub(super) published: f64,
    pub(super) measured: SimulationSummary,
    pub(super) trace: Vec<Step>,
}

#[derive(Serialize)]
pub(super) struct WithinBudget {
    pub(super) models: &'static str,
    pub(super) policy: &'static str,
    pub(super) budget: u64,
    pub(super) published: Option<f64>,
    pub(super) independent: Option<f64>,
    pub(super) measured: SimulationSummary,
}

/// State of a run after one of its evaluations.
#[derive(Serialize)]
pub(super) struct Step {
    pub(super) evaluations: u64,
    /// P(best) of each arm; empty before it is known.
    pub(super) belief: Vec<f64>,
    /// The evaluations of each arm.
    pub(super) counts: Vec<u64>,
}

/// Returns the paper's posterior, flat in mean and standard deviation.
fn posterior(arms: usize) -> Box<dyn Observe<f64>> {
    Box::new(GaussianArms::uniform(arms))
}

/// Simulates runs that draw every score anew and end at a confidence; hardly any meets the cap.
fn simulation<'a>(arguments: &Arguments, problem: &'a dyn Problem) -> Simulation<'a> {
    Simulation::new(problem, arguments.runs)
        .seed(arguments.seed)
        .design(Design::Independent)
        .cap(1000 * problem.arms().len() as u64)
}

fn rules(levels: impl Iterator<Item = f64>) -> Result<Vec<MakeRule<'static>>, LevelError> {
    let rule = |level| PosteriorThreshold::at_once(level).map(makers::rule);
    levels.map(rule).collect()
}

/// Measures the evaluations until each confidence. One run serves all of them, since no policy knows the rule.
pub(super) fn until_confidence(
    arguments: &Arguments,
    source: &Source,
    methods: &[Method],
) -> Result<Vec<UntilConfidence>, Failure> {
    let mut rows = Vec::new();
    for method in methods {
        let parameters = Parameters {
            batch: method.batch,
            ..Parameters::of(source.eight.arms().len())
        };
        let policy = makers::policy(&method.policy, parameters)?;
        let summaries = simulation(arguments, &*source.eight)
            .workers(method.batch as usize, Durations::Constant)
            .confidence(
                posterior,
                policy,
                &rules(method.rows.iter().map(|at| at.confidence))?,
            )?;
        for (at, measured) in method.rows.iter().zip(summaries) {
            rows.push(UntilConfidence {
                models: source.name,
                table: method.table.clone(),
                method: method.name.clone(),
                at: at.clone(),
                ratio: measured.mean / at.published.mean,
                measured,
            });
        }
    }
    Ok(rows)
}

/// Returns how often each policy finds the best model within budgets from 48 evaluations on, the
/// least that sequential halving takes, in rounds over the 12 models.
pub(super) fn within_budget(
    arguments: &Arguments,
    source: &Source,
    shares: &[Share],
) -> Result<Vec<WithinBudget>, Failure> {
    let mut rows = Vec::new();
    for policy in ["sequential-halving", "uniform"] {
        for budget in (48..=228).step_by(12) {
            let parameters = Parameters {
                budget: Some(budget),
                ..Parameters::of(source.all.arms().len())
            };
            let make = makers::policy(policy, parameters)?;
            let simulation = simulation(arguments, &*source.all);
            let mut shares = shares.iter();
            let share = shares.find(|share| share.policy == policy && share.budget == budget);
            rows.push(WithinBudget {
                models: source.name,
                policy,
                budget,
                published: share.map(|share| share.published),
                independent: share.map(|share| share.independent),
                measured: simulation.budget(posterior, make, budget)?,
            });
        }
    }
    Ok(rows)
}

/// Returns how long runs on the synthetic models are, and the steps of the first run.
pub(super) fn one_run(arguments: &Arguments, published: &Synthetic) -> Result<OneRun, Failure> {
    let problem = Gaussian::new(published.means.iter().map(|&mean| (mean, published.sd)))?;
    let policy = || -> Box<dyn Policy> { Box::new(TopTwo::thompson()) };
    let rules = rules([published.confidence].into_iter())?;
    let mut summaries = simulation(arguments, &problem).confidence(posterior, policy, &rules)?;
    let rule = PosteriorThreshold::at_once(published.confidence)?;
    let (steps, _) = trace(&problem, policy(), rule, arguments.seed)?;
    let believed = steps.into_iter().filter(|step| !step.belief.is_empty());
    Ok(OneRun {
        published: published.evaluations,
        measured: summaries.remove(0),
        trace: believed.collect(),
    })
}

/// Runs sequential halving on models of which the example's output and runner-up are the best two.
pub(super) fn halving(example: &Example, seed: u64) -> Result<Halving, Failure> {
    let last = example.rounds.last().map(|round| &round.candidates);
    let mean = |model: &String| match last {
        _ if *model == example.output => 0.9,
        Some(last) if last.contains(model) => 0.8,
        _ => 0.6,
    };
    let problem = Gaussian::new(example.models.iter().map(|model| (mean(model), 1e-3)))?;
    let policy = SequentialHalving::new(example.models.len(), example.budget)?;
    let (steps, output) = trace(&problem, Box::new(policy), Never, seed)?;
    let name = |arm: usize| example.models[arm].clone();
    // An arm's evaluations say with which round it was dropped.
    let counts = steps.last().map_or(&[][..], |step| &step.counts[..]);
    let ends: BTreeSet<u64> = counts.iter().copied().collect();
    let begins = [0].into_iter().chain(ends.iter().copied());
    let round = |(begin, end): (u64, &u64)| Round {
        candidates: (0..counts.len())
            .filter(|&arm| counts[arm] >= *end)
            .map(name)
            .collect(),
        evaluations_each: end - begin,
    };
    Ok(Halving {
        rounds: begins.zip(&ends).map(round).collect(),
        output: name(output),
    })
}

/// Returns the first of the runs that a simulation with this seed makes, and the arm that it names.
fn trace(
    problem: &dyn Problem,
    policy: Box<dyn Policy>,
    rule: impl StoppingRule + 'static,
    seed: u64,
) -> Result<(Vec<Step>, usize), Failure> {
    let streams = Streams::new(seed);
    let arms: &Arms = problem.arms();
    let mut scores = problem.observations(Design::Independent, &streams, 0);
    let mut selector = Selector::builder(arms.clone(), posterior(arms.len()), policy, rule)
        .design(Design::Independent)
        .seed(streams.run_seed(0))
        .build()?;
    let mut steps = Vec::new();
    loop {
        let evaluation = match selector.ask()? {
            Ask::Evaluate(evaluation) => evaluation,
            Ask::Finished(conclusion) => return Ok((steps, conclusion.arm.index())),
            Ask::Wait => unreachable!("with one worker nothing is ever waited for"),
        };
        let score = scores.observe(evaluation.arm, evaluation.case);
        selector.tell(Event::Ended {
            id: evaluation.id,
            outcome: Outcome::Observed(score),
            cost: 1.0,
        })?;
        let view = selector.view();
        let belief = view.belief();
        steps.push(Step {
            evaluations: view.total_ended(),
            belief: belief.map_or_else(Vec::new, |belief| belief.probability.clone()),
            counts: arms.ids().map(|arm| view.observed(arm)).collect(),
        });
    }
}
