//! Lines that a Python script prints.

use super::{
    NUMBER, Sample, push,
    template::{braces, percents},
};
use crate::init::source::{Language, Source, text_of};
use regex::Regex;

const PYTHON: [&str; 10] = [
    "print", "info", "warning", "debug", "log", "write", "echo", "pprint", "rprint", "secho",
];

pub(super) fn python(source: &Source<'_>) -> Vec<Sample> {
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
            let own = own.iter().map(|part| match source.assigned(part) {
                // A dict that is made before it is printed.
                Some(dict) if dict.starts_with('{') => printed(dict),
                _ => printed(part),
            });
            let parts: Vec<String> = own.collect();
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
        let parts: Vec<&str> = expression.split('+').map(str::trim).collect();
        // A sum of numbers may have texts in it: `scores["f1"] + bonus`.
        if parts.iter().any(|part| text_of(part).is_some()) {
            return parts.into_iter().map(printed).collect();
        }
    }
    let is_dict = expression.starts_with('{')
        && Source::new(expression, Language::Python).close(0) == Some(expression.len() - 1);
    if is_dict && expression.contains(':') {
        let keys = expression.split(['"', '\'']).skip(1).step_by(2);
        let keys: Vec<String> = keys.map(|key| format!("'{key}': {NUMBER}")).collect();
        return format!("{{{}}}", keys.join(", "));
    }
    NUMBER.to_owned()
}

/// Formatted texts anywhere in a Python script: a message may be printed elsewhere.
pub(super) fn formatted(source: &Source<'_>) -> Vec<Sample> {
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
