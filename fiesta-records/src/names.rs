//! Numbered names of arms, items, documents and columns, and cells of the user's own columns.

use crate::{RowProblem, words::excerpt};
use fiesta_core::one_spelling;
use std::{borrow::Cow, collections::HashMap};

/// Names, each with a number from 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Names {
    all: Vec<String>,
    numbers: HashMap<String, usize>,
    /// Numbers of names that differ from their normalised spellings, by these spellings.
    spellings: HashMap<String, usize>,
}

impl Names {
    /// Returns all names, in the order of their numbers.
    pub(crate) fn all(&self) -> &[String] {
        &self.all
    }

    /// Returns the number of this name, if it has one.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// Returns the number of a name, as [`number`](Self::number) does, but refuses a new name that looks like another name.
    pub(crate) fn number_apart(
        &mut self,
        name: &str,
        empty: RowProblem,
    ) -> Result<usize, RowProblem> {
        if let Some(known) = self.find(name) {
            return Ok(known);
        }
        let spelling = one_spelling(name);
        let alike = self.spellings.get(&*spelling).copied();
        if let Some(other) = alike.or_else(|| self.find(&spelling)) {
            return Err(RowProblem::refused(format!(
                "the names `{}` and `{}` differ in spaces alone, or in how Unicode writes the same letters: make them one name, or two that differ",
                excerpt(&self.all[other]),
                excerpt(name)
            )));
        }
        let number = self.number(name, empty)?;
        if spelling != name {
            self.spellings.insert(spelling.into_owned(), number);
        }
        Ok(number)
    }

    /// Returns the number of this name; a new name gets a new number. `empty` is the error for an
    /// empty name.
    pub(crate) fn number(&mut self, name: &str, empty: RowProblem) -> Result<usize, RowProblem> {
        if let Some(known) = self.find(name) {
            return Ok(known);
        }
        check_name(name, empty)?;
        let number = self.all.len();
        self.all.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }
}

/// Returns a text on one line: line breaks and the like in it are written as in a program.
pub(crate) fn one_line(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text;
    }
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    Cow::Owned(line)
}

/// Refuses an empty name, and a name with control characters.
pub(crate) fn check_name(name: &str, empty: RowProblem) -> Result<(), RowProblem> {
    if name.is_empty() {
        return Err(empty);
    }
    if name.chars().any(char::is_control) {
        return Err(RowProblem::refused(format!(
            "the name `{}` contains a line break, a tab or another control character: remove it, or close the quote before it",
            excerpt(name)
        )));
    }
    Ok(())
}

/// Cells of the user's own columns on one row: a text for each of the first columns, `None` for an
/// empty cell.
pub(crate) type Cells = Vec<Option<Box<str>>>;

/// The columns that the long form understands, other than that of the score.
pub const OWN: [&str; 7] = ["arm", "item", "split", "seed", "cost", "duration", "status"];

/// Number of empty cells that stand before others on their rows. Its limit keeps a table in memory
/// that has 10⁶ rows with few of many columns. Two tables are equal whatever this number is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Empty(usize);

/// Largest number of empty cells that a table may have before others on their rows.
const MOST_EMPTY: usize = 50_000_000;

impl PartialEq for Empty {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Empty {
    /// Counts the empty cells of a row, and refuses too many.
    pub(crate) fn count(&mut self, cells: &Cells) -> Result<(), RowProblem> {
        self.0 += cells.iter().filter(|cell| cell.is_none()).count();
        if self.0 > MOST_EMPTY {
            return Err(RowProblem::refused(format!(
                "the rows have so many different keys that more than {MOST_EMPTY} cells of a table of them are empty: leave out keys that few rows have"
            )));
        }
        Ok(())
    }
}

/// Names of columns, and their cells on each row of one kind. Equal contents are equal values: no
/// row ends with an empty cell, and the rows do not end with an empty one.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Columns {
    names: Names,
    pub(crate) of_records: Sparse,
    pub(crate) of_failures: Sparse,
    empty: Empty,
}

/// Cells of the user's own columns, row by row; the last rows may have none.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sparse(Vec<Cells>);

impl Sparse {
    /// Returns the cells of a row.
    pub(crate) fn row(&self, place: usize) -> &[Option<Box<str>>] {
        self.0.get(place).map_or(&[], Vec::as_slice)
    }

    /// Sets the cells of a row. Earlier rows that were not set get no cells.
    pub(crate) fn set(&mut self, place: usize, cells: Cells) {
        if !cells.is_empty() {
            self.0.resize_with(place, Vec::new);
            self.0.push(cells);
        }
    }
}

impl Columns {
    /// Returns columns with the same names, without cells.
    pub(crate) fn without_cells(&self) -> Self {
        Self {
            names: self.names.clone(),
            ..Self::default()
        }
    }

    pub(crate) fn names(&self) -> &[String] {
        self.names.all()
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.names.find(name)
    }

    /// Returns the number of the column with this name; a new name becomes a new column.
    pub(crate) fn number(&mut self, name: &str, metric: &str) -> Result<usize, RowProblem> {
        let name = name.trim();
        check_own(name, metric)?;
        self.names.number(name, RowProblem::UnnamedColumn)
    }

    /// Returns the cells of a row with these texts in the columns of these names. Adds no column if
    /// one of the names is refused.
    pub(crate) fn cells<N: AsRef<str>, T: AsRef<str>>(
        &mut self,
        others: impl IntoIterator<Item = (N, T)>,
        metric: &str,
    ) -> Result<Cells, RowProblem> {
        let others: Vec<(N, T)> = others.into_iter().collect();
        let mut seen = vec![false; self.names().len()];
        let mut new: Vec<&str> = Vec::new();
        for (name, _) in &others {
            let name = name.as_ref().trim();
            let twice = if let Some(column) = self.find(name) {
                std::mem::replace(&mut seen[column], true)
            } else {
                check_own(name, metric)?;
                let twice = new.contains(&name);
                new.push(name);
                twice
            };
            if twice {
                return Err(RowProblem::DuplicateKey(excerpt(name)));
            }
        }
        let mut cells = Cells::new();
        for (name, text) in others {
            let column = self
                .names
                .number(name.as_ref().trim(), RowProblem::UnnamedColumn)?;
            let text = text.as_ref().trim();
            if !text.is_empty() {
                cells.resize(cells.len().max(column + 1), None);
                cells[column] = Some(text.into());
            }
        }
        self.empty.count(&cells)?;
        Ok(cells)
    }
}

/// Refuses what cannot be the name of a column of the user's own.
fn check_own(name: &str, metric: &str) -> Result<(), RowProblem> {
    if name == metric || OWN.contains(&name) {
        return Err(RowProblem::ReservedColumn(excerpt(name)));
    }
    check_name(name, RowProblem::UnnamedColumn)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that a table is refused if its rows share few keys: n rows with a key of their own
    /// would make n² cells.
    #[test]
    fn rows_have_something_in_common() {
        let mut empty = Empty(MOST_EMPTY - 2);
        assert_eq!(empty.count(&vec![None, None, Some("a".into())]), Ok(()));
        let problem = empty.count(&vec![None, Some("a".into())]).unwrap_err();
        assert!(problem.to_string().contains("more than 50000000 cells"));
        assert_eq!(Empty(1), Empty(2));
    }
}
