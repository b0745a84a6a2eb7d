//! The user's own columns, which are kept beside what records hold.

use super::{
    RowProblem,
    names::{self, Names},
    problem::excerpt,
};

/// What stands in the user's own columns on one row: a text for each of the first columns, none where nothing does.
pub(super) type Cells = Vec<Option<Box<str>>>;

/// The columns that the long form understands, beside that of the score.
pub(super) const OWN: [&str; 6] = ["arm", "split", "seed", "cost", "duration", "status"];

/// The names of columns, and their cells on each row of one kind. Equal contents are equal values: no row ends with an empty cell,
/// and the rows do not end with an empty one.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Columns {
    names: Names,
    pub(super) of_records: Sparse,
    pub(super) of_failures: Sparse,
}

/// Cells of rows, of which the last may have none.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Sparse(Vec<Cells>);

impl Sparse {
    /// The cells of a row.
    pub(super) fn row(&self, place: usize) -> &[Option<Box<str>>] {
        self.0.get(place).map_or(&[], Vec::as_slice)
    }

    /// Gives a row its cells; those before it that have none get none.
    pub(super) fn set(&mut self, place: usize, cells: Cells) {
        if !cells.is_empty() {
            self.0.resize_with(place, Vec::new);
            self.0.push(cells);
        }
    }
}

impl Columns {
    /// The same columns, with nothing in them.
    pub(super) fn without_cells(&self) -> Self {
        Self {
            names: self.names.clone(),
            ..Self::default()
        }
    }

    pub(super) fn names(&self) -> &[String] {
        self.names.all()
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.find(name)
    }

    /// The number of the column with this name, which is given one if it is new.
    pub(super) fn number(&mut self, name: &str, metric: &str) -> Result<usize, RowProblem> {
        let name = name.trim();
        check(name, metric)?;
        self.names.number(name, RowProblem::UnnamedColumn)
    }

    /// The cells of a row that has these texts in the columns of these names. Nothing is added if one of them cannot be.
    pub(super) fn cells<N: AsRef<str>, T: AsRef<str>>(
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
                check(name, metric)?;
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
        Ok(cells)
    }
}

/// Refuses what cannot be the name of a column of the user's own.
fn check(name: &str, metric: &str) -> Result<(), RowProblem> {
    if name == metric || OWN.contains(&name) {
        return Err(RowProblem::ReservedColumn(excerpt(name)));
    }
    names::check(name, RowProblem::UnnamedColumn)
}
