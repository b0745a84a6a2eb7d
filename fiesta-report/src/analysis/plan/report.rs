//! Results of a plan: the evaluations that a study of each confidence needs.

use serde::Serialize;

/// How many evaluations a study will need.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanReport {
    /// Arms that are supposed.
    pub arms: Vec<SupposedArm>,
    /// Name of the best arm.
    pub best: String,
    /// Name of the arm next to the best.
    pub second: String,
    /// Difference of the means of the best and the second arm.
    pub gap: f64,
    /// The standard deviation of a score between splits.
    pub split_standard_deviation: f64,
    /// The standard deviation of the difference of two scores of the best and the second arm.
    pub difference_standard_deviation: f64,
    /// The number of pilot scores, if the arms are estimated from some.
    pub pilot_scores: Option<usize>,
    /// Design that says which splits evaluations get.
    pub splits: &'static str,
    /// The policy of the simulated studies.
    pub policy: String,
    /// Posterior of the simulated studies.
    pub posterior: String,
    /// Stopping rule of the simulated studies.
    pub stopping: String,
    /// Evaluations in flight at once.
    pub parallel: u32,
    /// Number of studies that were simulated.
    pub runs: u64,
    /// Seed of the simulated studies.
    pub seed: u64,
    /// The evaluations after which a simulated study was given up.
    pub cap: u64,
    /// H₂, the complexity of sequential halving.
    pub h2: f64,
    /// The power of the classical tests.
    pub power: f64,
    /// Word for the classical tests: whether they are paired.
    pub comparison: &'static str,
    /// Results for each confidence.
    pub results: Vec<PlanAtConfidence>,
    /// Hours that one evaluation takes. `None` if not known.
    #[serde(skip)]
    pub(super) unit: Option<f64>,
}

/// One arm of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SupposedArm {
    /// Name of the arm.
    pub name: String,
    /// Mean of the arm's scores.
    pub mean: f64,
    /// Standard deviation of the arm's scores.
    pub standard_deviation: f64,
    /// Part of the standard deviation that does not lie between splits.
    pub residual_standard_deviation: f64,
}

/// The evaluations that a study with one confidence needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PlanAtConfidence {
    /// Confidence of the study.
    pub confidence: f64,
    /// Lower bound on the mean number of evaluations of any policy that errs no more often than the confidence allows.
    pub lower_bound: LowerBound,
    /// Results of simulated studies; none where even the lower bound exceeds the cap.
    pub simulated: Option<SimulatedStudies>,
    /// Budget with which sequential halving is proven to err no more often than the confidence allows.
    pub sequential_halving: Planned,
    /// Classical tests with a fixed number of evaluations.
    pub t_test: Tests,
}

/// Lower bounds on the mean number of evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LowerBound {
    /// Lower bound for policies that are told the variances.
    pub known_variances: Planned,
    /// Lower bound for policies that are not told the variances.
    pub unknown_variances: Planned,
}

/// A number of evaluations, and how long they take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Planned {
    /// Number of evaluations.
    pub evaluations: f64,
    /// Hours that the evaluations take, if the time of one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<f64>,
}

/// Results of simulated studies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SimulatedStudies {
    /// Evaluations that the simulated studies needed.
    pub evaluations: SimulatedEvaluations,
    /// Share of the simulated studies that named a wrong arm.
    pub error: f64,
    /// Standard error of the error rate.
    pub error_standard_error: f64,
    /// Studies that were given up at the cap.
    pub capped: u64,
    /// Hours that the mean number of evaluations takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<f64>,
    /// Hours that pass if as many evaluations run at once as are planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_hours: Option<f64>,
}

/// Evaluations of simulated studies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SimulatedEvaluations {
    /// Mean number of evaluations.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Number of evaluations within which 90 % of the simulated studies ended.
    pub q90: u64,
}

/// One-sided t-tests with fixed numbers of evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Tests {
    /// Test of the best arm against the second.
    pub second: Test,
    /// Test of the best arm against each other, with Bonferroni's correction.
    pub all: Test,
}

/// A test with a fixed number of evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Test {
    /// Significance level of one test.
    pub level: f64,
    /// Evaluations of each arm.
    pub per_arm: f64,
    /// Evaluations of all arms together.
    #[serde(flatten)]
    pub total: Planned,
}
