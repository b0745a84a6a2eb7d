//! Runs of a policy until each goal.

use super::{
    Cost, Evaluations, Goal, GoalResult, Goals, SimulationOptions, SimulationReport,
    SimulationSetup,
};
use crate::analysis::AnalysisError;
use fiesta_core::{Design, Observe, StoppingRule};
use fiesta_policies::{
    self as policies,
    simulate::{MakePosterior, MakeRule, Problem, Simulation, SimulationSummary},
    stopping::{Shortfall, StoppingError},
};
use fiesta_posterior as posterior;

/// Simulates runs on scores, under the posterior of this name.
pub(super) fn on_scores(
    problem: &dyn Problem,
    design: Design,
    posterior: &str,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    let arms = problem.arms().len();
    posterior::posterior_by_name(posterior, arms)?;
    let make = |arms| checked(posterior, arms);
    let rule = |level| options.rule(level, arms);
    run(problem, design, (posterior, &make), &rule, options)
}

/// Runs the policy until each of the goals.
pub(super) fn run<O: Copy + 'static>(
    problem: &dyn Problem<O>,
    design: Design,
    (name, posterior): (&str, MakePosterior<'_, O>),
    rule: RuleOf<'_, O>,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    // Also with a budget, where no rule stops, its name must be one.
    rule(0.95)?;
    let arms = problem.arms().len();
    let mut simulation = Simulation::new(problem, options.runs)
        .seed(options.seed)
        .design(design)
        .repeats(options.repeats)
        .workers(options.workers as usize, options.durations);
    if let Some(cap) = options.cap {
        simulation = simulation.cap(cap);
    }
    let policy =
        |budget| policies::policy_by_name(options.policy(name), &options.parameters(arms, budget));
    let checked = |budget| policy(budget).expect("the policy was checked");
    let mut by_goal: Vec<(Goal, SimulationSummary)> = Vec::new();
    let (mut goals, mut rules): (Vec<Goal>, Vec<MakeRule<'_, O>>) = (Vec::new(), Vec::new());
    match &options.goals {
        Goals::Confidence(levels) => {
            for &level in levels {
                rule(level)?;
                goals.push(Goal::Confidence(level));
                rules.push(Box::new(move || rule(level).expect("the rule was checked")));
            }
        }
        Goals::Shortfall(bounds) => {
            for &bound in bounds {
                let rule = Shortfall::new(bound).map_err(StoppingError::from)?;
                goals.push(Goal::Shortfall(bound));
                rules.push(Box::new(move || Box::new(rule)));
            }
        }
        Goals::Budget(budgets) => {
            for &budget in budgets {
                policy(Some(budget))?;
                let make = || checked(Some(budget));
                let summary = simulation.budget(posterior, make, budget)?;
                by_goal.push((Goal::Budget(budget), summary));
            }
        }
    }
    if !matches!(options.goals, Goals::Budget(_)) {
        policy(None)?;
        let summaries = simulation.confidence(posterior, || checked(None), &rules)?;
        by_goal.extend(goals.into_iter().zip(summaries));
    }
    let best = problem.arms().ids().filter(|&arm| problem.is_best(arm));
    let best: Vec<&str> = best.map(|arm| problem.arms().name(arm)).collect();
    let setup = SimulationSetup {
        policy: options.policy.clone(),
        posterior: name.to_owned(),
        stopping: options.stopping.clone(),
        tolerance: options.tolerance,
        tie: options.tie,
        strict: options.strict,
        bounds: None,
        rare_failures: options.rare_failures,
        splits: design.name(),
        runs: options.runs,
        seed: options.seed,
        best: best.join(", "),
        pairing: None,
        counts: None,
    };
    let of_goal = |(goal, summary): (Goal, SimulationSummary)| GoalResult {
        setup: setup.clone(),
        goal,
        evaluations: Evaluations {
            min: summary.min,
            mean: summary.mean,
            max: summary.max,
            standard_error: summary.standard_error,
        },
        cost: Cost {
            mean: summary.cost,
            standard_error: summary.cost_standard_error,
        },
        time: summary.time,
        correct: summary.correct,
        correct_standard_error: summary.correct_standard_error,
        wrong: summary.wrong,
        tied: summary.tied,
        false_ties: summary.false_ties,
        capped: summary.capped,
        exhausted: summary.exhausted,
    };
    Ok(SimulationReport {
        results: by_goal.into_iter().map(of_goal).collect(),
        setup,
        notes: Vec::new(),
        policy: options.policy(name).to_owned(),
        cap: match options.goals {
            Goals::Confidence(_) | Goals::Shortfall(_) => simulation.gives_up_after(),
            Goals::Budget(_) => None,
        },
    })
}

/// Function that makes the stopping rule of a confidence.
type RuleOf<'a, O> = &'a (dyn Fn(f64) -> Result<Box<dyn StoppingRule<O>>, StoppingError> + Sync);

/// Returns the posterior with a name that was checked.
pub(super) fn checked(name: &str, arms: usize) -> Box<dyn Observe<f64>> {
    posterior::posterior_by_name(name, arms).expect("the posterior's name was checked")
}
