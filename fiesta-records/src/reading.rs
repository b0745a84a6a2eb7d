//! Options of reading: what a file's columns are called, and what a row without a score counts as.

use crate::{ColumnNames, Spread};

/// Options of reading: how to understand a file of scores, or what another tool wrote.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own"
)]
pub struct Reading {
    /// The column or key of the score; `score` if none is given. In the wide form, and in a JSON
    /// object of lists, it is only a name. Of another tool's results it is needed where several
    /// columns could be the score.
    pub metric: Option<String>,
    /// The file's names for other columns of the long form.
    pub columns: ColumnNames,
    /// The columns that are arms, in a table with a column for each arm; other columns of such a
    /// table are left out. Without, a table is read so only where its columns leave no doubt: the
    /// first names or numbers the rows, and no other has a name of a step, a metric, a setting, a
    /// time or a summary. In the long form these names mean nothing here.
    pub arms: Vec<String>,
    /// The smallest and the largest score that is possible.
    pub bounds: Option<(f64, f64)>,
    /// Whether evaluations whose `status` says that they failed are kept, apart from the scores
    /// ([`Evaluations::failures`](crate::Evaluations::failures)). A file with one is refused otherwise.
    pub keep_failures: bool,
    /// Whether evaluations without a score (an empty cell, NaN, null) are kept as failed ones. A
    /// file with one is refused otherwise.
    pub keep_missing: bool,
    /// Whether the user's own columns are kept ([`Evaluations::columns`](crate::Evaluations::columns)). They are not read otherwise.
    pub keep_columns: bool,
    /// Meaning of the spread, in a table whose rows are means with their spread. With it, or with
    /// [`n`](Self::n), a file is such a table, and is refused as
    /// [`RecordsError::Means`](crate::RecordsError::Means).
    pub spread: Option<Spread>,
    /// Number of scores behind each mean: a number, or the name of a column.
    pub n: Option<String>,
    /// Whether the rows of a file that does not state its splits are splits: the rows of the wide
    /// form, elsewhere the k-th row or score of every arm. A file that states them is refused then.
    pub paired_rows: bool,
    /// The column of the right answers, in a table with a column of predictions for each arm
    /// ([`gold`](crate::gold)).
    pub gold: Option<String>,
    /// Name of the tool that wrote the results, if they do not say so themselves. This field and
    /// the next ones are about results of other tools, which the crate `fiesta-import` reads.
    pub tool: Option<String>,
    /// The filter after which answers are scored, in lm-eval's samples; needed where there are
    /// several.
    pub filter: Option<String>,
    /// The studies to read of Optuna's storage; all of them if this is empty.
    pub studies: Vec<String>,
    /// How a pruned trial counts. `None` refuses results with pruned trials.
    pub pruned: Option<Pruned>,
    /// How a trial without a finite score counts. `None` refuses such trials, unless
    /// [`missing_are_failures`](Self::missing_are_failures).
    pub missing: Option<Missing>,
    /// Whether trials without a finite score count as failures, unless [`missing`](Self::missing) says something else.
    pub missing_are_failures: bool,
    /// Whether each setting of a search with cross-validation is one trial, by its mean over the
    /// folds, and all trials are one arm. Without, its folds are evaluations of the setting.
    pub settings_are_trials: bool,
}

impl Reading {
    /// Returns how a trial without a finite score counts. `None` if no option says so.
    pub fn missing_as(&self) -> Option<Missing> {
        let failures = self.missing_are_failures.then_some(Missing::Fail);
        self.missing.or(failures)
    }
}

/// Ways to count a trial that was pruned: stopped early because it looked bad.
// The first paragraph of each is its help on the command line, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Pruned {
    /// The pruned trial counts with the last score that it reported.
    ///
    /// That is usually worse than what it would have had at its end.
    Score,
    /// The pruned trial counts as a failure.
    Fail,
    /// The pruned trial is left out.
    ///
    /// The trials that are left are the better ones, and no random sample of all trials.
    Drop,
}

/// Ways to count a trial that ended without a finite score: none at all, NaN or an infinity.
// The first paragraph of each is its help on the command line, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Missing {
    /// A trial without a finite score counts as a failure.
    Fail,
    /// A trial without a finite score is left out.
    Drop,
}
