//! Scores that a script prints: the lines of its source that print one, as they would come out, or
//! what an evaluation printed.

use super::reader::Facts;
use crate::pattern::{Proposal, Word, metric_word, part_of_data, propose};
use serde::{Deserialize, Serialize};

/// Place in a script that prints its score, and the form in which it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScoreSource {
    /// The name of the metric in the study.
    pub metric: String,
    /// The line of the source that prints the score. `None` if an evaluation printed it.
    pub line: Option<usize>,
    /// The printed text, with … for unknown numbers. `None` if the score is a key of JSON.
    pub printed: Option<String>,
    /// Pattern that finds the score. `None` if the score is a key of JSON, named like the metric.
    pub pattern: Option<String>,
    /// Whether the printed numbers are percentages.
    pub is_percent: bool,
    /// Whether lower scores are better.
    pub is_cost: bool,
    /// Whether the score is from 0 to 1.
    pub is_share: bool,
    /// Other lines that could be the score, each with its number: `line 12 "loss: …"`.
    pub others: Vec<String>,
}

impl ScoreSource {
    /// Returns what prints the score, in words: `line 12`.
    pub fn place(&self) -> String {
        let line = self.line.map(|line| format!("line {line}"));
        line.unwrap_or_else(|| "the evaluation".to_owned())
    }
}

/// Number that replaces unknown numbers in a line that has not been printed yet.
const NUMBER: &str = "0.5";
/// Largest number of other lines that are named.
const MOST_OTHERS: usize = 8;

/// A line in the form in which the script would print it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Sample {
    line: usize,
    text: String,
    /// Whether the line shows a share multiplied by 100.
    is_hundredfold: bool,
}

/// The keys of a dict that is printed as JSON.
#[derive(Debug, Deserialize)]
pub(super) struct Keys {
    line: usize,
    keys: Vec<String>,
}

/// Returns the score that a script most likely prints as its result. `None` if there is none.
pub(super) fn of_source(facts: &Facts) -> Option<ScoreSource> {
    let results = facts.results.iter();
    let results = results.filter_map(|own| of_keys(&own.keys, Some(own.line)));
    results
        .max_by_key(|own| own.line)
        .or_else(|| best(&lines(&facts.printed), true))
}

/// Finds the score in the output of an evaluation, on both streams. A result as JSON must be the
/// last line of the first stream.
pub(super) fn of_output(printed: &str, errors: &str) -> Option<ScoreSource> {
    let text = crate::run::result::plain(&format!("{errors}\n{printed}"));
    let lines = text.split(['\n', '\r']).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let last = lines
        .last()
        .and_then(|line| serde_json::from_str(line).ok());
    let last: serde_json::Map<String, serde_json::Value> = last.unwrap_or_default();
    let keys = last.into_iter().filter(|(_, value)| value.is_number());
    let keys: Vec<String> = keys.map(|(key, _)| key).collect();
    let samples = lines.iter().enumerate().map(|(line, text)| Sample {
        line,
        text: (*text).to_owned(),
        is_hundredfold: false,
    });
    of_keys(&keys, None).or_else(|| best(&samples.collect::<Vec<_>>(), false))
}

fn of_keys(keys: &[String], line: Option<usize>) -> Option<ScoreSource> {
    let known = keys
        .iter()
        .filter_map(|key| Some((metric_word(key)?.0, key)));
    let (word, key) = known.max_by_key(|(word, key)| (part_of_data(key), word.rank))?;
    let others = keys
        .iter()
        .filter(|other| *other != key && metric_word(other).is_some());
    Some(ScoreSource {
        metric: key.clone(),
        line,
        printed: None,
        pattern: None,
        is_percent: false,
        is_cost: word.is_cost,
        is_share: line.is_some() && word.is_share,
        others: others
            .map(|other| format!("\"{other}\""))
            .take(MOST_OTHERS)
            .collect(),
    })
}

/// Splits printed texts into their lines, as one call may print several.
fn lines(samples: &[Sample]) -> Vec<Sample> {
    let each = samples.iter().flat_map(|sample| {
        let text = crate::run::result::plain(&sample.text);
        let lines = text.split(['\n', '\r']).map(|line| Sample {
            text: line.trim().to_owned(),
            ..sample.clone()
        });
        lines.collect::<Vec<_>>()
    });
    each.collect()
}

fn best(samples: &[Sample], is_source: bool) -> Option<ScoreSource> {
    let proposed = samples.iter().filter_map(|sample| {
        let (word, proposal) = proposal(&sample.text)?;
        let rank = (part_of_data(&proposal.pattern), word.rank, sample.line);
        Some((rank, word, proposal, sample))
    });
    let proposed: Vec<_> = proposed.collect();
    let (_, word, proposal, sample) = proposed.iter().max_by_key(|(rank, ..)| *rank)?;
    let shown = |text: &str| {
        if is_source {
            text.replace(NUMBER, "…")
        } else {
            text.to_owned()
        }
    };
    let mut others: Vec<String> = Vec::new();
    let mut patterns = vec![&proposal.pattern];
    for (_, _, other, of) in &proposed {
        if !patterns.contains(&&other.pattern) && others.len() < MOST_OTHERS {
            patterns.push(&other.pattern);
            let line = if is_source {
                format!("line {} ", of.line)
            } else {
                String::new()
            };
            others.push(format!("{line}\"{}\"", shown(&of.text)));
        }
    }
    let number: Option<f64> = proposal.number.replace(',', ".").parse().ok();
    let is_above_one = !is_source && number.is_some_and(|number| number > 1.0);
    let is_percent =
        proposal.is_percent || word.is_share && (sample.is_hundredfold || is_above_one);
    Some(ScoreSource {
        metric: word.name.to_owned(),
        line: is_source.then_some(sample.line),
        printed: Some(shown(&sample.text)),
        pattern: Some(proposal.pattern.clone()),
        is_percent,
        is_cost: word.is_cost,
        // Whether an accuracy without a percent sign is a share is known once it is printed.
        is_share: word.is_share && (is_percent || !is_source),
        others,
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

#[cfg(test)]
mod tests {
    use super::of_output;

    #[test]
    fn the_score_of_what_was_printed() {
        for (printed, metric, pattern, is_percent, is_share) in [
            (
                "epoch 1 val acc 0.4\nTest accuracy: 81.87%\nbye\n",
                "accuracy",
                Some("Test accuracy: ([0-9.]+)%"),
                true,
                true,
            ),
            (
                "\x1b[32mtest acc\x1b[0m 81.87\r\n",
                "accuracy",
                Some("test acc ([0-9.]+)"),
                true,
                true,
            ),
            (
                "test acc 0.81",
                "accuracy",
                Some("test acc ([0-9.]+)"),
                false,
                true,
            ),
            (
                "BLEU = 27.5",
                "bleu",
                Some("^BLEU = ([-+0-9.eE]+)"),
                false,
                false,
            ),
            (
                "accuracy: 1\n{\"eval_accuracy\": 0.5, \"n\": 3}",
                "eval_accuracy",
                None,
                false,
                false,
            ),
        ] {
            let found = of_output(printed, "train acc 0.1").unwrap();
            let own = (
                &*found.metric,
                found.pattern.as_deref(),
                found.is_percent,
                found.is_share,
            );
            assert_eq!(own, (metric, pattern, is_percent, is_share), "{printed}");
        }
        assert_eq!(of_output("done\n\u{0}{[\n", ""), None);
    }
}
