//! The tables of a study file: as written, and with what it leaves to defaults once they are
//! checked.

use super::{environment::Environment, functions, items::PoolKey, own::Method};
use fiesta_core::{Direction, Target};
use fiesta_policies::stopping::Distance;
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

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
pub(super) struct WorkerTable {
    /// Command of a worker as a list of arguments; its only placeholder is `{arm}`, which gives
    /// each arm workers of its own.
    pub(super) command: Option<Vec<String>>,
    /// Cases that one worker is given at once; its answers may come in any order. Default 1.
    pub(super) concurrency: Option<usize>,
    /// Number of worker processes. Default: as many as `parallel` cases need.
    pub(super) processes: Option<usize>,
    /// Most cases sent in a time by all workers together, such as `"60/min"`; kept across
    /// restarts.
    pub(super) rate_limit: Option<String>,
    /// Longest time until a worker says `{"ready": true}`, such as `"5min"`; without it a worker
    /// need not say so.
    pub(super) start_timeout: Option<String>,
    /// Cost of an answer that does not state its own, in the study's unit.
    pub(super) cost: Option<f64>,
    /// Prices of a million tokens by kind, such as `{ in = 0.15, out = 0.6 }`, for answers with
    /// `"tokens": {"in": 812, "out": 40}`.
    // Ledgers of studies without these are what they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prices: Option<BTreeMap<String, f64>>,
    /// SQLite file of answers to items: an answer in it is not asked, nor paid, again, by this
    /// study or another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cache: Option<String>,
    /// Variables of the workers, beside those that they inherit.
    #[serde(default, skip_serializing_if = "Environment::is_empty")]
    pub(super) env: Environment,
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

#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = with_alias))]
#[serde(deny_unknown_fields)]
pub(super) struct GoalTable {
    /// Probability with which one arm must be the best before the study ends. Default 0.95 if
    /// nothing else in this table ends it.
    pub(super) confidence: Option<f64>,
    /// Distance from the best mean at which an arm is good enough: in the metric's unit, or in
    /// standard deviations of a paired difference as `"0.1 sd"`. Default 0.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Amount>"))]
    pub(super) tolerance: Option<Distance>,
    /// Distance within which the best arms end the study as tied; 0 for never. Default `"0.3 sd"`,
    /// 0 in a study of items or documents.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Amount>"))]
    pub(super) tie: Option<Distance>,
    /// Whether an arm is named only at the probability 1 − δ², where the confidence is 1 − δ.
    /// Default false.
    pub(super) strict: Option<bool>,
    /// Expected loss of choosing now at which the study ends: in the unit of the metric, or as
    /// `"0.1 sd"`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Amount>"))]
    pub(super) shortfall: Option<Distance>,
    /// Evaluations of the two best arms before a study of documents may end; in one of items also
    /// called `min_items`.
    #[serde(alias = "min_items")]
    pub(super) min_documents: Option<u64>,
    /// Greatest share of failed evaluations that the rule `anytime` is to be ready for; a smaller
    /// one lets it begin later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rare_failures: Option<f64>,
    /// Most that the study may spend; it ends at what is reached first. Default: 100 evaluations
    /// for each arm where a confidence ends it.
    pub(super) budget: Option<BudgetTable>,
    /// Settings drawn for each arm, in a random search.
    pub(super) trials: Option<u64>,
    /// Which items the verdict is of, in a study of items: `"these items"`, or `"items like these"`,
    /// many more that are drawn as these were. Default `"these items"`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<Target>,
    /// Number of the best arms that are to be named together, such as 3: the study ends when no other
    /// arm is better than any of them. Default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) top: Option<usize>,
    /// Distance below the best, in the unit of the metric, at which the cheapest arm is sought: the study ends
    /// when one arm is at most so far below the best, and no other such arm costs 5 % less or more than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cheapest_within: Option<f64>,
    /// Arm that the others may replace: the study is a gate, and asks of each other arm whether it
    /// is good enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline: Option<String>,
    /// File with the baseline's answers that `fiesta gate --keep-baseline` wrote: they are not asked again. A
    /// relative name begins in the study's directory; while there is no such file, the baseline is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline_file: Option<String>,
    /// How much worse than the baseline an arm may be: in the metric's unit, or on splits without
    /// bounds `"0.3 sd"`, in standard deviations of the difference.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Amount>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) margin: Option<Distance>,
    /// By more than how much an arm has to be better than the baseline, in place of a margin.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Amount>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) better_by: Option<Distance>,
    /// When a gate ends: `"first"` as soon as one arm is good enough. Default: when all are decided.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<Until>,
}

/// Moment at which a gate ends before every arm is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Until {
    /// The first arm that ships ends the gate.
    First,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct BudgetTable {
    /// Number of evaluations, of all arms together.
    pub(super) evaluations: Option<u64>,
    /// Sum of costs: a number in the study's unit, the same with the unit (`"40 USD"`, where
    /// `cost_unit` is `"USD"`), or a duration such as `"40h"` where costs are measured times (of
    /// GPU-hours where jobs have GPUs).
    pub(super) cost: Option<Amount>,
    /// Wall-clock time of all sessions together, such as `"8h"`. Jobs that run when it is over are stopped.
    pub(super) wall: Option<String>,
}

/// A cost: a number in the study's unit, the same with its unit, or a duration such as "40h".
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum Amount {
    Number(f64),
    Text(String),
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct DesignTable {
    /// Splits on which arms are evaluated: `"shared"` (the k-th evaluation of every arm is of
    /// split k), `"independent"` (each of a split of its own), `"fixed"` (one split, seeds vary);
    /// or their number, or `{ kind = "independent", count = 800 }`. `first = 3` beside `kind` numbers
    /// them from 3. Default `"shared"`, `"fixed"` in a random search.
    #[cfg_attr(feature = "schema", schemars(with = "Option<SplitsShape>"))]
    pub(super) splits: Option<serde_json::Value>,
    /// Items on which arms are evaluated, in place of splits: a file of one a line (`.jsonl`,
    /// `.ndjson`) or a row (`.csv`, `.tsv`), a pattern for files such as `"texts/*.txt"`, or a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) items: Option<ItemsEntry>,
    /// Items under another word, whose results are confusion counts by default.
    pub(super) documents: Option<String>,
    /// Key of the items whose values are groups: their order is balanced over them, and results
    /// are shown by them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) strata: Option<String>,
    /// Whether answers to an item vary when it is asked again; items are then asked more than
    /// once. On a number of splits: whether these are used again, with other seeds, once all were
    /// used; the verdict is then of these splits. Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repeats: Option<bool>,
    /// Policy that chooses the next arm: a name; or `{ own = "NAME", parameters = { … } }`, one of
    /// the program that runs the study; or `{ command = ["python", "policy.py"] }`, a process that
    /// is asked, with the `timeout` of an answer (default `"1min"`).
    pub(super) policy: Option<Method>,
    /// Posterior of the arms' means, by a name or as `{ own = "NAME" }`. Default: `paired` on splits,
    /// `pool` on items, `f-measure` with counts.
    pub(super) posterior: Option<Method>,
    /// Concentration of documents about their arm under `f-measure`: a number, or `"learned"`.
    /// Default `"learned"`.
    pub(super) alpha: Option<Alpha>,
    /// Weight of the prior under `f-measure`, in items. Default 1.
    // Ledgers of before these two keys are still of the same study.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alpha0: Option<f64>,
    /// Expected shares of TP, FP, TN and FN under `f-measure`, in this order. Default: all alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) theta0: Option<[f64; 4]>,
    /// Rule that decides whether the confidence is reached, by a name or as `{ own = "NAME" }`.
    pub(super) stopping: Option<Method>,
    /// Jobs at a time. Default 1. A study that has reached its confidence ends when the jobs that run have ended, if it holds then.
    pub(super) parallel: Option<usize>,
    /// Evaluations that the policy `bts` chooses at once.
    pub(super) batch: Option<u32>,
    /// Share of the leader in policies that compare two arms (`ttts`, `pets`, `t3c`, `eb-tci`,
    /// `ttps`, `ttucb`); then they toss a coin. Default ½ with a coin.
    pub(super) beta: Option<f64>,
    /// How policies that compare two arms choose between them: `"coin"`, `"balanced"` or
    /// `"cost-aware"`. Default: that of the policy.
    pub(super) tie_break: Option<String>,
    /// Whether `sequential-halving` also spends what its divisions leave over. Default false.
    pub(super) extended: Option<bool>,
    /// Seed of all random choices. Default 0.
    #[serde(default)]
    pub(super) seed: u64,
    /// Number of documents, and a digest of all of them.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub(super) collection: Option<serde_json::Value>,
}

impl DesignTable {
    /// Returns the key under which the study file names items. `None` in a study of splits.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "items is the name of a file, a pattern for files, or a list of items"
)]
pub(super) enum ItemsEntry {
    Name(String),
    List(Vec<serde_json::Value>),
    /// The items of all benchmarks, which have tables of their own.
    #[serde(skip)]
    Benchmarks,
}

/// Value of `items` in a ledger if the study file lists them. A digest identifies the items.
const LISTED: &str = "listed";

impl Serialize for ItemsEntry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match self {
            Self::Name(name) => name,
            Self::List(_) => LISTED,
            Self::Benchmarks => fiesta_posterior::BENCHMARKS,
        })
    }
}

/// How alike an arm's documents are: learned, or a number.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum Alpha {
    Number(f64),
    Name(String),
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ResourcesTable {
    /// GPUs of a job: a whole number, or a fraction that shares one, such as 0.5. Default 0.
    pub(super) gpus_per_job: Option<f64>,
    /// Unit of costs, such as `"USD"`, shown wherever costs are: costs are then those that `cost`,
    /// `prices` or the results state, and what states none counts as 0 and is told. Default: where
    /// no cost is stated, costs are measured, in seconds of a job times its GPUs (shown in hours or
    /// GPU-hours); where some are, none.
    // Ledgers of before this key are still of the same study.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost_unit: Option<String>,
    /// Longest time of a job, such as `"2h"`; one that takes longer has failed. Default: none.
    pub(super) timeout: Option<String>,
    /// Longest time without any output of a job; one that is silent for longer has failed.
    /// Default: none.
    pub(super) silence: Option<String>,
    /// Time between the polite signal and SIGKILL when a job is stopped. Default `"10s"`.
    pub(super) grace: Option<String>,
    /// Further attempts at an evaluation whose job was lost (killed, out of memory, its machine
    /// gone); a command that fails is not tried again. Default 1.
    pub(super) retries: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ExecutorTable {
    /// Who carries out the jobs: `"local"` (default), `"slurm"`, `"ray"`, or `"functions"` of the
    /// program that runs the study.
    pub(super) kind: Option<String>,
    /// GPUs that jobs may have, by index or UUID. Default: those of `CUDA_VISIBLE_DEVICES`, or
    /// all.
    pub(super) gpus: Option<Vec<GpuName>>,
    /// Whether GPUs that somebody else uses are left alone. Default true.
    pub(super) watch_gpus: Option<bool>,
    /// The keys of an engine that the program added, as its kind reads them.
    #[serde(skip)]
    pub(super) engine: Map<String, Value>,
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
    pub(super) fn has(&self, key: &str) -> bool {
        serde_json::to_value(self).is_ok_and(|table| !table[key].is_null())
    }
}

/// A GPU's index or its UUID.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum GpuName {
    Index(u32),
    Id(String),
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

#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ArmTable {
    /// Number of the arm in the file, which the ledger need not have.
    #[serde(skip)]
    pub(super) place: String,
    /// Name of the arm, as `{arm}` has it.
    pub(super) name: String,
    /// Command of this arm's evaluations, in place of the study's.
    pub(super) command: Option<Vec<String>>,
    /// Variables of the arm's jobs, beside those that they inherit.
    #[serde(default)]
    pub(super) env: Environment,
    /// Number of GPUs of each job of the arm.
    pub(super) gpus_per_job: Option<f64>,
    /// Cost of an evaluation whose result states none.
    pub(super) cost: Option<f64>,
    /// Prices of a million tokens by kind, in place of those of the worker.
    // Ledgers compare the tables of arms as a whole: those of studies without these are what they
    // were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prices: Option<BTreeMap<String, f64>>,
    /// Text that identifies the arm, in place of its command, its variables and its files: changing
    /// it asks anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    /// Further files that make this arm what it is, as `inputs` of the study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) inputs: Vec<String>,
    /// The digests of the arm's files, by their names.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub(super) files: Option<BTreeMap<String, String>>,
    /// Search space of the arm, in a random search: a hyperparameter each, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) search: Option<BTreeMap<String, ParameterTable>>,
}

/// The values of a hyperparameter: one of the four kinds.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ParameterTable {
    /// Values of which each is equally likely.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<serde_json::Value>>"))]
    pub(super) choice: Option<Vec<toml::Value>>,
    /// A whole number between these, both included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) integer: Option<[i64; 2]>,
    /// A number between these, uniformly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uniform: Option<[f64; 2]>,
    /// A number between these, uniformly in its logarithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) loguniform: Option<[f64; 2]>,
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

/// The forms of `splits`.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "its schema is all that is wanted")]
enum SplitsShape {
    Kind(String),
    Count(u64),
    Both {
        kind: String,
        count: Option<u64>,
        first: Option<u64>,
    },
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
