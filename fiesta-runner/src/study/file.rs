//! The tables of a study file: as written, and with what it leaves to defaults once they are
//! checked.

use super::{environment::Environment, functions, hosts::HostEntry, items::PoolKey};
use fiesta_core::Direction;
use fiesta_policies::stopping::Distance;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StudyFile {
    pub(super) name: String,
    pub(super) command: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) metric: Option<MetricTable>,
    /// That of a study of documents whose file leaves it to the default; in place of the table.
    #[serde(
        rename = "metric",
        skip_deserializing,
        skip_serializing_if = "Option::is_none"
    )]
    pub(super) implied_metric: Option<ImpliedMetric>,
    #[serde(default)]
    pub(super) goal: GoalTable,
    #[serde(default)]
    pub(super) design: DesignTable,
    #[serde(default)]
    pub(super) resources: ResourcesTable,
    #[serde(default)]
    pub(super) executor: ExecutorTable,
    #[serde(default)]
    pub(super) report: ReportTable,
    // Ledgers of studies without a worker are what they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) worker: Option<WorkerTable>,
    #[serde(default)]
    pub(super) arm: Vec<ArmTable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) recorded: Vec<RecordedTable>,
}

impl StudyFile {
    /// Whether its arms are functions of the program that runs the study.
    pub(super) fn is_of_functions(&self) -> bool {
        self.executor.kind.as_deref() == Some(functions::KIND)
    }
}

/// The metric of a study of documents that is not named in its file.
#[derive(Debug, Serialize)]
pub(super) struct ImpliedMetric {
    pub(super) name: String,
    pub(super) direction: Direction,
    pub(super) f_beta: f64,
    pub(super) bounds: Option<[f64; 2]>,
}

/// A file of evaluations that exist already.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedTable {
    pub(super) file: String,
    /// The column or key of the score (default: `score`).
    #[serde(alias = "score", skip_serializing_if = "Option::is_none")]
    pub(super) metric: Option<String>,
    /// The column of the arms' names (default: `arm`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arm: Option<String>,
    /// The column of the numbers of train/test splits (default: `split`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) split: Option<String>,
    /// The column of the seeds (default: `seed`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<String>,
    /// The column of the items' names (default: `item`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) item: Option<String>,
    /// That of the file's content.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(super) digest: Option<String>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkerTable {
    pub(super) command: Option<Vec<String>>,
    pub(super) concurrency: Option<usize>,
    pub(super) processes: Option<usize>,
    pub(super) rate_limit: Option<String>,
    pub(super) start_timeout: Option<String>,
    pub(super) cost: Option<f64>,
    // Ledgers of studies without these are what they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prices: Option<BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cache: Option<String>,
    #[serde(default, skip_serializing_if = "Environment::is_empty")]
    pub(super) env: Environment,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MetricTable {
    pub(super) name: Option<String>,
    pub(super) direction: Option<Direction>,
    pub(super) bounds: Option<[f64; 2]>,
    pub(super) f_beta: Option<f64>,
    // Recorded as f_beta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) precision_weight: Option<f64>,
    pub(super) exit_codes: Option<Vec<i64>>,
    pub(super) not_finite: Option<f64>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GoalTable {
    pub(super) confidence: Option<f64>,
    pub(super) tolerance: Option<Distance>,
    pub(super) tie: Option<Distance>,
    pub(super) strict: Option<bool>,
    pub(super) shortfall: Option<Distance>,
    #[serde(alias = "min_items")]
    pub(super) min_documents: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rare_failures: Option<f64>,
    pub(super) budget: Option<BudgetTable>,
    pub(super) trials: Option<u64>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BudgetTable {
    pub(super) evaluations: Option<u64>,
    pub(super) cost: Option<Amount>,
    pub(super) wall: Option<String>,
}

/// A cost: a number in the study's unit, or a duration such as "40h".
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Amount {
    Number(f64),
    Duration(String),
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DesignTable {
    pub(super) splits: Option<serde_json::Value>,
    /// Items, or documents: the same under another word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) items: Option<ItemsEntry>,
    pub(super) documents: Option<String>,
    /// The key of the items whose values are their groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) strata: Option<String>,
    /// Whether answers to the items vary when asked again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repeats: Option<bool>,
    pub(super) policy: Option<String>,
    pub(super) posterior: Option<String>,
    pub(super) alpha: Option<Alpha>,
    // Ledgers of before these two keys are still of the same study.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alpha0: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) theta0: Option<[f64; 4]>,
    pub(super) stopping: Option<String>,
    pub(super) parallel: Option<usize>,
    pub(super) batch: Option<u32>,
    pub(super) beta: Option<f64>,
    pub(super) tie_break: Option<String>,
    pub(super) extended: Option<bool>,
    #[serde(default)]
    pub(super) seed: u64,
    /// What the documents are: how many, and a digest of them.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(super) collection: Option<serde_json::Value>,
}

impl DesignTable {
    /// The key under which items are named, in a study of a pool.
    pub(super) fn pool(&self) -> Option<PoolKey> {
        let items = self.items.as_ref().map(|_| PoolKey::Items);
        items.or(self.documents.as_ref().map(|_| PoolKey::Documents))
    }

    pub(super) fn repeats(&self) -> bool {
        self.repeats == Some(true)
    }
}

/// The items of a pool: a name of files, or the items themselves.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "items is the name of a file, a pattern for files, or a list of items"
)]
pub(super) enum ItemsEntry {
    Name(String),
    List(Vec<serde_json::Value>),
}

/// What a ledger records in place of the name of a file: what the items are is in a digest of them.
const LISTED: &str = "listed";

impl Serialize for ItemsEntry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match self {
            Self::Name(name) => name,
            Self::List(_) => LISTED,
        })
    }
}

/// How alike an arm's documents are: learned, or a number.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Alpha {
    Number(f64),
    Name(String),
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResourcesTable {
    pub(super) gpus_per_job: Option<f64>,
    pub(super) timeout: Option<String>,
    pub(super) silence: Option<String>,
    pub(super) grace: Option<String>,
    pub(super) retries: Option<u32>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecutorTable {
    pub(super) kind: Option<String>,
    pub(super) gpus: Option<Vec<GpuName>>,
    // Ledgers of before these keys are still of the same study.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) watch_gpus: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cpus: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) memory: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) partition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) account: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) qos: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) options: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prologue: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) interval: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) visibility: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resources: Option<BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) runtime_env: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hosts: Option<Vec<HostEntry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lost_after: Option<String>,
}

impl ExecutorTable {
    /// Whether this key is written.
    pub(super) fn has(&self, key: &str) -> bool {
        serde_json::to_value(self).is_ok_and(|table| !table[key].is_null())
    }
}

/// A GPU's index or its UUID.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum GpuName {
    Index(u32),
    Id(String),
}

/// What no tool can know; carried along for the report.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportTable {
    pub(super) code: Option<String>,
    pub(super) data: Option<String>,
    pub(super) validation_metric: Option<String>,
    pub(super) selection_criterion: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArmTable {
    /// Its number in the file, which the ledger need not have.
    #[serde(skip)]
    pub(super) place: String,
    pub(super) name: String,
    pub(super) command: Option<Vec<String>>,
    #[serde(default)]
    pub(super) env: Environment,
    pub(super) gpus_per_job: Option<f64>,
    pub(super) cost: Option<f64>,
    // Ledgers compare the tables of arms as a whole: those of studies without these are what they
    // were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prices: Option<BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) search: Option<BTreeMap<String, ParameterTable>>,
}

/// The values of a hyperparameter: one of the four kinds.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParameterTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) choice: Option<Vec<toml::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) integer: Option<[i64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uniform: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) loguniform: Option<[f64; 2]>,
}
