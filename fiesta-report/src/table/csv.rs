//! Tables as CSV.

use super::{Table, visible};
use fiesta_records::inert;

impl Table {
    /// Returns the table as CSV (RFC 4180: commas, CRLF, quotes doubled). A cell with which a
    /// formula could begin gets an apostrophe before it ([`inert`]), so that no spreadsheet runs a
    /// name; numbers stay numbers. Captions, notes and marks are left out.
    pub fn csv(&self) -> String {
        let header = self.header.iter().map(|(name, _)| name.as_str());
        let rows = self.rows.iter();
        let mut written = line(header);
        written.extend(rows.map(|row| line(row.cells.iter().map(String::as_str))));
        written
    }
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cells: Vec<String> = cells.map(|cell| quoted(&inert(&visible(cell)))).collect();
    format!("{}\r\n", cells.join(","))
}

fn quoted(cell: &str) -> String {
    // A lone empty cell would be a blank line, which is no row.
    if cell.is_empty() || cell.contains([',', '"']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Align, Table};

    #[test]
    fn formulas_are_text_and_numbers_numbers() {
        let mut table = Table::new([("=arm", Align::Left), ("score", Align::Right)]);
        for (name, score) in [
            ("=cmd()|' /C calc'!A0", "-0.5"),
            ("@x,\"y\"", "+1e-3"),
            ("a\n=b", "-"),
            ("+1+1", ""),
        ] {
            table.row([name.to_owned(), score.to_owned()], true);
        }
        let expected = [
            "'=arm,score",
            "'=cmd()|' /C calc'!A0,-0.5",
            "\"'@x,\"\"y\"\"\",+1e-3",
            "a\u{fffd}=b,'-",
            "'+1+1,\"\"",
            "",
        ];
        assert_eq!(table.csv(), expected.join("\r\n"));
    }

    #[test]
    fn quotes_are_doubled() {
        let mut table = Table::new([("arm", Align::Left), ("n", Align::Right)]);
        let names = ["plain", "with, comma", "with \"quote\"", "日本", "=1+1", ""];
        for name in names {
            table.row([name.to_owned(), "7".to_owned()], false);
        }
        assert_eq!(table.csv().matches("\r\n").count(), names.len() + 1);
        assert!(table.csv().contains("\"with \"\"quote\"\"\",7\r\n"));
    }
}
