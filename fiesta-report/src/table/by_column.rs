//! Tables made column by column: the title of a column and its cells stand together.

use super::{Align, Table};

/// A table with a row for each of some things, to which columns are added one after another.
///
/// # Example
/// ```
/// use fiesta_report::TableOf;
/// let table = TableOf::new([("lstm", 0.65), ("gru", 0.66)])
///     .words("arm", |arm| arm.0.to_owned())
///     .numbers("mean", |arm| arm.1.to_string())
///     .numbers("cost", |arm| (arm.1 > 0.65).then_some(12_u64))
///     .bold(|arm| arm.0 == "gru")
///     .table();
/// assert_eq!(table.csv(), "arm,mean,cost\r\nlstm,0.65,–\r\ngru,0.66,12\r\n");
/// ```
#[derive(Debug, Clone)]
pub struct TableOf<T> {
    rows: Vec<T>,
    table: Table,
}

/// Value of a cell: text or a count. A value that is `None` becomes a dash.
pub trait Cell {
    /// Returns the text of the cell.
    fn text(self) -> String;
}

impl Cell for String {
    fn text(self) -> String {
        self
    }
}

impl Cell for u64 {
    fn text(self) -> String {
        self.to_string()
    }
}

impl Cell for usize {
    fn text(self) -> String {
        self.to_string()
    }
}

impl<C: Cell> Cell for Option<C> {
    fn text(self) -> String {
        self.map_or_else(|| "–".to_owned(), C::text)
    }
}

impl<T> TableOf<T> {
    /// Starts a table with these rows and no columns yet.
    pub fn new(rows: impl IntoIterator<Item = T>) -> Self {
        let rows: Vec<T> = rows.into_iter().collect();
        let mut table = Table::new([]);
        for _ in &rows {
            table.row([], false);
        }
        Self { rows, table }
    }

    /// Adds a column of words under a title.
    #[must_use]
    pub fn words<C: Cell>(self, title: &str, cell: impl Fn(&T) -> C) -> Self {
        self.column(title, Align::Left, |of| cell(of).text())
    }

    /// Adds a column of numbers under a title.
    #[must_use]
    pub fn numbers<C: Cell>(self, title: &str, cell: impl Fn(&T) -> C) -> Self {
        self.column(title, Align::Right, |of| cell(of).text())
    }

    /// Adds a column of numbers for programs, in full precision. A number that is not known is empty.
    #[must_use]
    pub fn values(self, title: &str, value: impl Fn(&T) -> Option<f64>) -> Self {
        let cell = |of: &T| value(of).map_or_else(String::new, |value| value.to_string());
        self.column(title, Align::Right, cell)
    }

    /// Adds columns if there is something to show in the columns.
    #[must_use]
    pub fn when(self, is_shown: bool, add: impl FnOnce(Self) -> Self) -> Self {
        if is_shown { add(self) } else { self }
    }

    /// Makes the rows bold of which the condition holds.
    #[must_use]
    pub fn bold(mut self, is_bold: impl Fn(&T) -> bool) -> Self {
        for (row, of) in self.table.rows.iter_mut().zip(&self.rows) {
            row.bold = is_bold(of);
        }
        self
    }

    /// Sets the mark behind the first cell of each row, empty for none.
    #[must_use]
    pub(crate) fn marked(mut self, mark: impl Fn(&T) -> &'static str) -> Self {
        for (row, of) in self.table.rows.iter_mut().zip(&self.rows) {
            row.mark = mark(of);
        }
        self
    }

    fn column(mut self, title: &str, align: Align, cell: impl Fn(&T) -> String) -> Self {
        self.table.header.push((title.to_owned(), align));
        for (row, of) in self.table.rows.iter_mut().zip(&self.rows) {
            row.cells.push(cell(of));
        }
        self
    }

    /// Returns the table with the columns that were added.
    pub fn table(self) -> Table {
        self.table
    }
}
