//! Tables as text, Markdown, LaTeX and CSV.
//!
//! What stands in a cell is text, whatever it is: a name such as `\input{x}`, `<script>` or
//! `=cmd()` says itself in every form and does nothing.

mod by_column;
mod csv;
mod escape;
mod latex;
mod narrow;
mod wrap;

pub use by_column::{Cell, TableOf};
pub use wrap::wrapped;

pub(crate) use escape::{legible, markdown_text, shortened, visible};

use escape::markdown;
use unicode_width::UnicodeWidthStr;

/// Alignment of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Align {
    /// Cells are aligned left, for words.
    Left,
    /// Cells are aligned right, for numbers.
    Right,
}

/// A table of text, rendered in several ways.
///
/// # Example
/// ```
/// use fiesta_report::{Align, Table};
/// let mut table = Table::new([("arm", Align::Left), ("mean", Align::Right)])
///     .caption("Macro-F1 of two models")
///     .note("† not distinguishable from the best");
/// table.row(["td_lstm".to_owned(), "0.66".to_owned()], true);
/// table.marked_row(["lstm".to_owned(), "0.65".to_owned()], "†");
/// assert!(table.markdown().contains("| **td\\_lstm** | 0.66 |\n| lstm† | 0.65 |\n"));
/// assert!(table.latex().contains("\\textbf{td\\_lstm} & \\textbf{0.66} \\\\\n  lstm\\textsuperscript{\\dag{}} & 0.65 \\\\\n"));
/// assert_eq!(table.csv(), "arm,mean\r\ntd_lstm,0.66\r\nlstm,0.65\r\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    caption: Option<String>,
    header: Vec<(String, Align)>,
    rows: Vec<Row>,
    notes: Vec<String>,
    /// Places of the columns that a narrow terminal does without, the first to go first.
    dispensable: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) cells: Vec<String>,
    pub(crate) bold: bool,
    /// Mark behind the first cell, raised where that can be shown.
    pub(crate) mark: &'static str,
}

impl Table {
    /// Returns a table with these columns and no rows yet.
    pub fn new<'a>(header: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        Self {
            caption: None,
            header: header
                .into_iter()
                .map(|(name, align)| (name.to_owned(), align))
                .collect(),
            rows: Vec::new(),
            notes: Vec::new(),
            dispensable: Vec::new(),
        }
    }

    /// Adds a caption above the table, which says what it shows.
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = Some(caption.into());
        self
    }

    /// Adds a line below the table.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a row to the table; missing cells are empty, those beyond the last column left out.
    /// What is bold stands out where that can be shown.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>, bold: bool) {
        self.add(cells, bold, "");
    }

    /// Adds a row with a mark behind its first cell, which a [note](Self::note) explains.
    pub fn marked_row(&mut self, cells: impl IntoIterator<Item = String>, mark: &'static str) {
        self.add(cells, false, mark);
    }

    fn add(&mut self, cells: impl IntoIterator<Item = String>, bold: bool, mark: &'static str) {
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.resize(self.header.len(), String::new());
        self.rows.push(Row { cells, bold, mark });
    }

    /// Returns the place of the column with this header.
    #[cfg(all(feature = "analysis", feature = "html"))]
    pub(crate) fn column(&self, header: &str) -> Option<usize> {
        self.header.iter().position(|(name, _)| name == header)
    }

    /// Adds a column of numbers before the one at a place, with a cell for each row.
    #[cfg(all(feature = "analysis", feature = "html"))]
    pub(crate) fn insert_column(
        &mut self,
        place: usize,
        header: &str,
        cell: impl Fn(&[String]) -> String,
    ) {
        let place = place.min(self.header.len());
        self.header.insert(place, (header.to_owned(), Align::Right));
        for row in &mut self.rows {
            let cell = cell(&row.cells);
            row.cells.insert(place, cell);
        }
    }

    /// Moves a column to an earlier place.
    #[cfg(all(feature = "analysis", feature = "html"))]
    pub(crate) fn move_column(&mut self, from: usize, to: usize) {
        if from <= to || from >= self.header.len() {
            return;
        }
        self.header[to..=from].rotate_right(1);
        for row in &mut self.rows {
            row.cells[to..=from].rotate_right(1);
        }
    }

    #[cfg(feature = "html")]
    pub(crate) fn header(&self) -> &[(String, Align)] {
        &self.header
    }

    #[cfg(feature = "html")]
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    #[cfg(feature = "html")]
    pub(crate) fn caption_text(&self) -> Option<&str> {
        self.caption.as_deref()
    }

    #[cfg(feature = "html")]
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the table as aligned text, as wide as it needs.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the table as Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let header = line(self.header.iter().map(|(name, _)| markdown(name)).collect());
        let rule = self.header.iter().map(|(_, align)| match align {
            Align::Left => "---".to_owned(),
            Align::Right => "--:".to_owned(),
        });
        let rule = format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
        let rows = self.rows.iter().map(|row| {
            let cells = row.cells.iter().enumerate();
            let cells = cells.map(|(column, cell)| match column {
                0 if row.bold => format!("**{}**{}", markdown(cell), row.mark),
                0 => format!("{}{}", markdown(cell), row.mark),
                _ => markdown(cell),
            });
            line(cells.collect())
        });
        let caption = self.caption.iter();
        let caption = caption.map(|caption| format!("{}\n\n", markdown_text(&legible(caption))));
        let notes = self.notes.iter();
        let notes = notes.map(|note| format!("\n{}\n", markdown_text(&legible(note))));
        caption
            .chain([header, rule])
            .chain(rows)
            .chain(notes)
            .collect()
    }
}

fn pad(cell: &str, width: usize, align: Align) -> String {
    let space = " ".repeat(width.saturating_sub(cell.width()));
    match align {
        Align::Left => format!("{cell}{space}"),
        Align::Right => format!("{space}{cell}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_aligned_by_width() {
        let mut table = Table::new([("arm", Align::Left), ("n", Align::Right)]);
        table.row(["日本".to_owned(), "3".to_owned()], false);
        table.row(["a".to_owned(), "10".to_owned()], true);
        assert_eq!(table.text(), "arm    n\n日本   3\na     10\n");
    }

    #[test]
    fn captions_and_notes_stand_around() {
        let mut table = Table::new([("arm", Align::Left)])
            .caption("all *arms*")
            .note("† tied");
        table.marked_row(["a".to_owned()], "†");
        assert_eq!(table.text(), "all *arms*\narm\na†\n† tied\n");
        assert_eq!(
            table.markdown(),
            "all \\*arms\\*\n\n| arm |\n|---|\n| a† |\n\n† tied\n"
        );
    }

    #[test]
    fn names_are_inert_in_markdown() {
        let mut table = Table::new([("a|b", Align::Left)]);
        table.row(["<script>|*x*\u{1b}[2J\n\u{202e}".to_owned()], true);
        assert_eq!(
            table.markdown(),
            "| a\\|b |\n|---|\n| **&lt;script&gt;\\|\\*x\\*\u{fffd}\\[2J\u{fffd}\u{fffd}** |\n"
        );
    }
}
