//! Evaluations made from other records: without failures or with scores in their place, of selected
//! arms, or under another name of the metric.

use super::{Evaluations, Place, Records};
use crate::{Record, RecordsError, names::Sparse};
use fiesta_core::ArmId;

impl Evaluations {
    /// Returns these records with `score` in place of each failure. Former failures come after all
    /// evaluations that have a score of their own.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Record, Evaluations};
    /// let mut records = Evaluations::new("f1")?;
    /// records.push(Record::new("lstm", 0.71))?;
    /// records.push_failure(Record::failed("lstm"))?;
    /// let scored = records.with_failures_as(0.0);
    /// assert_eq!(scored.by_arm(), [[0.71, 0.0]]);
    /// assert!(scored.failures().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_failures_as(&self, score: f64) -> Self {
        let mut scored = self.clone();
        for (place, failed) in self.failures.iter().enumerate() {
            let cells = self.columns.of_failures.row(place).to_vec();
            scored.columns.of_records.set(scored.all.len(), cells);
            scored.all.push(&failed.with(failed.arm, score));
        }
        scored.failures.clear();
        scored.before.clear();
        scored.columns.of_failures = Sparse::default();
        scored
    }

    /// Returns these records with other line numbers: `line` turns each old number into the new one.
    #[must_use]
    pub fn with_lines(mut self, line: impl Fn(u64) -> u64) -> Self {
        let mut all = Records::default();
        for record in self.all.iter() {
            let line = line(record.line);
            all.push(&Record { line, ..record });
        }
        self.all = all;
        let failed = self.failures.iter_mut().map(|failed| &mut failed.line);
        failed.for_each(|own| *own = line(*own));
        self
    }

    /// Returns these records without failed evaluations, and without arms that have only failures.
    #[must_use]
    pub fn without_failures(&self) -> Self {
        let mut without = self.clone();
        without.failures.clear();
        without.before.clear();
        without.columns.of_failures = Sparse::default();
        let by_arm = without.by_arm();
        let kept = ArmId::all(by_arm.len()).filter(|arm| !by_arm[arm.index()].is_empty());
        let kept: Vec<ArmId> = kept.collect();
        if kept.len() == by_arm.len() {
            return without;
        }
        without.select(&kept)
    }

    /// The rows of these arms alone, which get the numbers 0, 1, 2, … in this order; those of other
    /// arms are left out. All columns and items stay.
    ///
    /// # Panics
    /// If an arm is not one of these records.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Record, Evaluations};
    /// let mut records = Evaluations::new("f1")?;
    /// for (arm, score) in [("a", 0.1), ("b", 0.2), ("c", 0.3), ("a", 0.4)] {
    ///     records.push(Record::new(arm, score))?;
    /// }
    /// let two = ["c", "a"].map(|name| records.find(name).unwrap());
    /// let selected = records.select(&two);
    /// assert_eq!(selected.arms(), ["c", "a"]);
    /// assert_eq!(selected.by_arm(), [vec![0.3], vec![0.1, 0.4]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn select(&self, arms: &[ArmId]) -> Self {
        let mut selected = Self {
            items: self.items.clone(),
            columns: self.columns.without_cells(),
            file: self.file.clone(),
            ..Self::empty(self.metric.clone())
        };
        for arm in arms {
            let known = selected.number(&self.arms()[arm.index()]);
            known.expect("it has a number here");
        }
        let numbered = |arm: ArmId| selected.find(&self.arms()[arm.index()]);
        let numbers: Vec<_> = ArmId::all(self.arms().len()).map(numbered).collect();
        for place in self.places() {
            match place {
                Place::Record(place) => {
                    let record = self.all.at(place);
                    if let Some(arm) = numbers[record.arm.index()] {
                        let cells = self.columns.of_records.row(place).to_vec();
                        selected.columns.of_records.set(selected.all.len(), cells);
                        selected.all.push(&Record { arm, ..record });
                    }
                }
                Place::Failure(place) => {
                    let failed = &self.failures[place];
                    if let Some(arm) = numbers[failed.arm.index()] {
                        let cells = self.columns.of_failures.row(place).to_vec();
                        let at = selected.failures.len();
                        selected.columns.of_failures.set(at, cells);
                        selected.failures.push(failed.with(arm, ()));
                        selected.before.push(selected.all.len());
                    }
                }
            }
        }
        selected
    }

    /// Returns these records with another name for the metric.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`RecordsError::ReservedMetric`] if the name is that of a column
    /// that these records have.
    pub fn renamed(self, metric: impl Into<String>) -> Result<Self, RecordsError> {
        let Self { metric, .. } = Self::new(metric)?;
        let taken = match metric.as_str() {
            "cost" => self.rows().any(|row| row.cost.is_some()),
            "duration" => self.rows().any(|row| row.duration.is_some()),
            other => self.column(other).is_some(),
        };
        if taken {
            return Err(RecordsError::ReservedMetric(metric));
        }
        Ok(Self { metric, ..self })
    }
}
