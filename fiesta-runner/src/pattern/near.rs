//! Lines that a pattern nearly matched, and the pattern that would have matched them.

use super::{Pattern, Proposal, number, of_name, propose, words::find_word};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A line that a pattern nearly matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NearMiss {
    /// The line.
    pub(crate) line: String,
    /// The difference between the line and the pattern, if it is known.
    pub(crate) reason: Option<&'static str>,
    /// A pattern that matches the line.
    pub(crate) proposal: Option<Proposal>,
}

/// A number with a decimal comma.
const WITH_COMMA: &str = "[-+]?[0-9]+,[0-9]+";

/// The last of these lines that a pattern nearly matched: one that it matches but for case, spaces,
/// a decimal comma or a percent sign; else one that has its words, or the metric's, and a number.
pub(crate) fn near_miss<'t>(
    pattern: &Pattern,
    metric: &str,
    lines: impl DoubleEndedIterator<Item = &'t str> + Clone,
) -> Option<NearMiss> {
    let names = of_name(metric);
    for (reason, relaxed) in relaxations(pattern) {
        let Ok(regex) = Regex::new(&relaxed) else {
            continue;
        };
        if let Some(line) = lines.clone().rfind(|line| regex.is_match(line)) {
            let by_line = proposal(line, &literal_words(pattern), pattern);
            let proposal = by_line.or_else(|| relaxed_proposal(line, &relaxed, &regex, pattern));
            return Some(NearMiss {
                line: line.to_owned(),
                reason: Some(reason),
                proposal,
            });
        }
    }
    if let Some(line) = without_number(pattern, lines.clone()) {
        return Some(line);
    }
    let words = literal_words(pattern);
    let is_near = |line: &&'t str| {
        let has_number = line.contains(|c: char| c.is_ascii_digit());
        let has_words =
            !words.is_empty() && words.iter().all(|word| find_word(line, word, 0).is_some());
        let of_metric =
            !names.is_empty() && names.iter().all(|name| find_word(line, name, 0).is_some());
        has_number && (has_words || of_metric)
    };
    let line = lines.clone().rfind(is_near);
    let line = line.or_else(|| {
        let mut lines = lines;
        lines.rfind(|line| propose(line, &[]).is_some())
    })?;
    Some(NearMiss {
        line: line.to_owned(),
        reason: None,
        proposal: proposal(line, &names, pattern).or_else(|| proposal(line, &[], pattern)),
    })
}

/// The last line that has what the pattern has before its number, and no number after it. Another
/// line's number would be another score, so that no pattern is proposed.
fn without_number<'t>(
    pattern: &Pattern,
    lines: impl DoubleEndedIterator<Item = &'t str>,
) -> Option<NearMiss> {
    let (before, _) = pattern.around();
    let has_word = before.contains(char::is_alphabetic);
    let regex = Regex::new(before).ok().filter(|_| has_word)?;
    let is_without = |line: &&str| {
        let found = regex.find_iter(line).last();
        found.is_some_and(|found| {
            let after = line[found.end()..].trim_start().to_lowercase();
            let is_none = ["nan", "inf", "-inf", "none", "null", "n/a"];
            is_none.iter().any(|none| after.starts_with(none))
                || !after.contains(|c: char| c.is_ascii_digit())
        })
    };
    let mut lines = lines;
    let line = lines.rfind(is_without)?;
    Some(NearMiss {
        line: line.to_owned(),
        reason: Some("no number stands where the pattern has one"),
        proposal: None,
    })
}

/// A proposal that really finds a number in the line.
fn proposal(line: &str, names: &[String], pattern: &Pattern) -> Option<Proposal> {
    let proposal = propose(line, names)?;
    let checked = Pattern::new(&proposal.pattern, proposal.is_percent).ok()?;
    let found = checked.last([line].into_iter())?;
    number(found.captured, proposal.is_percent).ok()?;
    // Percentages without a sign are still percentages if the study says so.
    let is_percent = proposal.is_percent || pattern.is_percent();
    Some(Proposal {
        is_percent,
        ..proposal
    })
}

/// The relaxed pattern itself, where the line's own words give none.
fn relaxed_proposal(
    line: &str,
    relaxed: &str,
    regex: &Regex,
    pattern: &Pattern,
) -> Option<Proposal> {
    let captured = regex.captures(line)?.get(pattern.group)?.as_str();
    number(captured, pattern.is_percent()).ok()?;
    Some(Proposal {
        pattern: relaxed.to_owned(),
        is_percent: pattern.is_percent(),
        line: line.to_owned(),
        number: captured.to_owned(),
    })
}

/// The pattern with less asked of a line, the least first.
fn relaxations(pattern: &Pattern) -> Vec<(&'static str, String)> {
    let text = pattern.as_str();
    let (before, after) = pattern.around();
    let group = &text[before.len()..text.len() - after.len()];
    let without_percent = |part: &str| part.replace(r"\s*%", "").replace(" %", "").replace('%', "");
    let comma = pattern.with_captured(WITH_COMMA);
    let no_percent = format!(
        "{}{group}{}",
        without_percent(before),
        without_percent(after)
    );
    let spaced = spaced(text);
    let lenient = |text: &str| format!("(?i){text}");
    let mut all = vec![
        ("its case is another one", lenient(text)),
        ("it has a decimal comma", lenient(&comma)),
    ];
    if no_percent != text {
        all.push(("it has no percent sign there", lenient(&no_percent)));
    }
    all.push((
        "its spaces, colons or equals signs are others",
        lenient(&spaced),
    ));
    let no_comma_percent = without_percent(&comma);
    if no_comma_percent != comma {
        let reason = "it has a decimal comma and no percent sign";
        all.push((reason, lenient(&no_comma_percent)));
    }
    all
}

/// Pieces of a pattern: what is kept as it is (escaped characters, classes, the beginnings of groups),
/// gaps between words, and words that stand for themselves.
static PIECES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?P<kept>\\[^s]|\[(?:\\.|[^\]\\])*\]|\(\?[^)>:]*[>:])|(?P<gap>(?:(?:\\s|[ :=])[*+?]*)+)|(?P<word>[\p{Alphabetic}\p{N}]+)",
    )
    .expect("it is an expression")
});

/// The pattern with any spaces, colons and equals signs where it has some between its words.
fn spaced(text: &str) -> String {
    let piece = |found: &Captures<'_>| match found.name("gap") {
        Some(_) => r"[\s:=]*".to_owned(),
        None => found[0].to_owned(),
    };
    PIECES.replace_all(text, piece).into_owned()
}

/// The words in a pattern that stand for themselves, in lower case.
fn literal_words(pattern: &Pattern) -> Vec<String> {
    let (before, after) = pattern.around();
    let pieces = [before, after].map(|part| PIECES.captures_iter(part));
    let words = pieces.into_iter().flatten();
    let words = words.filter_map(|found| Some(found.name("word")?.as_str().to_lowercase()));
    words.filter(|word| word.len() > 1).collect()
}
