//! Running text in lines of a greatest width, broken between words only.

use unicode_width::UnicodeWidthStr;

/// Words that stay on the line of the word before them: units and signs between numbers.
const BEHIND: [&str; 11] = [
    "%", "±", "s", "ms", "min", "h", "d", "days", "=", "to", "GPU-h",
];
/// Words that stay on the line of the word after them.
const BEFORE: [&str; 5] = ["±", "<", "=", "≤", "at"];

/// Breaks each line that is longer than this between two words.
///
/// A line that goes on is indented as its beginning is. Numbers stay with their units. A word that
/// is longer than the width, such as a path, has a line of its own and is not broken.
///
/// # Example
/// ```
/// use fiesta_report::wrapped;
/// assert_eq!(wrapped("  one two 95 %\nthree", 10), "  one two\n  95 %\nthree");
/// assert_eq!(wrapped("one two", usize::MAX), "one two");
/// ```
pub fn wrapped(text: &str, width: usize) -> String {
    let lines = text.split('\n').flat_map(|line| lines(line, width));
    lines.collect::<Vec<_>>().join("\n")
}

/// Breaks a line into lines of this width.
pub(super) fn lines(line: &str, width: usize) -> Vec<String> {
    if line.width() <= width {
        return vec![line.to_owned()];
    }
    let text = line.trim_start_matches(' ');
    let indent = &line[..line.len() - text.len()];
    // A deep indent would leave no room.
    let indent = if indent.len() * 2 > width { "" } else { indent };
    let (mut lines, mut current) = (Vec::new(), indent.to_owned());
    for group in groups(text) {
        let is_begun = current.len() > indent.len();
        if is_begun && (current.trim_end().width() + spaces(&group) + group.trim().width()) > width
        {
            lines.push(current.trim_end().to_owned());
            indent.clone_into(&mut current);
            current.push_str(group.trim_start());
        } else {
            current.push_str(&group);
        }
    }
    lines.push(current.trim_end().to_owned());
    lines
}

/// Returns how many spaces a group begins with.
fn spaces(group: &str) -> usize {
    group.len() - group.trim_start_matches(' ').len()
}

/// Divides a text into words with the spaces before them, each joined with the words that stay on its line.
fn groups(text: &str) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    let (mut gap, mut last) = (0, "");
    for word in text.split(' ') {
        if word.is_empty() {
            gap += 1;
            continue;
        }
        let first = groups.is_empty();
        let gap_before = " ".repeat(if first { 0 } else { gap + 1 });
        let ends_in_number = last.ends_with(|c: char| c.is_ascii_digit());
        let bare = word.trim_end_matches([',', '.', ';', ':', ')']);
        let joined = gap == 0
            && !first
            && (BEHIND.contains(&bare) && ends_in_number || BEFORE.contains(&last));
        match groups.last_mut().filter(|_| joined) {
            Some(group) => {
                group.push_str(&gap_before);
                group.push_str(word);
            }
            None => groups.push(format!("{gap_before}{word}")),
        }
        (gap, last) = (0, word);
    }
    groups
}

/// Returns a word within this width: its beginning and its end, with an ellipsis between them.
pub(super) fn clipped(word: &str, width: usize) -> String {
    if word.width() <= width {
        return word.to_owned();
    }
    let room = width.saturating_sub(1);
    let end_room = room / 3;
    let mut beginning = String::new();
    for c in word.chars() {
        let longer = format!("{beginning}{c}");
        if longer.width() > room - end_room {
            break;
        }
        beginning = longer;
    }
    let mut end = String::new();
    for c in word.chars().rev() {
        let longer = format!("{c}{end}");
        if longer.width() > end_room {
            break;
        }
        end = longer;
    }
    format!("{beginning}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_with_their_units() {
        assert_eq!(wrapped("with 95 % of it", 8), "with\n95 % of\nit");
        assert_eq!(
            wrapped("mean 0.7929 ± 0.0218 of", 12),
            "mean\n0.7929 ± 0.0218\nof"
        );
    }

    #[test]
    fn columns_keep_their_gaps_and_long_words_their_letters() {
        assert_eq!(
            wrapped("   1  lr  split 0  failed", 16),
            "   1  lr  split\n   0  failed"
        );
        assert_eq!(
            wrapped("see /a/very/long/path now", 8),
            "see\n/a/very/long/path\nnow"
        );
    }

    #[test]
    fn clipped_words_keep_both_ends() {
        assert_eq!(clipped("model-with-a-long-name-7", 12), "model-wi…e-7");
        assert_eq!(clipped("日本語日本語", 7), "日本…語");
        assert_eq!(clipped("short", 5), "short");
    }
}
