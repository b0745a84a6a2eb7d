//! Results of other tools as [`Evaluations`]: each trial or run is an evaluation, its settings and
//! notes are columns.
//!
//! | tool | what is read | score | arm, unless a column is chosen | duration |
//! |---|---|---|---|---|
//! | allentune | `results.jsonl` of its `report` and `merge` | `best_validation_…` | `model`, if there is one | `training_duration` |
//! | Optuna | SQLite storage (feature `optuna`), from 2.4 | the trial's `value` | the study | from start to end |
//! | Optuna | CSV of `study.trials_dataframe()` | `value`, or one of `values_…` | | `duration` |
//! | MLflow | a directory `mlruns`, or the SQLite database (feature `optuna`) | the last value of a metric | the experiment | from start to end |
//! | MLflow | CSV of the page of runs, or of `search_runs().to_csv()` | a metric | `experiment_id`, if there is one | `Duration`, or from start to end |
//! | Ray Tune | the directory of an experiment | the last value of a metric | | `time_total_s` |
//! | Weights & Biases | CSV of the table of runs | a summary | `Sweep`, if every run has one | `Runtime` |
//! | scikit-learn | `cv_results_` of a search as CSV or JSON; its folds are the splits | the test score | `params` | `mean_fit_time` |
//! | scikit-learn | what `cross_validate` returns, as CSV or JSON, a file or several; its folds are the splits | `test_…` | `model` or the like; of several files, the file | `fit_time` |
//! | lm-eval | `samples_TASK_DATE.jsonl` of `--log_samples` | a metric | the model | |
//! | Inspect AI | `.eval` archives (feature `inspect`) and `.json` logs | a scorer | the model, or else the task | `total_time` |
//! | promptfoo | JSON of `promptfoo eval -o out.json` | `score` | provider and prompt | `latencyMs` |
//! | HELM | `per_instance_stats.json`, beside `run_spec.json` | a statistic | the model | `inference_runtime` |
//! | SWE-bench | `MODEL.RUN.json`, and the leaderboard's `results.json` | `resolved` | the model | |
//! | EvalPlus | `eval_results.json`, `…_eval_results.json` | `base` or `plus` | the file, or its directory | |
//! | DeepEval | JSON of a test run | a metric, or `success` | the hyperparameter `model`, or else the file | `completionTime` and `runDuration` |
//! | OpenAI evals | JSON lines of `oaieval` | `correct`, or a number of the events | the first of `completion_fns` | |
//! | lighteval | `details_TASK_DATE.parquet` of `--save-details` | a metric | the directory above that of the date | |
//! | AlpacaEval | `annotations.json` | `win` | `generator_2`; beside one alone also `generator_1` | `time_per_example` |
//!
//! Seeds of Weights & Biases' runs are the splits where every arm has each of the same ones once.
//! Where several columns could be the score, it has to be named. Without a column for the arm, all
//! trials are one arm.
//!
//! # Logs of answers
//! What lm-eval and the tools below it write are answers to items, and become records with
//! [items](Evaluations::items). [`read_files`] reads several logs as one pool, of which each has an arm
//! or several.
//!
//! | | lm-eval | Inspect | promptfoo |
//! |---|---|---|---|
//! | item | `doc_id` | the sample's `id` | the test's description, or its number |
//! | seed | | the epoch, if there are several | the repeat, if there are several |
//! | score | a metric; [`Reading::filter`] chooses among several filters | `C` 1, `P` .5, `I` and `N` 0, numbers; `scorer.key` of values with keys | `score`, `pass`, or a named one |
//! | failure | | a sample with an error | a result with an error |
//! | cost | | `total_cost`, where the log states it | `cost` |
//! | columns | other metrics | other scores, `input_tokens`, `output_tokens`, metadata that groups items | named scores, `input_tokens`, `output_tokens` |
//!
//! | | HELM | SWE-bench | EvalPlus | DeepEval | OpenAI evals | AlpacaEval |
//! |---|---|---|---|---|---|---|
//! | item | the instance, with its perturbation | the instance | the task | the case's `name`, or a digest of its input | `sample_id` | a digest of the instruction |
//! | seed | the trial, if there are several | | the sample, if there are several | | | |
//! | score | the statistic's mean; of the split `test`, if there is one | 1 if resolved, 0 for other patches and for none | 1 if the tests of the benchmark passed; for `plus`, the further ones as well | the metric's | the mean over the sample's events `match` and `metrics` | 1 if preferred to the reference, 0 if not, .5 for a tie, and between |
//! | failure | | an instance that ended with an error | | a metric with an error | a sample with an error and no score | |
//! | cost | | | | of the answer and its grading | | of the annotation |
//! | same item | text of `instances.json` or `scenario_state.json` | | for `plus`, the data set's hash | the input | `expected` | the instruction and the reference's answer |
//!
//! lighteval's items are called by the `id` of their `doc`, or a digest of its `query`, which has to be the
//! same everywhere; its scores are those in `metric`.
//!
//! SWE-bench's leaderboard does not list what was not resolved: instances that reports read
//! together name count as 0 there.
//!
//! Where there are several tasks, items are called `task/item`; [`read_benchmarks`] reads each task by itself. Arms are called by their model or
//! provider and, where that is the same for several logs of a task, by what else tells them apart
//! (the solver, the prompt); where all of Inspect's logs are of one model, by the task.
//! [`ColumnNames::arm`](fiesta_records::ColumnNames::arm) names other parts, among them `file`, or the only arm. The same item must
//! be the same everywhere, as far as the logs tell: lm-eval's `doc_hash`, Inspect's `target`. Texts
//! of items and of answers are not kept; [`Imported::texts`] reads them where they stand. Metadata of Inspect's samples is, where its values are
//! short and fewer than the items, so that it may group them. lm-eval's `results_DATE.json` beside
//! the samples states which scores are better, and a notice tells of how many items of a task those
//! are that were answered.
//!
//! # Several files, and compressed ones
//! [`read_results`] also reads several tables with the same columns (CSV, TSV, JSON lines): the parts
//! of one table if a column names the arms, and else a file for each arm, which is called by its name
//! without folder and extension. Rows of such files belong together by the columns that name items,
//! else by splits. A directory stands for the logs in it, or where there are none for its tables; a
//! log in it that cannot be read is left out, which a notice says. What gzip or Zstandard compressed
//! is unpacked (feature `compressed`), from files and from streams. A Parquet file is read as the CSV
//! or the JSON lines that it holds (feature `parquet`), a table in Markdown or LaTeX as CSV.
//!
//! # What becomes of a trial
//! | the trial | becomes |
//! |---|---|
//! | ended with a finite score | a record |
//! | failed, crashed or was killed | a failure |
//! | runs, waits or was preempted | nothing; a notice counts them |
//! | was pruned | what [`Reading::pruned`] says, and else the file is refused |
//! | ended without a finite score | what [`Reading::missing`] says, and else the file is refused |
//!
//! All other columns are kept under their names. Only those that mean something in a file of scores
//! (`arm`, `item`, `split`, `seed`, `cost`, `duration`, `status`) get the tool's name before
//! theirs: a setting called `seed` says nothing of whether two trials are comparable.
//!
//! # Example
//! ```
//! use fiesta_import::{Tool, read_bytes};
//! use fiesta_records::Reading;
//! let runs = "Name,State,Runtime,Sweep,lr,val_acc\n\
//!             run-1,finished,61,lstm,0.1,0.71\n\
//!             run-2,crashed,7,gru,0.5,\n\
//!             run-3,running,9,gru,0.3,\n";
//! let options = Reading { metric: Some("val_acc".into()), ..Reading::default() };
//! let imported = read_bytes(runs.as_bytes(), Tool::Wandb, &options, "runs.csv")?;
//! assert_eq!(imported.records.arms(), ["lstm", "gru"]);
//! assert_eq!(imported.records.failures()[0].duration, Some(7.0));
//! assert_eq!(imported.records.columns(), ["Name", "State", "Runtime", "lr"]);
//! assert_eq!(imported.notices, [
//!     "the arms are those of the column `Sweep`",
//!     "1 trial that has not ended is left out (the first is runs.csv:4)",
//! ]);
//! # Ok::<(), fiesta_import::ImportError>(())
//! ```

mod allentune;
mod alpaca_eval;
#[cfg(feature = "inspect")]
mod archive;
mod benchmarks;
mod choose;
mod collected;
mod cross_validate;
#[cfg(feature = "optuna")]
mod database;
mod deepeval;
mod directory;
mod error;
mod evalplus;
mod forms;
mod helm;
mod inspect;
mod json;
mod latex;
mod lighteval;
mod lm_eval;
mod lm_eval_results;
mod logs;
mod markdown;
mod metadata;
mod mlflow;
#[cfg(feature = "optuna")]
mod mlflow_database;
mod mlflow_files;
mod mlflow_store;
mod open;
mod openai_evals;
#[cfg(feature = "optuna")]
mod optuna;
mod optuna_csv;
mod pool;
mod promptfoo;
mod ragged;
mod ray;
mod scored;
mod sklearn;
mod store;
mod swe_bench;
mod tasks;
mod texts;
mod time;
mod together;
mod trials;
mod unpack;
mod versions;
mod wandb;

pub use benchmarks::read_benchmarks;
pub use error::{ImportError, Result};
pub use logs::read_files;
pub use open::{read_own, read_results, read_results_from, recognise_file};
pub use texts::{AnswerTexts, TextPlaces};
pub use unpack::{plain_path, read_unpacked, unpacked};
pub use versions::{VersionTable, by_arm_or_file, read_versions};

use error::refused;
use fiesta_core::Direction;
use fiesta_records::{
    ColumnRole, Evaluations, Format, OWN, Reading, RecordsError, table::Table, words,
};
use std::path::Path;

/// A tool whose results can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tool {
    /// AllenTune, the random search that came with "Show Your Work" (Dodge et al., EMNLP 2019).
    AllenTune,
    /// Optuna, with its SQLite storage or a CSV of its trials.
    Optuna,
    /// MLflow, with its directory, its database or a CSV of its runs.
    Mlflow,
    /// Weights & Biases, with a CSV of its table of runs.
    Wandb,
    /// lm-eval, the Language Model Evaluation Harness.
    LmEval,
    /// Inspect AI, with its archives and its logs in JSON.
    Inspect,
    /// promptfoo, with its output in JSON.
    Promptfoo,
    /// scikit-learn's searches with cross-validation.
    Sklearn,
    /// HELM (Holistic Evaluation of Language Models).
    Helm,
    /// SWE-bench, with reports of its harness and results of its leaderboard.
    SweBench,
    /// EvalPlus, with its results in JSON.
    EvalPlus,
    /// DeepEval, with a test run in JSON.
    DeepEval,
    /// OpenAI's evals, with their logs as JSON lines.
    OpenAiEvals,
    /// AlpacaEval, with its annotations in JSON.
    AlpacaEval,
    /// lighteval, with its details of samples.
    Lighteval,
    /// Ray Tune, with the directory of an experiment.
    Ray,
}

impl Tool {
    /// Returns whether the tool writes logs of answers to items, which can be read together.
    pub fn logs_answers(self) -> bool {
        !matches!(
            self,
            Self::AllenTune | Self::Optuna | Self::Mlflow | Self::Wandb | Self::Sklearn | Self::Ray
        )
    }

    /// Returns whether the tool's results are certainly trials of a search for hyperparameters. A
    /// tool that records any runs may have recorded repeats of one setting.
    pub fn searches(self) -> bool {
        matches!(self, Self::AllenTune | Self::Optuna | Self::Ray)
    }

    /// Returns a column's name in the records. The tool's name stands before a name with a meaning
    /// in files of scores, such as `seed`.
    fn column(self, name: &str) -> String {
        if OWN.contains(&name) {
            format!("{self}.{name}")
        } else {
            name.to_owned()
        }
    }

    /// Returns the tool that certainly wrote a file with this content: Optuna's database, allentune's,
    /// Ray's, lm-eval's or OpenAI's lines, a CSV file with the columns of Optuna's, MLflow's or Weights &
    /// Biases' own, Inspect's archive, or JSON with the keys of another tool's logs. None for any other
    /// file, a file of scores among them. The first 64 bytes tell whether it is a database or an archive.
    pub fn recognise(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(SQLITE) {
            return Some(Self::Optuna);
        }
        if inspect::is_archive(bytes) {
            return Some(Self::Inspect);
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let text = text.trim_start_matches('\u{feff}');
        let first = first_line(bytes)?;
        let is = |tool| match tool {
            Self::AllenTune => allentune::is(first),
            Self::Mlflow => mlflow::is(first),
            Self::Wandb => wandb::is(first),
            Self::LmEval => lm_eval::is(first) || lm_eval::is_summary(text),
            Self::Sklearn => sklearn::is(text, first),
            Self::Inspect => inspect::is(text),
            Self::Promptfoo => promptfoo::is(text),
            Self::Helm => helm::is(text),
            Self::SweBench => swe_bench::is(text),
            Self::EvalPlus => evalplus::is(text),
            Self::DeepEval => deepeval::is(text),
            Self::OpenAiEvals => openai_evals::is(first),
            Self::AlpacaEval => alpaca_eval::is(text),
            Self::Lighteval => lighteval::is(first),
            Self::Optuna => optuna_csv::is(first),
            Self::Ray => ray::is_result(first),
        };
        Self::ALL.into_iter().find(|&tool| is(tool))
    }
}

fiesta_core::names! {
    Tool {
        AllenTune = "allentune", Optuna = "optuna", Mlflow = "mlflow", Wandb = "wandb",
        LmEval = "lm-eval", Inspect = "inspect", Promptfoo = "promptfoo", Sklearn = "sklearn",
        Helm = "helm", SweBench = "swe-bench", EvalPlus = "evalplus", DeepEval = "deepeval",
        OpenAiEvals = "openai-evals", AlpacaEval = "alpaca-eval", Lighteval = "lighteval",
        Ray = "ray"
    }
    /// Error: a text is not the name of a tool.
    #[error("`{0}` is no tool: use one of {list}", list = Tool::ALL.map(Tool::name).join(", "))]
    UnknownTool
}

/// Results that were read from files, with what is known of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The trials as evaluations, with failures and columns.
    pub records: Evaluations,
    /// The tool that wrote the results. `None` if they are in fiesta's own form.
    pub tool: Option<Tool>,
    /// Which scores are better, if the tool says so.
    pub direction: Option<Direction>,
    /// Notices to the user about choices that were made, and about what is left out.
    pub notices: Vec<String>,
    /// The role of each column that was read, and the rule that gave it. Empty if the file says of
    /// each value what it is.
    pub roles: Vec<ColumnRole>,
    /// Places in logs from which the texts of items and answers can be read. Empty without logs.
    pub texts: TextPlaces,
}

/// Error message of a call without any file.
const NO_FILE: &str = "there is no file to read";

/// The first bytes of a SQLite database.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Reads a tool's results.
///
/// # Errors
/// [`ImportError`] if the file cannot be read or is not the tool's, the score or the arm is no
/// column of it or has to be chosen, or a trial is none.
pub fn read(path: impl AsRef<Path>, tool: Tool, options: &Reading) -> Result<Imported> {
    check(tool, options)?;
    let path = path.as_ref();
    let file = words::file(path);
    if let Some(found) = store::read(path, tool, options, &file) {
        return found;
    }
    if tool.logs_answers() {
        return read_files(&[path], tool, options);
    }
    let bytes = read_unpacked(path).map_err(RecordsError::unread(&file))?;
    let format = Format::of_path(plain_path(path));
    understand(&bytes, format, tool, options, &file)
}

/// Reads a tool's results from memory; not Optuna's, which are a database on disk. `file` stands in
/// messages.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(bytes: &[u8], tool: Tool, options: &Reading, file: &str) -> Result<Imported> {
    understand(bytes, None, tool, options, file)
}

/// Refuses a filter for a tool without filters, and names of columns that the tool itself states.
fn check(tool: Tool, options: &Reading) -> Result<()> {
    if tool != Tool::LmEval && options.filter.is_some() {
        return Err(refused(format!(
            "only the samples of lm-eval have filters, and not what {tool} writes: leave --filter out"
        )));
    }
    let why = match tool {
        Tool::Sklearn => "its folds are the splits",
        _ if tool.logs_answers() => "its logs state the items, and their repeats are the seeds",
        _ => return Ok(()),
    };
    let given = [
        ("item", &options.columns.item),
        ("split", &options.columns.split),
        ("seed", &options.columns.seed),
    ];
    match given.into_iter().find(|(_, name)| name.is_some()) {
        Some((flag, _)) => Err(refused(format!(
            "--{flag} names no column of {tool}: {why}; leave it out"
        ))),
        None => Ok(()),
    }
}

fn understand(
    bytes: &[u8],
    format: Option<Format>,
    tool: Tool,
    options: &Reading,
    file: &str,
) -> Result<Imported> {
    check(tool, options)?;
    // Whatever the extension says: pages are downloaded under all kinds of names.
    let of_page = format.filter(|format| *format == Format::Tsv);
    match tool {
        Tool::AllenTune => {
            let table = Table::read(bytes, Some(Format::JsonLines), file)?;
            allentune::read(&table, options, file)
        }
        Tool::Mlflow => mlflow::read(&Table::read(bytes, of_page, file)?, options, file),
        Tool::Sklearn => {
            sklearn::read(&cross_validate::table(bytes, of_page, file)?, options, file)
        }
        Tool::Ray => Err(ray::not_alone(file)),
        Tool::Wandb => wandb::read(&Table::read(bytes, of_page, file)?, options, file),
        Tool::Optuna if first_line(bytes).is_some_and(optuna_csv::is_like) => {
            optuna_csv::read(&Table::read(bytes, of_page, file)?, options, file)
        }
        Tool::Optuna => Err(refused(format!(
            "{file}: Optuna's storage is a database: name its file"
        ))),
        Tool::LmEval
        | Tool::Inspect
        | Tool::Promptfoo
        | Tool::Helm
        | Tool::SweBench
        | Tool::EvalPlus
        | Tool::DeepEval
        | Tool::OpenAiEvals
        | Tool::AlpacaEval
        | Tool::Lighteval => {
            let mut logs = [logs::of_log(bytes, None, tool, options, file)?];
            swe_bench::complete(&mut logs)?;
            alpaca_eval::complete(&mut logs, options);
            pool::records(&logs, tool, options)
        }
    }
}

/// The first line of a text that is not empty.
fn first_line(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    lines.find(|line| !line.trim().is_empty())
}

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
