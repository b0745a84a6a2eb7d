//! Scores of the samples of a log of Inspect AI: their names, the one that was asked for, its values.

use super::Sample;
use crate::{
    Result,
    choose::{self, Candidates},
    json::{Text, Value},
};
use fiesta_records::{Reading, words::quoted};

/// Returns whether a sample has a score.
pub(super) fn scored(sample: &Sample<'_>) -> bool {
    sample
        .scores
        .as_ref()
        .is_some_and(|scores| !scores.is_empty())
}

/// Name of a score: a scorer, and a key of its values if they have keys.
pub(super) type Name = (String, Option<String>);

/// Returns the name of a score: `scorer`, or `scorer.key`.
pub(super) fn called((scorer, key): &Name) -> String {
    match key {
        Some(key) => format!("{scorer}.{key}"),
        None => scorer.clone(),
    }
}

/// Returns all scores that any of the samples has.
pub(super) fn candidates(samples: &[Sample<'_>]) -> Vec<Name> {
    let mut found: Vec<Name> = Vec::new();
    let mut add = |scorer: &str, key: Option<&str>| {
        let known = found
            .iter()
            .any(|(other, of)| other == scorer && of.as_deref() == key);
        if !known {
            found.push((scorer.to_owned(), key.map(ToOwned::to_owned)));
        }
    };
    for (Text(scorer), score) in samples
        .iter()
        .filter_map(|sample| sample.scores.as_ref())
        .flatten()
    {
        match &score.value {
            Some(Value::Object(members)) => {
                for (key, _) in members {
                    add(scorer, Some(key));
                }
            }
            _ => add(scorer, None),
        }
    }
    found
}

/// Returns the score that the user asked for, by its name, or by its key if no other score has this
/// key. Without a request, the only score.
pub(super) fn metric(candidates: &[Name], options: &Reading, file: &str) -> Result<Name> {
    let find = |asked: &str| {
        let by_name = candidates.iter().find(|name| called(name) == asked);
        let mut by_key = candidates
            .iter()
            .filter(|(_, key)| key.as_deref() == Some(asked));
        let only = by_key.next().filter(|_| by_key.next().is_none());
        by_name.or(only).cloned()
    };
    let named = candidates.iter().map(|name| (called(name), name.clone()));
    let scores = Candidates::scores(named, quoted(candidates.iter().map(called)));
    choose::metric(options.metric.as_deref(), find, scores, file)
}

/// Returns a sample's value of a score.
pub(super) fn value<'s, 'a>(sample: &'s Sample<'a>, (scorer, key): &Name) -> Option<&'s Value<'a>> {
    let scores = sample.scores.as_ref()?;
    let (_, score) = scores.iter().find(|(Text(name), _)| name == scorer)?;
    match (score.value.as_ref()?, key) {
        (Value::Object(members), Some(key)) => {
            let member = members.iter().find(|(name, _)| name == key.as_str());
            member.map(|(_, value)| value)
        }
        (value, None) => Some(value),
        (_, Some(_)) => None,
    }
}

/// Returns a value as a number, by the rules of Inspect's `value_to_float`.
pub(super) fn grade(value: &Value<'_>) -> Option<f64> {
    let Value::Text(text) = value else {
        return value.number();
    };
    match text.trim() {
        "C" => Some(1.0),
        "P" => Some(0.5),
        "I" | "N" => Some(0.0),
        text if ["yes", "true"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word)) =>
        {
            Some(1.0)
        }
        text if ["no", "false"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word)) =>
        {
            Some(0.0)
        }
        text => text.parse().ok(),
    }
}
