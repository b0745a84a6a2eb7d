//! Results of other tools as [`Records`]: each trial or run is an evaluation, its settings and
//! notes are columns.
//!
//! | tool | what is read | score | arm, unless a column is chosen | duration |
//! |---|---|---|---|---|
//! | allentune | `results.jsonl` of its `report` and `merge` | `best_validation_…` | `model`, if there is one | `training_duration` |
//! | Optuna | SQLite storage (feature `optuna`), from 2.4 | the trial's `value` | the study | from start to end |
//! | MLflow | CSV of the page of runs, or of `search_runs().to_csv()` | a metric | `experiment_id`, if there is one | `Duration`, or from start to end |
//! | Weights & Biases | CSV of the table of runs | a summary | `Sweep`, if every run has one | `Runtime` |
//! | scikit-learn | `cv_results_` of a search as CSV or JSON; its folds are the splits | the test score | `params` | `mean_fit_time` |
//!
//! | lm-eval | `samples_TASK_DATE.jsonl` of `--log_samples` | a metric | the model | |
//! | Inspect AI | `.eval` archives (feature `inspect`) and `.json` logs | a scorer | the model, or else the task | `total_time` |
//! | promptfoo | JSON of `promptfoo eval -o out.json` | `score` | provider and prompt | `latencyMs` |
//!
//! Where several columns could be the score, it has to be named. Without a column for the arm, all
//! trials are one arm.
//!
//! # Logs of answers
//! What lm-eval, Inspect and promptfoo write are answers to items, and become records with
//! [items](Records::items). [`read_files`] reads several logs as one pool, of which each has an arm
//! or several.
//!
//! | | lm-eval | Inspect | promptfoo |
//! |---|---|---|---|
//! | item | `doc_id` | the sample's `id` | the test's description, or its number |
//! | seed | | the epoch, if there are several | the repeat, if there are several |
//! | score | a metric; [`ReadOptions::filter`] chooses among several filters | `C` 1, `P` .5, `I` and `N` 0, numbers; `scorer.key` of values with keys | `score`, `pass`, or a named one |
//! | failure | | a sample with an error | a result with an error |
//! | cost | | `total_cost`, where the log states it | `cost` |
//! | columns | other metrics | other scores, `input_tokens`, `output_tokens` | named scores, `input_tokens`, `output_tokens` |
//!
//! Where there are several tasks, items are called `task/item`. Arms are called by their model or
//! provider and, where that is the same for several logs of a task, by what else tells them apart
//! (the solver, the prompt); where all of Inspect's logs are of one model, by the task.
//! [`ColumnNames::arm`](crate::ColumnNames::arm) names other parts, among them `file`, or the only arm. The same item must
//! be the same everywhere, as far as the logs tell: lm-eval's `doc_hash`, Inspect's `target`. Texts
//! of items and of answers are not kept.
//!
//! # What becomes of a trial
//! | the trial | becomes |
//! |---|---|
//! | ended with a finite score | a record |
//! | failed, crashed or was killed | a failure |
//! | runs, waits or was preempted | nothing; a notice counts them |
//! | was pruned | what [`ReadOptions::pruned`] says, and else the file is refused |
//! | ended without a finite score | what [`ReadOptions::missing`] says, and else the file is refused |
//!
//! All other columns are kept under their names. Only those that mean something in a file of scores
//! (`arm`, `item`, `split`, `seed`, `cost`, `duration`, `status`) get the tool's name before
//! theirs: a setting called `seed` says nothing of whether two trials are comparable.
//!
//! # Example
//! ```
//! use fiesta_records::{ReadOptions, import::{Tool, read_bytes}};
//! let runs = "Name,State,Runtime,Sweep,lr,val_acc\n\
//!             run-1,finished,61,lstm,0.1,0.71\n\
//!             run-2,crashed,7,gru,0.5,\n\
//!             run-3,running,9,gru,0.3,\n";
//! let options = ReadOptions { metric: Some("val_acc".into()), ..ReadOptions::default() };
//! let imported = read_bytes(runs.as_bytes(), Tool::Wandb, &options, "runs.csv")?;
//! assert_eq!(imported.records.arms(), ["lstm", "gru"]);
//! assert_eq!(imported.records.failures()[0].duration, Some(7.0));
//! assert_eq!(imported.records.columns(), ["Name", "State", "Runtime", "lr"]);
//! assert_eq!(imported.notices, [
//!     "the arms are those of the column `Sweep`",
//!     "1 trial that has not ended is left out (the first is runs.csv:4)",
//! ]);
//! # Ok::<(), fiesta_records::import::ImportError>(())
//! ```

mod allentune;
#[cfg(feature = "inspect")]
mod archive;
mod choose;
mod collected;
#[cfg(feature = "optuna")]
mod database;
mod directory;
mod error;
mod inspect;
mod json;
mod lm_eval;
mod mlflow;
mod open;
#[cfg(feature = "optuna")]
mod optuna;
mod pool;
mod promptfoo;
mod sklearn;
mod table;
mod time;
mod trials;
mod wandb;

pub use error::ImportError;
pub use open::{read_results, read_results_from, recognise_file};

use crate::{Format, ReadOptions, Records, RecordsError, names::OWN, read_whole, words};
use error::refused;
use fiesta_core::Direction;
#[cfg(feature = "optuna")]
use optuna::read as of_optuna;
use pool::Log;
use std::{
    fmt,
    fs::File,
    io::{BufReader, Cursor, Read, Seek},
    path::Path,
    str::FromStr,
};
use table::Table;

/// A tool whose results can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tool {
    /// AllenTune, the random search that came with "Show Your Work" (Dodge et al., EMNLP 2019).
    AllenTune,
    /// Optuna.
    Optuna,
    /// MLflow.
    Mlflow,
    /// Weights & Biases.
    Wandb,
    /// The Language Model Evaluation Harness.
    LmEval,
    /// Inspect AI.
    Inspect,
    /// promptfoo.
    Promptfoo,
    /// scikit-learn's searches with cross-validation.
    Sklearn,
}

impl Tool {
    /// All tools.
    pub const ALL: [Self; 8] = [
        Self::AllenTune,
        Self::Optuna,
        Self::Mlflow,
        Self::Wandb,
        Self::LmEval,
        Self::Inspect,
        Self::Promptfoo,
        Self::Sklearn,
    ];

    /// Returns whether the tool writes logs of answers to items, which can be read together.
    pub fn logs_answers(self) -> bool {
        matches!(self, Self::LmEval | Self::Inspect | Self::Promptfoo)
    }

    /// Returns whether the tool's results are certainly trials of a search for hyperparameters. A
    /// tool that records any runs may have recorded repeats of one setting.
    pub fn searches(self) -> bool {
        matches!(self, Self::AllenTune | Self::Optuna)
    }

    /// Returns the name of the tool in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::AllenTune => "allentune",
            Self::Optuna => "optuna",
            Self::Mlflow => "mlflow",
            Self::Wandb => "wandb",
            Self::LmEval => "lm-eval",
            Self::Inspect => "inspect",
            Self::Promptfoo => "promptfoo",
            Self::Sklearn => "sklearn",
        }
    }

    /// Returns what a column is called among records: with the tool's name before its own, where
    /// that means something in a file of scores.
    fn column(self, name: &str) -> String {
        if OWN.contains(&name) {
            format!("{self}.{name}")
        } else {
            name.to_owned()
        }
    }

    /// The tool that certainly wrote this: Optuna's database, allentune's lines, a CSV file with
    /// the first columns of MLflow's or Weights & Biases' own, lm-eval's lines, Inspect's archive,
    /// or JSON that begins as Inspect's or promptfoo's does. None for any other file, a file of
    /// scores among them. The first 64 bytes tell whether it is a database or an archive.
    pub fn recognise(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(SQLITE) {
            return Some(Self::Optuna);
        }
        if inspect::is_archive(bytes) {
            return Some(Self::Inspect);
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let text = text.trim_start_matches('\u{feff}');
        let first = text.lines().find(|line| !line.trim().is_empty())?;
        let is = |tool| match tool {
            Self::AllenTune => allentune::is(first),
            Self::Mlflow => mlflow::is(first),
            Self::Wandb => wandb::is(first),
            Self::LmEval => lm_eval::is(first) || lm_eval::is_summary(text),
            Self::Sklearn => sklearn::is(text, first),
            Self::Inspect => inspect::is(text),
            Self::Promptfoo => promptfoo::is(text),
            Self::Optuna => false,
        };
        Self::ALL.into_iter().find(|&tool| is(tool))
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A tool's name that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no tool: use one of {list}", list = Tool::ALL.map(Tool::name).join(", "))]
pub struct UnknownTool(String);

impl FromStr for Tool {
    type Err = UnknownTool;

    fn from_str(name: &str) -> Result<Self, UnknownTool> {
        let known = Self::ALL.into_iter().find(|tool| tool.name() == name);
        known.ok_or_else(|| UnknownTool(name.to_owned()))
    }
}

/// Ways to count a trial that was pruned: stopped early because it looked bad.
// The first paragraph of each is its help on the command line, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Pruned {
    /// One with the last score it had.
    ///
    /// That is usually worse than what it would have had at its end.
    Score,
    /// A failure.
    Fail,
    /// None.
    ///
    /// The trials that are left are the better ones, and no random sample of all trials.
    Drop,
}

/// Ways to count a trial that ended without a finite score: none at all, NaN or an infinity.
// The first paragraph of each is its help on the command line, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Missing {
    /// A failure.
    Fail,
    /// None.
    Drop,
}

/// Results that were read.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The trials as evaluations, with failures and columns.
    pub records: Records,
    /// The tool that wrote the results. `None` if they are in fiesta's own form.
    pub tool: Option<Tool>,
    /// Which scores are better, if the tool says so.
    pub direction: Option<Direction>,
    /// Notices to the user: what was chosen, and what is left out.
    pub notices: Vec<String>,
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
pub fn read(
    path: impl AsRef<Path>,
    tool: Tool,
    options: &ReadOptions,
) -> Result<Imported, ImportError> {
    check(tool, options)?;
    let path = path.as_ref();
    let file = words::file(path);
    if tool == Tool::Optuna {
        return of_optuna(path, options, &file);
    }
    if tool.logs_answers() {
        return read_files(&[path], tool, options);
    }
    let bytes = read_whole(path).map_err(RecordsError::unread(&file))?;
    understand(&bytes, Format::of_path(path), tool, options, &file)
}

/// Reads several files of a tool that [logs answers](Tool::logs_answers) as one pool of items.
///
/// # Errors
/// As [`read`], and [`ImportError`] if two files have the same arm, the same item is another one
/// elsewhere, or the tool's files are read one by one.
///
/// # Example
/// ```no_run
/// use fiesta_records::{ReadOptions, import::{Tool, read_files}};
/// let options = ReadOptions { metric: Some("match".into()), ..ReadOptions::default() };
/// let logs = ["logs/large.eval", "logs/small.eval"];
/// let imported = read_files(&logs, Tool::Inspect, &options)?;
/// println!("{} arms, {} items", imported.records.arms().len(), imported.records.items().len());
/// # Ok::<(), fiesta_records::import::ImportError>(())
/// ```
pub fn read_files(
    paths: &[impl AsRef<Path>],
    tool: Tool,
    options: &ReadOptions,
) -> Result<Imported, ImportError> {
    check(tool, options)?;
    if paths.is_empty() {
        return Err(refused(NO_FILE));
    }
    if !tool.logs_answers() {
        if let [path] = paths {
            return read(path, tool, options);
        }
        let logs = Tool::ALL.into_iter().filter(|tool| tool.logs_answers());
        let logs: Vec<&str> = logs.map(Tool::name).collect();
        return Err(refused(format!(
            "only logs of answers to items ({}) are read several at a time: read each file of {tool} by itself",
            logs.join(", ")
        )));
    }
    let log = |path: &Path| {
        let file = words::file(path);
        let unread = RecordsError::unread(&file);
        let mut start = [0; 4];
        let mut opened = File::open(path).map_err(&unread)?;
        // Of an archive, which may be large, little is read.
        if tool == Tool::Inspect && opened.read_exact(&mut start).is_ok() && start == *inspect::ZIP
        {
            opened.rewind().map_err(&unread)?;
            return of_archive(BufReader::new(opened), options, &file);
        }
        let bytes = read_whole(path).map_err(unread)?;
        of_log(&bytes, Some(path), tool, options, &file)
    };
    let (mut logs, mut left_out, mut unscored) = (Vec::new(), Vec::new(), None);
    for path in paths {
        match log(path.as_ref()) {
            Ok(log) => logs.push(log),
            Err(ImportError::Unscored { file, status }) => {
                left_out.push(format!(
                    "{file} is left out: no answer has a score, as the evaluation ended with the status `{status}`"
                ));
                unscored = Some(ImportError::Unscored { file, status });
            }
            Err(error) => return Err(error),
        }
    }
    match unscored {
        Some(error) if logs.is_empty() => Err(error),
        _ => {
            let mut found = pool::records(&logs, tool, options)?;
            found.notices.extend(left_out);
            Ok(found)
        }
    }
}

/// Reads a log of answers, of which more than the name is known if it is on disk.
fn of_log(
    bytes: &[u8],
    path: Option<&Path>,
    tool: Tool,
    options: &ReadOptions,
    file: &str,
) -> Result<Log, ImportError> {
    match tool {
        Tool::Promptfoo => promptfoo::read(bytes, options, file),
        Tool::Inspect if bytes.starts_with(inspect::ZIP) => {
            of_archive(Cursor::new(bytes), options, file)
        }
        Tool::Inspect => inspect::read(bytes, options, file),
        _ => lm_eval::read(bytes, path, options, file),
    }
}

/// Reads a tool's results from memory; not Optuna's, which are a database on disk. `file` stands in
/// messages.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(
    bytes: &[u8],
    tool: Tool,
    options: &ReadOptions,
    file: &str,
) -> Result<Imported, ImportError> {
    understand(bytes, None, tool, options, file)
}

/// Refuses a filter for a tool without filters, and columns whose content the results state.
fn check(tool: Tool, options: &ReadOptions) -> Result<(), ImportError> {
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
    options: &ReadOptions,
    file: &str,
) -> Result<Imported, ImportError> {
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
            // A list of objects, an object of lists, or a table.
            sklearn::read(&Table::read(bytes, of_page, file)?, options, file)
        }
        Tool::Wandb => wandb::read(&Table::read(bytes, of_page, file)?, options, file),
        Tool::Optuna => Err(refused(format!(
            "{file}: Optuna's storage is a database: name its file"
        ))),
        Tool::LmEval | Tool::Inspect | Tool::Promptfoo => {
            let log = of_log(bytes, None, tool, options, file)?;
            pool::records(&[log], tool, options)
        }
    }
}

#[cfg(not(feature = "optuna"))]
fn of_optuna(_: &Path, _: &ReadOptions, file: &str) -> Result<Imported, ImportError> {
    Err(refused(format!(
        "{file}: this program was built without the feature `optuna`"
    )))
}

#[cfg(feature = "inspect")]
fn of_archive(
    reader: impl Read + Seek,
    options: &ReadOptions,
    file: &str,
) -> Result<Log, ImportError> {
    inspect::of_parts(&archive::read(reader, file)?, options, file)
}

#[cfg(not(feature = "inspect"))]
fn of_archive(_: impl Read + Seek, _: &ReadOptions, file: &str) -> Result<Log, ImportError> {
    Err(refused(format!(
        "{file}: this program was built without the feature `inspect`, which reads Inspect's archives: write the log as JSON \
         (`inspect log convert --to json`)"
    )))
}
