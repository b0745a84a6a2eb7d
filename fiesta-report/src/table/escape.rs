//! Names that are text and nothing else.

use fiesta_core::is_hidden;

/// Greatest number of characters of a cell that are shown, except in CSV.
const LONGEST: usize = 120;

/// Returns a text without [characters that are not seen as themselves](is_hidden), and so without
/// what would move the cursor of a terminal or end a line, and without what no XML may contain.
pub(crate) fn visible(text: &str) -> String {
    let replaced = |c| if is_hidden(c) { '\u{fffd}' } else { c };
    text.chars().map(replaced).collect()
}

/// The beginning and the end of a text that is too long for a cell.
pub(crate) fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST {
        return text.to_owned();
    }
    let beginning = text.chars().take(LONGEST * 2 / 3);
    let end = text.chars().skip(count - LONGEST / 4);
    beginning.chain(['…']).chain(end).collect()
}

/// Running text in which no single word fills the page.
pub(crate) fn legible(text: &str) -> String {
    let words: Vec<String> = visible(text).split(' ').map(shortened).collect();
    words.join(" ")
}

/// Writes a cell of a Markdown table.
pub(super) fn markdown(cell: &str) -> String {
    markdown_text(&shortened(cell))
}

/// Writes text in Markdown that is no markup.
pub(crate) fn markdown_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
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
    fn long_names_keep_their_ends() {
        let name = format!("a{}z", "é".repeat(10_000));
        let short = shortened(&name);
        assert!(short.starts_with("aé") && short.ends_with("éz") && short.contains('…'));
        assert_eq!(short.chars().count(), 111);
        assert_eq!(shortened("short"), "short");
        assert_eq!(
            legible(&format!("of {name} and b")),
            format!("of {short} and b")
        );
    }
}
