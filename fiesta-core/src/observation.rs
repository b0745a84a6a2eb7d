//! Observations of either kind, for those that learn only from a file which kind a study has.

use crate::Counts;

/// What an evaluation showed: a score, or confusion counts.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(untagged)
)]
pub enum Observation {
    /// The value of a metric.
    Score(f64),
    /// What was right and wrong on a document.
    Counts(Counts),
}
