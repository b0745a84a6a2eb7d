//! Collection of evaluations, scored or failed, while a file is imported.

use super::{ImportError, ReadOptions};
use crate::{Failed, Records, RecordsError, RowProblem};
use fiesta_core::{Direction, Metric};

/// Records of a metric, whose scores are checked when they are added.
pub(super) struct Collected {
    pub(super) metric: Metric,
    pub(super) records: Records,
}

impl Collected {
    /// Returns no records yet, of the score with this name.
    pub(super) fn new(name: &str, options: &ReadOptions) -> Result<Self, ImportError> {
        let metric = Metric::new(name, Direction::Maximize, options.bounds);
        let metric = metric.map_err(RecordsError::from)?;
        let records = Records::new(metric.name())?;
        Ok(Self { metric, records })
    }

    /// Adds an evaluation. It failed if it has no score.
    pub(super) fn push<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        record: Failed<&str>,
        score: Option<f64>,
        cells: impl IntoIterator<Item = (N, T)>,
    ) -> Result<(), RowProblem> {
        let checked = score.map(|score| self.metric.check(score)).transpose();
        let score = checked.map_err(RowProblem::OutOfBounds)?;
        self.records.push_scored(record, score, cells)
    }
}
