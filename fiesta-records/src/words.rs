//! Words of messages: what is counted, lists of names, and excerpts of files.

use fiesta_core::{Foreign, is_hidden};
use std::{fmt::Display, path::Path};

/// Returns a number with what it counts, of which the last word gets an `s` unless there is one.
///
/// # Example
/// ```
/// use fiesta_records::words::count;
/// assert_eq!(count(1, "answer"), "1 answer");
/// assert_eq!(count(3, "answer"), "3 answers");
/// assert_eq!(count(0, "further problem"), "0 further problems");
/// ```
pub fn count<N: Copy + Display + From<u8> + PartialEq>(number: N, what: &str) -> String {
    format!("{number} {what}{}", agree(number, "", "s"))
}

/// Returns the word that agrees with a number: `one` for 1, and `many` for any other.
///
/// # Example
/// ```
/// use fiesta_records::words::{agree, count};
/// let told = |n| format!("{} {} left out", count(n, "trial"), agree(n, "is", "are"));
/// assert_eq!(told(1), "1 trial is left out");
/// assert_eq!(told(2), "2 trials are left out");
/// ```
pub fn agree<N: Copy + From<u8> + PartialEq, T>(number: N, one: T, many: T) -> T {
    if number == N::from(1) { one } else { many }
}

/// Tells after how many items a gate can ship an arm that answers as its baseline does.
///
/// # Example
/// ```
/// use fiesta_records::words::fewest_in_words;
/// let told = fewest_in_words(138, "question", "v1");
/// assert!(told.contains("every question as v1 does ships after 138 questions at the earliest"));
/// ```
pub fn fewest_in_words(fewest: u64, noun: &str, baseline: &str) -> String {
    format!(
        "an arm that answers every {noun} as {baseline} does ships after {} at the earliest, whatever the method; one that is better on some may ship earlier",
        count(fewest, noun)
    )
}

/// Returns text from a file fit for a message: on one line, and with no more than 40 characters.
///
/// # Example
/// ```
/// use fiesta_records::words::excerpt;
/// assert_eq!(excerpt("0,71"), "0,71");
/// assert_eq!(excerpt("two\nlines"), "two\\nlines");
/// assert_eq!(excerpt(&"x".repeat(50)), "x".repeat(40) + "…");
/// ```
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == LONGEST {
            shown.push('…');
            break;
        }
        if is_hidden(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Returns names for a message: all of up to twelve, the first of more, each an [`excerpt`] in
/// backquotes. Without any it says `none`.
///
/// # Example
/// ```
/// use fiesta_records::words::quoted;
/// assert_eq!(quoted(["lstm", "gru"]), "`lstm`, `gru`");
/// assert_eq!(quoted([""; 0]), "none");
/// assert!(quoted(["lstm"; 13]).ends_with("`lstm` and more"));
/// ```
pub fn quoted<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    const MOST: usize = 12;
    let mut names = names.into_iter();
    let shown: Vec<String> = names
        .by_ref()
        .take(MOST)
        .map(|name| format!("`{}`", excerpt(name.as_ref())))
        .collect();
    let text = match shown.len() {
        0 => "none".to_owned(),
        _ => shown.join(", "),
    };
    match names.next() {
        Some(_) => text + " and more",
        None => text,
    }
}

/// Lists the first twelve names or facts of a message, and how many more there are.
pub fn few(all: impl IntoIterator<Item = String>) -> String {
    const MOST: usize = 12;
    let mut all = all.into_iter();
    let shown: Vec<String> = all.by_ref().take(MOST).collect();
    match all.count() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns a path for a message: on one line, with nothing in it that a terminal obeys.
pub fn file(path: &Path) -> String {
    Foreign::new(&path.display().to_string()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_fit_one_line() {
        assert_eq!(excerpt("0,71"), "0,71");
        assert_eq!(excerpt("a\nb\u{0}é"), "a\\nb\\u{0}é");
        assert_eq!(excerpt("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(excerpt(&"x".repeat(40)), "x".repeat(40));
        assert_eq!(excerpt(&"x".repeat(41)), "x".repeat(40) + "…");
    }
}
