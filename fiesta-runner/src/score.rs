//! Reading the score, or the confusion counts, that a command reported.
//!
//! A result is the JSON object in the run's `result.json`, or else the last line of its stdout that is one:
//! `{"macro_f1": 0.71}`, or `{"tp": 3, "fp": 1, "fn": 0}`. A score is never guessed: whatever is not exactly one finite number
//! under the metric's name, within its bounds, is an error that shows where it stood and says what to do. Nor are counts.

mod counts;
mod error;
mod object;
mod printed;
mod text;

pub use error::NoScore;

use crate::executor::Ended;
use fiesta_core::{Metric, Observation};
use object::Line;
use printed::Printed;
use serde_json::{Map, Value};
use std::path::Path;
use text::{MOST_BYTES, Tail, quote};

/// The optional key of what an evaluation cost.
const COST: &str = "cost";
/// The key of what went wrong, in place of a result.
const ERROR: &str = "error";

/// What a result is to hold.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'a> {
    /// The value of a metric, under its name.
    Score(&'a Metric),
    /// The same; one that is NaN or infinite stands for this score.
    ScoreOr(&'a Metric, f64),
    /// Confusion counts: `tp`, `fp`, `fn` and perhaps `tn`, or an object with them for each class, which are added up.
    Counts,
}

impl<'a> Wanted<'a> {
    /// The keys by which a result is known, the most telling one first.
    pub(crate) fn keys(self) -> Vec<&'a str> {
        match self {
            Self::Score(metric) | Self::ScoreOr(metric, _) => vec![metric.name()],
            Self::Counts => counts::KEYS.to_vec(),
        }
    }

    /// What a result looks like.
    fn example(self) -> String {
        match self {
            Self::Score(metric) | Self::ScoreOr(metric, _) => {
                format!("{{\"{}\": 0.5}}", metric.name())
            }
            Self::Counts => "{\"tp\": 3, \"fp\": 1, \"tn\": 0, \"fn\": 2}".to_owned(),
        }
    }

    /// Takes what is wanted out of a result.
    fn take(
        self,
        object: &mut Map<String, Value>,
        line: &str,
        place: &str,
    ) -> Result<Observation, NoScore> {
        match self {
            Self::Counts => counts::take(object, line, place).map(Observation::Counts),
            Self::ScoreOr(..) => Ok(self.take_or(object, line, place)?.0),
            Self::Score(metric) => {
                let score = match object.shift_remove(metric.name()) {
                    Some(value) => object::number(&value, line, place, metric.name())?,
                    None => return Err(object::without_key(object, line, place, metric.name())),
                };
                let checked = metric.check(score).map_err(|source| NoScore::Refused {
                    place: place.to_owned(),
                    line: quote(line),
                    source,
                })?;
                Ok(Observation::Score(checked))
            }
        }
    }

    /// Takes it, and says so if the score is not the one that was reported.
    fn take_or(
        self,
        object: &mut Map<String, Value>,
        line: &str,
        place: &str,
    ) -> Result<(Observation, Option<String>), NoScore> {
        let Self::ScoreOr(metric, score) = self else {
            return Ok((self.take(object, line, place)?, None));
        };
        match Self::Score(metric).take(object, line, place) {
            Err(NoScore::NotFinite { text, metric, .. }) => {
                let warning = format!(
                    "{place} has \"{metric}\" = {text}, which counts as {score}, as the study says (not_finite)"
                );
                Ok((Observation::Score(score), Some(warning)))
            }
            taken => Ok((taken?, None)),
        }
    }
}

/// An observation in a few words.
pub fn words(observation: &Observation) -> String {
    match observation {
        Observation::Score(score) => score.to_string(),
        Observation::Counts(counts) => {
            let cells = counts::KEYS.iter().zip(counts.cells());
            // Many tasks have no true negatives, and no F-measure depends on them.
            let told = cells.filter(|&(&key, count)| key != counts::OPTIONAL || count > 0);
            let cells: Vec<String> = told.map(|(key, count)| format!("{key} {count}")).collect();
            cells.join(", ")
        }
    }
}

/// What a command reported.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The value of the metric, as reported (not oriented), or the counts.
    pub observation: Observation,
    /// What the evaluation cost, if the command says so, in the study's unit.
    pub cost: Option<f64>,
    /// Every other key of the result. Numbers that JSON cannot hold (NaN, infinities) are kept as strings.
    pub extras: Map<String, Value>,
    /// What a person should look at although the score counts.
    pub warnings: Vec<String>,
}

/// Reads the score of a run that has ended.
///
/// At most the last megabyte of stdout is read, and terminal colours are removed from it.
///
/// # Errors
/// [`NoScore`] if there is no score, or the one that is there cannot count.
pub fn read(directory: &Path, wanted: Wanted<'_>) -> Result<Scored, NoScore> {
    read_printed(&Printed::in_files(directory), wanted)
}

/// The same, given how the run ended: the end may hold what the disk had no room for.
///
/// # Errors
/// As [`read`].
pub fn read_ended(directory: &Path, ended: &Ended, wanted: Wanted<'_>) -> Result<Scored, NoScore> {
    let printed = Printed::of(directory, ended);
    let mut scored = read_printed(&printed, wanted)?;
    scored.warnings.extend(printed.warning());
    Ok(scored)
}

fn read_printed(printed: &Printed<'_>, wanted: Wanted<'_>) -> Result<Scored, NoScore> {
    let written = Tail::read(&printed.result())?;
    if !written.is_blank() {
        let place = "result.json";
        if written.is_cut() {
            return Err(NoScore::TooLong {
                place: place.to_owned(),
                limit: MOST_BYTES,
            });
        }
        return from_file(&written.text(), place, wanted);
    }
    let stdout = printed.stdout()?;
    let place = "stdout";
    match from_lines(&stdout.text(), place, wanted) {
        Some(result) => result,
        None if stdout.is_cut() && !stdout.has_line_break() => Err(NoScore::TooLong {
            place: place.to_owned(),
            limit: MOST_BYTES,
        }),
        None => {
            let stderr = printed.stderr()?;
            let text = stdout.text();
            Err(NoScore::Missing {
                example: wanted.example(),
                hint: hint(&stdout, &text, wanted),
                stdout: text::last_lines(&text),
                stderr: text::last_lines(&stderr.text()),
            })
        }
    }
}

/// A file is one object over any number of lines, or has one object on each.
fn from_file(text: &str, place: &str, wanted: Wanted<'_>) -> Result<Scored, NoScore> {
    let whole = match object::parse(text) {
        Line::Object(object) => return scored(object, text, place, wanted),
        other => other,
    };
    from_lines(text, place, wanted).unwrap_or_else(|| match whole {
        Line::Wrong(problem) => Err(NoScore::NotJson {
            place: place.to_owned(),
            line: quote(text),
            problem,
        }),
        _ => Err(NoScore::NotAnObject {
            place: place.to_owned(),
            line: quote(text),
        }),
    })
}

/// The result on the last line that is one, or was meant to be one.
fn from_lines(text: &str, place: &str, wanted: Wanted<'_>) -> Option<Result<Scored, NoScore>> {
    let quoted = |key: &&str| [format!("\"{key}\""), format!("'{key}'")];
    let keys: Vec<String> = wanted.keys().iter().flat_map(quoted).collect();
    let mut results = text::lines(text).rev().filter_map(|line| {
        let parsed = object::parse(line);
        let meant = match &parsed {
            Line::Object(_) => true,
            // A broken line is passed over only if it is not about the score: else an earlier, older
            // score would be taken for the result.
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

/// The error that stands in place of a result.
fn reported(object: &Map<String, Value>, wanted: Wanted<'_>) -> Option<NoScore> {
    let message = object.get(ERROR)?.as_str()?;
    if wanted.keys().iter().any(|key| object.contains_key(*key)) {
        return None;
    }
    let cost = object.get(COST).and_then(Value::as_f64);
    Some(NoScore::Reported {
        message: quote(message),
        cost: cost.filter(|cost| cost.is_finite() && *cost >= 0.0),
    })
}

/// What a result says.
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
    let cost = match object.shift_remove(COST) {
        None | Some(Value::Null) => None,
        Some(value) => {
            let cost = value
                .as_f64()
                .filter(|cost| cost.is_finite() && *cost >= 0.0);
            if cost.is_none() {
                warnings.push(format!(
                    "{place} reports the cost {value}, which is no number from 0 upwards; it is not counted"
                ));
                object.insert(COST.to_owned(), value);
            }
            cost
        }
    };
    Ok(Scored {
        observation,
        cost,
        extras: object,
        warnings,
    })
}

/// What else can be said to somebody whose result was not found.
fn hint(stdout: &Tail, text: &str, wanted: Wanted<'_>) -> String {
    if let Some(line) = text::lines(text)
        .rev()
        .find(|line| line.contains(wanted.keys()[0]))
    {
        return format!(
            "\nthis line names {}, but is no JSON object by itself: {}",
            wanted.keys()[0],
            quote(line)
        );
    }
    if stdout.is_lossy() {
        return "\nstdout is not UTF-8: set PYTHONIOENCODING=utf-8, or the like for the language used"
            .to_owned();
    }
    if stdout.is_cut() {
        return format!("\nonly the last {MOST_BYTES} bytes of stdout were searched");
    }
    String::new()
}

/// What a line is that may be a result.
#[derive(Debug)]
pub(crate) enum Said {
    /// A JSON object, perhaps with numbers that JSON does not have, as strings.
    Object(Map<String, Value>),
    /// It begins like an object, and is none; decoded.
    Broken(String),
    /// Something else.
    Other,
}

/// Looks at a line as a result would be looked at.
pub(crate) fn said(line: &[u8]) -> Said {
    let text = text::decoded(line);
    match object::parse(&text) {
        Line::Object(object) => Said::Object(object),
        Line::Wrong(_) => Said::Broken(text.into_owned()),
        Line::Other => Said::Other,
    }
}

/// The last lines that a run's command printed, for a message; empty if it printed nothing.
pub fn tails(directory: &Path, ended: &Ended) -> String {
    let printed = Printed::of(directory, ended);
    let tail = |(name, tail): (&str, Result<Tail, NoScore>)| {
        let tail = tail.ok().filter(|tail| !tail.is_blank())?;
        Some(format!(
            "{name} ends with:\n{}",
            text::last_lines(&tail.text())
        ))
    };
    [("stdout", printed.stdout()), ("stderr", printed.stderr())]
        .into_iter()
        .filter_map(tail)
        .chain(printed.warning())
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests;
