//! The score that a study's pattern finds in what a run printed.

use super::{NoScore, Scored, printed::Printed, text, text::quote};
use crate::{
    pattern::{Match, NoNumber, Pattern, Proposal, name_of, number, of_name, propose, quoted},
    run::ScoreLine,
};
use fiesta_core::{Metric, Observation};
use serde_json::Map;

/// The two streams in the order of the search: stderr counts only if stdout has no match.
const STREAMS: [&str; 2] = ["stdout", "stderr"];

/// Finds the last line with a score in a command's output.
pub(crate) fn score_line(stdout: &[u8], stderr: &[u8], pattern: &Pattern) -> Option<ScoreLine> {
    found_in([&text::decoded(stdout), &text::decoded(stderr)], pattern)
}

/// Returns the last line of the first of the two streams that has a match.
fn found_in(texts: [&str; 2], pattern: &Pattern) -> Option<ScoreLine> {
    STREAMS.into_iter().zip(texts).find_map(|(stream, text)| {
        let line = pattern.last(text::lines(text))?.line.to_owned();
        let stream = stream.to_owned();
        Some(ScoreLine { stream, line })
    })
}

/// Returns the line of a run's output in which the pattern found its score.
pub(super) fn line(printed: &Printed<'_>, pattern: &Pattern) -> Result<Option<ScoreLine>, NoScore> {
    if let Some(known) = printed.score_line() {
        return Ok(Some(known.clone()));
    }
    let (stdout, stderr) = (printed.stdout()?, printed.stderr()?);
    Ok(found_in([&stdout.text(), &stderr.text()], pattern))
}

/// Reads the score that the pattern finds. The error says why there is none.
pub(super) fn read(
    printed: &Printed<'_>,
    metric: &Metric,
    pattern: &Pattern,
    not_finite: Option<f64>,
) -> Result<Scored, NoScore> {
    let Some(found) = line(printed, pattern)? else {
        return Err(missing(printed, metric, pattern)?);
    };
    let place = found.stream.as_str();
    let Some(found) = pattern.last(text::lines(&found.line)) else {
        return Err(missing(printed, metric, pattern)?);
    };
    let (score, warning) = score(&found, place, metric, pattern, not_finite)?;
    Ok(Scored {
        observation: Observation::Score(score),
        cost: None,
        extras: Map::new(),
        warnings: Vec::from_iter(warning),
    })
}

/// Returns the score of a match, with a warning that a person should see.
fn score(
    found: &Match<'_>,
    place: &str,
    metric: &Metric,
    pattern: &Pattern,
    not_finite: Option<f64>,
) -> Result<(f64, Option<String>), NoScore> {
    let line = quote(found.line);
    let captured = quote(found.captured);
    let number = number(found.captured, pattern.is_percent()).map_err(|problem| {
        let problem = match problem {
            NoNumber::Comma => format!(
                "{captured}, in which it cannot be told whether a comma stands before decimals: print it with a point (a locale may be the cause; try LC_NUMERIC=C)"
            ),
            NoNumber::Empty => {
                "nothing: let the parentheses stand around the number, and around no more".to_owned()
            }
            NoNumber::Text => format!(
                "`{captured}`, which is no number: let the parentheses stand around the number, and around no more"
            ),
        };
        NoScore::Wrong(format!(
            "{place} has a line that the pattern matches, and captures {problem}: {line}"
        ))
    })?;
    if found.is_part {
        return Err(NoScore::Wrong(format!(
            "{place} has a line of which the pattern captures {captured}, only a part of the number there: let the parentheses take all of it, such as ([-+0-9.eE]+): {line}"
        )));
    }
    if !number.is_finite() {
        let name = metric.name();
        return match not_finite {
            Some(score) => Ok((
                score,
                Some(format!(
                    "{place} has {name} = {captured}, which counts as {score}, as the study says (not_finite)"
                )),
            )),
            None => Err(NoScore::NotFinite {
                place: place.to_owned(),
                metric: name.to_owned(),
                text: captured,
                line,
            }),
        };
    }
    let score = metric.check(number).map_err(|error| {
        let hundredth = metric.check(number / 100.0).is_ok();
        let hint = match pattern.is_percent() {
            false if hundredth && number > 1.0 => {
                " (if it is a percentage, percent = true under [metric] divides it by 100)"
            }
            true => {
                " (the score is a hundredth of what the pattern captures, as percent = true says)"
            }
            false => "",
        };
        NoScore::Wrong(format!("{place}: {error}{hint}: {line}"))
    })?;
    let is_share_already = pattern.is_percent()
        && !found.has_percent_sign
        && (0.0..=0.01).contains(&number.abs())
        && number != 0.0;
    let warning = is_share_already.then(|| {
        format!(
            "{place} has {captured} without a percent sign, which counts as {number}, as percent = true says; if it is a share already, leave percent out: {line}"
        )
    });
    Ok((score, warning))
}

/// Makes the error that no score was found, with the nearest line and a pattern for it.
fn missing(printed: &Printed<'_>, metric: &Metric, pattern: &Pattern) -> Result<NoScore, NoScore> {
    let (stdout, stderr) = (printed.stdout()?, printed.stderr()?);
    let texts = [stdout.text(), stderr.text()];
    let texts = [&*texts[0], &*texts[1]];
    let near = without_number(texts, pattern).or_else(|| {
        let (stream, found) = nearest(texts, metric)?;
        Some(format!(
            "\nthis line of {stream} nearly matches: {}\nthis would match it: {}",
            quote(&found.line),
            // Percentages without a sign are still percentages if the study says so.
            found.keys(pattern.is_percent())
        ))
    });
    let result = printed.result()?;
    let key = format!("\"{}\"", metric.name());
    let has_json = result.text().contains(&key)
        || text::lines(texts[0]).any(|line| line.starts_with('{') && line.contains(&key));
    let of_json = if has_json {
        format!(
            "\nthere is a result as JSON with the key {key}: it counts once pattern is left out of [metric]"
        )
    } else {
        String::new()
    };
    let is_cut = if stdout.is_cut() || stderr.is_cut() {
        format!(
            "\nonly the last {} bytes of each were searched",
            text::MOST_BYTES
        )
    } else {
        String::new()
    };
    Ok(NoScore::Missing(format!(
        "no line matches pattern = {}{}{of_json}{is_cut}\nstdout ends with:\n{}\nstderr ends with:\n{}",
        quoted(pattern.as_str()),
        near.unwrap_or_default(),
        text::last_lines(texts[0]),
        text::last_lines(texts[1])
    )))
}

/// Describes a line that matches except for its number. No pattern is proposed, as the number of
/// another line would be another score.
fn without_number(texts: [&str; 2], pattern: &Pattern) -> Option<String> {
    STREAMS.into_iter().zip(texts).find_map(|(stream, text)| {
        let line = text::lines(text).rfind(|line| pattern.lacks_number(line))?;
        Some(format!(
            "\nthis line of {stream} nearly matches (no number stands where the pattern has one): {}",
            quote(line)
        ))
    })
}

/// Returns a pattern for the last line that seems to hold the score, with its stream. A line that
/// names the metric is preferred to one that names another.
pub(super) fn nearest(texts: [&str; 2], metric: &Metric) -> Option<(&'static str, Proposal)> {
    let names = of_name(metric.name());
    let last = |is_meant: &dyn Fn(&Proposal) -> bool| {
        STREAMS.into_iter().zip(texts).find_map(|(stream, text)| {
            let mut found = text::lines(text).rev();
            found
                .find_map(|line| propose(line, &names).filter(is_meant))
                .map(|found| (stream, found))
        })
    };
    let is_named = |found: &Proposal| {
        let line = found.line.to_lowercase();
        name_of(&line) == name_of(metric.name()) || names.iter().all(|name| line.contains(name))
    };
    last(&is_named).or_else(|| last(&|_| true))
}
