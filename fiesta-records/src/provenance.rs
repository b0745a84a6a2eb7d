//! Columns that show that a study chose the answers in a table.

use crate::{Evaluations, excerpt};
use std::collections::{HashMap, HashSet};

/// The columns of a study's export: the number of the evaluation, its place among those that ended,
/// and how many items the study's pool has.
const COLUMNS: [&str; 3] = ["evaluation", "turn", "pool_size"];

/// Statements of a study about the answers that it asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// Number of items in the study's pool.
    pub pool_size: u64,
    /// The turn of each record, from 1: its place among the evaluations of the study that ended.
    pub turns: Vec<u64>,
}

impl Evaluations {
    /// Returns what the columns `evaluation`, `turn` and `pool_size` say. `None` if the file has not
    /// all three, or names no items: no study chose its answers.
    ///
    /// # Errors
    /// A sentence if a row has no number there, two rows have one turn, or rows are of pools of
    /// several sizes.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Reading, read_from};
    /// let csv = "evaluation,arm,item,score,turn,pool_size\n1,a,q7,1,1,90\n2,b,q7,0,2,90\n";
    /// let options = Reading { keep_columns: true, ..Reading::default() };
    /// let found = read_from(csv.as_bytes(), None, &options, "s.csv")?.provenance().unwrap().unwrap();
    /// assert_eq!((found.pool_size, found.turns), (90, vec![1, 2]));
    /// # Ok::<(), fiesta_records::RecordsError>(())
    /// ```
    pub fn provenance(&self) -> Result<Option<Provenance>, String> {
        let [Some(evaluation), Some(turn), Some(size)] = COLUMNS.map(|name| self.column(name))
        else {
            return Ok(None);
        };
        if self.items().is_empty() {
            return Ok(None);
        }
        let (mut pool_size, mut turns) = (None, Vec::with_capacity(self.records().len()));
        let mut seen = HashSet::new();
        for (place, record) in self.records().iter().enumerate() {
            let refused = |what: String| {
                Err(format!(
                    "line {}: {what}, and a study's export has it on every row: export the study again, or drop the columns `turn` and `pool_size`, so that arms are compared on common items",
                    record.line
                ))
            };
            let number = |column: usize| {
                let cell = self.cell(place, column).unwrap_or_default();
                cell.parse::<u64>().map_err(|_| {
                    let name = &self.columns()[column];
                    format!("`{name}` is `{}`, and no whole number", excerpt(cell))
                })
            };
            let numbers = number(evaluation).and_then(|_| Ok((number(turn)?, number(size)?)));
            let (turn, size) = match numbers {
                Ok(numbers) => numbers,
                Err(what) => return refused(what),
            };
            if !seen.insert(turn) {
                return refused(format!("the turn {turn} stands on another row as well"));
            }
            let known = *pool_size.get_or_insert(size);
            if known != size {
                return refused(format!("the `pool_size` is {size} here and {known} before"));
            }
            turns.push(turn);
        }
        Ok(pool_size.map(|pool_size| Provenance { pool_size, turns }))
    }

    /// Checks that all rows of an arm are of one version of the arm: that the column `arm_digest`
    /// of a study's export, if there is one, says the same on each.
    ///
    /// # Errors
    /// A sentence that names the arm and two lines.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Reading, read_from};
    /// let csv = "arm,score,arm_digest\na,1,5f\na,0,77\n";
    /// let options = Reading { keep_columns: true, ..Reading::default() };
    /// let two = read_from(csv.as_bytes(), None, &options, "s.csv")?;
    /// assert!(two.check_versions().unwrap_err().starts_with("lines 2 and 3: the arm `a`"));
    /// # Ok::<(), fiesta_records::RecordsError>(())
    /// ```
    pub fn check_versions(&self) -> Result<(), String> {
        let Some(column) = self.column("arm_digest") else {
            return Ok(());
        };
        let mut first: HashMap<_, (&str, u64)> = HashMap::new();
        for (place, record) in self.records().iter().enumerate() {
            let Some(digest) = self.cell(place, column).filter(|cell| !cell.is_empty()) else {
                continue;
            };
            let (known, line) = *first.entry(record.arm).or_insert((digest, record.line));
            if known != digest {
                return Err(format!(
                    "lines {line} and {}: the arm `{}` was another one between these rows: its command, its variables or its files had changed (its arm_digest is {} and {}); keep the rows of one of them, or drop the column arm_digest to say that scores are the same",
                    record.line,
                    excerpt(&self.arms()[record.arm.index()]),
                    excerpt(known),
                    excerpt(digest)
                ));
            }
        }
        Ok(())
    }
}
