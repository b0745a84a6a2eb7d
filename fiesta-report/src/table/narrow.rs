//! Text of a table within the width of a terminal: headers of several lines, cells of words wrapped,
//! columns that can be done without left out and named below.

use super::{
    Align, Row, Table, legible, pad, shortened, visible,
    wrap::{clipped, lines, wrapped},
};
use crate::words::one_or_more;
use unicode_width::UnicodeWidthStr;

/// Spaces between two columns.
const GAP: usize = 2;
/// Greatest lengths of words in cells that are shown whole. The first is tried before the second,
/// and both before a column is left out.
const LONG_WORDS: [usize; 2] = [24, 16];
/// The longest word of a cell that is shown whole when no column is left that can be done without.
const SHORT_WORD: usize = 12;

impl Table {
    /// Names columns that a narrow terminal does without, the first to go first.
    pub fn dispensable(mut self, columns: &[&str]) -> Self {
        let place = |name: &&str| self.header.iter().position(|(header, _)| header == name);
        self.dispensable = columns.iter().filter_map(place).collect();
        self
    }

    /// Returns aligned text for a terminal of this width.
    ///
    /// What does not fit is given up in this order: headers take several lines; cells of words are
    /// wrapped, and long names are shortened in their middle; columns that are
    /// [`dispensable`](Self::dispensable) are left out; then the last ones, never the first. Columns
    /// that are left out are named below, with the width that has room for all. Numbers are never
    /// broken.
    ///
    /// # Example
    /// ```
    /// use fiesta_report::{Align, Table};
    /// let mut table = Table::new([("arm", Align::Left), ("P(best)", Align::Right), ("cost", Align::Right)])
    ///     .dispensable(&["cost"]);
    /// table.row(["lstm".to_owned(), "95.0 %".to_owned(), "1234.5".to_owned()], true);
    /// assert_eq!(table.text_within(80), "arm   P(best)    cost\nlstm   95.0 %  1234.5\n");
    /// assert_eq!(
    ///     table.text_within(16),
    ///     "arm   P(best)\nlstm   95.0 %\nnot shown: cost\n(COLUMNS=21 or a\nwider terminal\nshows it)\n"
    /// );
    /// ```
    pub fn text_within(&self, width: usize) -> String {
        let rows = self.shown_cells();
        let (columns, widths) = self.fitting(&rows, width);
        let caption = self
            .caption
            .iter()
            .map(|caption| wrapped(&legible(caption), width) + "\n");
        let drawn = rows.iter().enumerate();
        let drawn = drawn.map(|(row, cells)| self.draw(cells, row == 0, &columns, &widths));
        let left_out: Vec<&str> = (0..self.header.len())
            .filter(|column| !columns.contains(column))
            .map(|column| self.header[column].0.as_str())
            .collect();
        let left_out = (!left_out.is_empty()).then(|| {
            let them = one_or_more(left_out.len(), "it", "them");
            format!(
                "not shown: {} (COLUMNS={} or a wider terminal shows {them})",
                left_out.join(", "),
                self.width_for_all(&rows, width)
            )
        });
        let notes = left_out
            .into_iter()
            .chain(self.notes.iter().map(|note| legible(note)));
        let notes = notes.map(|note| wrapped(&note, width) + "\n");
        caption.chain(drawn).chain(notes).collect()
    }

    /// Returns the cells of the header and of every row as they are shown.
    fn shown_cells(&self) -> Vec<Vec<String>> {
        let shown = |cell: &str| shortened(&visible(cell));
        let header: Vec<String> = self.header.iter().map(|(name, _)| shown(name)).collect();
        let of_row = |row: &Row| {
            let mut cells: Vec<String> = row.cells.iter().map(|cell| shown(cell)).collect();
            if let Some(first) = cells.first_mut() {
                first.push_str(row.mark);
            }
            cells
        };
        let rows = self.rows.iter().map(of_row);
        std::iter::once(header).chain(rows).collect()
    }

    /// Returns the least width, beyond `width`, at which no column is left out.
    fn width_for_all(&self, rows: &[Vec<String>], width: usize) -> usize {
        let of_column = |column: usize| rows.iter().map(move |cells| cells[column].width()).max();
        let widest: usize = (0..self.header.len()).filter_map(of_column).sum();
        let (mut too_narrow, mut enough) = (width, widest + GAP * self.header.len());
        while too_narrow + 1 < enough {
            let middle = too_narrow.midpoint(enough);
            if self.fitting(rows, middle).0.len() == self.header.len() {
                enough = middle;
            } else {
                too_narrow = middle;
            }
        }
        enough
    }

    /// Returns the columns that fit, and how wide each is.
    fn fitting(&self, rows: &[Vec<String>], width: usize) -> (Vec<usize>, Vec<usize>) {
        let mut columns: Vec<usize> = (0..self.header.len()).collect();
        let mut dispensable = self.dispensable.iter();
        loop {
            let mut words = LONG_WORDS.into_iter();
            let found = words.find_map(|word| self.widths(rows, &columns, width, word));
            if let Some(widths) = found {
                return (columns, widths);
            }
            let Some(next) = dispensable.next() else {
                break;
            };
            columns.retain(|column| column != next);
        }
        loop {
            if let Some(widths) = self.widths(rows, &columns, width, SHORT_WORD) {
                return (columns, widths);
            }
            if columns.len() <= 1 {
                let widths = vec![width.max(1); columns.len()];
                return (columns, widths);
            }
            columns.pop();
        }
    }

    /// Returns the widths of these columns if they fit; none if they do not. Of words in cells,
    /// this many letters at most are shown where there is too little room for more.
    fn widths(
        &self,
        rows: &[Vec<String>],
        columns: &[usize],
        width: usize,
        word: usize,
    ) -> Option<Vec<usize>> {
        let longest_word = |cell: &String| {
            let words = lines(cell, 0).into_iter();
            words.map(|word| word.trim().width()).max().unwrap_or(0)
        };
        let all = |column: usize, measure: &dyn Fn(&String) -> usize| {
            let cells = rows.iter().skip(1).map(|cells| measure(&cells[column]));
            cells.max().unwrap_or(0)
        };
        let (mut full, mut tight, mut least) = (Vec::new(), Vec::new(), Vec::new());
        for &column in columns {
            let header = &rows[0][column];
            let cells = all(column, &|cell| cell.width());
            full.push(cells.max(header.width()));
            tight.push(cells.max(longest_word(header)));
            let floor = match self.header[column].1 {
                Align::Left => all(column, &longest_word)
                    .min(word)
                    .max(longest_word(header)),
                Align::Right => usize::MAX,
            };
            least.push(floor.min(*tight.last().unwrap_or(&0)));
        }
        let gaps = GAP * columns.len().saturating_sub(1);
        let room = width.checked_sub(gaps)?;
        let mut widths = tight;
        let mut used: usize = widths.iter().sum();
        while used > room {
            let places = (0..widths.len()).filter(|&place| widths[place] > least[place]);
            let widest = places.max_by_key(|&place| widths[place])?;
            widths[widest] -= 1;
            used -= 1;
        }
        // What is left goes to headers that would be of several lines.
        for (width, full) in widths.iter_mut().zip(full) {
            let more = full.saturating_sub(*width).min(room - used);
            *width += more;
            used += more;
        }
        Some(widths)
    }

    /// Draws a row, of several lines where one of its cells is.
    fn draw(&self, cells: &[String], heads: bool, columns: &[usize], widths: &[usize]) -> String {
        let drawn: Vec<Vec<String>> = columns
            .iter()
            .zip(widths)
            .map(|(&column, &width)| {
                let parts = lines(&cells[column], width).into_iter();
                parts.map(|part| clipped(&part, width)).collect()
            })
            .collect();
        let height = drawn.iter().map(Vec::len).max().unwrap_or(1);
        let line = |place: usize| {
            let cells = drawn.iter().zip(columns).zip(widths);
            let cells = cells.map(|((parts, &column), &width)| {
                // Headers stand on the rows, cells hang from the line above.
                let above = if heads { height - parts.len() } else { 0 };
                let part = place.checked_sub(above).and_then(|place| parts.get(place));
                pad(
                    part.map_or("", String::as_str),
                    width,
                    self.header[column].1,
                )
            });
            let cells: Vec<String> = cells.collect();
            format!("{}\n", cells.join("  ").trim_end())
        };
        (0..height).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new([
            ("arm", Align::Left),
            ("P(best)", Align::Right),
            ("mean over the pool ± se", Align::Right),
            ("cost", Align::Right),
        ])
        .dispensable(&["cost"])
        .note("† not distinguishable from the best one of them");
        let cells = [
            "bert-large-uncased-seed-1",
            "97.0 %",
            "0.7929 ± 0.0218",
            "6.2",
        ];
        table.row(cells.map(str::to_owned), true);
        table
    }

    #[test]
    fn no_line_is_longer_than_the_width() {
        for width in 24..100 {
            let text = table().text_within(width);
            let longest = text.lines().map(UnicodeWidthStr::width).max();
            assert!(longest <= Some(width), "{width}:\n{text}");
            assert!(text.contains("97.0 %"), "{width}:\n{text}");
        }
    }

    #[test]
    fn headers_are_wrapped_before_anything_is_left_out() {
        let text = table().text_within(58);
        assert!(
            text.contains(" 6.2\n") && !text.contains("not shown"),
            "{text}"
        );
        assert!(!text.contains("mean over the pool ± se"), "{text}");
        let text = table().text_within(46);
        assert!(
            text.contains("not shown: cost (COLUMNS=48 or a wider"),
            "{text}"
        );
    }

    /// Tests that a terminal of the width that the text names has room for all columns, and that a narrower one has not.
    #[test]
    fn the_width_that_is_named_has_room_for_all() {
        for width in 12..80 {
            let text = table().text_within(width).replace('\n', " ");
            let Some((_, named)) = text.split_once("(COLUMNS=") else {
                assert!(!text.contains("not shown"), "{text}");
                continue;
            };
            let (named, rest) = named.split_once(' ').unwrap();
            let named: usize = named.parse().unwrap();
            assert!(named > width && rest.starts_with("or a wider terminal shows"));
            assert!(!table().text_within(named).contains("not shown"));
            assert!(table().text_within(named - 1).contains("not shown"));
        }
    }

    #[test]
    fn words_of_cells_are_wrapped() {
        let mut table = Table::new([("arm", Align::Left), ("may lie", Align::Left)]);
        table.row(
            ["a".to_owned(), "at any n, or there is none".to_owned()],
            false,
        );
        assert_eq!(
            table.text_within(20),
            "arm  may lie\na    at any n, or\n     there is none\n"
        );
    }
}
