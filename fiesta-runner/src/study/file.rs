//! The tables of a study file: as written, and with what it leaves to defaults once they are
//! checked.

mod design;
mod goal;
mod jobs;

pub(super) use design::{Alpha, DesignTable, ItemsEntry};
pub(super) use goal::{Amount, GoalTable, Until};
pub(super) use jobs::{
    ArmTable, ExecutorTable, GpuName, ParameterTable, ResourcesTable, WorkerTable,
};

use super::functions;
use fiesta_core::Direction;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct StudyFile {
    /// Name of the study: begins the names of its runs (letters, digits, `.`, `_`, `-`).
    pub(super) name: String,
    /// Command of one evaluation as a list of arguments, never a line of shell; its placeholders
    /// are listed below. In place of it: `[worker]`, a `command` of each arm, or functions.
    pub(super) command: Option<Vec<String>>,
    /// Files that make the arms what they are, beside those that commands name: a change of one is
    /// told. Names or patterns such as `"data/*.csv"`; `"prompts/{arm}.txt"` is a file of each arm;
    /// `"!log.txt"` leaves a file out that a command names and its jobs write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) inputs: Vec<String>,
    /// `"environment"` says that the commands of arms read `FIESTA_ARM` (or `FIESTA_HP_…`), where
    /// nothing else tells arms apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arm_from: Option<ArmFrom>,
    /// Score that is compared. Required, except in a study of documents, whose default is F1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) metric: Option<MetricTable>,
    /// Metric of a study of documents whose file leaves it to the default, in place of the table.
    #[serde(
        rename = "metric",
        skip_deserializing,
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub(super) implied_metric: Option<ImpliedMetric>,
    /// The winner of a search whose best settings are the arms: how much the search overstated it is
    /// told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) search_winner: Option<SearchWinnerTable>,
    /// When the study ends.
    #[serde(default)]
    pub(super) goal: GoalTable,
    /// Which evaluations are made: splits or items, policy, posterior, stopping rule.
    #[serde(default)]
    pub(super) design: DesignTable,
    /// What one job gets, and how long it may take.
    #[serde(default)]
    pub(super) resources: ResourcesTable,
    /// Who carries out the jobs: this machine, Slurm, Ray, or functions of a program.
    #[serde(default)]
    pub(super) executor: ExecutorTable,
    /// What only the author knows of a study, for checklists.
    #[serde(default)]
    pub(super) report: ReportTable,
    /// Long-lived command that answers many cases, in place of `command`.
    // Ledgers of studies without a worker are what they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) worker: Option<WorkerTable>,
    /// Candidates, one table `[[arm]]` each, at least two (one suffices in a random search).
    #[serde(default)]
    pub(super) arm: Vec<ArmTable>,
    /// Benchmarks whose weighted mean is compared, one table `[[benchmark]]` each, at least two, in
    /// place of `items` under `[design]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) benchmark: Vec<BenchmarkTable>,
    /// Further numbers of an evaluation beside its score, one table `[[measure]]` each; in a gate,
    /// `[[constraint]]` limits them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) measure: Vec<MeasureTable>,
    /// Limits of measures that an arm must keep to ship in a gate, one table `[[constraint]]` each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) constraint: Vec<ConstraintTable>,
    /// Files of evaluations that exist already and count first, one table `[[recorded]]` each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) recorded: Vec<RecordedTable>,
}

impl StudyFile {
    /// Whether the study's arms are functions of the program that runs the study.
    pub(super) fn is_of_functions(&self) -> bool {
        self.executor.kind.as_deref() == Some(functions::KIND)
    }
}

/// Source from which commands that do not name their arm learn it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum ArmFrom {
    /// The variables of the commands name the arm.
    Environment,
}

/// The metric of a study of documents that is not named in its file.
#[derive(Debug, Serialize)]
pub(super) struct ImpliedMetric {
    pub(super) name: String,
    pub(super) direction: Direction,
    pub(super) f_beta: f64,
    pub(super) bounds: Option<[f64; 2]>,
}

/// One of several benchmarks: a pool of items.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct BenchmarkTable {
    /// Name of the benchmark; the id of an item begins with it, as in `gsm8k/17`.
    pub(super) name: String,
    /// Items of the benchmark, in any form that `items` under `[design]` has.
    pub(super) items: ItemsEntry,
    /// Weight of the benchmark's mean in the value of an arm, above 0; weights are divided by their
    /// sum. The numbers of items as weights give the mean over all items. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) weight: Option<f64>,
    /// Cost of an answer beside those of the other benchmarks, in any unit: fewer are asked of a
    /// dear one. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost: Option<f64>,
}

/// A further number of an evaluation beside its score.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct MeasureTable {
    /// Key of the number in a result, beside that of the score; an evaluation without it has failed.
    /// `duration` (seconds) and `cost` are recorded of every evaluation, and need not be printed.
    pub(super) name: String,
    /// Unit of the measure, such as `"s"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unit: Option<String>,
    /// Least and greatest possible value; one outside is an error. Constraints on means need them.
    /// Default: none; of `duration` under a constraint, from 0 to the `timeout`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bounds: Option<[f64; 2]>,
    /// Whether a larger or a smaller value is better. Default `minimize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<DirectionName>"))]
    pub(super) direction: Option<Direction>,
}

/// A limit of a measure that an arm must keep to ship in a gate.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ConstraintTable {
    /// Name of the measure: of a `[[measure]]`, or `duration` or `cost`.
    pub(super) measure: String,
    /// Value above which an evaluation is too large; `at_most` is the largest share of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) share_above: Option<f64>,
    /// Quantile that `at_most` limits, such as 0.95: tested as the share of the values above
    /// `at_most`, which is to be at most 0.05.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) quantile: Option<f64>,
    /// Largest share, quantile, or else mean; or `"1.1 x baseline"`, a multiple of the baseline's mean.
    pub(super) at_most: Amount,
}

/// The winner of a search, with what the search said of it.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SearchWinnerTable {
    /// Name of the arm with the setting that had the best score in the search.
    pub(super) arm: String,
    /// Score of this setting in the search; no evidence about any arm.
    pub(super) score: f64,
    /// How many of the arm's evaluations, the first ones, are compared with the score: 2 to 8. The
    /// study makes these before it chooses by scores.
    pub(super) first: u64,
    /// Name of the arm with the default setting: the probability that it is better than the winner
    /// is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) default: Option<String>,
}

/// A file of evaluations that exist already.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedTable {
    /// File of results, or another study's `fiesta export`; a relative name begins in the study's
    /// directory.
    pub(super) file: String,
    /// Column of the score, if it is not `score` and not called as the study's metric.
    #[serde(alias = "score", skip_serializing_if = "Option::is_none")]
    pub(super) metric: Option<String>,
    /// Column of the arms' names. Default `arm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arm: Option<String>,
    /// Column of the numbers of splits. Default `split`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) split: Option<String>,
    /// Column of the seeds. Default `seed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<String>,
    /// Column of the items' names. Default `item`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) item: Option<String>,
    /// Digest of the file's content.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub(super) digest: Option<String>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct MetricTable {
    /// Key of the score in a result, such as `macro_f1`. Required unless results are confusion
    /// counts.
    pub(super) name: Option<String>,
    /// Whether a larger or a smaller score is better. Default `maximize` where the name of the metric says so, such as `accuracy` or `score`; other names need it.
    #[cfg_attr(feature = "schema", schemars(with = "Option<DirectionName>"))]
    pub(super) direction: Option<Direction>,
    /// Least and greatest possible score; one outside is an error. Default: none, `[0, 1]` in a
    /// study of items.
    pub(super) bounds: Option<[f64; 2]>,
    /// Weight of recall relative to precision in the F-measure of confusion counts, which results
    /// then hold in place of a score (only of items or documents).
    pub(super) f_beta: Option<f64>,
    /// Weight of precision in the harmonic mean with recall, in place of `f_beta`: β² = 1/weight −
    /// 1.
    // Recorded as f_beta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) precision_weight: Option<f64>,
    /// Exit codes with which a score counts. Default `[0]`.
    pub(super) exit_codes: Option<Vec<i64>>,
    /// Score that takes the place of NaN and infinite ones. Default: they are failures.
    pub(super) not_finite: Option<f64>,
    /// A regular expression that finds the score in what jobs print: `'accuracy: ([0-9.]+)%'`. Its
    /// one group, or the one called `score`, captures the number. It is matched with each line of
    /// stdout, without colours, and the last match counts; where stdout has none, the last one of
    /// stderr. With a pattern, results as JSON are not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pattern: Option<String>,
    /// A JSON file that a job writes and that holds the score, in place of what it prints, such as
    /// `"out/{run}/metrics.json"`. It begins in the study's directory, and has the placeholders of
    /// commands: `{run}`, or `{arm}` and `{seed}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// Key of the score in `file`, with dots between nested keys: `"eval.acc"`. Default: `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    /// Whether the numbers that `pattern` finds are percentages: the score is a hundredth of them,
    /// and `bounds` are of the score. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) percent: Option<bool>,
}

/// Facts that no tool can know, for the report.
#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ReportTable {
    /// Place where the code is published, for the checklist.
    pub(super) code: Option<String>,
    /// Place where the data are published, for the checklist.
    pub(super) data: Option<String>,
    /// What the score is in words, for the checklist.
    pub(super) validation_metric: Option<String>,
    /// Criterion by which a setting is selected, for the checklist.
    pub(super) selection_criterion: Option<String>,
}

/// The directions of a metric.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "its schema is all that is wanted")]
enum DirectionName {
    Maximize,
    Minimize,
}
