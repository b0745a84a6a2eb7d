//! Pairing of scores over splits: by a column of splits or items, or by the numbers of rows.

use crate::{
    Evaluations, Record, Records, RecordsError, Row, collection::Place, proposal::names_case,
    words::excerpt,
};
use fiesta_core::ArmId;

/// Assumption of `--paired-rows`, in words.
const ROWS: &str = "with --paired-rows the k-th score of every arm is on the k-th split";

/// Largest number of arms whose numbers of rows a message tells.
const MOST: usize = 6;

/// Source of the information which scores of several arms were made on the same split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitSource {
    /// The column or key `split` states the split of each score.
    Column,
    /// The column or key `item` states the item of each score: scores on the same item are paired
    /// ([`Evaluations::items`]).
    Items,
    /// The place of a row states its split, as
    /// [`Reading::paired_rows`](super::Reading::paired_rows) demands.
    Rows,
    /// Nothing states the splits: scores are taken as made on different splits.
    Nothing,
}

impl SplitSource {
    /// Returns the source in one word: `column`, `item`, `rows` or `none`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Column => "column",
            Self::Items => "item",
            Self::Rows => "rows",
            Self::Nothing => "none",
        }
    }
}

impl Evaluations {
    /// Returns the source of the splits of these records.
    pub fn split_source(&self) -> SplitSource {
        if self.file.rows_are_splits {
            SplitSource::Rows
        } else if !self.items().is_empty() {
            SplitSource::Items
        } else if self.rows().any(|row| row.split.is_some()) {
            SplitSource::Column
        } else {
            SplitSource::Nothing
        }
    }

    /// Returns whether the records are from a file with a column for each arm.
    pub fn is_wide(&self) -> bool {
        self.file.wide
    }

    /// Whether nothing states splits, and rows could be splits all the same: of several arms, in
    /// the wide form or with equally many rows each.
    pub fn rows_may_be_splits(&self) -> bool {
        let rows = self.rows_of_arms();
        let alike = rows.windows(2).all(|pair| pair[0] == pair[1]);
        self.split_source() == SplitSource::Nothing
            && rows.len() > 1
            && self.all.len() > rows.len()
            && self.unlike_rows().is_none()
            && (self.file.wide || alike)
    }

    /// Finds a column of cases or seeds that shows that the k-th rows of two arms are on different
    /// cases. Returns its name, and whether it is no column of seeds.
    fn unlike_rows(&self) -> Option<(&str, bool)> {
        let is_stated = self.columns().iter().any(|name| names_case(name))
            || self.all.iter().any(|record| record.seed.is_some());
        if !is_stated {
            return None;
        }
        let mut of_arms: Vec<Vec<Row<'_>>> = self.arms().iter().map(|_| Vec::new()).collect();
        for row in self.rows() {
            of_arms[self.find(row.arm)?.index()].push(row);
        }
        let (first, others) = of_arms.split_first()?;
        let differ = |tell: &dyn Fn(&Row<'_>) -> Option<String>| {
            let mut pairs = others.iter().flat_map(|other| first.iter().zip(other));
            pairs.any(|(one, other)| tell(one) != tell(other))
        };
        let names = self.columns().iter().enumerate();
        let mut cases = names.filter(|(_, name)| names_case(name));
        let column = cases.find(|(column, _)| differ(&|row| row.cell(*column).map(str::to_owned)));
        if let Some((_, name)) = column {
            return Some((name, true));
        }
        differ(&|row| row.seed.map(|seed| seed.to_string())).then_some(("seed", false))
    }

    /// Returns the number of rows of each arm, failures included.
    fn rows_of_arms(&self) -> Vec<usize> {
        let mut rows = vec![0; self.arms().len()];
        let arms = self.all.iter().map(|record| record.arm);
        for arm in arms.chain(self.failures.iter().map(|failed| failed.arm)) {
            rows[arm.index()] += 1;
        }
        rows
    }

    /// Sets the split of the k-th row of every arm, failures included, to k, from 0.
    pub(crate) fn pair_rows(&mut self, file: &str) -> Result<(), RecordsError> {
        let refused = |line: u64, why: &str| {
            let why = format!("{file}:{line}: {why}: leave --paired-rows out");
            Err(RecordsError::Refused(why))
        };
        if !self.items().is_empty() {
            let line = self.rows().next().map_or(0, |row| row.line);
            let why = "there is an `item`, which says which scores were made on the same one";
            return refused(line, why);
        }
        if let Some(row) = self.rows().find(|row| row.split.is_some()) {
            let why =
                "there is a `split` already, which says which scores were made on the same one";
            return refused(row.line, why);
        }
        let rows = self.rows_of_arms();
        check_equal_rows(self.arms(), &rows, file)?;
        if let Some((column, is_item)) = self.unlike_rows() {
            let column = excerpt(column);
            let or_item = if is_item {
                format!(", and say --item {column}")
            } else {
                String::new()
            };
            return Err(RecordsError::Refused(format!(
                "{file}: {ROWS}, and by `{column}` they are not on the same: leave --paired-rows out{or_item}"
            )));
        }
        let mut next = vec![0; self.arms().len()];
        let mut number = |arm: ArmId| {
            next[arm.index()] += 1;
            Some(next[arm.index()] - 1)
        };
        let mut all = Records::default();
        for place in self.places() {
            match place {
                Place::Record(place) => {
                    let record = self.all.at(place);
                    let split = number(record.arm);
                    all.push(&Record { split, ..record });
                }
                Place::Failure(place) => {
                    self.failures[place].split = number(self.failures[place].arm);
                }
            }
        }
        self.all = all;
        self.file.rows_are_splits = true;
        Ok(())
    }
}

/// Refuses rows as splits where arms have unequally many.
pub(crate) fn check_equal_rows(
    arms: &[String],
    rows: &[usize],
    file: &str,
) -> Result<(), RecordsError> {
    if rows.windows(2).all(|pair| pair[0] == pair[1]) {
        return Ok(());
    }
    let numbers = arms.iter().zip(rows).take(MOST);
    let numbers = numbers.map(|(name, rows)| format!("`{}` has {rows}", excerpt(name)));
    let more = if rows.len() > MOST { ", …" } else { "" };
    Err(RecordsError::Refused(format!(
        "{file}: {ROWS}, but {}{more}: write a CSV with a column for each arm, where a cell without a score may stay empty, or say the split of each score in a column `split`",
        numbers.collect::<Vec<_>>().join(", ")
    )))
}
