//! Scores that a script prints: the lines of its source that print one, as they would come out.

mod json;
mod python;
mod r;
mod shell;
mod template;

use super::source::{Call, Language, Source};
use crate::pattern::{Proposal, Word, metric_word, part_of_data, propose};
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
    /// What could be the score as well and was not taken, with its line: `line 12 "loss: …"`.
    pub others: Vec<String>,
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
    let json = json::json(source, language);
    if json.as_ref().is_some_and(|(_, is_printed)| *is_printed) {
        return json.map(|(found, _)| found);
    }
    let mut samples = match language {
        Language::Python => python::python(source),
        Language::R => r::r(source),
        Language::Shell => shell::shell(source),
    };
    if language == Language::Python && best(&samples).is_none() {
        samples.extend(python::formatted(source));
    }
    if language == Language::Shell && best(&samples).is_none() {
        // A script in the text: `python - <<END`.
        samples = python::python(&Source::new(source.text, Language::Python));
    }
    best(&samples).or(json.map(|(found, _)| found))
}

fn best(samples: &[Sample]) -> Option<ScoreSource> {
    let proposed = samples.iter().filter_map(|sample| {
        let (word, proposal) = proposal(&sample.text)?;
        let rank = (part_of_data(&proposal.pattern), word.rank, sample.line);
        Some((rank, word, proposal, sample))
    });
    let proposed: Vec<_> = proposed.collect();
    let lines = proposed.iter().map(|(.., sample)| *sample);
    let (_, word, proposal, sample) = proposed.iter().max_by_key(|(rank, ..)| *rank)?;
    let others = lines.filter(|other| other.text != sample.text);
    let others = others.map(|other| {
        let printed = other.text.replace(NUMBER, "…");
        format!("line {} \"{printed}\"", other.line)
    });
    let is_percent = proposal.is_percent || sample.is_hundredfold && word.is_share;
    Some(ScoreSource {
        metric: word.name.to_owned(),
        line: sample.line,
        printed: Some(sample.text.clone()),
        pattern: Some(proposal.pattern.clone()),
        others: others.collect(),
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
