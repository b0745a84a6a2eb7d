//! Errors about files of other tools' results.

use super::Tool;
use crate::{Choice, RecordsError, RowProblem, problem::quoted, proposal::sound_like_scores};

/// Why there are no records of another tool's results. Every message about a file names it and,
/// where there is one, the line or trial.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file is no table, or the score cannot have this name.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// The file lacks what all of the tool's files have.
    #[error("{file}: there is no column `{column}`, so this is not what {tool} writes: {expected}")]
    NotOfTool {
        /// The name of the file.
        file: String,
        /// The tool.
        tool: Tool,
        /// What was sought.
        column: &'static str,
        /// What the tool's file is and where it comes from.
        expected: &'static str,
    },
    /// A column that was asked for is not there.
    #[error("{file}: there is no column `{column}`, only {columns}: name another with --{flag}")]
    NoColumn {
        /// The name of the file.
        file: String,
        /// The column.
        column: String,
        /// Those that are there, in quotes.
        columns: String,
        /// The flag that names the column: metric or arm.
        flag: &'static str,
    },
    /// A flag about other tools' results, of which this is none.
    #[error(
        "--{flag} is about another tool's results, and this does not look like any: name the tool with --from"
    )]
    FlagOfTools {
        /// The flag.
        flag: &'static str,
    },
    /// A column was named of results that state what it would say.
    #[error("--{flag} names no column of {tool}: {why}; leave it out")]
    ColumnOfTool {
        /// The tool.
        tool: Tool,
        /// The flag.
        flag: &'static str,
        /// What says it.
        why: &'static str,
    },
    /// Rows were said to be splits, of another tool's results.
    #[error(
        "--paired-rows is about files of scores that do not state their splits, and the trials of other tools share none: leave it out"
    )]
    PairedTrials,
    /// One of several files is no log.
    #[error(
        "{file} is no other tool's log, and several files are read together only if all are: put them into one table with a column `arm`, or name the tool with --from"
    )]
    NoLog {
        /// The name of the file.
        file: String,
    },
    /// Several files are of different tools.
    #[error(
        "{file} is of {tool} and {other} of {of_other}: import the logs of each tool by themselves"
    )]
    TwoTools {
        /// The name of a file.
        file: String,
        /// Its tool.
        tool: Tool,
        /// The name of another.
        other: String,
        /// The tool of that one.
        of_other: Tool,
    },
    /// lm-eval's summary, which has no answers.
    #[error(
        "{file} is lm-eval's summary of each task, from which nobody can tell how sure it is which model is best: run lm_eval with \
         --log_samples, and name the files samples_TASK_DATE.jsonl of all models"
    )]
    Summary {
        /// The name of the file.
        file: String,
    },
    /// Several columns could be the score.
    #[error(
        "{file}: several columns could be the score: name one of {} with --metric",
        quoted(candidates)
    )]
    ChooseMetric {
        /// The name of the file.
        file: String,
        /// The columns.
        candidates: Vec<String>,
        /// Whether the tool calls all of these scores, and not only their numbers could be some.
        are_scores: bool,
    },
    /// No column could be the score.
    #[error("{file}: no column holds numbers that could be the score: there are {columns}")]
    NoMetric {
        /// The name of the file.
        file: String,
        /// The columns that are there, in quotes.
        columns: String,
    },
    /// A trial cannot be understood.
    #[error("{place}: {problem}{}", others(*further))]
    Trial {
        /// The file and the line, or the trial.
        place: String,
        /// What is wrong with it.
        problem: RowProblem,
        /// How many further trials have a problem.
        further: usize,
    },
    /// A directory holds no logs of answers.
    #[error(
        "{directory} is a directory, and there are no logs of answers in it (lm-eval's samples, Inspect's .eval or .json, promptfoo's JSON): \
         name a file"
    )]
    NoLogs {
        /// The name of the directory.
        directory: String,
    },
    /// A directory holds logs of several tools.
    #[error(
        "{directory} holds logs of several tools, {count} of {tool} and {of_other} of {other}: choose with --from {tool} or --from {other}"
    )]
    Mixture {
        /// The name of the directory.
        directory: String,
        /// One tool.
        tool: Tool,
        /// How many logs are its.
        count: usize,
        /// Another one.
        other: Tool,
        /// How many logs are that one's.
        of_other: usize,
    },
    /// No file was named.
    #[error("there is no file to read")]
    NoFile,
    /// Several files of a tool whose files are read one by one.
    #[error(
        "only logs of answers to items ({logs}) are read several at a time: read each file of {tool} by itself"
    )]
    OneFile {
        /// The tool.
        tool: Tool,
        /// The tools whose files are read together.
        logs: String,
    },
    /// A text that is not what the tool writes.
    #[error("{place}: this is not what {tool} writes: {reason}")]
    NotLog {
        /// The file, and the line where there is one.
        place: String,
        /// The tool.
        tool: Tool,
        /// What is wrong with it.
        reason: String,
    },
    /// An archive that cannot be read.
    #[error("{file}: this archive cannot be understood: {reason}")]
    Archive {
        /// The name of the file.
        file: String,
        /// Why.
        reason: String,
    },
    /// This program was built without archives.
    #[error(
        "{file}: this program was built without the feature `inspect`, which reads Inspect's archives: write the log as JSON \
         (`inspect log convert --to json`)"
    )]
    NoInspect {
        /// The name of the file.
        file: String,
    },
    /// No answer of an evaluation that did not succeed has a score.
    #[error(
        "{file}: no answer has a score, as the evaluation ended with the status `{status}`: leave this log out"
    )]
    Unscored {
        /// The name of the file.
        file: String,
        /// How it ended.
        status: String,
    },
    /// A log in which nothing was answered.
    #[error("{file}: there is no answer in this log of {tool}: let it log its samples")]
    NoAnswer {
        /// The name of the file.
        file: String,
        /// The tool.
        tool: Tool,
    },
    /// A score that is no number.
    #[error("{place}: the {metric} {found} is no score: name another with --metric")]
    NotAScore {
        /// The file, and the line or sample.
        place: String,
        /// The score that was sought.
        metric: String,
        /// What is there.
        found: String,
    },
    /// A sample without the score that others have.
    #[error(
        "{place}: there is no `{metric}` here, only {known}: name a score that all have with --metric"
    )]
    NoMetricHere {
        /// The file and the line.
        place: String,
        /// The score that was sought.
        metric: String,
        /// The scores that are there, in quotes.
        known: String,
    },
    /// Answers were filtered in several ways, each of which has scores.
    #[error(
        "{file}: the answers are scored after several filters: name one of {} with --filter",
        quoted(filters)
    )]
    ChooseFilter {
        /// The name of the file.
        file: String,
        /// The filters.
        filters: Vec<String>,
    },
    /// A filter, and a tool that has none.
    #[error(
        "only the samples of lm-eval have filters, and not what {tool} writes: leave --filter out"
    )]
    FilterOfNone {
        /// The tool.
        tool: Tool,
    },
    /// A filter that was asked for is not there.
    #[error("{file}: there is no filter `{filter}`, only {filters}: name another with --filter")]
    NoFilter {
        /// The name of the file.
        file: String,
        /// The filter.
        filter: String,
        /// Those that are there, in quotes.
        filters: String,
    },
    /// Logs that are scored differently.
    #[error(
        "{file}: the score is `{metric}`, and in {other} it is `{wanted}`: name one that both have with --metric"
    )]
    Metrics {
        /// The name of the file.
        file: String,
        /// Its score.
        metric: String,
        /// The first file.
        other: String,
        /// The score there.
        wanted: String,
    },
    /// A name for one arm, and several arms.
    #[error(
        "--arm `{asked}` cannot be the name of all {arms} arms: name what they are called by, one of {parts} or several joined by `+`"
    )]
    ArmOfSeveral {
        /// What was asked for.
        asked: String,
        /// What arms can be called by, in quotes.
        parts: String,
        /// How many arms there are.
        arms: usize,
    },
    /// Two logs of the same arm.
    #[error(
        "{file}: this is the arm `{arm}`, as is {first}: leave one of the two out, or name what tells them apart with --arm, one of \
         {parts} or several joined by `+`"
    )]
    SameArm {
        /// The name of the file.
        file: String,
        /// The file with the same arm.
        first: String,
        /// The arm.
        arm: String,
        /// What arms can be called by, in quotes.
        parts: String,
    },
    /// An item has other contents in one place than in another.
    #[error(
        "{place}: the item `{item}` is another one than in {first}: evaluate all arms on the same items"
    )]
    OtherItem {
        /// The file, and the line or sample.
        place: String,
        /// The item.
        item: String,
        /// Where the other is.
        first: String,
    },
    /// An arm's answer to an item is there twice.
    #[error(
        "{place}: the answer of `{arm}` to item `{item}` is in {first} already: keep one of the two"
    )]
    AnsweredTwice {
        /// The file, and the line or sample.
        place: String,
        /// The arm.
        arm: String,
        /// The item.
        item: String,
        /// Where the first is.
        first: String,
    },
    /// A state that no trial of the tool can have.
    #[error("{place}: `{state}` is no state of a trial that {tool} is known to have")]
    State {
        /// The file and the line, or the trial.
        place: String,
        /// What is there.
        state: String,
        /// The tool.
        tool: Tool,
    },
    /// A duration or a time that cannot be read.
    #[error("{place}: the {field} `{found}` is no {what}: correct it, or remove the column")]
    Time {
        /// The file and the line, or the trial.
        place: String,
        /// The column.
        field: String,
        /// What is there.
        found: String,
        /// What should be: duration, or date and time.
        what: &'static str,
    },
    /// Trials were pruned, and nobody said what they count as.
    #[error(
        "{count} {} pruned (the first is {first}): say with --pruned what they count as: `score` (their last one), `fail`, or `drop`",
        were(*count)
    )]
    Pruned {
        /// How many.
        count: usize,
        /// The file and the line, or the trial.
        first: String,
    },
    /// Trials ended without a score, and nobody said what they count as.
    #[error(
        "{count} {} without a finite `{metric}` (the first is {first}): say what they count as with --failed (drop or worst)",
        if *count == 1 { "trial ended" } else { "trials ended" }
    )]
    Missing {
        /// How many.
        count: usize,
        /// The column of the score.
        metric: String,
        /// The file and the line, or the trial.
        first: String,
    },
    /// No trial has ended.
    #[error("{file}: no trial in this file has ended")]
    NothingEnded {
        /// The name of the file.
        file: String,
    },
    /// A database can only be read as a file of its own.
    #[error("{file}: Optuna's storage is a database: name its file")]
    NotAFile {
        /// What was named.
        file: String,
    },
    /// This program was built without Optuna.
    #[error("{file}: this program was built without the feature `optuna`")]
    NoOptuna {
        /// The name of the file.
        file: String,
    },
    /// The database cannot be read.
    #[error("{file}: {reason}")]
    Database {
        /// The name of the file.
        file: String,
        /// Why.
        reason: String,
    },
    /// A database that is not Optuna's.
    #[error("{file}: {advice}")]
    OtherDatabase {
        /// The name of the file.
        file: String,
        /// What it is, and what to do.
        advice: &'static str,
    },
    /// A study of several objectives.
    #[error(
        "{file}: the study `{study}` has {objectives} objectives, and only a single score can be compared: name the other studies \
         with --study"
    )]
    Objectives {
        /// The name of the file.
        file: String,
        /// The study.
        study: String,
        /// How many objectives it has.
        objectives: usize,
    },
    /// Studies that disagree on which scores are better.
    #[error(
        "{file}: the study `{first}` minimizes and `{other}` maximizes, so that their scores cannot be compared: name those that agree \
         with --study"
    )]
    Directions {
        /// The name of the file.
        file: String,
        /// One that minimizes.
        first: String,
        /// One that maximizes.
        other: String,
    },
    /// A study that is not there.
    #[error("{file}: there is no study `{study}`: there {studies}")]
    NoStudy {
        /// The name of the file.
        file: String,
        /// The study.
        study: String,
        /// Those that are there.
        studies: String,
    },
}

impl ImportError {
    /// The ways to read the results, where they leave a choice that the options did not make; of
    /// columns of any numbers those that sound like scores. None for any other error.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::import::{ImportOptions, Tool, read_bytes};
    /// let sample = r#"{"doc_id": 0, "filtered_resps": ["4"], "acc": 1.0, "acc_norm": 0.0}"#;
    /// let options = ImportOptions::default();
    /// let error = read_bytes(sample.as_bytes(), Tool::LmEval, &options, "s.jsonl").unwrap_err();
    /// let choices: Vec<String> = error.choices().iter().map(ToString::to_string).collect();
    /// assert_eq!(choices, ["--metric acc", "--metric acc_norm"]);
    /// ```
    pub fn choices(&self) -> Vec<Choice> {
        match self {
            Self::ChooseMetric {
                candidates,
                are_scores: true,
                ..
            } => Choice::among("metric", candidates),
            Self::ChooseMetric { candidates, .. } => {
                Choice::among("metric", sound_like_scores(candidates))
            }
            Self::ChooseFilter { filters, .. } => Choice::among("filter", filters),
            Self::Mixture { tool, other, .. } => Choice::among("from", [tool.name(), other.name()]),
            // Without those that were pruned, what remains is no random sample.
            Self::Pruned { .. } => Choice::among("pruned", ["score", "fail"]),
            Self::Missing { .. } => Choice::among("failed", Choice::FAILED),
            Self::Records(error) => error.choices(),
            _ => Vec::new(),
        }
    }
}

fn others(further: usize) -> String {
    match further {
        0 => String::new(),
        1 => " (1 further trial has a problem)".to_owned(),
        n => format!(" ({n} further trials have a problem)"),
    }
}

fn were(count: usize) -> &'static str {
    if count == 1 {
        "trial was"
    } else {
        "trials were"
    }
}
