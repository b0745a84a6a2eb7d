//! Tables in Markdown as CSV, with each row on its line.

use std::io;

/// The most lines of a title above a table.
const TITLE: usize = 3;

/// Returns the CSV of a text that is one table in Markdown, also below headings or a title of a few
/// lines. `None` for any other text.
///
/// # Errors
/// If another table follows.
pub(crate) fn as_csv(bytes: &[u8]) -> Option<io::Result<Vec<u8>>> {
    let mut titles = 0;
    let mut is_above = |line: &&str| {
        let is_heading = line.trim().is_empty() || line.starts_with('#');
        // Cells of CSV and texts in JSON may hold tables.
        let is_title = !line.trim_start().starts_with('|') && !line.contains(['"', '{', '[']);
        titles += usize::from(!is_heading);
        is_heading || is_title && titles <= TITLE
    };
    // Tables of millions of rows are not looked through: the first line tells.
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 12)]);
    let mut lines = start
        .trim_start_matches('\u{feff}')
        .lines()
        .skip_while(|line| is_above(line));
    if !lines.next()?.trim_start().starts_with('|') || !is_rule(lines.next()?) {
        return None;
    }
    let text = std::str::from_utf8(bytes)
        .ok()?
        .trim_start_matches('\u{feff}');
    let (mut csv, mut is_over) = (String::new(), false);
    for line in text.lines() {
        let is_row = line.trim_start().starts_with('|');
        if is_row && is_over {
            let several = "it holds several tables in Markdown: keep the one that is meant";
            return Some(Err(io::Error::new(io::ErrorKind::InvalidData, several)));
        }
        is_over |= !is_row && !csv.trim().is_empty();
        if is_row && !is_rule(line) {
            let cells: Vec<String> = cells(line).iter().map(|cell| quoted(cell)).collect();
            csv.push_str(&cells.join(","));
        }
        csv.push('\n');
    }
    Some(Ok(csv.into_bytes()))
}

/// Returns whether a line is the one between the header and the rows: `|---|:-:|`.
fn is_rule(line: &str) -> bool {
    let is_dash =
        |cell: &String| cell.contains('-') && cell.trim_matches(':').bytes().all(|c| c == b'-');
    line.trim_start().starts_with('|') && cells(line).iter().all(is_dash)
}

/// Returns the cells of a row, without marks of bold type and of code.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|');
    let inner = line.strip_suffix('|').unwrap_or(line).replace("\\|", "\0");
    let plain = |cell: &str| {
        cell.replace('\0', "|")
            .replace("**", "")
            .replace('`', "")
            .trim()
            .to_owned()
    };
    // A mark around the whole cell sets it in another type.
    let bare = |cell: String| {
        let inner = |mark| cell.strip_prefix(mark)?.strip_suffix(mark);
        let found = ["__", "_", "*"].into_iter().find_map(inner);
        found.map_or(cell.clone(), |inner| inner.trim().to_owned())
    };
    inner.split('|').map(plain).map(bare).collect()
}

/// Returns a text as a cell of CSV, in quotes if it contains a delimiter or a quote.
pub(crate) fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', ';']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the CSV of a table, or the error.
    pub(crate) fn text_of(read: io::Result<Vec<u8>>) -> String {
        read.map_or_else(
            |error| error.to_string(),
            |csv| String::from_utf8(csv).unwrap(),
        )
    }

    fn csv(text: &str) -> Option<String> {
        as_csv(text.as_bytes()).map(text_of)
    }

    #[test]
    fn tables_keep_their_lines() {
        let text = "\u{feff}# Results\n\n| model | acc, % |\r\n|:--|--:|\n| **a\\|b** | 0.8 |\n| `c` | 0.7 |\n\nof *us*\n";
        assert_eq!(
            csv(text).as_deref(),
            Some("\n\nmodel,\"acc, %\"\n\na|b,0.8\nc,0.7\n\n\n")
        );
        let title = "Table 2: accuracy, in %\n| m | _a_ |\n|-|-|\n| __x__ | *1* |\n";
        assert_eq!(csv(title).as_deref(), Some("\nm,a\n\nx,1\n"));
        let two = format!("{text}| x |\n|---|\n");
        assert!(csv(&two).unwrap().contains("several tables"));
        for other in [
            "",
            "| a |\n| b |\n",
            "a,b\n1,\"\n| x |\n|---|\n\"\n",
            "|a,b\n1,2\n",
        ] {
            assert_eq!(csv(other), None, "{other:?}");
        }
    }
}
