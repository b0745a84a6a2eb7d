//! Finding the result in a text, and reading its score.

use super::{
    NoScore, ResultKey, Scored, Wanted,
    object::{self, Line},
    request,
    text::{self, quote},
    words,
};
use serde_json::{Map, Value};

/// Reads the result in a text: one JSON object over several lines, or the last line with one.
pub(crate) fn of_text(text: &str, place: &str, wanted: Wanted<'_>) -> Result<Scored, NoScore> {
    let whole = match object::parse(text) {
        Line::Object(object) => return scored(object, text, place, wanted),
        other => other,
    };
    from_lines(text, place, wanted).unwrap_or_else(|| match whole {
        Line::Wrong(problem) => Err(object::not_json(place, &problem, text)),
        _ => Err(NoScore::Wrong(format!(
            "{place} has a result that is not a JSON object such as {{\"accuracy\": 0.5}}: {}",
            quote(text)
        ))),
    })
}

/// Reads the score under a key, with dots between nested keys, from a JSON file. The file is one
/// object, or has one on each line, of which the last counts.
pub(super) fn from_written(
    text: &str,
    place: &str,
    key: &str,
    wanted: Wanted<'_>,
) -> Result<Scored, NoScore> {
    let last = || text::lines(text).next_back().unwrap_or_default();
    let (mut object, line) = match (object::parse(text), object::parse(last())) {
        (Line::Object(object), _) => (object, text),
        (_, Line::Object(object)) => (object, last()),
        (Line::Wrong(problem), _) => return Err(object::not_json(place, &problem, text)),
        (Line::Other, _) => return Err(object::not_json(place, "it is no object", text)),
    };
    let nested = || {
        let mut inner = key.split('.');
        let first = object.get(inner.next()?)?;
        inner.try_fold(first, |value, key| value.get(key))
    };
    let metric = wanted.keys()[0];
    let Some(score) = object.get(key).or_else(nested).cloned() else {
        return Err(object::without_key(&object, line, place, key));
    };
    object.shift_remove(key);
    object.insert(metric.to_owned(), score);
    scored(object, line, place, wanted)
}

/// Reads the result on the last line that is one, or was meant as one.
pub(super) fn from_lines(
    text: &str,
    place: &str,
    wanted: Wanted<'_>,
) -> Option<Result<Scored, NoScore>> {
    let quoted = |key: &&str| [format!("\"{key}\""), format!("'{key}'")];
    let keys: Vec<String> = wanted.keys().iter().flat_map(quoted).collect();
    let mut results = text::lines(text).rev().filter_map(|line| {
        let parsed = object::parse(line);
        let meant = match &parsed {
            Line::Object(_) => true,
            // A broken line is passed over only if it is not about the score: else an earlier,
            // older score would be taken for the result.
            Line::Wrong(_) => keys.iter().any(|key| line.contains(key)),
            Line::Other => false,
        };
        meant.then_some((line, parsed))
    });
    let (line, parsed) = results.next()?;
    let object = match parsed {
        Line::Object(object) => object,
        Line::Wrong(_) | Line::Other => {
            return Some(Err(object::diagnose(line, place, &wanted.keys())));
        }
    };
    let result = scored(object, line, place, wanted).map(|mut scored| {
        let other = results.find_map(|(line, parsed)| match parsed {
            Line::Object(mut object) => wanted
                .take(&mut object, line, place)
                .ok()
                .filter(|other| *other != scored.observation),
            _ => None,
        });
        if let Some(other) = other {
            scored.warnings.push(format!(
                "{place} has several results with different scores; the last, {}, counts, and {} before it does not",
                words(&scored.observation),
                words(&other)
            ));
        }
        scored
    });
    Some(result)
}

/// Returns the failure that a result reports in place of a score, if it does.
fn reported(object: &Map<String, Value>, wanted: Wanted<'_>) -> Option<NoScore> {
    let message = object.get(ResultKey::Error.name())?.as_str()?;
    if wanted.keys().iter().any(|key| object.contains_key(*key)) {
        return None;
    }
    let cost = object.get(ResultKey::Cost.name()).and_then(Value::as_f64);
    Some(NoScore::Reported {
        message: quote(message),
        cost: cost.filter(|cost| cost.is_finite() && *cost >= 0.0),
        tokens: object::tokens(object),
        request: Box::new(request::of_result(object)),
    })
}

/// Takes the score and the optional keys from a result.
fn scored(
    mut object: Map<String, Value>,
    line: &str,
    place: &str,
    wanted: Wanted<'_>,
) -> Result<Scored, NoScore> {
    if let Some(reported) = reported(&object, wanted) {
        return Err(reported);
    }
    let (observation, warning) = wanted.take_or(&mut object, line, place)?;
    let mut warnings = Vec::from_iter(warning);
    warnings.extend(object::oddities(line, place));
    let cost = match object.shift_remove(ResultKey::Cost.name()) {
        None | Some(Value::Null) => None,
        Some(value) => {
            let cost = value
                .as_f64()
                .filter(|cost| cost.is_finite() && *cost >= 0.0);
            if cost.is_none() {
                warnings.push(format!(
                    "{place} reports the cost {value}, which is no number from 0 upwards; it is not counted"
                ));
                object.insert(ResultKey::Cost.name().to_owned(), value);
            }
            cost
        }
    };
    Ok(Scored {
        observation,
        cost,
        extras: object::with_all_digits(object, line),
        warnings,
    })
}
