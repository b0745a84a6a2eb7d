//! Where the rows of scores in every format end up: the good ones as records, of the bad ones the first and the number.

use super::{
    Failed, Options, Record, Records, RecordsError, RowProblem,
    number::{expense, score, whole},
    problem::excerpt,
    problems::Problems,
    status,
};
use fiesta_core::{ArmId, Metric};

/// Records on their way in.
#[derive(Debug)]
pub(super) struct Collector {
    records: Records,
    metric: Metric,
    keeps_failures: bool,
    keeps_columns: bool,
    paired_rows: bool,
    problems: Problems,
}

/// The fields of one row, as the cells of a table have them; empty where nothing is known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Texts<'a> {
    pub(super) arm: &'a str,
    pub(super) score: &'a str,
    pub(super) split: &'a str,
    pub(super) seed: &'a str,
    pub(super) cost: &'a str,
    pub(super) duration: &'a str,
    pub(super) status: &'a str,
}

impl Collector {
    pub(super) fn new(metric: Metric, options: &Options) -> Result<Self, RecordsError> {
        Ok(Self {
            records: Records::new(metric.name())?,
            metric,
            keeps_failures: options.keep_failures,
            keeps_columns: options.keep_columns,
            paired_rows: options.paired_rows,
            problems: Problems::default(),
        })
    }

    /// What the score is called.
    pub(super) fn metric(&self) -> &str {
        self.metric.name()
    }

    /// Whether the user's own columns are kept.
    pub(super) fn keeps_columns(&self) -> bool {
        self.keeps_columns
    }

    /// Whether rows are splits.
    pub(super) fn paired_rows(&self) -> bool {
        self.paired_rows
    }

    /// Says that the records come from a file with a column for each arm, whose rows have the splits that they are.
    pub(super) fn is_wide(&mut self) {
        self.records.wide = true;
        self.records.rows_are_splits = self.paired_rows;
    }

    /// Keeps a column of the user's own, though no row may fill it.
    pub(super) fn keep(&mut self, column: &str) -> Result<(), RowProblem> {
        self.records.add_column(column).map(drop)
    }

    /// Adds a record, and what the user's own columns say of it.
    pub(super) fn add<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        record: Record<&str>,
        others: impl IntoIterator<Item = (N, T)>,
    ) -> Result<(), RowProblem> {
        self.metric
            .check(record.score)
            .map_err(RowProblem::OutOfBounds)?;
        self.records.push_with(record, others)
    }

    /// Adds a row of the long form, be it a score or a failure.
    pub(super) fn add_row<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        line: u64,
        texts: Texts<'_>,
        others: impl IntoIterator<Item = (N, T)>,
    ) -> Result<(), RowProblem> {
        if texts.arm.trim().is_empty() {
            return Err(RowProblem::EmptyArm);
        }
        let failed = status::is_failed(texts.status)?;
        if failed {
            let status = excerpt(texts.status.trim());
            if !self.keeps_failures {
                return Err(RowProblem::Failed(status));
            }
            if !texts.score.trim().is_empty() {
                let found = excerpt(texts.score.trim());
                return Err(RowProblem::FailedWithScore { status, found });
            }
        }
        let score = if failed { 0.0 } else { score(texts.score)? };
        let record = Record {
            arm: texts.arm,
            score,
            split: whole("split", texts.split)?,
            seed: whole("seed", texts.seed)?,
            cost: expense("cost", texts.cost)?,
            duration: expense("duration", texts.duration)?,
            line,
        };
        if failed {
            let failed = Failed {
                split: record.split,
                seed: record.seed,
                cost: record.cost,
                duration: record.duration,
                line,
                ..Failed::new(record.arm)
            };
            return self.records.push_failure_with(failed, others);
        }
        self.add(record, others)
    }

    /// Gives an arm its number before its first record.
    pub(super) fn name(&mut self, arm: &str) -> Result<ArmId, RowProblem> {
        self.records.number(arm)
    }

    /// Counts a bad row.
    pub(super) fn refuse(&mut self, line: u64, problem: RowProblem) {
        self.problems.add(line, problem);
    }

    /// Whether a row was refused.
    pub(super) fn has_problems(&self) -> bool {
        self.problems.any()
    }

    /// Among the arms that were named before their records, the first that has got none.
    pub(super) fn without_score(&self) -> Option<&str> {
        let mut found = vec![false; self.records.arms().len()];
        for record in &self.records.all {
            found[record.arm.index()] = true;
        }
        let missing = found.iter().position(|&found| !found)?;
        Some(&self.records.arms()[missing])
    }

    /// All records, if all are good.
    pub(super) fn finish(mut self, file: &str) -> Result<Records, RecordsError> {
        self.refuse_duplicates();
        std::mem::take(&mut self.problems).finish(file)?;
        if self.records.all.is_empty() && self.records.failures.is_empty() {
            return Err(RecordsError::Empty {
                file: file.to_owned(),
                what: "scores",
            });
        }
        if self.paired_rows && !self.records.rows_are_splits {
            self.pair_rows(file)?;
        }
        Ok(self.records)
    }

    /// The k-th row of every arm is on the k-th split.
    fn pair_rows(&mut self, file: &str) -> Result<(), RecordsError> {
        let file = || file.to_owned();
        if let Some(row) = self.records.rows().find(|row| row.split.is_some()) {
            let line = row.line;
            return Err(RecordsError::SplitStated { file: file(), line });
        }
        let paired = self.records.pair_rows();
        paired.map_err(|rows| RecordsError::UnequalRows { file: file(), rows })
    }

    /// Counts the rows whose evaluation was on an earlier row and did not fail there: one that failed may have been made again when
    /// its cause was mended.
    ///
    /// Sorting arm by arm needs less memory than a set, and next to no time where the file is in order, be
    /// it that of the arms or that of the cases.
    fn refuse_duplicates(&mut self) {
        let mut cases = vec![Vec::new(); self.records.arms().len()];
        let of_records = self.records.all.iter();
        let of_records = of_records.map(|r| (r.arm, r.split, r.seed, r.line, false));
        let of_failures = self.records.failures.iter();
        let of_failures = of_failures.map(|f| (f.arm, f.split, f.seed, f.line, true));
        for (arm, split, seed, line, failed) in of_records.chain(of_failures) {
            if let (Some(split), Some(seed)) = (split, seed) {
                cases[arm.index()].push((split, seed, line, failed));
            }
        }
        for (arm, mut cases) in cases.into_iter().enumerate() {
            cases.sort_unstable();
            for pair in cases.windows(2) {
                let ((split, seed, first, failed), (next_split, next_seed, line, _)) =
                    (pair[0], pair[1]);
                if !failed && (split, seed) == (next_split, next_seed) {
                    let problem = RowProblem::Duplicate {
                        arm: excerpt(&self.records.arms()[arm]),
                        split,
                        seed,
                        first,
                    };
                    self.refuse(line, problem);
                }
            }
        }
    }
}
