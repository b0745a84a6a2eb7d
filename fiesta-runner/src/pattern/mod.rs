//! Patterns that find a score in the lines that a job prints.
//!
//! A pattern is a regular expression of the crate [`regex`](https://docs.rs/regex) with one
//! capture group, or one that is called `score`: `accuracy: ([0-9.]+)%`. It is matched with one
//! line at a time, without its colours; the last match counts.

mod number;
mod propose;
mod words;

pub(crate) use number::{NoNumber, number};
pub(crate) use propose::basic_string;
pub(crate) use propose::{Proposal, propose, quoted};
pub(crate) use words::{Word, is_one, metric_word, name_of, of_name, part_of_data};

use regex::Regex;
use regex_syntax::ast::{Ast, GroupKind, Span, Visitor, parse::Parser, visit};

/// The reason why a text is no pattern for a score, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(String);

/// Makes the error of a pattern without a group that marks the score. `meant` is a corrected
/// pattern, if one can be guessed.
fn no_group(meant: Option<&str>) -> PatternError {
    let meant = meant.unwrap_or("accuracy: ([0-9.]+)");
    PatternError(format!(
        "pattern does not say which part of the line is the score: put parentheses around it, such as {}",
        quoted(meant)
    ))
}

/// A checked pattern that finds a score in a line.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
    /// Pattern with NaN or an infinity in place of the captured number. `None` if that is not a
    /// valid regular expression.
    not_finite: Option<Regex>,
    /// The number of the group that captures the score.
    group: usize,
    /// Position of the score's group in the pattern, with its parentheses.
    span: (usize, usize),
    is_percent: bool,
}

/// Compares patterns by their text, to compare studies.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str() && self.is_percent == other.is_percent
    }
}

/// A match of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match<'t> {
    /// The line that contains the match.
    pub(crate) line: &'t str,
    /// Text that the group captured. Empty if the group took no part in the match.
    pub(crate) captured: &'t str,
    /// Whether a percent sign follows what was captured, or is its last character.
    pub(crate) has_percent_sign: bool,
    /// Whether the captured text is only a part of a number, such as `1e-05`, `81,87` or `-0.5`.
    pub(crate) is_part: bool,
}

/// The name of the group that captures the score, where a pattern has several.
const SCORE: &str = "score";

/// Regular expression for NaN and infinities.
const NOT_FINITE: &str = "(?i:[-+]?(?:nan|inf|infinity)\\b)";

impl Pattern {
    /// Compiles a pattern. With `is_percent`, the numbers that it finds are percentages, and scores
    /// are their hundredths.
    ///
    /// # Errors
    /// [`PatternError`] if the text is no regular expression, or does not say which part of a line
    /// is the score.
    pub fn new(text: &str, is_percent: bool) -> Result<Self, PatternError> {
        let syntax = |error: regex::Error| {
            PatternError(format!(
                "pattern is no regular expression that can be used here:\n{error}"
            ))
        };
        let regex = Regex::new(text).map_err(syntax)?;
        if text.contains('\n') || text.contains("\\n") || text.contains("\\r") {
            let message = "pattern has an end of line in it, and is matched with one line at a time: let it match the line with the score alone";
            return Err(PatternError(message.to_owned()));
        }
        let names: Vec<Option<&str>> = regex.capture_names().collect();
        let group = match names.iter().position(|name| *name == Some(SCORE)) {
            Some(group) => group,
            None if names.len() == 2 => 1,
            None if names.len() == 1 => return Err(no_group(with_group(text).as_deref())),
            None => {
                return Err(PatternError(format!(
                    "pattern has {} capture groups, and one of them must be the score: call that one (?<score>…), or write (?:…) for the others",
                    names.len() - 1
                )));
            }
        };
        let span = span_of(text, group).ok_or_else(|| no_group(None))?;
        let in_place = format!("{}({NOT_FINITE}){}", &text[..span.0], &text[span.1..]);
        Ok(Self {
            not_finite: Regex::new(&in_place).ok(),
            regex,
            group,
            span,
            is_percent,
        })
    }

    /// Returns the text of the pattern.
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// Whether the numbers that the pattern finds are percentages, and the scores their hundredths.
    pub fn is_percent(&self) -> bool {
        self.is_percent
    }

    /// Returns the last match in these lines. NaN and infinities match even if the group does not
    /// capture letters: otherwise an earlier score would count as the last.
    pub(crate) fn last<'t>(
        &self,
        mut lines: impl DoubleEndedIterator<Item = &'t str>,
    ) -> Option<Match<'t>> {
        lines.rfind(|line| self.finds(line)).and_then(|line| {
            let own = last_of(&self.regex, line, self.group);
            let other = self.not_finite.as_ref();
            let other = other.and_then(|regex| last_of(regex, line, self.group));
            let at = |found: &Option<(usize, Match<'t>)>| found.map(|(at, _)| at);
            let last = if at(&other) > at(&own) { other } else { own };
            last.map(|(_, found)| found)
        })
    }

    fn finds(&self, line: &str) -> bool {
        let other = self.not_finite.as_ref();
        self.regex.is_match(line) || other.is_some_and(|regex| regex.is_match(line))
    }

    /// Whether a line contains the pattern's text before the number, but no number after it.
    pub(crate) fn lacks_number(&self, line: &str) -> bool {
        let before = &self.as_str()[..self.span.0];
        let found = Regex::new(before)
            .ok()
            .and_then(|regex| regex.find_iter(line).last());
        found.is_some_and(|found| {
            let after = line[found.end()..].trim_start().to_lowercase();
            let is_none = ["nan", "inf", "-inf", "none", "null", "n/a"];
            before.contains(char::is_alphabetic)
                && (is_none.iter().any(|none| after.starts_with(none))
                    || !after.contains(|c: char| c.is_ascii_digit()))
        })
    }
}

/// Returns the last match of a line, and the place where it begins.
fn last_of<'t>(regex: &Regex, line: &'t str, group: usize) -> Option<(usize, Match<'t>)> {
    let captures = regex.captures_iter(line).last()?;
    let whole = captures.get(0)?;
    let captured = captures.get(group);
    let after = captured.map_or("", |captured| &line[captured.end()..]);
    let before = captures.get(group);
    let before = before.map_or("", |captured| &line[..captured.start()]);
    let captured = captured.map_or("", |captured| captured.as_str());
    let found = Match {
        line,
        is_part: is_part(before, captured, after),
        captured,
        has_percent_sign: after.trim_start().starts_with('%') || captured.ends_with('%'),
    };
    Some((whole.start(), found))
}

/// Returns whether a captured text is only a part of a longer number.
fn is_part(before: &str, captured: &str, after: &str) -> bool {
    if !captured.ends_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let begins_with_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let mut rest = after.chars();
    let goes_on = match rest.next() {
        Some('e' | 'E') => begins_with_digit(rest.as_str().trim_start_matches(['-', '+'])),
        // A comma behind decimals begins the next number of a list.
        Some(',') => !captured.contains('.') && begins_with_digit(rest.as_str()),
        Some('.') => begins_with_digit(rest.as_str()),
        Some(c) => c.is_ascii_digit(),
        None => false,
    };
    let begins_before = match before.chars().next_back() {
        Some('-') => {
            !before[..before.len() - 1].ends_with(|c: char| c.is_alphanumeric() || c == '-')
        }
        Some(c) => c.is_ascii_digit() && begins_with_digit(captured),
        None => false,
    };
    goes_on || begins_before
}

/// Returns the place of a capture group in a pattern, with its parentheses.
fn span_of(text: &str, group: usize) -> Option<(usize, usize)> {
    struct Finder {
        group: usize,
        found: Option<Span>,
    }
    impl Visitor for Finder {
        type Output = Option<Span>;
        type Err = ();
        fn finish(self) -> Result<Option<Span>, ()> {
            Ok(self.found)
        }
        fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
            if let Ast::Group(group) = ast {
                let index = match &group.kind {
                    GroupKind::CaptureIndex(index) => Some(*index),
                    GroupKind::CaptureName { name, .. } => Some(name.index),
                    GroupKind::NonCapturing(_) => None,
                };
                if index.is_some_and(|index| index as usize == self.group) {
                    self.found = Some(group.span);
                }
            }
            Ok(())
        }
    }
    let ast = Parser::new().parse(text).ok()?;
    let finder = Finder { group, found: None };
    let span = visit(&ast, finder).ok().flatten()?;
    Some((span.start.offset, span.end.offset))
}

/// Adds a group around a pattern's last class of digits. `None` if the result is no pattern.
fn with_group(text: &str) -> Option<String> {
    let class =
        Regex::new(r"(?:\[[^\]]*(?:0-9|\\d)[^\]]*\]|\\d|\\S)[*+]?(?:\\?\.\\d[*+])?").ok()?;
    let found = class.find_iter(text).last()?;
    let grouped = format!(
        "{}({}){}",
        &text[..found.start()],
        found.as_str(),
        &text[found.end()..]
    );
    let regex = Regex::new(&grouped).ok()?;
    (regex.captures_len() == 2).then_some(grouped)
}

#[cfg(test)]
mod tests;
