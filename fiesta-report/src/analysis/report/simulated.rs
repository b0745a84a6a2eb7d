//! Share of replays of the scores in which a budget finds the best arm, under three policies.

use crate::{
    analysis::{
        AnalysisError, ScoresOfArms,
        simulation::{Goal, Goals, SimulationOptions, SimulationReport, of_scores},
    },
    figure::SuccessPoint,
    summary::wilson,
};
use fiesta_core::Design;
use fiesta_policies::{
    simulate::{Durations, RecordedError},
    stopping::{Distance, TIE},
};

/// The policies that are compared: the plain one, the one for a budget, the adaptive one.
const POLICIES: [&str; 3] = ["uniform", "sequential-halving", "ttts"];
/// Posterior of the adaptive policy; another would take much longer and draws little else.
pub(super) const POSTERIOR: &str = "pooled";
/// Evaluations per arm for which success is simulated.
const PER_ARM: [u64; 6] = [4, 6, 9, 14, 22, 34];

/// The share of runs that named the best arm, of each policy at each budget, and how splits were
/// handed out.
pub(super) struct Simulated {
    pub(super) policies: Vec<(&'static str, Vec<SuccessPoint>)>,
    pub(super) runs: u64,
    pub(super) design: Design,
}

pub(super) fn simulate(
    scores: &ScoresOfArms<'_>,
    runs: u64,
    seed: u64,
) -> Result<Simulated, AnalysisError> {
    let mut design = Design::Shared;
    let mut policies = Vec::new();
    for policy in POLICIES {
        let report = match replay(scores, design, policy, runs, seed) {
            Err(AnalysisError::Recorded(RecordedError::NoSplits | RecordedError::Hole { .. })) => {
                design = Design::Independent;
                replay(scores, design, policy, runs, seed)?
            }
            report => report?,
        };
        policies.push((policy, points(&report)));
    }
    Ok(Simulated {
        policies,
        runs,
        design,
    })
}

fn replay(
    scores: &ScoresOfArms,
    design: Design,
    policy: &str,
    runs: u64,
    seed: u64,
) -> Result<SimulationReport, AnalysisError> {
    let arms = scores.arms.len() as u64;
    let options = SimulationOptions {
        policy: policy.to_owned(),
        stopping: "posterior".to_owned(),
        tolerance: Distance::ZERO,
        tie: TIE,
        strict: false,
        bounds: None,
        rare_failures: None,
        repeats: false,
        items: None,
        goals: Goals::Budget(PER_ARM.map(|per_arm| per_arm * arms).to_vec()),
        runs,
        seed,
        workers: 1,
        durations: Durations::default(),
        cap: None,
        beta: None,
        tie_break: None,
        extended: false,
    };
    of_scores(scores, design, POSTERIOR, &options)
}

fn points(report: &SimulationReport) -> Vec<SuccessPoint> {
    let points = report.results.iter().filter_map(|result| {
        let Goal::Budget(budget) = result.goal else {
            return None;
        };
        let interval = wilson(result.correct, report.setup.runs as f64);
        Some(SuccessPoint {
            budget: budget as f64,
            share: result.correct,
            lower: interval.lower,
            upper: interval.upper,
        })
    });
    points.collect()
}
