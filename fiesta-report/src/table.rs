//! Tables as text and Markdown.

use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

/// Where the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table of text, rendered in several ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    header: Vec<(String, Align)>,
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    cells: Vec<String>,
    bold: bool,
}

impl Table {
    /// A table with these columns and no rows yet.
    pub fn new<'a>(header: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        Self {
            header: header
                .into_iter()
                .map(|(name, align)| (name.to_owned(), align))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty, those beyond the last column left out. What is bold stands out where that can be shown.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>, bold: bool) {
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.resize(self.header.len(), String::new());
        self.rows.push(Row { cells, bold });
    }

    /// As aligned text for a terminal.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| {
                let cells = self.rows.iter().map(|row| row.cells[column].width());
                cells
                    .chain([self.header[column].0.width()])
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let line = |cells: &[Cow<'_, str>]| {
            let padded: Vec<String> = cells
                .iter()
                .zip(&widths)
                .zip(&self.header)
                .map(|((cell, &width), (_, align))| pad(cell, width, *align))
                .collect();
            format!("{}\n", padded.join("  ").trim_end())
        };
        let header: Vec<Cow<'_, str>> = self
            .header
            .iter()
            .map(|(name, _)| Cow::Borrowed(name.as_str()))
            .collect();
        let rows = self.rows.iter().map(|row| {
            line(
                &row.cells
                    .iter()
                    .map(|cell| Cow::Owned(visible(cell)))
                    .collect::<Vec<_>>(),
            )
        });
        std::iter::once(line(&header)).chain(rows).collect()
    }

    /// As a Markdown table.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let header = line(self.header.iter().map(|(name, _)| name.clone()).collect());
        let rule = self.header.iter().map(|(_, align)| match align {
            Align::Left => "---".to_owned(),
            Align::Right => "--:".to_owned(),
        });
        let rule = format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
        let rows = self.rows.iter().map(|row| {
            let escaped = |cell: &String| escape_markdown(cell);
            line(
                row.cells
                    .iter()
                    .enumerate()
                    .map(|(column, cell)| match column {
                        0 if row.bold => format!("**{}**", escaped(cell)),
                        _ => escaped(cell),
                    })
                    .collect(),
            )
        });
        [header, rule].into_iter().chain(rows).collect()
    }
}

fn pad(cell: &str, width: usize, align: Align) -> String {
    let space = " ".repeat(width.saturating_sub(cell.width()));
    match align {
        Align::Left => format!("{cell}{space}"),
        Align::Right => format!("{space}{cell}"),
    }
}

/// Without control characters, which would move the cursor of a terminal.
fn visible(cell: &str) -> String {
    cell.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

/// So that a name is text, whatever it contains.
fn escape_markdown(cell: &str) -> String {
    let mut escaped = String::with_capacity(cell.len());
    for c in visible(cell).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
    }
    escaped
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
    fn names_are_inert_in_markdown() {
        let mut table = Table::new([("arm", Align::Left)]);
        table.row(["<script>|*x*\u{1b}[2J".to_owned()], true);
        assert!(
            table
                .markdown()
                .ends_with("| **&lt;script&gt;\\|\\*x\\*\u{fffd}\\[2J** |\n")
        );
    }
}
