//! Records in columns: what no record has takes no memory.

use super::Numbers;
use crate::Record;
use fiesta_core::ArmId;

/// Records in the order in which they were added. 10⁷ of them with a split and a line take 200 MB.
///
/// # Example
/// ```
/// use fiesta_records::{Evaluations, Record};
/// let mut evaluations = Evaluations::new("f1")?;
/// evaluations.push(Record { seed: Some(3), ..Record::new("lstm", 0.71) })?;
/// evaluations.push(Record::new("lstm", 0.73))?;
/// let records = evaluations.records();
/// assert_eq!((records.len(), records.at(0).seed), (2, Some(3)));
/// assert!(records.iter().all(|record| record.score > 0.7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Records {
    arms: Vec<ArmId>,
    scores: Vec<f64>,
    splits: Numbers,
    seeds: Numbers,
    /// Costs of the records, and below them their durations, as the bits of 64-bit numbers.
    costs: Numbers,
    durations: Numbers,
    lines: Numbers,
}

impl Records {
    /// Adds a record to the columns.
    pub(crate) fn push(&mut self, record: &Record) {
        let place = self.len();
        if place == 0 && record.line > 0 {
            // Most files have a record on each line.
            self.lines = Numbers::Places(record.line);
        }
        let line = Some(record.line).filter(|&line| line > 0);
        self.lines.push(place, line);
        self.splits.push(place, record.split);
        self.seeds.push(place, record.seed);
        self.costs.push(place, record.cost.map(f64::to_bits));
        self.durations
            .push(place, record.duration.map(f64::to_bits));
        self.arms.push(record.arm);
        self.scores.push(record.score);
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Returns whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// Returns the record at this place, from 0.
    ///
    /// # Panics
    /// If there are no more records than that.
    pub fn at(&self, place: usize) -> Record {
        Record {
            arm: self.arms[place],
            score: self.scores[place],
            split: self.splits.get(place),
            seed: self.seeds.get(place),
            cost: self.costs.get(place).map(f64::from_bits),
            duration: self.durations.get(place).map(f64::from_bits),
            line: self.lines.get(place).unwrap_or(0),
        }
    }

    /// Returns the records in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Record> + Clone + '_ {
        (0..self.len()).map(|place| self.at(place))
    }
}
