//! Proposals of patterns from lines that look as if they hold a score.

use super::words::{self, Place, find_word, is_part_of_data, metric_word, part_of_data};
use fiesta_core::is_hidden;
use regex::Regex;
use std::{fmt::Write, sync::LazyLock};

/// Regular expression for a number in a line.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"[-+]?(?:[0-9]+(?:[.,][0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?").ok()
});

/// Words before a metric's name that belong to the name of a score, beside names of parts of the
/// data.
const BEFORE: &str = "best macro micro weighted mean average avg overall top balanced held out the";

/// A pattern that would find the score in a line, with what else `[metric]` needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proposal {
    /// The proposed pattern.
    pub pattern: String,
    /// Whether a percent sign follows the number, so that `[metric]` needs `percent = true`.
    pub is_percent: bool,
    /// The line with the score.
    pub line: String,
    /// The number in the line.
    pub number: String,
}

impl Proposal {
    /// Returns the pattern as keys of `[metric]`, in one line; with `is_percent`, of percentages
    /// whether or not a sign follows them.
    pub(crate) fn keys(&self, is_percent: bool) -> String {
        let percent = if is_percent || self.is_percent {
            " and percent = true"
        } else {
            ""
        };
        format!("pattern = {}{percent}", quoted(&self.pattern))
    }
}

/// Returns a text as a string of TOML, in single quotes if these suffice.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains('\'') || text.contains(is_hidden) {
        basic_string(text)
    } else {
        format!("'{text}'")
    }
}

/// Returns a text as a basic string of TOML, on one line and with hidden characters escaped.
pub(crate) fn basic_string(text: &str) -> String {
    let mut shown = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => shown.extend(['\\', c]),
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            c if is_hidden(c) => {
                // Nothing is written to a String that fails.
                let _ = write!(shown, "\\U{:08x}", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown.push('"');
    shown
}

/// A number in a line, with its position. Numbers within words do not count.
#[derive(Debug, Clone, Copy)]
struct Number<'t> {
    text: &'t str,
    start: usize,
    end: usize,
    is_percent: bool,
}

fn numbers(line: &str) -> Vec<Number<'_>> {
    let Some(regex) = NUMBER.as_ref() else {
        return Vec::new();
    };
    let found = regex.find_iter(line).filter_map(|found| {
        let (mut start, end) = (found.start(), found.end());
        let before = line[..start].chars().next_back();
        let signed = found.as_str().starts_with(['-', '+']);
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '.');
        if before.is_some_and(is_name) {
            // `top-1` is a name, and `0.5-0.7` two numbers.
            if !signed || before.is_some_and(char::is_alphabetic) {
                return None;
            }
            start += 1;
        }
        let after = &line[end..];
        let is_name = |c: char| c.is_alphabetic() || c == '_' || c == ':' && c.is_alphanumeric();
        // `2nd`, `3x`, `12s`; an exponent was taken already.
        if after.starts_with(is_name) {
            return None;
        }
        Some(Number {
            text: &line[start..end],
            start,
            end,
            is_percent: after.trim_start_matches([' ', '\t']).starts_with('%'),
        })
    });
    found.collect()
}

/// Proposes a pattern for the number after a metric's name in a line. The name is one of `names`
/// or, if these are empty, any known metric.
pub(crate) fn propose(line: &str, names: &[String]) -> Option<Proposal> {
    let place = place_of(line, names)?;
    let numbers = numbers(line);
    let after: Vec<&Number<'_>> = numbers.iter().filter(|n| n.start >= place.end).collect();
    let likelihood = |(order, number): &(usize, &&Number<'_>)| {
        let between = &line[place.end..number.start];
        let is_next = between
            .trim_matches([' ', '\t', ':', '=', '"', '\'', '(', '['])
            .is_empty();
        // One after `|` or `,` is of something else.
        let is_same = !between.contains([',', '|', ';']);
        let score = 16 * u8::from(is_same)
            + 4 * u8::from(is_next)
            + 6 * u8::from(number.is_percent)
            + u8::from(number.text.contains(['.', ',']));
        (score, std::cmp::Reverse(*order))
    };
    let (_, number) = after.iter().enumerate().max_by_key(likelihood)?;
    let start = with_words_before(line, place.start);
    let own = &line[start..place.end];
    let is_bare = words::part_of_data(own) == 2;
    let anchor = if start == 0 && is_bare { "^" } else { "" };
    let label = label(&line[start..number.start], start, &numbers);
    let percent = if number.is_percent {
        let after = &line[number.end..];
        if after.starts_with('%') { "%" } else { r"\s*%" }
    } else {
        ""
    };
    Some(Proposal {
        pattern: format!("{anchor}{label}({}){percent}", class_of(number.text)),
        is_percent: number.is_percent,
        line: line.to_owned(),
        number: number.text.to_owned(),
    })
}

/// Returns the group that captures a number written like this one.
fn class_of(number: &str) -> &'static str {
    let has_exponent = number.contains(['e', 'E']);
    match (
        has_exponent,
        number.contains(','),
        number.starts_with(['-', '+']),
    ) {
        (true, ..) => "[-+0-9.eE]+",
        (_, true, _) => "-?[0-9.,]+",
        (_, _, true) => "[-+]?[0-9.]+",
        _ => "[0-9.]+",
    }
}

/// Returns the place of the metric's name in a line. If it occurs several times, the one for the
/// most telling part of the data counts (test before training).
fn place_of(line: &str, names: &[String]) -> Option<Place> {
    let all = names.join(" ");
    let mut places = Vec::new();
    if !names.is_empty() {
        collect(line, &all, &mut places);
        let one = names.iter().max_by_key(|name| name.len());
        if let (true, Some(one)) = (places.is_empty(), one) {
            collect(line, one, &mut places);
        }
        if places.is_empty()
            && let Some(word) = words::name_of(&all)
        {
            let alike = words::WORDS.iter().filter(|other| other.name == word.name);
            alike.for_each(|other| collect(line, other.printed, &mut places));
        }
    }
    if places.is_empty() {
        let (word, _) = metric_word(line)?;
        collect(line, word.printed, &mut places);
    }
    let telling =
        |place: &Place| part_of_data(&line[with_words_before(line, place.start)..place.end]);
    // The first of equals.
    let best = places.iter().map(telling).max()?;
    places.into_iter().find(|place| telling(place) == best)
}

fn collect(line: &str, word: &str, places: &mut Vec<Place>) {
    let mut from = 0;
    while let Some(place) = find_word(line, word, from) {
        from = place.end;
        places.push(place);
    }
}

/// Returns where the name of a score begins, from the place `start` of the metric's name.
fn with_words_before(line: &str, start: usize) -> usize {
    let mut start = start;
    loop {
        let before = &line[..start];
        let kept = before.trim_end_matches([' ', '_', '-', '/']);
        if kept.len() + 1 < before.len() {
            return start;
        }
        let word = kept.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| {
            at + kept[at..].chars().next().map_or(1, char::len_utf8)
        });
        let is_joined = kept.len() < before.len() && !before.ends_with(' ');
        let found = kept[word..].to_lowercase();
        let is_of_name = is_part_of_data(&found)
            || words::is_one(BEFORE, &found)
            || is_joined && !found.is_empty();
        if !is_of_name || found.bytes().all(|byte| byte.is_ascii_digit()) {
            return start;
        }
        start = word;
    }
}

/// Makes a pattern for the text before a number. Other numbers and spaces in it may vary.
fn label(text: &str, offset: usize, numbers: &[Number<'_>]) -> String {
    let mut pattern = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if let Some(number) = numbers.iter().find(|number| number.start == offset + at)
            && number.end <= offset + text.len()
        {
            pattern.push_str("[-+0-9.,eE]+");
            at = number.end - offset;
            continue;
        }
        let length = text[at..]
            .find(|c: char| !c.is_whitespace())
            .unwrap_or(text.len() - at);
        if length > 1 || c != ' ' && length == 1 {
            pattern.push_str(r"\s+");
            at += length;
            continue;
        }
        if matches!(
            c,
            '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$'
        ) {
            pattern.push('\\');
        }
        pattern.push(c);
        at += c.len_utf8();
    }
    pattern
}
