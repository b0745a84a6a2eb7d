//! Collection of evaluations, scored or failed, while a file is imported.

use crate::Result;
use fiesta_core::{Direction, Metric};
use fiesta_records::Reading;
use fiesta_records::{Evaluations, Failed, RecordsError, RowProblem};

/// A table of evaluations that is being filled, and its metric, by which scores are checked.
pub(crate) struct Collected {
    pub(crate) metric: Metric,
    pub(crate) records: Evaluations,
}

impl Collected {
    /// Returns an empty collection of evaluations whose score has this name.
    pub(crate) fn new(name: &str, options: &Reading) -> Result<Self> {
        let metric = Metric::new(name, Direction::Maximize, options.bounds);
        let metric = metric.map_err(RecordsError::from)?;
        let records = Evaluations::new(metric.name())?;
        Ok(Self { metric, records })
    }

    /// Adds an evaluation with its columns. Without a score, it counts as failed.
    pub(crate) fn push<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        record: Failed<&str>,
        score: Option<f64>,
        cells: impl IntoIterator<Item = (N, T)>,
    ) -> Result<(), RowProblem> {
        let checked = score.map(|score| self.metric.check(score)).transpose();
        let score = checked.map_err(RowProblem::OutOfBounds)?;
        self.records.push_scored(record, score, cells)
    }

    /// Returns the evaluations. Refuses scores on two scales.
    pub(crate) fn finish(self, options: &Reading, file: &str) -> Result<Evaluations> {
        let checked = self.records.check_scales(options);
        checked.map_err(|problem| problem.at(file, 1))?;
        Ok(self.records)
    }
}
