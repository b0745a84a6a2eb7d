//! Kept baselines: answers of a gate's baseline in a file, for the gates that follow.

mod file;
mod keep;
mod serve;
#[cfg(test)]
mod tests;

pub use file::BaselineError;
pub(super) use serve::{check_served, serve};

use super::{Study, identity::portable_identity, recorded::LAST_SPLIT};
use fiesta_core::ArmId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Answers of a version in a file, with what identifies it, and the first baseline of its line: the
/// anchor, whose answers stand beside.
///
/// The file has a line of JSON for the head and one for each item or split; its first is
/// `{"format":"fiesta-baseline","format_version":1,…}`. A file whose name ends with `.zst` is compressed.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptBaseline {
    pub(super) head: Head,
    pub(super) answers: Vec<KeptAnswer>,
}

/// First line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) format: String,
    pub(super) format_version: u64,
    /// Version of the program that wrote the file.
    pub(super) fiesta: String,
    /// Day on which the file was written, in UTC.
    pub(super) kept: String,
    /// Number of lines that follow.
    pub(super) lines: usize,
    /// The table `[metric]` of the study, with its defaults.
    pub(super) metric: Value,
    pub(super) arm: KeptArm,
    pub(super) anchor: Anchor,
    /// Gates that shipped a version since the anchor, the first one first.
    pub(super) gates: Vec<KeptGate>,
}

/// A version and what identifies it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptArm {
    pub(super) name: String,
    pub(super) identity: Map<String, Value>,
}

/// The first baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Anchor {
    pub(super) arm: KeptArm,
    /// Mean of its answers.
    pub(super) mean: f64,
    pub(super) answers: u64,
    /// Day on which its answers were kept first, in UTC.
    pub(super) since: String,
}

/// A gate that shipped a version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptGate {
    /// Day of the gate, in UTC.
    pub(super) date: String,
    pub(super) baseline: String,
    pub(super) shipped: String,
    /// Difference of the means, above 0 if the shipped version was better.
    pub(super) difference: f64,
    /// Lead over the baseline that had to be exceeded: −margin, or `better_by`.
    pub(super) threshold: f64,
}

/// Answer to an item, or score on a split.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) item: Option<String>,
    /// Digest of the item's content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) split: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u64>,
    /// Score of the version. `None` if only the anchor has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
    /// Number of the evaluation in the study that kept it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) evaluation: Option<u64>,
    /// Score of the anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) anchor: Option<f64>,
}

impl Study {
    /// Returns the kept baseline with which the study's gate began. `None` if it began without one.
    pub fn kept_baseline(&self) -> Option<&KeptBaseline> {
        self.baseline.as_ref()
    }

    /// Returns a function for the number of an answer's item or split in this study: `None` if the study has no
    /// such item, or its content is another one.
    fn places(&self) -> impl Fn(&KeptAnswer) -> Option<u64> {
        let pool = self.items.as_ref().map(|items| (items, items.by_id()));
        move |answer| {
            let Some((items, numbers)) = &pool else {
                let last = { self.splits() }.map_or(LAST_SPLIT, |count| count.saturating_sub(1));
                return answer.split.filter(|&split| split <= last);
            };
            let number = *numbers.get(answer.item.as_deref()?)?;
            let digest = items.digest(number).to_string();
            (answer.digest.as_ref() == Some(&digest)).then_some(number)
        }
    }

    fn kept_arm(&self, arm: ArmId) -> KeptArm {
        KeptArm {
            name: self.arms.name(arm).to_owned(),
            identity: portable_identity(&self.fingerprint, arm),
        }
    }
}

/// Path of the copy of the kept baseline with which a gate began, in the study's state.
fn copy_in(state: &Path) -> PathBuf {
    state.join("baseline.jsonl")
}
