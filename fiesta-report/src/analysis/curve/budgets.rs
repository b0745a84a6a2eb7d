//! Budgets of an arm: the trials that it takes to expect a score.

use crate::{budget::Budget, tuning_curve::ArmTrials};
use serde::Serialize;

/// The trials of one arm that it takes to expect a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmBudget {
    /// Name of the arm.
    pub name: String,
    /// Score that is to be expected.
    pub value: f64,
    /// Status of the score, in a word: whether it is reached.
    pub status: &'static str,
    /// Whether the score is reached within the trials that there are.
    #[serde(rename = "within_B")]
    pub within: bool,
    /// First n at which the curve reaches the score.
    pub first_n: Option<u64>,
    /// Real n at which the curve reaches the score.
    pub real_n: Option<f64>,
    /// The n at which straight lines between the points of the curve reach the score.
    pub linear_interp_n: Option<f64>,
    /// Time that the budget's trials take, in seconds.
    pub time: Option<f64>,
    #[serde(skip)]
    pub(super) budget: Budget,
}

impl ArmBudget {
    pub(super) fn new(name: &str, trials: &ArmTrials, value: f64, budget: Budget) -> Self {
        let reached = budget.reached().copied();
        Self {
            name: name.to_owned(),
            value,
            status: budget.status(),
            within: matches!(budget, Budget::Within(_)),
            first_n: reached.map(|reached| reached.n),
            real_n: reached.and_then(|reached| reached.real),
            linear_interp_n: reached.map(|reached| reached.interpolated),
            time: reached.and_then(|reached| trials.time_of(reached.n as f64)),
            budget,
        }
    }
}
