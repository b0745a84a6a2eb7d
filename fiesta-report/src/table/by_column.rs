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
///     .when(false, |table| table.numbers("cost", |_| String::new()))
///     .table();
/// assert_eq!(table.csv(), "arm,mean\r\nlstm,0.65\r\ngru,0.66\r\n");
/// ```
#[derive(Debug, Clone)]
pub struct TableOf<T> {
    rows: Vec<T>,
    table: Table,
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
    pub fn words(self, title: &str, cell: impl Fn(&T) -> String) -> Self {
        self.column(title, Align::Left, cell)
    }

    /// Adds a column of numbers under a title.
    #[must_use]
    pub fn numbers(self, title: &str, cell: impl Fn(&T) -> String) -> Self {
        self.column(title, Align::Right, cell)
    }

    /// Adds columns if there is something to show in them.
    #[must_use]
    pub fn when(self, is_shown: bool, add: impl FnOnce(Self) -> Self) -> Self {
        if is_shown { add(self) } else { self }
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
