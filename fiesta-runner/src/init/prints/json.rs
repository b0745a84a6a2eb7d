//! Scores in results that a script prints as JSON.

use super::ScoreSource;
use crate::{
    init::source::{Language, Source},
    pattern::{metric_word, part_of_data},
};
use regex::Regex;

/// A dict that is printed or written as JSON and has a key that is a metric; with whether it is
/// printed on a line of its own, or written where a study looks for it.
pub(super) fn json(source: &Source<'_>, language: Language) -> Option<(ScoreSource, bool)> {
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
        // Also under a name.
        let is_name = first.chars().all(|c| c.is_alphanumeric() || c == '_');
        let first = if is_name {
            source.assigned(first)?
        } else {
            first
        };
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
        let keys: Vec<_> = keys.collect();
        let best = keys
            .iter()
            .max_by_key(|(word, key)| (part_of_data(key), word.rank));
        let (word, key) = best.cloned()?;
        let others = keys.iter().filter(|(_, other)| *other != key);
        let others: Vec<String> = others.map(|(_, other)| format!("\"{other}\"")).collect();
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
            others,
        };
        Some((found, is_printed))
    });
    found
        .max_by_key(|(found, is_printed)| (*is_printed, found.line))
        .filter(|(_, is_printed)| *is_printed)
}
