//! Standing of an arm in the constraints of a gate.

use super::{GateVerdict, text::share};
use crate::words::{count, digits};
use serde::Serialize;

/// How an arm stands in one constraint on a measure, such as its latency.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateConstraint {
    /// Name of the measure.
    pub measure: String,
    /// Sentence part that states the constraint, such as `mean latency is below 3 s`.
    pub constraint: String,
    /// Sentence part that states the contrary of the constraint.
    #[serde(skip)]
    pub contrary: String,
    /// Verdict on the constraint: `ships` if it is shown to be met, `blocked` if it is shown not to be.
    pub verdict: GateVerdict,
    /// Quantity that is limited, which `value`, `lower` and `upper` state: a share, a mean or an excess.
    pub quantity: ConstrainedQuantity,
    /// The quantity over the evaluations that count. `None` without any.
    pub value: Option<f64>,
    /// Least value of the quantity that is not excluded.
    pub lower: Option<f64>,
    /// Greatest value of the quantity that is not excluded.
    pub upper: Option<f64>,
    /// Number of evaluations that count.
    pub evaluations: u64,
}

/// Quantity that a constraint limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ConstrainedQuantity {
    /// Share of the evaluations whose value is too large.
    Share,
    /// Mean of the values.
    Mean,
    /// Mean of the arm's values less the allowed multiple of the baseline's, in which 0 is the limit.
    Excess,
}

impl ConstrainedQuantity {
    fn words(self, value: f64) -> String {
        match self {
            Self::Share => share(value),
            Self::Mean | Self::Excess if value < 0.0 => format!("−{}", digits(-value)),
            Self::Mean | Self::Excess => digits(value),
        }
    }
}

impl GateConstraint {
    /// Returns the constraint, whether it is met, and the numbers, in a line.
    pub fn line(&self) -> String {
        let verdict = match self.verdict {
            GateVerdict::Ships => "met",
            GateVerdict::Blocked => "not met",
            GateVerdict::Undecided => "undecided",
        };
        let quantity = match self.quantity {
            ConstrainedQuantity::Share => "share",
            ConstrainedQuantity::Mean => "mean",
            ConstrainedQuantity::Excess => "excess over the limit",
        };
        let words = |value: f64| self.quantity.words(value);
        let ends = self.lower.zip(self.upper);
        let ends = ends.map_or_else(String::new, |(lower, upper)| {
            format!(", between {} and {}", words(lower), words(upper))
        });
        let value = self.value.map_or_else(
            || "no evaluation counts yet".to_owned(),
            |value| {
                let evaluations = count(self.evaluations, "evaluation");
                format!("{quantity} {} of {evaluations}{ends}", words(value))
            },
        );
        format!("{}: {verdict} ({value})", self.constraint)
    }
}
