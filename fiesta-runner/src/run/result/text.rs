//! The end of a file that a program printed: bounded, decoded, and without colours.

use super::NoScore;
use crate::{file_error::FileError, ordinary::end_of_file};
use fiesta_core::is_hidden;
use std::borrow::Cow;
use std::path::Path;

/// Number of bytes that are read from a file's end: no more than a shortened log keeps there.
pub(super) const MOST_BYTES: usize = crate::run::TAIL;

/// Largest number of characters of a line in a message.
const MOST_SHOWN: usize = 300;

/// Largest number of last lines in a message.
const LINES_SHOWN: usize = 10;

/// The end of a file, as it was read.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    cut: bool,
}

impl Tail {
    /// Reads the end of a file; one that is missing, or no file, is empty.
    pub(super) fn read(path: &Path) -> Result<Self, NoScore> {
        let end = end_of_file(path, MOST_BYTES as u64).map_err(FileError::of("read", path))?;
        Ok(end.map_or_else(Self::default, |(bytes, cut)| Self { bytes, cut }))
    }

    /// Makes a tail from complete last lines that were not in a file.
    pub(super) fn of(lines: &str) -> Self {
        Self {
            bytes: lines.as_bytes().to_vec(),
            cut: false,
        }
    }

    /// Returns this tail or, if it does not end with the printed lines `last`, these lines.
    pub(super) fn or_later(self, last: Option<&str>) -> Self {
        match last {
            Some(last) if !String::from_utf8_lossy(&self.bytes).ends_with(last) => Self::of(last),
            _ => self,
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    /// Returns whether the file has more text before this tail.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    pub(super) fn has_line_break(&self) -> bool {
        self.bytes.contains(&b'\n')
    }

    /// Whether some bytes could not be decoded.
    pub(super) fn is_lossy(&self) -> bool {
        std::str::from_utf8(self.whole_lines()).is_err()
    }

    /// Returns the text that was read, decoded as far as possible.
    pub(super) fn text(&self) -> Cow<'_, str> {
        decoded(self.whole_lines())
    }

    /// Returns the lines without one that was cut at the start, and without a byte order mark.
    fn whole_lines(&self) -> &[u8] {
        let bytes = &self.bytes[..];
        if self.cut {
            let line_break = bytes.iter().position(|&byte| byte == b'\n');
            return line_break.map_or(&[], |at| &bytes[at + 1..]);
        }
        bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
    }
}

/// Decodes bytes as text as far as possible, and removes terminal colours.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    match without_colours(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => Cow::Owned(plain),
    }
}

/// Returns a text without terminal colours.
pub(crate) fn plain(text: &str) -> String {
    without_colours(text).into_owned()
}

/// Splits a text into lines as a terminal shows them: a progress bar that returns to the start of
/// its line begins a new one.
pub(super) fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> + Clone {
    text.split(['\n', '\r'])
        .map(str::trim)
        .filter(|line| !line.is_empty())
}

/// Removes escape sequences for colours, titles and the cursor from a text.
fn without_colours(text: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != ESCAPE {
            plain.push(character);
            continue;
        }
        match characters.next_if(|next| *next != '\n') {
            // Parameters, and then a letter or a sign. Nothing goes over the end of a line.
            Some('[') => {
                while characters
                    .next_if(|c| matches!(c, '\u{20}'..='\u{3f}'))
                    .is_some()
                {}
                characters.next_if(|c| matches!(c, '\u{40}'..='\u{7e}'));
            }
            // A text that ends with a bell or with an escape and a backslash.
            Some(']') => {
                while let Some(c) = characters.next_if(|c| !matches!(*c, '\n' | ESCAPE)) {
                    if c == '\u{7}' {
                        break;
                    }
                }
            }
            // A character set, named by one more character.
            Some('(' | ')') => {
                characters.next_if(|c| *c != '\n');
            }
            _ => {}
        }
    }
    Cow::Owned(plain)
}

/// Returns a line for a message, shortened and without control characters.
pub(crate) fn quote(line: &str) -> String {
    let mut shown: String = line
        .trim()
        .chars()
        .map(|c| if is_hidden(c) { ' ' } else { c })
        .take(MOST_SHOWN + 1)
        .collect();
    if shown.chars().count() > MOST_SHOWN {
        shown.pop();
        shown.push('…');
    }
    shown
}

/// Returns the last lines of a text for a message, indented, with their own indentation, so that a
/// traceback can be read.
pub(super) fn last_lines(text: &str) -> String {
    let text = without_colours(text);
    let lines = text.split(['\n', '\r']);
    let lines = lines.filter(|line| !line.trim().is_empty());
    let mut last: Vec<&str> = lines.rev().take(LINES_SHOWN).collect();
    if last.is_empty() {
        return "  (nothing)".to_owned();
    }
    last.reverse();
    let indent = |line: &str| line.chars().take_while(|&c| c == ' ').count();
    let common = last.iter().map(|line| indent(line)).min().unwrap_or(0);
    let shown = last.into_iter().map(|line| {
        let own = (indent(line) - common).min(DEEPEST);
        format!("  {:own$}{}", "", quote(line))
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// Deepest indentation of a line that is kept.
const DEEPEST: usize = 48;

/// Returns the last lines of what was printed, as a terminal would show them: at most `most_lines`,
/// each of at most `longest` characters; nothing is quoted.
#[cfg(feature = "report")]
pub(crate) fn end_of(bytes: &[u8], most_lines: usize, longest: usize) -> String {
    let text = decoded(bytes);
    let mut last: Vec<String> = text
        .lines()
        .rev()
        .map(|line| line.rsplit('\r').find(|part| !part.trim().is_empty()))
        .map(|line| line.unwrap_or_default().trim_end())
        .skip_while(|line| line.is_empty())
        .take(most_lines)
        .map(|line| line.chars().take(longest).collect())
        .collect();
    last.reverse();
    last.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "report")]
    #[test]
    fn the_end_of_an_output_is_what_a_terminal_would_show() {
        let printed = b"a\n\x1b[31mred\x1b[0m\n 10%\r 50%\r100%\n\n  indented\nlong line\n\n\n";
        assert_eq!(end_of(printed, 4, 100), "100%\n\n  indented\nlong line");
        assert_eq!(end_of(printed, 9, 3), "a\nred\n100\n\n  i\nlon");
        assert_eq!(end_of(b"\n \n", 3, 9), "");
    }

    #[test]
    fn tracebacks_keep_their_indent() {
        let text = "    Traceback\n\n      File \"x\"\n\u{1b}[1m        load()\u{1b}[0m\n";
        assert_eq!(
            last_lines(text),
            "  Traceback\n    File \"x\"\n      load()"
        );
        assert_eq!(last_lines(" \n"), "  (nothing)");
    }

    #[test]
    fn colours_titles_and_cursors_go() {
        let plain = |text| without_colours(text).into_owned();
        assert_eq!(plain("\u{1b}[1;32m{\u{1b}[0m}"), "{}");
        assert_eq!(plain("\u{1b}]0;title\u{7}a\u{1b}]8;;x\u{1b}\\b"), "ab");
        assert_eq!(plain("\u{1b}(Ba\u{1b}[2K\u{1b}[?25lb"), "ab");
        assert_eq!(plain("a\u{1b}[\nb\u{1b}"), "a\nb");
        assert_eq!(plain("plain"), "plain");
    }

    #[test]
    fn a_progress_bar_does_not_hide_the_line_after_it() {
        let found: Vec<&str> = lines(" 50%|##\r100%|####\r{}\r\n\n end ").collect();
        assert_eq!(found, ["50%|##", "100%|####", "{}", "end"]);
    }

    #[test]
    fn messages_stay_short_and_harmless() {
        let shown = quote(&format!("\u{1b}[31m{}", "é".repeat(10_000)));
        assert_eq!(shown.chars().count(), MOST_SHOWN + 1);
        assert!(!shown.contains('\u{1b}') && shown.ends_with('…'));
        let numbers: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        let text = numbers.join("\n");
        assert_eq!(last_lines(&text).lines().count(), LINES_SHOWN);
        assert!(last_lines(&text).ends_with("  99"));
        assert_eq!(last_lines(" \n"), "  (nothing)");
    }
}
