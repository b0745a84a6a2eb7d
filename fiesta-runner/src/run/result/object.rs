//! Parsing of JSON objects as programs print them, and messages about broken ones.

use super::{NoScore, ResultKey, text::quote};
use serde_json::{Map, Value};
use std::{borrow::Cow, collections::BTreeSet};

/// Kind of a line of output, by what it holds.
#[derive(Debug)]
pub(super) enum Line {
    /// A JSON object, perhaps with bare NaN, Infinity or too large numbers, which became strings.
    Object(Map<String, Value>),
    /// A text that begins like an object, but is not one. Contains what is wrong with it.
    Wrong(String),
    /// A line that does not begin like an object.
    Other,
}

pub(super) fn parse(line: &str) -> Line {
    let line = line.trim();
    if !line.starts_with('{') {
        return Line::Other;
    }
    let (line, _) = shallow(line);
    match serde_json::from_str(&line) {
        Ok(object) => Line::Object(object),
        Err(strict) => match serde_json::from_str(&with_quoted_numbers(&line)) {
            Ok(object) => Line::Object(object),
            Err(_) => Line::Wrong(strict.to_string()),
        },
    }
}

/// Deepest level of nesting of a result that is kept; its own keys are at level 1. Readers of the
/// ledger, where results are nested in entries, stop at level 128.
const DEEPEST: usize = 100;

/// Returns a JSON text with `"…"` in place of parts nested deeper than [`DEEPEST`], and whether
/// there were any.
fn shallow(text: &str) -> (Cow<'_, str>, bool) {
    let (mut depth, mut kept, mut is_cut) = (0, String::new(), false);
    for (piece, _) in pieces(text) {
        let (opens, closes) = (matches!(piece, "[" | "{"), matches!(piece, "]" | "}"));
        depth += usize::from(opens);
        if depth <= DEEPEST {
            kept.push_str(piece);
        } else if depth == DEEPEST + 1 && opens {
            kept.push_str("\"…\"");
            is_cut = true;
        }
        depth -= usize::from(closes && depth > 0);
    }
    if is_cut {
        (Cow::Owned(kept), true)
    } else {
        (Cow::Borrowed(text), false)
    }
}

/// Returns warnings about a result that counts: repeated keys, and parts nested too deeply to be
/// kept.
pub(super) fn oddities(text: &str, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    if shallow(text).1 {
        found.push(format!(
            "{place} nests deeper than {DEEPEST} levels; what is deeper is not kept"
        ));
    }
    let (mut keys, mut twice) = (BTreeSet::new(), BTreeSet::new());
    let mut depth = 0_usize;
    for (piece, after) in pieces(text) {
        match piece {
            "[" | "{" => depth += 1,
            "]" | "}" => depth = depth.saturating_sub(1),
            _ => {
                let is_key = piece.starts_with('"') && after.trim_start().starts_with(':');
                if is_key && depth == 1 && !keys.insert(piece) {
                    twice.insert(piece);
                }
            }
        }
    }
    found.extend(twice.into_iter().map(|key| {
        format!(
            "{place} has the key {} more than once; the last counts",
            quote(key)
        )
    }));
    found
}

/// Names that services use for tokens of a prompt and of an answer, each with its kind in `prices`.
const KINDS: [(&str, &str); 4] = [
    ("prompt_tokens", "in"),
    ("input_tokens", "in"),
    ("completion_tokens", "out"),
    ("output_tokens", "out"),
];

/// Returns the kind of tokens in the words of `prices`.
pub(crate) fn kind_of_tokens(name: &str) -> &str {
    let known = KINDS.iter().find(|(service, _)| *service == name);
    known.map_or(name, |(_, kind)| kind)
}

/// Returns the tokens that a result reports: under `tokens`, else under `usage`, else under the
/// keys that services use.
pub(crate) fn tokens(object: &Map<String, Value>) -> Option<Value> {
    if let Some(tokens) = object.get(ResultKey::Tokens.name()) {
        return Some(tokens.clone());
    }
    let is_known = |name: &String| KINDS.iter().any(|(service, _)| service == name);
    let usage = object.get("usage").and_then(Value::as_object);
    let of = usage.unwrap_or(object);
    // What a service adds: sums of these, shares of them, its tier.
    let is_more = |name: &str, count: &Value| {
        !count.is_number()
            || name == "total_tokens"
            || (usage.is_none() && kind_of_tokens(name) == name)
    };
    let kept = of.iter().filter(|(name, count)| !is_more(name, count));
    let kept: Map<String, Value> = kept
        .map(|(name, count)| (name.clone(), count.clone()))
        .collect();
    (usage.is_some() || kept.keys().any(is_known)).then_some(Value::Object(kept))
}

/// Whether numbers under this key stay numbers, however long they are.
fn is_counted(key: &str) -> bool {
    let of_tokens = KINDS.iter().any(|(service, _)| *service == key);
    of_tokens || key == ResultKey::Tokens.name() || key == "usage"
}

/// Returns the keys of a result, with whole numbers that do not fit into 64 bits as texts with all
/// digits. `line` is the text of the result.
pub(super) fn with_all_digits(mut object: Map<String, Value>, line: &str) -> Map<String, Value> {
    /// Number of digits from which a number may be too long.
    const LONG: usize = 19;
    let mut digits = line.split(|c: char| !c.is_ascii_digit());
    if !digits.any(|digits| digits.len() >= LONG) {
        return object;
    }
    let is_long = |token: &str| {
        let digits = token.strip_prefix('-').unwrap_or(token);
        digits.len() >= LONG
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && token.parse::<u64>().is_err()
            && token.parse::<i64>().is_err()
    };
    let (line, _) = shallow(line.trim());
    let quoted = with_quoted(&line, |token| is_long(token) || is_not_finite(token));
    let Ok(Value::Object(whole)) = serde_json::from_str(&quoted) else {
        return object;
    };
    for (key, value) in whole {
        if let Some(kept) = object.get_mut(&key).filter(|_| !is_counted(&key)) {
            *kept = value;
        }
    }
    object
}

/// Puts quotes around NaN and infinities in a line, as JSON has no such numbers.
fn with_quoted_numbers(line: &str) -> String {
    with_quoted(line, is_not_finite)
}

fn is_not_finite(token: &str) -> bool {
    token.parse::<f64>().is_ok_and(|number| !number.is_finite())
}

/// Puts quotes around the bare words for which `is_quoted` is true.
fn with_quoted(line: &str, is_quoted: impl Fn(&str) -> bool) -> String {
    let mut text = String::with_capacity(line.len() + 16);
    for (piece, _) in pieces(line) {
        if piece.starts_with(in_word) && is_quoted(piece) {
            text.extend(["\"", piece, "\""]);
        } else {
            text.push_str(piece);
        }
    }
    text
}

/// Takes a text of JSON apart into string literals, bare words and single signs, each with the text
/// that follows it.
fn pieces(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let length = match first {
            '"' => string_length(rest),
            _ if in_word(first) => rest.find(|c| !in_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some((piece, after))
    })
}

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_')
}

/// Returns the length of the string literal at the start of a text, with its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Reads the value under a key as a number.
pub(super) fn number(value: &Value, line: &str, place: &str, key: &str) -> Result<f64, NoScore> {
    let found = match value {
        Value::Number(number) => {
            if let Some(number) = number.as_f64() {
                return Ok(number);
            }
            "a number of an unknown kind"
        }
        Value::String(text) => return Err(textual(text, line, place, key)),
        Value::Null => "null (which some libraries write for NaN)",
        Value::Bool(_) => "true or false",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Err(NoScore::Wrong(format!(
        "{place} has \"{key}\" as {found}: write it as one number: {}",
        quote(line)
    )))
}

/// Makes the error of a text in place of a number, such as NaN, or a number in quotes.
fn textual(text: &str, line: &str, place: &str, key: &str) -> NoScore {
    let (text, line) = (quote(text), quote(line));
    let has_digits = text.contains(|c: char| c.is_ascii_digit());
    match text.parse::<f64>() {
        Ok(number) if !number.is_finite() && has_digits => NoScore::Wrong(format!(
            "{place} has \"{key}\" = {text}, which is too large for a number: {line}"
        )),
        Ok(number) if !number.is_finite() => NoScore::NotFinite {
            place: place.to_owned(),
            metric: key.to_owned(),
            text,
            line,
        },
        _ if has_digits
            && text.replacen(',', ".", 1).parse::<f64>().is_ok()
            && text.contains(',') =>
        {
            with_comma(place, key, &text, &line)
        }
        _ => NoScore::Wrong(format!(
            "{place} has \"{key}\" as the text \"{text}\": write it as a number, without quotes: {line}"
        )),
    }
}

/// Makes the error of a score with a decimal comma, where JSON has a point.
fn with_comma(place: &str, key: &str, text: &str, line: &str) -> NoScore {
    NoScore::Wrong(format!(
        "{place} has \"{key}\" with a decimal comma, {text}: write it with a point (a locale may be the cause; try LC_NUMERIC=C): {line}"
    ))
}

/// Makes the error of a line that was meant to be a result, with what is wrong with it.
pub(super) fn diagnose(line: &str, place: &str, keys: &[&str]) -> NoScore {
    let problem = match parse(line) {
        Line::Wrong(problem) => problem,
        _ => "it is no object".to_owned(),
    };
    let comma = keys
        .iter()
        .find_map(|&key| Some((key, decimal_comma(line, key)?)));
    if let Some((key, text)) = comma {
        return with_comma(place, key, &text, &quote(line));
    }
    let problem = if keys.iter().any(|key| line.contains(&format!("'{key}'"))) {
        "names stand in single quotes, as Python prints a dict; print json.dumps(…) of it"
            .to_owned()
    } else {
        problem
    };
    not_json(place, &problem, line)
}

/// Returns the metric's value in a line if it has a decimal comma, such as `0,71`.
fn decimal_comma(line: &str, name: &str) -> Option<String> {
    let (_, after) = line.rsplit_once(&format!("\"{name}\""))?;
    let value = after.trim_start().strip_prefix(':')?.trim_start();
    let value = &value[..value
        .find(|c: char| !in_word(c) && c != ',')
        .unwrap_or(value.len())];
    let value = value.trim_end_matches(',');
    // A digit on either side: JSON would need a quote after the comma.
    let (whole, fraction) = value.split_once(',')?;
    let digits = whole.trim_start_matches(['-', '+']);
    (!digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && fraction.starts_with(|c: char| c.is_ascii_digit()))
    .then(|| quote(value))
}

/// Makes the error of a result without the metric.
pub(super) fn without_key(
    object: &Map<String, Value>,
    line: &str,
    place: &str,
    metric: &str,
) -> NoScore {
    let close = object
        .keys()
        .map(|key| (strsim::jaro_winkler(key, metric), key))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    let hint = match close {
        Some((_, key)) => format!(
            " (did you mean \"{}\"? the study's metric.name must be the key)",
            quote(key)
        ),
        None => " (if it is no result, print the result after it, or write the result to the file named by $FIESTA_RESULT)".to_owned(),
    };
    without(metric, &hint, line, place)
}

/// Makes the error of a result without a required key.
pub(super) fn without(key: &str, hint: &str, line: &str, place: &str) -> NoScore {
    let line = quote(line);
    NoScore::Wrong(format!(
        "{place} has a result without the key \"{key}\"{hint}: {line}"
    ))
}

pub(super) fn not_json(place: &str, problem: &str, line: &str) -> NoScore {
    let line = quote(line);
    NoScore::Wrong(format!(
        "{place} has a result that is not JSON: {problem}: {line}"
    ))
}
