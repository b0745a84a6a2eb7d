//! Reading the score, or the confusion counts, that a command reported.
//!
//! A result is the JSON object in the run's `result.json`, or else the last line of its stdout that
//! is one: `{"macro_f1": 0.71}`, or `{"tp": 3, "fp": 1, "fn": 0}`. A score is never guessed:
//! whatever is not exactly one finite number under the metric's name, within its bounds, is an
//! error that shows where it stood and says what to do. Nor are counts. A study with a pattern
//! reads its score from the last line that the pattern matches, and from nothing else.

mod counts;
mod error;
mod key;
mod lines;
mod matched;
mod object;
mod printed;
mod request;
mod text;
mod wanted;

pub use error::NoScore;
pub(crate) use key::ResultKey;
pub(crate) use matched::score_line;
pub(crate) use object::{kind_of_tokens, tokens};
pub(crate) use request::wait_before_again;
pub use wanted::Wanted;

use super::{Ended, ScoreLine};
use fiesta_core::{Counts, Observation};
use lines::from_lines;
pub(crate) use lines::of_text;
use object::Line;
use printed::Printed;
use serde_json::{Map, Value};
use std::path::Path;
#[cfg(feature = "report")]
pub(crate) use text::end_of;
use text::{MOST_BYTES, Tail};
pub(crate) use text::{plain, quote};

/// Returns the counts with their keys.
pub(crate) fn cells(counts: &Counts) -> impl Iterator<Item = (&'static str, u64)> {
    counts::KEYS.into_iter().zip(counts.cells())
}

/// Describes an observation in a few words.
pub fn words(observation: &Observation) -> String {
    match observation {
        Observation::Score(score) => score.to_string(),
        Observation::Counts(counts) => {
            // Many tasks have no true negatives, and no F-measure depends on them.
            let told = cells(counts).filter(|&(key, count)| key != counts::OPTIONAL || count > 0);
            let cells: Vec<String> = told.map(|(key, count)| format!("{key} {count}")).collect();
            cells.join(", ")
        }
    }
}

/// Result of an evaluation, as its command reported it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The value of the metric, as reported (not oriented), or the counts.
    pub observation: Observation,
    /// What the evaluation cost, if the command says so, in the study's unit.
    pub cost: Option<f64>,
    /// Every other key of the result. Numbers that JSON cannot hold (NaN, infinities) are kept as
    /// strings.
    pub extras: Map<String, Value>,
    /// Warnings that a person should look at although the score counts.
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

/// Reads the score of a run, given how the run ended: the end may hold what the disk had no room
/// for.
///
/// # Errors
/// As [`read`].
pub fn read_ended(directory: &Path, ended: &Ended, wanted: Wanted<'_>) -> Result<Scored, NoScore> {
    let printed = Printed::of(directory, ended);
    let mut scored = read_printed(&printed, wanted)?;
    scored.warnings.extend(printed.warning());
    Ok(scored)
}

/// Returns the result of a run that has ended, as the command reported it: the JSON object that
/// would be read, valid or not.
pub(crate) fn reported(directory: &Path, ended: &Ended) -> Option<Map<String, Value>> {
    let printed = Printed::of(directory, ended);
    let written = printed.result().ok()?;
    let text = if written.is_blank() {
        printed.stdout().ok()?
    } else {
        written
    };
    let text = text.text();
    let lines = text::lines(&text).rev();
    let mut objects = std::iter::once(&*text).chain(lines).filter_map(object_of);
    objects.next()
}

/// Parses a text as a JSON object. `None` if it is not one.
pub(crate) fn object_of(text: &str) -> Option<Map<String, Value>> {
    match object::parse(text) {
        Line::Object(object) => Some(object),
        Line::Wrong(_) | Line::Other => None,
    }
}

/// Reads the score under a key of a JSON file that a run wrote after its start, `began` seconds
/// after 1970.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_file(
    path: &Path,
    key: &str,
    began: f64,
    wanted: Wanted<'_>,
) -> Result<Scored, NoScore> {
    let place = path.display().to_string();
    let missing = |what: &str| {
        Err(NoScore::Missing(format!(
            "{place} {what}: let the command write it there (metric.file), with the score under \"{key}\""
        )))
    };
    let written = Tail::read(path)?;
    if written.is_blank() {
        return missing("is missing or empty");
    }
    // Clocks of file systems are coarse, and those of other machines differ.
    let modified = path.metadata().and_then(|data| data.modified()).ok();
    let age = modified.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    if age.is_some_and(|age| age.as_secs_f64() < began - CLOCKS_DIFFER) {
        return missing("was written before this run began");
    }
    if written.is_cut() {
        return Err(too_long(&place));
    }
    lines::from_written(&written.text(), &place, key, wanted)
}

/// Seconds by which the clock of another machine may be behind this machine's.
const CLOCKS_DIFFER: f64 = 60.0;

/// Returns the line in which the study's pattern found the score of a run that has ended. `None`
/// without a pattern or a match.
pub fn read_score_line(directory: &Path, ended: &Ended, wanted: Wanted<'_>) -> Option<ScoreLine> {
    let Wanted::Printed { pattern, .. } = wanted else {
        return None;
    };
    let printed = Printed::of(directory, ended);
    matched::line(&printed, pattern).ok().flatten()
}

fn read_printed(printed: &Printed<'_>, wanted: Wanted<'_>) -> Result<Scored, NoScore> {
    if let Wanted::Printed {
        metric,
        pattern,
        not_finite,
    } = wanted
    {
        return matched::read(printed, metric, pattern, not_finite);
    }
    let written = printed.result()?;
    if !written.is_blank() {
        let place = "result.json";
        if written.is_cut() {
            return Err(too_long(place));
        }
        return of_text(&written.text(), place, wanted);
    }
    let stdout = printed.stdout()?;
    let place = "stdout";
    let text = stdout.text();
    match from_lines(&text, place, wanted) {
        Some(result) => result,
        None if stdout.is_cut() && !stdout.has_line_break() => Err(too_long(place)),
        None => Err(NoScore::Missing(format!(
            "print a line like {} to stdout, or write it to the file named by $FIESTA_RESULT{}{}\nstdout ends with:\n{}\nstderr ends with:\n{}",
            wanted.example(),
            hint(&stdout, &text, wanted),
            proposal([&text, &printed.stderr()?.text()], wanted),
            text::last_lines(&text),
            text::last_lines(&printed.stderr()?.text())
        ))),
    }
}

/// Makes the error of a result that is longer than allowed.
fn too_long(place: &str) -> NoScore {
    NoScore::Wrong(format!(
        "{place} has no line break within its last {MOST_BYTES} bytes, too long for a result: print the result on a line of its own"
    ))
}

/// Returns further advice for a run whose result was not found.
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

/// Returns advice with a pattern for a line that seems to hold the score. Empty if there is none.
fn proposal(texts: [&str; 2], wanted: Wanted<'_>) -> String {
    let (Wanted::Score(metric) | Wanted::ScoreOr(metric, _)) = wanted else {
        return String::new();
    };
    matched::nearest(texts, metric).map_or_else(String::new, |(_, found)| {
        format!(
            "\nor, if this line has the score, add {} under [metric]: {}",
            found.keys(false),
            quote(&found.line)
        )
    })
}

/// Kind of a line of output that may be a result.
#[derive(Debug)]
pub(crate) enum Said {
    /// A JSON object. Numbers that JSON does not have, such as NaN, are strings in it.
    Object(Map<String, Value>),
    /// A text that begins like a JSON object, but is not one.
    Broken(String),
    /// A line that does not look like a result.
    Other,
}

/// Classifies a line of output as a result, a broken result, or another line.
pub(crate) fn said(line: &[u8]) -> Said {
    let text = text::decoded(line);
    match object::parse(&text) {
        Line::Object(object) => Said::Object(object),
        Line::Wrong(_) => Said::Broken(text.into_owned()),
        Line::Other => Said::Other,
    }
}

/// Returns the last lines that a run's command printed, for a message. Empty if it printed nothing.
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
