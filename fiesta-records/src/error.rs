//! Errors about files of scores and of confusion counts.

use crate::{
    Reading, RowProblem,
    words::{count, quoted},
};
use fiesta_core::MetricError;
use std::{borrow::Cow, io};

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
    /// Any other fault of a file, which is named, and what to do about it.
    #[error("{0}")]
    Refused(String),
    /// The file is not text, or text in another encoding.
    #[error("{file}:{line}: not UTF-8: save the file as UTF-8 text")]
    NotUtf8 {
        /// The name of the file.
        file: String,
        /// The line of the first byte that is not UTF-8.
        line: u64,
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
    /// Any other fault of a header, and what to do about it.
    #[error("{0}")]
    Refused(Cow<'static, str>),
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
    /// No column has the name of the metric, but there are columns of confusion counts.
    #[error(
        "there is no column `{metric}`, but there are `tp`, `fp` and `fn`: read confusion counts with --counts"
    )]
    Counts {
        /// Name of the column of scores that was sought.
        metric: String,
    },
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
    /// An arm's column is empty.
    #[error("the arm `{0}` has no score in any row: add its scores, or remove the column")]
    NoScore(String),
}

impl HeaderProblem {
    /// Makes a fault of a header out of a sentence that says what to do about it.
    pub(crate) fn refused(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Refused(why.into())
    }

    /// Returns the error that this line of a file has this fault.
    pub fn at(self, file: &str, line: u64) -> RecordsError {
        RecordsError::Header {
            file: file.to_owned(),
            line,
            problem: self,
        }
    }
}

impl RowProblem {
    /// Returns the error that a row on this line of a file has this fault.
    pub(crate) fn at(self, file: &str, line: u64) -> RecordsError {
        RecordsError::Row {
            file: file.to_owned(),
            line,
            problem: self,
            further: 0,
        }
    }
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
        let columns = quoted(names.iter().filter(|name| !name.is_empty()));
        HeaderProblem::refused(format!(
                "there is neither a column `arm` nor `{metric}`, only {columns}: name the column with the names of the candidates with --arm, and that of the score with --metric"
            ))
            .at(&file, line)
    }
}

fn others(further: u64) -> String {
    match further {
        0 => String::new(),
        _ => format!(" ({} in this file)", count(further, "further problem")),
    }
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
