//! Errors about files of scores and of confusion counts.

use crate::{
    Reading, RowProblem,
    words::{count, quoted},
};
use fiesta_core::MetricError;
use std::io;

/// The reason why no records could be read. Every message about a file names it, and the line where there is
/// one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// The file cannot be opened or read.
    #[error("{file}: cannot be read: {source}")]
    Io {
        /// The name of the file.
        file: String,
        /// The reason that the operating system gives.
        source: io::Error,
    },
    /// The file is not text, or text in another encoding.
    #[error("{file}:{line}: not UTF-8: save the file as UTF-8 text")]
    NotUtf8 {
        /// The name of the file.
        file: String,
        /// The line of the first byte that is not UTF-8.
        line: u64,
    },
    /// The file is empty.
    #[error("{file}: there are no {what} in this file")]
    Empty {
        /// The name of the file.
        file: String,
        /// The content that was expected: scores or counts.
        what: &'static str,
    },
    /// The file has a header, and no row below it.
    #[error("{file}: there is a header, but no row of {what} below it")]
    NoRows {
        /// The name of the file.
        file: String,
        /// The content that was expected: scores or counts.
        what: &'static str,
    },
    /// The first row does not say what the columns hold.
    #[error("{file}:{line}: {problem}")]
    Header {
        /// The name of the file.
        file: String,
        /// The line of the header.
        line: u64,
        /// The fault of the header.
        problem: HeaderProblem,
    },
    /// A row is no record of an evaluation, or the header is none as a row. This is the first such row.
    #[error("{file}:{line}: {problem}{}", others(*further))]
    Row {
        /// The name of the file.
        file: String,
        /// The line on which the row begins.
        line: u64,
        /// The fault of the row.
        problem: RowProblem,
        /// Number of further bad rows. Rows after text that is not JSON at all are not looked at,
        /// except in a file of JSON lines.
        further: u64,
    },
    /// Rows were said to be splits, and the file states splits itself.
    #[error(
        "{file}:{line}: there is a `split` already, which says which scores were made on the same one: leave --paired-rows out"
    )]
    SplitStated {
        /// The name of the file.
        file: String,
        /// The line of the first row with a split.
        line: u64,
    },
    /// Rows were said to be splits, and the file states items.
    #[error(
        "{file}:{line}: there is an `item`, which says which scores were made on the same one: leave --paired-rows out"
    )]
    ItemStated {
        /// The name of the file.
        file: String,
        /// The line of the first row.
        line: u64,
    },
    /// The user declared rows to be splits, but a column shows that they differ between arms.
    #[error(
        "{file}: with --paired-rows the k-th score of every arm is on the k-th split, and by `{column}` they are not on the same: leave \
         --paired-rows out{}",
        if *is_item { format!(", and say --item {column}") } else { String::new() }
    )]
    RowsDiffer {
        /// The name of the file.
        file: String,
        /// The name of the column.
        column: String,
        /// Whether the column can name the items.
        is_item: bool,
    },
    /// The user declared rows to be splits, but arms have different numbers of rows.
    #[error(
        "{file}: with --paired-rows the k-th score of every arm is on the k-th split, but {}: write a CSV with a column for each arm, \
         where a cell without a score may stay empty, or say the split of each score in a column `split`",
        numbers(rows)
    )]
    UnequalRows {
        /// The name of the file.
        file: String,
        /// Names of the arms with their numbers of rows.
        rows: Vec<(String, usize)>,
    },
    /// The rows are means of arms with their spread, and no evaluations.
    #[error(
        "{file}: each row is the mean of an arm with its spread, and no evaluation: `fiesta belief` answers from such a table; for anything \
         else give single evaluations, a row for each"
    )]
    Means {
        /// The name of the file.
        file: String,
        /// The table, of which [`Summaries::read`](crate::Summaries::read) makes summary rows.
        table: Box<crate::table::Table>,
    },
    /// There is a column with the metric of each row's score, and there are several metrics.
    #[error(
        "{file}: the column `{column}` names several scores, {}, which do not compare: name one with --metric, or the column with --arm \
         if its values are what is compared",
        quoted(metrics)
    )]
    Metrics {
        /// The name of the file.
        file: String,
        /// The name of the column.
        column: String,
        /// The metrics, in the order of the file.
        metrics: Vec<String>,
    },
    /// A table of means with their spread does not say what it holds, or has a row that cannot be read.
    #[error("{place}: {problem}")]
    Summary {
        /// File and line of the problem, in words.
        place: String,
        /// Fault of the table or of its row, and what to do.
        problem: String,
        /// Ways to read the table, where the header leaves a choice.
        choices: Vec<crate::Choice>,
    },
    /// The columns were not understood, but some columns may be the ones sought.
    #[error("{problem}; {proposal}")]
    Columns {
        /// The error about the columns.
        problem: Box<Self>,
        /// The names with which the file would be read.
        proposal: Box<crate::Proposal>,
    },
    /// The user named columns that cannot have the roles that the options give them.
    #[error("{0}")]
    Names(HeaderProblem),
    /// The options name no metric that can be.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// The metric has the name of another column.
    #[error("no score can be called `{0}`: that column means something else; rename the metric")]
    ReservedMetric(String),
}

/// Why a header does not say what the columns hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderProblem {
    /// Two columns bear the same name.
    #[error("two columns are called `{0}`: rename or remove one")]
    Duplicate(String),
    /// There is a column of arms, but no column with the name of the metric.
    #[error(
        "there is no column `{metric}`, only {}: name the column of the score with --metric",
        quoted(columns)
    )]
    NoMetric {
        /// Name of the column of scores that was sought.
        metric: String,
        /// The columns of the file.
        columns: Vec<String>,
    },
    /// There is a column with the metric's name, but no column of arms.
    #[error(
        "there is no column `arm`, only {}: name the column with the names of the candidates with --arm",
        quoted(columns)
    )]
    NoArm {
        /// The columns of the file.
        columns: Vec<String>,
    },
    /// There is no column of arms, no column of scores and no column for each arm.
    #[error(
        "there is neither a column `arm` nor `{metric}`, only {}: name the column with the names of the candidates with --arm, and \
         that of the score with --metric",
        quoted(columns)
    )]
    NoArmNoMetric {
        /// The name of the score that was sought.
        metric: String,
        /// The columns of the file.
        columns: Vec<String>,
    },
    /// The file lacks a column that the user named.
    #[error("there is no column `{column}` (--{role}), only {}", quoted(columns))]
    NoNamed {
        /// The role of the missing column: `arm`, `item`, `split` or `seed`.
        role: &'static str,
        /// Name of the missing column, as the user gave it.
        column: String,
        /// The columns of the file.
        columns: Vec<String>,
    },
    /// The user named a key that no object has, or that has no value in any row.
    #[error("no row has a value of `{column}` (--{role}): name another one, or leave --{role} out")]
    NothingNamed {
        /// The role of the key: `item`, `split` or `seed`.
        role: &'static str,
        /// Name of the missing key, as the user gave it.
        column: String,
    },
    /// The user named one column for two roles.
    #[error(
        "the column `{column}` cannot be both --{one} and --{other}: name another one for one of the two"
    )]
    TwoRoles {
        /// The name of the column.
        column: String,
        /// The first role of the column.
        one: String,
        /// The second role of the column.
        other: String,
    },
    /// There may be a column for each system, but this is not certain.
    #[error(
        "this may be no table with a column for each system: {doubt} (columns: {}); name the columns of the systems with --arms, or, \
         where one column names them, that column with --arm and the score's with --score",
        quoted(columns)
    )]
    Asked {
        /// Reason to doubt that there is a column for each system.
        doubt: String,
        /// The columns of the file.
        columns: Vec<String>,
    },
    /// The file can be read in several ways or in none: a sentence says what the problem is, and what to do.
    #[error("{problem}")]
    Choose {
        /// Description of the problem.
        problem: String,
        /// Flags that say how to read the file, if any flag does.
        choices: Vec<crate::Choice>,
    },
    /// Two separators divide all rows alike.
    #[error(
        "the columns could be separated by {one} as well as by {other}: put names and numbers that contain one of them in quotes, or \
         separate the columns by tabs"
    )]
    Separators {
        /// One of the two separators, in words.
        one: &'static str,
        /// The other one of the two separators, in words.
        other: &'static str,
    },
    /// Some numbers have a decimal comma, and some a decimal point.
    #[error(
        "some numbers have a decimal comma (`{comma}`), and some in the column `{column}` a point (`{point}`), which may separate \
         thousands: write all of them with a decimal point, and without separators of thousands"
    )]
    Decimals {
        /// Name of the column of the number with a decimal point.
        column: String,
        /// A number with a comma.
        comma: String,
        /// A number with a point.
        point: String,
    },
    /// Some scores have a percent sign, and some have none.
    #[error(
        "some scores have a percent sign (`{with}`), and some in the column `{column}` have none (`{without}`): write all of them with \
         the sign, or all without"
    )]
    Percents {
        /// The column of a score without the sign.
        column: String,
        /// A score with a percent sign.
        with: String,
        /// A score without a percent sign.
        without: String,
    },
    /// A comma may be a decimal comma, or a separator of thousands.
    #[error(
        "`{found}` in the column `{column}` may be a number with three decimals or a whole one with its thousands apart: write it with a \
         decimal point, and without separators of thousands"
    )]
    Thousands {
        /// The name of the column.
        column: String,
        /// Text of the cell, which can be read as two numbers.
        found: String,
    },
    /// No column has the name of the metric, but there are columns of confusion counts.
    #[error(
        "there is no column `{metric}`, but there are `tp`, `fp` and `fn`: read confusion counts with --counts"
    )]
    Counts {
        /// Name of the column of scores that was sought.
        metric: String,
    },
    /// A file of counts lacks a column of counts.
    #[error(
        "there is no column `{column}`, only {}: a file of counts has the columns `arm`, `document`, `tp`, `fp`, `fn` \
         and, if there are any, `tn`; read one of scores without --counts",
        quoted(columns)
    )]
    NoCount {
        /// The column that was sought.
        column: &'static str,
        /// The columns of the file.
        columns: Vec<String>,
    },
    /// Rows are of several classes, and nothing says which rows are of one document.
    #[error(
        "there is a column `class`, but none `document`: name the documents, so that the classes of each can be added up"
    )]
    ClassesOfNothing,
    /// The user declared rows to be splits, but there is a column of splits or items.
    #[error(
        "the column `{0}` says already which scores were made on the same {0}: leave --paired-rows out"
    )]
    Stated(&'static str),
    /// There is both a column of splits and a column of items.
    #[error(
        "there is a column `split` and a column `item`, and either says which scores belong together: leave one of the two out"
    )]
    SplitAndItem,
    /// Every column is an arm, but one has no name.
    #[error(
        "column {0} has no name: name the arm, or write the file without row names (in pandas, `index=False`), and a header of two lines on one"
    )]
    Unnamed(usize),
    /// Every column is an arm, but one holds a quantity that each arm has a value of.
    #[error(
        "the column `{0}` does not say whose it is: in a file with one column per arm leave it out, or \
         write one row per evaluation with a column `arm`"
    )]
    NotOfArm(String),
    /// Every column would be an arm, but there is no column.
    #[error(
        "no column is an arm: write one row per evaluation with a column `arm`, or one column per arm"
    )]
    NoArms,
    /// Every row has the same right answer.
    #[error(
        "the right answer (--gold) is {} on every row, so that nothing is told apart: name another column",
        quoted(_0)
    )]
    ConstantGold(Vec<String>),
    /// No right answer is the positive one.
    #[error(
        "no right answer (--gold) is `{label}` (--positive), only {}",
        quoted(labels)
    )]
    NoPositive {
        /// The label that was named as the positive one.
        label: String,
        /// The labels of the right answers.
        labels: Vec<String>,
    },
    /// No column holds predictions.
    #[error(
        "no other column holds any of the right answers (--gold), among {}: name the columns of the predictions with --arms",
        quoted(columns)
    )]
    NoPredictions {
        /// The columns of the file.
        columns: Vec<String>,
    },
    /// The user named columns that a table of predictions does not have.
    #[error(
        "--{0} is about rows with one score each, and with --gold every row is an item with a prediction of each arm: leave it out"
    )]
    NotWithGold(&'static str),
    /// The columns are separated by another mark than is required.
    #[error("the columns are separated by {found}: separate them by {expected}")]
    Separator {
        /// The separator that the file has between columns, in words.
        found: &'static str,
        /// The separator that is required, in words.
        expected: &'static str,
    },
    /// An arm's column is empty.
    #[error("the arm `{0}` has no score in any row: add its scores, or remove the column")]
    NoScore(String),
}

impl RecordsError {
    /// Returns a function that turns an error of reading this file into a `RecordsError`.
    pub fn unread(file: &str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io {
            file: file.to_owned(),
            source,
        }
    }

    /// Returns names of columns with which the file could be read. `None` unless the error is about missing columns.
    pub fn proposal(&self) -> Option<&crate::Proposal> {
        match self {
            Self::Columns { proposal, .. } => Some(proposal),
            _ => None,
        }
    }

    /// Returns the flags that would settle the error: what an evaluation without a score counts as,
    /// which metric to take, or how to read a table. Empty for other errors.
    pub fn choices(&self) -> Vec<crate::Choice> {
        match self {
            Self::Row {
                problem:
                    RowProblem::Failed(_)
                    | RowProblem::Missing { field: "score" }
                    | RowProblem::NoPrediction(_),
                ..
            } => crate::Choice::among("failed", crate::Choice::FAILED),
            Self::Summary { choices, .. }
            | Self::Header {
                problem: HeaderProblem::Choose { choices, .. },
                ..
            } => choices.clone(),
            Self::Metrics { metrics, .. } => crate::Choice::among("metric", metrics.clone()),
            _ => Vec::new(),
        }
    }

    /// Returns whether a wrong or missing name of a column may have caused the error.
    pub(crate) fn is_about_columns(&self) -> bool {
        match self {
            Self::Header { problem, .. } => matches!(
                problem,
                HeaderProblem::NoMetric { .. }
                    | HeaderProblem::NoArm { .. }
                    | HeaderProblem::NoNamed { .. }
                    | HeaderProblem::NotOfArm(_)
                    | HeaderProblem::Asked { .. }
                    | HeaderProblem::NoArms
                    | HeaderProblem::NoScore(_)
                    | HeaderProblem::Unnamed(_)
            ),
            Self::Row { problem, .. } => problem.is_about_columns(),
            _ => false,
        }
    }

    /// Turns an error of a table with a column for each arm into an error of the long form: the
    /// columns of arms and metric are missing.
    pub(crate) fn of_long_form(self, names: &[String], options: &Reading) -> Self {
        let metric = options.metric.clone().unwrap_or_else(|| "score".to_owned());
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        let is_wide = match &self {
            Self::Header { problem, .. } => matches!(
                problem,
                HeaderProblem::NotOfArm(_)
                    | HeaderProblem::Asked { .. }
                    | HeaderProblem::NoArms
                    | HeaderProblem::NoScore(_)
                    | HeaderProblem::Unnamed(_)
            ),
            Self::Row { problem, .. } => match problem {
                RowProblem::Element { problem, .. } => matches!(**problem, RowProblem::Cell { .. }),
                problem => matches!(problem, RowProblem::Cell { .. }),
            },
            _ => false,
        };
        let (file, line) = match &self {
            Self::Header { file, line, .. } => (file.clone(), *line),
            Self::Row { file, .. } => (file.clone(), 1),
            _ => return self,
        };
        if !is_wide || has(&metric) {
            return self;
        }
        let columns = names.iter().filter(|name| !name.is_empty());
        let columns = columns.cloned().collect();
        Self::Header {
            file,
            line,
            problem: HeaderProblem::NoArmNoMetric { metric, columns },
        }
    }
}

fn others(further: u64) -> String {
    match further {
        0 => String::new(),
        _ => format!(" ({} in this file)", count(further, "further problem")),
    }
}

/// Returns the number of rows of each arm, for a message; of many arms only the first ones.
fn numbers(rows: &[(String, usize)]) -> String {
    const MOST: usize = 6;
    let shown = rows.iter().take(MOST).map(|(name, count)| {
        let name = crate::excerpt(name);
        format!("`{name}` has {count}")
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if rows.len() > MOST {
        text.push_str(", …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_count_and_quote() {
        assert_eq!(others(0), "");
        assert_eq!(others(1), " (1 further problem in this file)");
        assert_eq!(others(2), " (2 further problems in this file)");
        assert_eq!(quoted(["a", "b"]), "`a`, `b`");
        assert_eq!(quoted([""; 0]), "none");
        assert!(quoted(["a"; 13]).ends_with("`a` and more"));
    }
}
