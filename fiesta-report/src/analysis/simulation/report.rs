//! Results of a simulation: its setting, and the runs until each goal.

use fiesta_policies::stopping::Distance;
use serde::Serialize;

/// How many evaluations a policy needed, and how often it named the best arm.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulationReport {
    /// Setting of the simulation.
    #[serde(flatten)]
    pub setup: SimulationSetup,
    /// Notes on the data and the stopping rule.
    pub notes: Vec<String>,
    /// Results for each goal.
    pub results: Vec<GoalResult>,
    /// Name of the policy of the runs, with `auto` replaced by the policy that it stands for.
    #[serde(skip)]
    pub(super) policy: String,
    /// The evaluations after which a run was given up.
    #[serde(skip)]
    pub(super) cap: Option<u64>,
}

impl SimulationReport {
    /// Returns the name of the policy of the runs, with `auto` replaced by the policy that it stands for.
    pub(in crate::analysis) fn policy_name(&self) -> &str {
        &self.policy
    }

    /// Completes the setting of the simulation in the report and in each of its results.
    pub(super) fn in_setups(&mut self, complete: impl Fn(&mut SimulationSetup)) {
        complete(&mut self.setup);
        for result in &mut self.results {
            complete(&mut result.setup);
        }
    }
}

/// Distance as JSON has it: a number in the unit of the scores, or a text such as `0.25 sd`.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it only describes")]
enum WrittenDistance {
    Score(f64),
    Sd(String),
}

/// The setting of a simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SimulationSetup {
    /// Name of the policy as it was asked for.
    pub policy: String,
    /// Name of the posterior.
    pub posterior: String,
    /// Name of the stopping rule.
    pub stopping: String,
    /// How far below the best the recommended arm may be.
    #[cfg_attr(feature = "schema", schemars(with = "WrittenDistance"))]
    pub tolerance: Distance,
    /// Largest distance below the best arm at which arms are called tied with it.
    #[cfg_attr(feature = "schema", schemars(with = "WrittenDistance"))]
    pub tie: Distance,
    /// Whether an arm is named only at the probability 1 − δ².
    pub strict: bool,
    /// The least and the greatest possible score, as given for the stopping rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(f64, f64)>,
    /// The rate of rare failures that the stopping rule waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rare_failures: Option<f64>,
    /// Design that says which splits evaluations got.
    pub splits: &'static str,
    /// Number of runs.
    pub runs: u64,
    /// Seed of the runs.
    pub seed: u64,
    /// The arms that a run should find.
    pub best: String,
    /// The source of splits that pair recorded scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairing: Option<&'static str>,
    /// Setting that only confusion counts have.
    #[serde(flatten)]
    pub counts: Option<CountsSetup>,
}

/// The setting of a simulation on confusion counts of documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CountsSetup {
    /// Number of documents.
    pub documents: u64,
    /// The quantity that the posterior is about.
    pub target: String,
    /// The quantity that makes an arm the best.
    pub best_by: String,
    /// The documents that the best two arms must have queried before a run may stop.
    pub min_documents: Option<u64>,
}

/// Results of the runs until one goal.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct GoalResult {
    /// Setting of the simulation.
    #[serde(flatten)]
    pub setup: SimulationSetup,
    /// Goal of the runs.
    #[serde(flatten)]
    pub goal: Goal,
    /// Number of evaluations that a run made: mean and extremes over the runs.
    pub evaluations: Evaluations,
    /// Cost of the evaluations, in mean durations of an evaluation.
    pub cost: Cost,
    /// Mean time of a run on the virtual clock.
    pub time: f64,
    /// The share of runs that named the best arm.
    pub correct: f64,
    /// Standard error of the share of correct runs.
    pub correct_standard_error: f64,
    /// Runs whose verdict is false: they named another arm as the best, or called arms tied that
    /// are not.
    pub wrong: u64,
    /// Runs that ended as arms could not be told apart, and named none.
    pub tied: u64,
    /// Number of tied runs whose tie is false: the best arm is not among the arms that they called
    /// equal, or one of these arms is farther below the best than they say.
    pub false_ties: u64,
    /// Runs that were given up at the cap.
    pub capped: u64,
    /// Runs that queried every document without reaching the goal.
    pub exhausted: u64,
}

/// A goal until which runs go on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Goal {
    /// A confidence with which an arm is named.
    Confidence(f64),
    /// An expected shortfall that is not exceeded.
    #[cfg_attr(feature = "schema", schemars(with = "WrittenDistance"))]
    Shortfall(Distance),
    /// A number of evaluations.
    Budget(u64),
}

impl Goal {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Confidence(_) => "confidence",
            Self::Shortfall(_) => "shortfall",
            Self::Budget(_) => "budget",
        }
    }

    pub(super) fn value(self) -> String {
        match self {
            Self::Confidence(level) => level.to_string(),
            Self::Shortfall(bound) => bound.to_string(),
            Self::Budget(budget) => budget.to_string(),
        }
    }
}

/// Evaluations of a run: least, mean with its standard error, and most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evaluations {
    /// Fewest evaluations of any run.
    pub min: u64,
    /// Mean number of evaluations over the runs.
    pub mean: f64,
    /// Most evaluations of any run.
    pub max: u64,
    /// Standard error of the mean number of evaluations.
    pub standard_error: f64,
}

/// The cost of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// Mean cost over the runs.
    pub mean: f64,
    /// Standard error of the mean cost.
    pub standard_error: f64,
}
