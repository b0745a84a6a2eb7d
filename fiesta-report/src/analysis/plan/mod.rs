//! Plans of a study: how many evaluations it will need, by bounds, by simulation and by classical
//! tests.

mod estimate;
mod report;
mod supposed;
mod text;

pub use report::{
    LowerBound, PlanAtConfidence, PlanReport, Planned, SimulatedEvaluations, SimulatedStudies,
    SupposedArm, Test, Tests,
};
pub use supposed::SupposedArms;

use super::{
    AnalysisError, ScoresOfArms,
    pool::{PoolPlanReport, SupposedPool},
};
use fiesta_core::Design;
use fiesta_posterior::POOL;
use serde::Serialize;
use std::time::Duration;

/// Options of a plan: what is planned for, and what a pilot's scores do not say.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanOptions {
    /// The confidences to plan for.
    pub confidence: Vec<f64>,
    /// The power of the classical tests.
    pub power: f64,
    /// Evaluations in flight at once.
    pub parallel: u32,
    /// Duration of one evaluation.
    pub cost_per_evaluation: Option<Duration>,
    /// Number of studies that are simulated.
    pub runs: u64,
    /// The seed of the simulation.
    pub seed: u64,
    /// The evaluations after which a simulated study is given up; by default those of a study
    /// without a budget.
    pub cap: Option<u64>,
    /// Design that says which splits evaluations get; without, as pilot scores share splits.
    pub design: Option<Design>,
    /// Number of items of the pool, where pilot answers are of part of it.
    pub pool_size: Option<u64>,
    /// Largest distance below the best arm, in the unit of the scores, at which an arm of a pool may still be named.
    pub tolerance: Option<f64>,
}

/// Plan of a study: of a pool of items, or of arms whose evaluations are on splits.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "one is made at a time")]
pub enum AnyPlan {
    /// Plan of a study of a pool of items.
    Pool(PoolPlanReport),
    /// Plan of a study of arms on splits.
    Arms(PlanReport),
}

impl AnyPlan {
    /// Returns the text for lines of `width` characters: tables leave columns out, sentences are
    /// broken between words.
    pub fn text_within(&self, width: usize) -> String {
        match self {
            Self::Pool(plan) => plan.text_within(width),
            Self::Arms(plan) => plan.text_within(width),
        }
    }
}

impl PlanOptions {
    /// Plans a study from pilot scores: of a pool if they are answers to its items.
    ///
    /// # Errors
    /// [`AnalysisError`] if they tell of no plan, or something is said that only a pool has.
    pub fn of_pilot(&self, scores: &ScoresOfArms) -> Result<AnyPlan, AnalysisError> {
        if scores.pool.is_some() && scores.default_posterior() == POOL {
            let scores = scores.clone().in_pool(None, self.pool_size)?;
            if let Some(answers) = scores.pool_answers()? {
                if answers.are_compared_in_pairs() {
                    return Err(AnalysisError::refused(
                        "some arms lack items that others have answered, and no study chose which: a plan would draw the missing answers from those that are known; say with --pool-size that the items are a random sample, or plan from a study's export",
                    ));
                }
                let (levels, margin) = (&self.confidence, self.tolerance.unwrap_or(0.0));
                let report = PoolPlanReport::of_pilot(&answers, levels, margin, self.seed)?;
                return Ok(AnyPlan::Pool(report));
            }
        }
        self.refuse_pool()?;
        self.of_arms(&SupposedArms::of_scores(scores, self.design)?)
    }

    /// Plans a study of a made-up pool of items.
    ///
    /// # Errors
    /// As `PoolPlanReport::supposing`.
    pub fn of_pool(&self, pool: SupposedPool) -> Result<AnyPlan, AnalysisError> {
        let runs = u32::try_from(self.runs).unwrap_or(u32::MAX);
        let (levels, margin) = (&self.confidence, self.tolerance.unwrap_or(0.0));
        PoolPlanReport::supposing(pool, levels, margin, runs, self.seed).map(AnyPlan::Pool)
    }

    /// Plans a study of supposed arms.
    ///
    /// # Errors
    /// As [`of_pilot`](Self::of_pilot).
    pub fn of_arms(&self, supposed: &SupposedArms) -> Result<AnyPlan, AnalysisError> {
        self.refuse_pool()?;
        PlanReport::new(supposed, self).map(AnyPlan::Arms)
    }

    /// Refuses options that only a pool of items has.
    fn refuse_pool(&self) -> Result<(), AnalysisError> {
        if self.tolerance.is_none() && self.pool_size.is_none() {
            return Ok(());
        }
        Err(AnalysisError::refused(
            "--tolerance and --pool-size are of pools of items: give --items, or pilot answers with a column `item` between 0 and 1 (or --bounds)",
        ))
    }
}
