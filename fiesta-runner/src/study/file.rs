//! The study file as written: TOML tables, unchecked.

use super::environment::Table;
use fiesta_core::Direction;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ops::Range};
use toml::Spanned;

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StudyFile {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) command: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub(super) metric: Option<MetricTable>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) worker: Option<Spanned<WorkerTable>>,
    #[serde(default)]
    pub(super) arm: Vec<ArmTable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) recorded: Vec<RecordedTable>,
}

/// A file of evaluations that exist already.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedTable {
    pub(super) file: Spanned<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) metric: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkerTable {
    #[serde(default)]
    pub(super) command: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub(super) concurrency: Option<Spanned<usize>>,
    #[serde(default)]
    pub(super) processes: Option<Spanned<usize>>,
    #[serde(default)]
    pub(super) rate_limit: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) start_timeout: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) cost: Option<Spanned<f64>>,
    // Ledgers of studies without it are what they were.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub(super) env: Table,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MetricTable {
    #[serde(default)]
    pub(super) name: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) direction: Option<Spanned<Direction>>,
    #[serde(default)]
    pub(super) bounds: Option<Spanned<[f64; 2]>>,
    #[serde(default)]
    pub(super) f_beta: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) exit_codes: Option<Spanned<Vec<i64>>>,
    #[serde(default)]
    pub(super) not_finite: Option<Spanned<f64>>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GoalTable {
    #[serde(default)]
    pub(super) confidence: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) tolerance: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) min_documents: Option<Spanned<u64>>,
    #[serde(default)]
    pub(super) budget: Option<Spanned<BudgetTable>>,
    #[serde(default)]
    pub(super) trials: Option<Spanned<u64>>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BudgetTable {
    #[serde(default)]
    pub(super) evaluations: Option<Spanned<u64>>,
    #[serde(default)]
    pub(super) cost: Option<Spanned<Amount>>,
    #[serde(default)]
    pub(super) wall: Option<Spanned<String>>,
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
    #[serde(default)]
    pub(super) splits: Option<Spanned<toml::Value>>,
    #[serde(default)]
    pub(super) documents: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) policy: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) posterior: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) alpha: Option<Spanned<Alpha>>,
    #[serde(default)]
    pub(super) stopping: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) parallel: Option<Spanned<usize>>,
    #[serde(default)]
    pub(super) batch: Option<Spanned<u32>>,
    #[serde(default)]
    pub(super) beta: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) tie_break: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) extended: Option<Spanned<bool>>,
    #[serde(default)]
    pub(super) seed: u64,
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
    #[serde(default)]
    pub(super) gpus_per_job: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) timeout: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) silence: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) grace: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) retries: Option<u32>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecutorTable {
    #[serde(default)]
    pub(super) kind: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) gpus: Option<Spanned<Vec<GpuName>>>,
    // Ledgers of before this key are still of the same study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) watch_gpus: Option<bool>,
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
    #[serde(default)]
    pub(super) code: Option<String>,
    #[serde(default)]
    pub(super) data: Option<String>,
    #[serde(default)]
    pub(super) validation_metric: Option<String>,
    #[serde(default)]
    pub(super) selection_criterion: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArmTable {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) command: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub(super) env: Table,
    #[serde(default)]
    pub(super) gpus_per_job: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) cost: Option<Spanned<f64>>,
    // Ledgers compare the tables of arms as a whole: those of studies without a search are what they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) search: Option<Spanned<BTreeMap<Spanned<String>, Spanned<ParameterTable>>>>,
}

/// The values of a hyperparameter: one of the four kinds.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParameterTable {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) choice: Option<Spanned<Vec<Spanned<toml::Value>>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) integer: Option<Spanned<[i64; 2]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) uniform: Option<Spanned<[f64; 2]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) loguniform: Option<Spanned<[f64; 2]>>,
}

/// A name and where it is written, or the default.
pub(super) fn named<'a>(
    name: Option<&'a Spanned<String>>,
    default: &'a str,
) -> (String, Option<Range<usize>>) {
    match name {
        Some(name) => (name.get_ref().clone(), Some(name.span())),
        None => (default.to_owned(), None),
    }
}
