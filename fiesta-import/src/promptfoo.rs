//! Results of promptfoo as JSON: `promptfoo eval -o out.json`.
//!
//! A result is of one test with one prompt and one provider. An arm is a provider with a prompt,
//! the test is the item, and each of the results of `--repeat` has a seed. A test is called by its
//! description or, if it has none, by its number from 0.

mod names;

use crate::{
    Result, Tool,
    choose::{self, Candidates},
    error::{no_answer, not_a_score, not_log},
    json::{Text, Value, lenient, start},
    pool::{Answer, Log, Outcome, TOKENS},
};
use fiesta_core::Direction;
use fiesta_records::Reading;
use fiesta_records::{
    text,
    words::{excerpt, quoted},
};
use names::{arms, items};
use serde::{Deserialize, de::IgnoredAny};
use std::collections::{BTreeMap, BTreeSet};

/// Returns whether a text that begins like this is promptfoo's output.
pub(crate) fn is(text: &str) -> bool {
    let start = start(text);
    start.starts_with("{\"evalId\":") && start.contains("\"results\":{")
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow)]
    results: Results<'a>,
    #[serde(rename = "runtimeOptions")]
    options: Option<Options>,
}

#[derive(Deserialize)]
struct Options {
    repeat: Option<u64>,
}

#[derive(Deserialize)]
struct Results<'a> {
    #[serde(borrow)]
    results: Vec<Answered<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answered<'a> {
    #[serde(borrow)]
    provider: Value<'a>,
    #[serde(borrow)]
    prompt: Option<Value<'a>>,
    #[serde(default)]
    prompt_idx: u64,
    test_idx: u64,
    #[serde(default)]
    test_case: Test,
    success: bool,
    score: Option<f64>,
    error: Option<IgnoredAny>,
    grading_result: Option<IgnoredAny>,
    /// Reason of a failure: 0 for none, 1 for a failed assertion, 2 for an error.
    failure_reason: Option<u8>,
    cost: Option<f64>,
    latency_ms: Option<f64>,
    token_usage: Option<Tokens>,
    #[serde(borrow)]
    named_scores: Option<BTreeMap<Text<'a>, Value<'a>>>,
}

#[derive(Deserialize, Default)]
struct Test {
    description: Option<String>,
    vars: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Tokens {
    prompt: Option<u64>,
    completion: Option<u64>,
}

/// Reads the output of promptfoo.
pub(crate) fn read(bytes: &[u8], options: &Reading, file: &str) -> Result<Log> {
    let text = text(bytes, file)?;
    let log = lenient(text, |text| {
        let output: Output<'_> = serde_json::from_str(text)?;
        Ok(of_output(&output, options, file))
    });
    log.map_err(|reason| not_log(file, Tool::Promptfoo, &reason))?
}

fn of_output(output: &Output<'_>, options: &Reading, file: &str) -> Result<Log> {
    let results = &output.results.results;
    if results.is_empty() {
        return Err(no_answer(file, Tool::Promptfoo));
    }
    let named: BTreeSet<&str> = results
        .iter()
        .filter_map(|result| result.named_scores.as_ref())
        .flat_map(|scores| scores.keys().map(|Text(name)| &**name))
        .collect();
    let metric = Metric::of(&named, options, file)?;
    let others: Vec<&str> = named
        .into_iter()
        .filter(|name| metric != Metric::Named(name))
        .collect();
    let usage = results.iter().any(|result| result.token_usage.is_some());
    let tokens: &[&str] = if usage { &TOKENS } else { &[] };
    let (places, arms) = arms(results, file);
    let repeat = output.options.as_ref().and_then(|options| options.repeat);
    let items = items(results, repeat.unwrap_or(1) > 1);
    let mut answers = Vec::with_capacity(results.len());
    for (number, (result, (item, seed))) in (1..).zip(results.iter().zip(items)) {
        let outcome = if result.failed() {
            Outcome::Failed
        } else {
            match metric.value(result) {
                None | Some(Value::Null) => Outcome::Missing,
                Some(value) => Outcome::of(value.number().ok_or_else(|| {
                    let place = format!("{file}: result {number}");
                    not_a_score(place, &excerpt(metric.name()), &value.shown())
                })?),
            }
        };
        let other = |name: &&str| {
            let value = Metric::Named(name).value(result);
            value.map_or_else(String::new, |value| value.cell())
        };
        let mut cells: Vec<String> = others.iter().map(other).collect();
        if usage {
            let said = result.token_usage.as_ref();
            let count =
                |count: Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
            cells.push(count(said.and_then(|tokens| tokens.prompt)));
            cells.push(count(said.and_then(|tokens| tokens.completion)));
        }
        answers.push(Answer {
            arm: places[&result.prompt_idx],
            item,
            content: None,
            seed,
            outcome,
            cost: result.cost,
            duration: result.latency_ms.map(|milliseconds| milliseconds / 1000.0),
            line: number,
            cells,
        });
    }
    let columns = others.iter().chain(tokens).map(|&name| {
        if name == metric.name() {
            format!("{}.{name}", Tool::Promptfoo)
        } else {
            Tool::Promptfoo.column(name)
        }
    });
    Ok(Log {
        file: file.to_owned(),
        task: None,
        arms,
        metric: metric.name().to_owned(),
        columns: columns.collect(),
        answers,
        direction: (metric.name() == "score").then_some(Direction::Maximize),
        place: |answer| format!(": result {}", answer.line),
        resolved_only: false,
        notices: Vec::new(),
    })
}

impl Answered<'_> {
    /// Returns whether the request failed, so that there is no answer to grade.
    fn failed(&self) -> bool {
        match self.failure_reason {
            Some(reason) => reason == 2,
            None => self.error.is_some() && self.grading_result.is_none(),
        }
    }
}

/// The part of a result that is used as the score.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Metric<'a> {
    /// The score of the result over all assertions is used.
    Score,
    /// Whether the result passed is used: 1 or 0.
    Pass,
    /// A named score of the result is used.
    Named(&'a str),
}

impl<'a> Metric<'a> {
    /// Returns the metric that the user asked for, or the score.
    fn of(named: &BTreeSet<&'a str>, options: &Reading, file: &str) -> Result<Self> {
        let find = |asked: &str| match (named.get(asked), asked) {
            (Some(&name), _) => Some(Self::Named(name)),
            (None, "score") => Some(Self::Score),
            (None, "pass") => Some(Self::Pass),
            (None, _) => None,
        };
        let known = quoted(["score", "pass"].iter().chain(named));
        let usual = [("score".to_owned(), Self::Score)];
        let scores = Candidates::scores(usual.into_iter(), known);
        choose::metric(options.metric.as_deref(), find, scores, file)
    }

    fn name(self) -> &'a str {
        match self {
            Self::Score => "score",
            Self::Pass => "pass",
            Self::Named(name) => name,
        }
    }

    fn value<'s>(self, result: &'s Answered<'s>) -> Option<Value<'s>> {
        match self {
            Self::Score => result.score.map(Value::Number),
            Self::Pass => Some(Value::Bool(result.success)),
            Self::Named(name) => {
                let mut scores = result.named_scores.iter().flatten();
                let found = scores.find(|(Text(key), _)| key == name);
                found.map(|(_, value)| value.clone())
            }
        }
    }
}
