//! Scores that a script prints: the lines of its source that print one, as they would come out.

use super::source::{Call, Language, Source, text_of};
use crate::pattern::{Proposal, Word, metric_word, part_of_data, propose};
use regex::Regex;
use serde::Serialize;

/// How a script tells its score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScoreSource {
    /// What the metric is called in the study.
    pub metric: String,
    /// The line of the source that prints it.
    pub line: usize,
    /// What it prints, with 0.5 in place of numbers; none of a result as JSON.
    pub printed: Option<String>,
    /// The pattern that finds the score; none of a result as JSON, whose key is the metric.
    pub pattern: Option<String>,
    /// Whether what is printed are percentages.
    pub is_percent: bool,
    /// Whether less is better.
    pub is_cost: bool,
    /// Whether the score is from 0 to 1.
    pub is_share: bool,
}

/// What stands for a number in a line that is not printed yet.
const NUMBER: &str = "0.5";

/// A line as it would be printed.
#[derive(Debug)]
struct Sample {
    line: usize,
    text: String,
    /// Whether a share is multiplied by 100 in it.
    is_hundredfold: bool,
}

/// The most telling score that a script prints, if it prints one.
pub(super) fn score(source: &Source<'_>, language: Language) -> Option<ScoreSource> {
    let json = json(source, language);
    if json.as_ref().is_some_and(|(_, is_printed)| *is_printed) {
        return json.map(|(found, _)| found);
    }
    let mut samples = match language {
        Language::Python => python(source),
        Language::R => r(source),
        Language::Shell => shell(source),
    };
    if language == Language::Python && best(&samples).is_none() {
        samples.extend(formatted(source));
    }
    best(&samples).or(json.map(|(found, _)| found))
}

fn best(samples: &[Sample]) -> Option<ScoreSource> {
    let proposed = samples.iter().filter_map(|sample| {
        let (word, proposal) = proposal(&sample.text)?;
        let rank = (part_of_data(&proposal.pattern), word.rank, sample.line);
        Some((rank, word, proposal, sample))
    });
    let (_, word, proposal, sample) = proposed.max_by_key(|(rank, ..)| *rank)?;
    let is_percent = proposal.is_percent || sample.is_hundredfold && word.is_share;
    Some(ScoreSource {
        metric: word.name.to_owned(),
        line: sample.line,
        printed: Some(sample.text.clone()),
        pattern: Some(proposal.pattern),
        is_percent,
        is_cost: word.is_cost,
        // Whether an accuracy without a percent sign is a share is known once it is printed.
        is_share: word.is_share && is_percent,
    })
}

fn proposal(text: &str) -> Option<(&'static Word, Proposal)> {
    let proposal = propose(text, &[])?;
    let named = metric_word(&proposal.pattern.replace('\\', "")).or_else(|| metric_word(text));
    let (word, _) = named?;
    // Its numbers may be of any form once they are there.
    let pattern = if word.is_share {
        proposal.pattern
    } else {
        proposal.pattern.replace("([0-9.]+)", "([-+0-9.eE]+)")
    };
    Some((
        word,
        Proposal {
            pattern,
            ..proposal
        },
    ))
}

/// A dict that is printed or written as JSON and has a key that is a metric; with whether it is
/// printed on a line of its own, or written where a study looks for it.
fn json(source: &Source<'_>, language: Language) -> Option<(ScoreSource, bool)> {
    let names = match language {
        Language::Python => ["dumps", "dump"],
        Language::R => ["toJSON", "write_json"],
        Language::Shell => return None,
    };
    let key = Regex::new(r#"["']?([A-Za-z][\w ]*)["']?\s*[:=]"#).ok()?;
    let is_told = source.text.contains("FIESTA_RESULT");
    let calls = names.into_iter().flat_map(|name| source.calls(name));
    let found = calls.filter_map(|call| {
        let first = call.positional().next()?;
        if !first.starts_with(['{', 'd', 'l']) {
            return None;
        }
        let inside = first.trim_start_matches("dict").trim_start_matches("list");
        if !inside.starts_with(['{', '(']) {
            return None;
        }
        let keys = key.captures_iter(inside).filter_map(|key| {
            let key = key.get(1)?.as_str();
            Some((metric_word(key)?.0, key.to_owned()))
        });
        let (word, key) = keys.max_by_key(|(word, key)| (part_of_data(key), word.rank))?;
        let line = source.text[..call.start].lines().last().unwrap_or_default();
        let before = line.trim();
        let is_printed = before.starts_with("print(json.")
            || before.starts_with("print(")
            || before.starts_with("cat(")
            || is_told;
        let found = ScoreSource {
            metric: key,
            line: call.line,
            printed: None,
            pattern: None,
            is_percent: false,
            is_cost: word.is_cost,
            is_share: word.is_share,
        };
        Some((found, is_printed))
    });
    found
        .max_by_key(|(found, is_printed)| (*is_printed, found.line))
        .filter(|(_, is_printed)| *is_printed)
}

const PYTHON: [&str; 10] = [
    "print", "info", "warning", "debug", "log", "write", "echo", "pprint", "rprint", "secho",
];

fn python(source: &Source<'_>) -> Vec<Sample> {
    let calls = PYTHON
        .into_iter()
        .flat_map(|name| source.calls(name).into_iter().map(move |call| (name, call)));
    let mut samples = Vec::new();
    for (name, call) in calls {
        let own: Vec<&str> = call.positional().collect();
        let text = if name != "print" && own.first().is_some_and(|first| text_of(first).is_some()) {
            // A logger's format, whose arguments follow.
            let (text, is_formatted) = own
                .first()
                .and_then(|first| text_of(first))
                .unwrap_or_default();
            let text = if is_formatted { braces(&text) } else { text };
            percents(&text)
        } else {
            let parts: Vec<String> = own.iter().map(|part| printed(part)).collect();
            parts.join(" ")
        };
        let text = match own.as_slice() {
            [only] if text == NUMBER => bare(only).unwrap_or(text),
            _ => text,
        };
        push(&mut samples, &call, &text, &own.join(" "));
    }
    samples
}

fn push(samples: &mut Vec<Sample>, call: &Call<'_>, text: &str, code: &str) {
    // What is printed at once may be several lines.
    let text = crate::run::result::plain(text);
    for line in text.lines() {
        let is_hundredfold = code.contains("* 100")
            || code.contains("100 *")
            || code.contains("*100")
            || code.contains("100.0 *")
            || code.contains("100. *")
            || code.contains("100*");
        samples.push(Sample {
            line: call.line,
            text: line.trim().to_owned(),
            is_hundredfold,
        });
    }
}

/// What a call that prints nothing but a value comes to, if its name tells.
fn bare(expression: &str) -> Option<String> {
    if expression.contains("classification_report(") {
        return Some(format!(
            "accuracy                           {NUMBER}       300"
        ));
    }
    None
}

/// What `print` makes of an expression.
fn printed(expression: &str) -> String {
    if let Some((text, is_formatted)) = text_of(expression) {
        return if is_formatted { braces(&text) } else { text };
    }
    // `"…".format(…)` and `"…" % …`.
    for (mark, is_format) in [(".format(", true), ("%", false)] {
        for (at, _) in expression.match_indices(mark) {
            if let Some((text, _)) = text_of(&expression[..at]) {
                return if is_format {
                    braces(&text)
                } else {
                    percents(&text)
                };
            }
        }
    }
    // `"accuracy: " + str(accuracy)`.
    if expression.contains('+') && expression.contains(['"', '\'']) {
        let parts = expression.split('+').map(|part| printed(part.trim()));
        return parts.collect();
    }
    if expression.starts_with('{') && expression.contains(':') {
        let keys = expression.split(['"', '\'']).skip(1).step_by(2);
        let keys: Vec<String> = keys.map(|key| format!("'{key}': {NUMBER}")).collect();
        return format!("{{{}}}", keys.join(", "));
    }
    NUMBER.to_owned()
}

/// A text whose fields in braces are numbers.
fn braces(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        if rest[at + 1..].starts_with(brace) {
            out.push_str(brace);
            rest = &rest[at + 2..];
            continue;
        }
        let mut depth = 0_usize;
        let end = rest[at..].char_indices().find(|&(_, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        let Some((length, _)) = end else {
            break;
        };
        let field = &rest[at + 1..at + length];
        if let Some(name) = field
            .split([':', '!'])
            .next()
            .and_then(|name| name.strip_suffix('='))
        {
            out.push_str(name);
            out.push('=');
        }
        out.push_str(NUMBER);
        if field.ends_with('%') && field.contains(':') {
            out.push('%');
        }
        rest = &rest[at + length + 1..];
    }
    out.push_str(rest);
    out
}

/// A text whose conversions are numbers.
fn percents(text: &str) -> String {
    let Ok(conversion) = Regex::new(r"%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?[difFgGeEsr]|%%") else {
        return text.to_owned();
    };
    let number = |found: &regex::Captures<'_>| {
        if &found[0] == "%%" {
            "%".to_owned()
        } else {
            NUMBER.to_owned()
        }
    };
    conversion.replace_all(text, number).into_owned()
}

/// Formatted texts anywhere in a Python script: a message may be printed elsewhere.
fn formatted(source: &Source<'_>) -> Vec<Sample> {
    let Ok(text) = Regex::new(r#"\b[rR]?[fF](?:"[^"\n]*"|'[^'\n]*')"#) else {
        return Vec::new();
    };
    let samples = text.find_iter(source.text).filter_map(|found| {
        let (text, _) = text_of(found.as_str())?;
        Some(Sample {
            line: source.line(found.start()),
            text: braces(&text).trim().to_owned(),
            is_hundredfold: found.as_str().contains("* 100") || found.as_str().contains("100 *"),
        })
    });
    samples.collect()
}

fn r(source: &Source<'_>) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (name, separator) in [
        ("cat", " "),
        ("message", ""),
        ("print", " "),
        ("writeLines", ""),
    ] {
        for call in source.calls(name) {
            let own: Vec<&str> = call.positional().collect();
            let joined = match call.keyword("sep") {
                Some(_) => "",
                None => separator,
            };
            let parts: Vec<String> = own.iter().map(|part| r_printed(part)).collect();
            let mut text = parts.join(joined);
            if name == "print" && own.first().is_some_and(|first| first.contains('"')) {
                text = format!("[1] \"{text}\"");
            }
            push(&mut samples, &call, &text, &own.join(" "));
        }
    }
    samples
}

/// What R prints of an expression.
fn r_printed(expression: &str) -> String {
    if let Some((text, _)) = text_of(expression) {
        return text;
    }
    let own = Source::new(expression, Language::R);
    for (name, separator) in [("paste0", ""), ("paste", " "), ("sprintf", "")] {
        if let Some(call) = own.calls(name).first() {
            let parts: Vec<&str> = call.positional().collect();
            if name == "sprintf" {
                let text = parts.first().and_then(|first| text_of(first));
                return text.map_or_else(String::new, |(text, _)| percents(&text));
            }
            let parts: Vec<String> = parts.into_iter().map(r_printed).collect();
            return parts.join(separator);
        }
    }
    NUMBER.to_owned()
}

fn shell(source: &Source<'_>) -> Vec<Sample> {
    let (Ok(line), Ok(value)) = (
        Regex::new(r"(?m)^\s*(?:echo|printf)\s+(.*)$"),
        Regex::new(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|`[^`]*`"),
    ) else {
        return Vec::new();
    };
    let samples = line.captures_iter(source.text).filter_map(|found| {
        let whole = found.get(1)?;
        let text = value.replace_all(whole.as_str(), NUMBER);
        let text = percents(&text).replace("\\n", "");
        Some(Sample {
            line: source.line(whole.start()),
            text: text.replace(['"', '\''], "").trim().to_owned(),
            is_hundredfold: false,
        })
    });
    samples.collect()
}
