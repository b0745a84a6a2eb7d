//! Rows of one evaluation at different stages of its training.

use crate::{Records, proposal::plain};
use std::collections::HashMap;

/// Words in the names of columns that number the stages of a training.
const STAGES: [&str; 8] = [
    "epoch",
    "epochs",
    "step",
    "steps",
    "iter",
    "iteration",
    "iterations",
    "checkpoint",
];

impl Records {
    /// The column that numbers stages of a training, and how many rows differ in it from an earlier
    /// one of the same arm, split and seed; none where there is no such column, or no such row.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{ReadOptions, read_from};
    /// let options = ReadOptions { keep_columns: true, ..ReadOptions::default() };
    /// let csv = "arm,split,epoch,score\nlstm,0,1,0.5\nlstm,0,2,0.7\nlstm,1,1,0.6\n";
    /// let records = read_from(csv.as_bytes(), None, &options, "runs.csv")?;
    /// assert_eq!(records.stages(), Some(("epoch", 1)));
    /// # Ok::<(), fiesta_records::RecordsError>(())
    /// ```
    pub fn stages(&self) -> Option<(&str, usize)> {
        let names = self.columns().iter().enumerate();
        let is_stage = |name: &str| {
            let plain = plain(name);
            plain.split('_').any(|word| STAGES.contains(&word))
        };
        let mut stages = names.filter(|(_, name)| is_stage(name));
        stages.find_map(|(column, name)| {
            let mut first: HashMap<_, Option<&str>> = HashMap::new();
            let rows = self.records().iter().enumerate();
            let differs = rows.filter(|(row, record)| {
                // Without a split, rows of an arm may be anything.
                let Some(split) = record.split else {
                    return false;
                };
                let stage = self.cell(*row, column);
                let key = (record.arm, split, record.seed);
                *first.entry(key).or_insert(stage) != stage
            });
            let count = differs.count();
            (count > 0).then_some((name.as_str(), count))
        })
    }
}
