//! Options of a simulation: its policy, posterior, stopping rule, goals and extent.

use fiesta_core::{Assumption, Design, StoppingRule};
use fiesta_policies::{
    self as policies, Parameters, TieBreakName,
    simulate::Durations,
    stopping::{self, Distance, StoppingError, anytime::doubt},
};

/// The goals until which runs go on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Goals {
    /// Confidences to be reached.
    Confidence(Vec<f64>),
    /// Expected shortfalls to be undercut.
    Shortfall(Vec<Distance>),
    /// Numbers of evaluations to be spent.
    Budget(Vec<u64>),
}

/// A simulation's policy, stopping rule and extent.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationOptions {
    /// The policy's name, or `auto`.
    pub policy: String,
    /// The stopping rule's name.
    pub stopping: String,
    /// How far below the best the recommended arm may be.
    pub tolerance: Distance,
    /// Largest distance below the best arm at which arms are called tied with it.
    pub tie: Distance,
    /// Whether an arm is named only at the probability 1 − δ².
    pub strict: bool,
    /// The least and the greatest possible score, as recorded, for `anytime-bounded`; others count
    /// as the bound.
    pub bounds: Option<(f64, f64)>,
    /// The rate of rare failures that `anytime` waits for.
    pub rare_failures: Option<f64>,
    /// Number of items, in a pool of items.
    pub items: Option<u64>,
    /// Whether answers to the items vary, and are asked again.
    pub repeats: bool,
    /// Goals until which runs go on.
    pub goals: Goals,
    /// Number of runs.
    pub runs: u64,
    /// The seed of all runs.
    pub seed: u64,
    /// Evaluations in flight at once.
    pub workers: u32,
    /// How long evaluations take.
    pub durations: Durations,
    /// The evaluations after which a run is given up.
    pub cap: Option<u64>,
    /// The share of the leader in top-two policies.
    pub beta: Option<f64>,
    /// How top-two policies choose between leader and challenger.
    pub tie_break: Option<TieBreakName>,
    /// Whether sequential halving also spends what its divisions leave over.
    pub extended: bool,
}

impl SimulationOptions {
    /// Returns the policy's name, with `auto` replaced by the policy that it stands for beside this posterior.
    pub fn policy(&self, posterior: &str) -> &str {
        policies::resolve(&self.policy, &self.stopping, posterior)
    }

    /// Says that the scores do not look Gaussian, if runs stop by a rule that supposes they are.
    pub(super) fn doubt(
        &self,
        scores: &[(&str, Vec<(u64, f64)>)],
        design: Design,
    ) -> Option<String> {
        let Goals::Confidence(levels) = &self.goals else {
            return None;
        };
        let supposes = stopping::assumption(&self.stopping) == Some(Assumption::Gaussian);
        let level = levels.first().filter(|_| supposes)?;
        doubt(scores, design, *level)
    }

    pub(super) fn rule(
        &self,
        level: f64,
        arms: usize,
    ) -> Result<Box<dyn StoppingRule>, StoppingError> {
        let parameters = stopping::StoppingParameters {
            tolerance: self.tolerance,
            tie: self.tie,
            strict: self.strict,
            bounds: self.bounds,
            rare_failures: self.rare_failures,
            items: self.items,
            ..stopping::StoppingParameters::new(level, arms)
        };
        stopping::by_name(&self.stopping, &parameters)
    }

    pub(super) fn parameters(&self, arms: usize, budget: Option<u64>) -> Parameters {
        Parameters {
            arms,
            budget,
            batch: self.workers,
            extended: self.extended,
            beta: self.beta,
            tie_break: self.tie_break,
            baseline: None,
        }
    }
}
