//! The table `[goal]` of a study file: when a study ends.

use fiesta_core::Target;
use fiesta_policies::stopping::Distance;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = with_alias))]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct GoalTable {
    /// Probability with which one arm must be the best before the study ends. Default 0.95 if
    /// nothing else in this table ends it.
    pub(in crate::study) confidence: Option<f64>,
    /// Distance from the best mean at which an arm is good enough: in the metric's unit, or in
    /// standard deviations of a paired difference as `"0.1 sd"`. Default 0.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Amount>"))]
    pub(in crate::study) tolerance: Option<Distance>,
    /// Distance within which the best arms end the study as tied; 0 for never. Default `"0.3 sd"`,
    /// 0 in a study of items or documents.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Amount>"))]
    pub(in crate::study) tie: Option<Distance>,
    /// Whether an arm is named only at the probability 1 − δ², where the confidence is 1 − δ.
    /// Default false.
    pub(in crate::study) strict: Option<bool>,
    /// Expected loss of choosing now at which the study ends: in the unit of the metric, or as
    /// `"0.1 sd"`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Amount>"))]
    pub(in crate::study) shortfall: Option<Distance>,
    /// Evaluations of the two best arms before a study of documents may end; in one of items also
    /// called `min_items`.
    #[serde(alias = "min_items")]
    pub(in crate::study) min_documents: Option<u64>,
    /// Greatest share of failed evaluations that the rule `anytime` is to be ready for; a smaller
    /// one lets it begin later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) rare_failures: Option<f64>,
    /// Most that the study may spend; it ends at what is reached first. Default: 100 evaluations
    /// for each arm where a confidence ends it.
    pub(in crate::study) budget: Option<BudgetTable>,
    /// Settings drawn for each arm, in a random search.
    pub(in crate::study) trials: Option<u64>,
    /// Which items the verdict is of, in a study of items: `"these items"`, or `"items like these"`,
    /// many more that are drawn as these were. Default `"these items"`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) target: Option<Target>,
    /// Number of the best arms that are to be named together, such as 3: the study ends when no other
    /// arm is better than any of them. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) top: Option<usize>,
    /// Distance below the best, in the unit of the metric, at which the cheapest arm is sought: the study ends
    /// when one arm is at most so far below the best, and no other such arm costs 5 % less or more than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) cheapest_within: Option<f64>,
    /// Arm that the others may replace: the study is a gate, and asks of each other arm whether it
    /// is good enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) baseline: Option<String>,
    /// File with the baseline's answers that `fiesta gate --keep-baseline` wrote: they are not asked again. A
    /// relative name begins in the study's directory; while there is no such file, the baseline is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) baseline_file: Option<String>,
    /// How much worse than the baseline an arm may be: in the metric's unit, or on splits without
    /// bounds `"0.3 sd"`, in standard deviations of the difference.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Amount>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) margin: Option<Distance>,
    /// By more than how much an arm has to be better than the baseline, in place of a margin.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Amount>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) better_by: Option<Distance>,
    /// When a gate ends: `"first"` as soon as one arm is good enough. Default: when all are decided.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) until: Option<Until>,
}

/// Moment at which a gate ends before every arm is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::study) enum Until {
    /// The first arm that ships ends the gate.
    First,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct BudgetTable {
    /// Number of evaluations, of all arms together.
    pub(in crate::study) evaluations: Option<u64>,
    /// Sum of costs: a number in the study's unit, the same with the unit (`"40 USD"`, where
    /// `cost_unit` is `"USD"`), or a duration such as `"40h"` where costs are measured times (of
    /// GPU-hours where jobs have GPUs).
    pub(in crate::study) cost: Option<Amount>,
    /// Wall-clock time of all sessions together, such as `"8h"`. Jobs that run when it is over are stopped.
    pub(in crate::study) wall: Option<String>,
}

/// A cost: a number in the study's unit, the same with its unit, or a duration such as "40h".
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(in crate::study) enum Amount {
    Number(f64),
    Text(String),
}

/// Adds the other name of `min_documents` to the schema, which serde's `alias` does not.
#[cfg(feature = "schema")]
fn with_alias(schema: &mut schemars::Schema) {
    let keys = schema
        .get_mut("properties")
        .and_then(serde_json::Value::as_object_mut);
    if let Some(keys) = keys
        && let Some(key) = keys.get("min_documents").cloned()
    {
        keys.insert("min_items".to_owned(), key);
    }
}
