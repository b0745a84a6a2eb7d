//! Result of a check of a study: one trial per arm, and the most evaluations that may follow.

use super::EndsReport;
use crate::{Trial, study::Study};
use fiesta_records::words::few;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the trials of a study showed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckReport {
    /// The name of the study.
    pub study: String,
    /// One trial for each arm, in the order in which they ended.
    pub trials: Vec<Trial>,
    /// The unit of costs, if the study file decides it. `None` otherwise.
    pub cost_unit: Option<String>,
    /// The most evaluations that the study can make; none if nothing limits them.
    pub most_evaluations: Option<u64>,
    /// What ends the study.
    pub ends: EndsReport,
    /// The groups of the items, where the study has strata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strata: Option<StrataReport>,
}

/// The groups of the items of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StrataReport {
    /// The key of the items whose values are the groups.
    pub key: String,
    /// Number of items in each group.
    pub groups: BTreeMap<String, u64>,
}

impl StrataReport {
    /// Counts the items of each group of a study. `None` for a study without strata.
    pub fn new(study: &Study) -> Option<Self> {
        let items = study.items()?;
        let key = items.strata()?.to_owned();
        let mut groups = BTreeMap::new();
        for group in (0..items.len() as u64).filter_map(|item| items.group(item)) {
            *groups.entry(group.to_owned()).or_default() += 1;
        }
        Some(Self { key, groups })
    }

    /// Returns the groups in a line.
    pub fn text(&self) -> String {
        let listed = few(self
            .groups
            .iter()
            .map(|(name, items)| format!("{name} {items}")));
        let (groups, key) = (self.groups.len(), &self.key);
        format!("{groups} groups of items by {key}: {listed}")
    }
}

impl CheckReport {
    /// Makes the report of these trials.
    pub fn new(study: &Study, trials: &[Trial]) -> Self {
        Self {
            study: study.name().to_owned(),
            trials: trials.to_vec(),
            cost_unit: study.cost_unit().map(|unit| unit.name().to_owned()),
            most_evaluations: study.most_evaluations(),
            ends: EndsReport::new(study),
            strata: StrataReport::new(study),
        }
    }
}
