//! The tables of a study file that tell how jobs are run: `[worker]`, `[resources]`, `[executor]`, `[[arm]]`.

use crate::study::environment::Environment;
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct WorkerTable {
    /// Command of a worker as a list of arguments; its only placeholder is `{arm}`, which gives
    /// each arm workers of its own.
    pub(in crate::study) command: Option<Vec<String>>,
    /// Cases that one worker is given at once; its answers may come in any order. Default 1.
    pub(in crate::study) concurrency: Option<usize>,
    /// Number of worker processes. Default: as many as `parallel` cases need.
    pub(in crate::study) processes: Option<usize>,
    /// Most cases sent in a time by all workers together, such as `"60/min"`; kept across
    /// restarts.
    pub(in crate::study) rate_limit: Option<String>,
    /// Longest time until a worker says `{"ready": true}`, such as `"5min"`; without it a worker
    /// need not say so.
    pub(in crate::study) start_timeout: Option<String>,
    /// Cost of an answer that does not state its own, in the study's unit.
    pub(in crate::study) cost: Option<f64>,
    /// Prices of a million tokens by kind, such as `{ in = 0.15, out = 0.6 }`, for answers with
    /// `"tokens": {"in": 812, "out": 40}`.
    // Ledgers of studies without these are what they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) prices: Option<BTreeMap<String, f64>>,
    /// SQLite file of answers to items: an answer in it is not asked, nor paid, again, by this
    /// study or another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) cache: Option<String>,
    /// Variables of the workers, beside those that they inherit.
    #[serde(default, skip_serializing_if = "Environment::is_empty")]
    pub(in crate::study) env: Environment,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct ResourcesTable {
    /// GPUs of a job: a whole number, or a fraction that shares one, such as 0.5. Default 0.
    pub(in crate::study) gpus_per_job: Option<f64>,
    /// Unit of costs, such as `"USD"`, shown wherever costs are: costs are then those that `cost`,
    /// `prices` or the results state, and what states none counts as 0 and is told. Default: where
    /// no cost is stated, costs are measured, in seconds of a job times its GPUs (shown in hours or
    /// GPU-hours); where some are, none.
    // Ledgers of before this key are still of the same study.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) cost_unit: Option<String>,
    /// Longest time of a job, such as `"2h"`; one that takes longer has failed. Default: none.
    pub(in crate::study) timeout: Option<String>,
    /// Longest time without any output of a job; one that is silent for longer has failed.
    /// Default: none.
    pub(in crate::study) silence: Option<String>,
    /// Time between the polite signal and SIGKILL when a job is stopped. Default `"10s"`.
    pub(in crate::study) grace: Option<String>,
    /// Further attempts at an evaluation whose job was lost (killed, out of memory, its machine
    /// gone); a command that fails is not tried again. Default 1.
    pub(in crate::study) retries: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct ExecutorTable {
    /// Who carries out the jobs: `"local"` (default), `"slurm"`, `"ray"`, or `"functions"` of the
    /// program that runs the study.
    pub(in crate::study) kind: Option<String>,
    /// GPUs that jobs may have, by index or UUID. Default: those of `CUDA_VISIBLE_DEVICES`, or
    /// all.
    pub(in crate::study) gpus: Option<Vec<GpuName>>,
    /// Whether GPUs that somebody else uses are left alone. Default true.
    pub(in crate::study) watch_gpus: Option<bool>,
    /// The keys of an engine that the program added, as its kind reads them.
    #[serde(skip)]
    pub(in crate::study) engine: Map<String, Value>,
}

/// Writes all keys in one table. Of those that ledgers did not always have, the ones without a
/// value are left out, so that earlier ledgers are still of the same study.
impl Serialize for ExecutorTable {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut table = to.serialize_map(None)?;
        table.serialize_entry("kind", &self.kind)?;
        table.serialize_entry("gpus", &self.gpus)?;
        if let Some(watches) = self.watch_gpus {
            table.serialize_entry("watch_gpus", &watches)?;
        }
        for (key, value) in &self.engine {
            table.serialize_entry(key, value)?;
        }
        table.end()
    }
}

impl ExecutorTable {
    /// Whether the table has a value for this key.
    pub(in crate::study) fn has(&self, key: &str) -> bool {
        serde_json::to_value(self).is_ok_and(|table| !table[key].is_null())
    }
}

/// A GPU's index or its UUID.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(in crate::study) enum GpuName {
    Index(u32),
    Id(String),
}

#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct ArmTable {
    /// Number of the arm in the file, which the ledger need not have.
    #[serde(skip)]
    pub(in crate::study) place: String,
    /// Name of the arm, as `{arm}` has it.
    pub(in crate::study) name: String,
    /// Command of this arm's evaluations, in place of the study's.
    pub(in crate::study) command: Option<Vec<String>>,
    /// Variables of the arm's jobs, beside those that they inherit.
    #[serde(default)]
    pub(in crate::study) env: Environment,
    /// Number of GPUs of each job of the arm.
    pub(in crate::study) gpus_per_job: Option<f64>,
    /// Cost of an evaluation whose result states none.
    pub(in crate::study) cost: Option<f64>,
    /// Prices of a million tokens by kind, in place of those of the worker.
    // Ledgers compare the tables of arms as a whole: those of studies without these are what they
    // were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) prices: Option<BTreeMap<String, f64>>,
    /// Text that identifies the arm, in place of its command, its variables and its files: changing
    /// it asks anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) version: Option<String>,
    /// Further files that make this arm what it is, as `inputs` of the study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::study) inputs: Vec<String>,
    /// The digests of the arm's files, by their names.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub(in crate::study) files: Option<BTreeMap<String, String>>,
    /// Search space of the arm, in a random search: a hyperparameter each, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) search: Option<BTreeMap<String, ParameterTable>>,
}

/// The values of a hyperparameter: one of the four kinds.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(in crate::study) struct ParameterTable {
    /// Values of which each is equally likely.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<serde_json::Value>>"))]
    pub(in crate::study) choice: Option<Vec<toml::Value>>,
    /// A whole number between these, both included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) integer: Option<[i64; 2]>,
    /// A number between these, uniformly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) uniform: Option<[f64; 2]>,
    /// A number between these, uniformly in its logarithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::study) loguniform: Option<[f64; 2]>,
}
