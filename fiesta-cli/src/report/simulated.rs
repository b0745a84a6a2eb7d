//! Shares of replays of the scores in which a budget finds the best arm.

use super::evaluations::Evaluations;
use crate::exit::Failure;
use fiesta::{
    core::{Design, Direction},
    policies::{
        self, Parameters,
        simulate::{Recorded, RecordedError, Simulation},
    },
    posterior,
    report::{
        figure::SuccessPoint,
        summary::{Interval, wilson},
    },
};

/// The policies that are compared: the plain one, the one for a budget, the adaptive one.
const POLICIES: [&str; 3] = ["uniform", "sequential-halving", "ttts"];
/// What believes in the adaptive one; another would take much longer and draws little else.
pub(super) const POSTERIOR: &str = "pooled";
/// Evaluations per arm.
const PER_ARM: [u64; 6] = [4, 6, 9, 14, 22, 34];

/// The share of runs that named the best arm, of each policy at each budget, and how splits were handed out.
pub(super) struct Simulated {
    pub(super) policies: Vec<(&'static str, Vec<SuccessPoint>)>,
    pub(super) runs: u64,
    pub(super) design: Design,
}

pub(super) fn simulate(
    evaluations: &Evaluations,
    direction: Direction,
    runs: u64,
    seed: u64,
) -> Result<Simulated, Failure> {
    let arms = || {
        let scored = evaluations.arms.iter().filter(|arm| !arm.scores.is_empty());
        scored.map(|arm| {
            let scores = arm.scores.iter();
            let scores = scores.map(|&(split, score)| (split, direction.orient(score)));
            (arm.name.clone(), scores.collect::<Vec<_>>())
        })
    };
    let (problem, design) = match Recorded::new(arms(), Design::Shared) {
        Ok(problem) => (problem, Design::Shared),
        Err(RecordedError::NoSplits | RecordedError::Hole { .. }) => (
            Recorded::new(arms(), Design::Independent)?,
            Design::Independent,
        ),
        Err(error) => return Err(error.into()),
    };
    let count = arms().count();
    let make_posterior =
        |arms| posterior::by_name(POSTERIOR, arms).expect("the posterior's name is one");
    let mut found = Vec::new();
    for policy in POLICIES {
        let mut points = Vec::new();
        for per_arm in PER_ARM {
            let budget = per_arm * count as u64;
            let parameters = Parameters {
                arms: count,
                budget: Some(budget),
                batch: 1,
                extended: false,
                beta: None,
                tie_break: None,
            };
            policies::by_name(policy, &parameters)?;
            let make_policy =
                || policies::by_name(policy, &parameters).expect("the policy was checked");
            let summary = Simulation::new(&problem, runs)
                .seed(seed)
                .design(design)
                .budget(make_posterior, make_policy, budget)?;
            let Interval { lower, upper } = wilson(summary.correct, runs as f64);
            points.push(SuccessPoint {
                budget: budget as f64,
                share: summary.correct,
                lower,
                upper,
            });
        }
        found.push((policy, points));
    }
    Ok(Simulated {
        policies: found,
        runs,
        design,
    })
}
