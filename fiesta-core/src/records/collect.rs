//! Where the rows of scores in every format end up: the good ones as records, of the bad ones the first and the number.

use super::{Record, Records, RecordsError, RowProblem, problem::excerpt, problems::Problems};
use crate::{ArmId, Metric};

/// Records on their way in.
#[derive(Debug)]
pub(super) struct Collector {
    records: Records,
    metric: Metric,
    problems: Problems,
}

impl Collector {
    pub(super) fn new(metric: Metric) -> Result<Self, RecordsError> {
        Ok(Self {
            records: Records::new(metric.name())?,
            metric,
            problems: Problems::default(),
        })
    }

    /// What the score is called.
    pub(super) fn metric(&self) -> &str {
        self.metric.name()
    }

    /// Adds a row that was understood, or counts one that was not.
    pub(super) fn take(&mut self, line: u64, row: Result<Record<&str>, RowProblem>) {
        if let Err(problem) = row.and_then(|record| self.add(record)) {
            self.refuse(line, problem);
        }
    }

    /// Adds a record.
    pub(super) fn add(&mut self, record: Record<&str>) -> Result<(), RowProblem> {
        self.metric
            .check(record.score)
            .map_err(RowProblem::OutOfBounds)?;
        self.records.push(record)
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
        self.problems.finish(file)?;
        if self.records.all.is_empty() {
            return Err(RecordsError::Empty {
                file: file.to_owned(),
                what: "scores",
            });
        }
        Ok(self.records)
    }

    /// Counts the rows whose evaluation was on an earlier row.
    ///
    /// Sorting arm by arm needs less memory than a set, and next to no time where the file is in order, be
    /// it that of the arms or that of the cases.
    fn refuse_duplicates(&mut self) {
        let mut cases = vec![Vec::new(); self.records.arms().len()];
        for record in &self.records.all {
            if let (Some(split), Some(seed)) = (record.split, record.seed) {
                cases[record.arm.index()].push((split, seed, record.line));
            }
        }
        for (arm, mut cases) in cases.into_iter().enumerate() {
            cases.sort_unstable();
            for pair in cases.windows(2) {
                let ((split, seed, first), (next_split, next_seed, line)) = (pair[0], pair[1]);
                if (split, seed) == (next_split, next_seed) {
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
