//! Resources that a job asks of a node of Ray, and those that the nodes have.

use super::RaySettings;
use crate::engine::Needs;
use serde::Deserialize;
use std::{collections::BTreeMap, fmt};

/// Amounts of resources by Ray's names: `CPU`, `GPU`, `memory` in bytes, and resources that the cluster defines.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, serde::Serialize)]
#[serde(transparent)]
pub(super) struct Resources(BTreeMap<String, f64>);

impl Resources {
    pub(super) fn asked(settings: &RaySettings, needs: &Needs) -> Self {
        let mut asked = settings.resources.clone();
        let count = |count: u64| count as f64;
        asked.insert("CPU".to_owned(), count(settings.cpus));
        for (name, amount) in [("GPU", needs.gpus), ("memory", settings.memory)] {
            asked.extend(amount.map(|amount| (name.to_owned(), count(amount))));
        }
        asked.retain(|_, amount| *amount > 0.0);
        Self(asked)
    }

    /// Returns whether a node with these resources can carry out a job that asks for `asked`.
    fn suffice_for(&self, asked: &Self) -> bool {
        let has = |name: &String| self.0.get(name).copied().unwrap_or(0.0);
        asked.0.iter().all(|(name, amount)| has(name) >= *amount)
    }

    /// Returns the resources that a job may ask for, without those that only identify a node.
    fn of_interest(&self) -> Self {
        let is_own = |name: &str| name.starts_with("node:") || name == "object_store_memory";
        let kept = self.0.iter().filter(|(name, _)| !is_own(name));
        Self(kept.map(|(name, amount)| (name.clone(), *amount)).collect())
    }
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const GIB: f64 = (1_u64 << 30) as f64;
        for (place, (name, amount)) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            match name.as_str() {
                "memory" => write!(f, "{comma}{name} {:.1} GiB", amount / GIB)?,
                _ => write!(f, "{comma}{name} {amount}")?,
            }
        }
        Ok(())
    }
}

/// Ray's answer to a request for the list of nodes.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    data: Data,
}

#[derive(Debug, Deserialize)]
struct Data {
    result: Page,
}

#[derive(Debug, Deserialize)]
struct Page {
    #[serde(default)]
    num_after_truncation: usize,
    result: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    #[serde(default)]
    state: String,
    #[serde(default)]
    resources_total: Resources,
}

/// Nodes of a Ray cluster that are alive, with their resources.
#[derive(Debug)]
pub(super) struct Nodes {
    nodes: Vec<Resources>,
    /// Whether the list contains all nodes of the cluster.
    all: bool,
}

/// Path of the API that lists the nodes.
pub(super) const NODES: &str = "api/v0/nodes?detail=1&limit=10000";

impl From<Answer> for Nodes {
    fn from(answer: Answer) -> Self {
        let page = answer.data.result;
        let all = page.result.len() >= page.num_after_truncation;
        let live = page.result.into_iter().filter(|node| node.state == "ALIVE");
        Self {
            nodes: live.map(|node| node.resources_total).collect(),
            all,
        }
    }
}

impl Nodes {
    /// Returns why no node of the cluster can carry out a job that asks for this. `None` if a node
    /// can.
    pub(super) fn lack(&self, asked: &Resources) -> Option<String> {
        let suffices = self.nodes.iter().any(|node| node.suffice_for(asked));
        if suffices || !self.all || self.nodes.is_empty() {
            return None;
        }
        let mut kinds: Vec<String> = self
            .nodes
            .iter()
            .map(|node| node.of_interest().to_string())
            .collect();
        kinds.sort();
        kinds.dedup();
        kinds.truncate(5);
        Some(format!(
            "no node of the cluster has what it asks for ({asked}); there are nodes with {}",
            kinds.join("; with ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(text: &str) -> Nodes {
        serde_json::from_str::<Answer>(text).unwrap().into()
    }

    #[test]
    fn what_no_node_has_is_told() {
        let nodes = nodes(
            r#"{"result": true, "data": {"result": {"total": 2, "num_after_truncation": 2, "result": [
                {"state": "DEAD", "resources_total": {"CPU": 64.0, "GPU": 8.0}},
                {"state": "ALIVE", "resources_total": {"CPU": 4.0, "GPU": 2.0, "node:10.0.0.1": 1.0, "memory": 2147483648.0, "object_store_memory": 8.0}}]}}}"#,
        );
        let asked = |gpus| {
            let needs = Needs {
                gpus: Some(gpus),
                ..Needs::default()
            };
            Resources::asked(&RaySettings::default(), &needs)
        };
        assert_eq!(nodes.lack(&asked(2)), None);
        assert_eq!(
            nodes.lack(&asked(8)).unwrap(),
            "no node of the cluster has what it asks for (CPU 1, GPU 8); there are nodes with CPU 4, GPU 2, memory 2.0 GiB"
        );
    }
}
