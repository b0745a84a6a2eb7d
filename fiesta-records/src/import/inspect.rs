//! Logs of Inspect AI: its `.eval` archives and its `.json` files.
//!
//! A log is of one model on one task. Of an archive, `header.json` and `summaries.json` are read,
//! which Inspect writes from 0.3.60 or so; where they are missing, the journal or the samples. A
//! sample is the item, its epoch the seed.

use super::{
    ImportError, ReadOptions, Tool,
    choose::{self, Candidates},
    error::{self, no_answer, not_a_score},
    json::{Text, Value, fingerprint, lenient, start},
    pool::{Answer, FILE, Log, Outcome, TASK, TOKENS, stem},
};
use crate::{
    rows,
    words::{agree, count, excerpt, quoted},
};
use serde::{Deserialize, de::IgnoredAny};
#[cfg(feature = "inspect")]
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The first bytes of a ZIP archive.
pub(super) const ZIP: &[u8] = b"PK\x03\x04";

/// Returns whether an archive is a log: its first member is the one of a log's journal.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    let name = &bytes[bytes.len().min(30)..];
    bytes.starts_with(ZIP) && (name.starts_with(b"_journal/") || name.starts_with(b"header.json"))
}

/// Returns whether a JSON text that begins like this is a log.
pub(super) fn is(text: &str) -> bool {
    let start = start(text);
    start.starts_with("{\"version\":")
        && start.contains("\"status\":")
        && start.contains("\"eval\":{")
}

/// The texts of an archive.
#[cfg(feature = "inspect")]
pub(super) struct Parts {
    pub(super) header: String,
    /// Lists of samples, or of summaries of them.
    pub(super) lists: Vec<String>,
}

/// What a log says of the whole evaluation.
#[derive(Deserialize)]
struct Header {
    status: Option<String>,
    eval: Evaluation,
    plan: Option<Plan>,
}

#[derive(Deserialize)]
struct Evaluation {
    task: String,
    model: String,
    solver: Option<String>,
}

#[derive(Deserialize)]
struct Plan {
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    solver: String,
}

/// The samples of a log that is one JSON text.
#[derive(Deserialize)]
struct Samples<'a> {
    #[serde(borrow)]
    samples: Option<Vec<Sample<'a>>>,
}

/// A sample or its summary.
#[derive(Deserialize)]
struct Sample<'a> {
    #[serde(borrow)]
    id: Value<'a>,
    #[serde(default = "first")]
    epoch: u64,
    #[serde(borrow)]
    target: Option<Value<'a>>,
    #[serde(borrow)]
    scores: Option<BTreeMap<Text<'a>, Score<'a>>>,
    #[serde(borrow, default)]
    model_usage: BTreeMap<Text<'a>, Usage>,
    total_time: Option<f64>,
    error: Option<IgnoredAny>,
    completed: Option<bool>,
}

fn first() -> u64 {
    1
}

#[derive(Deserialize)]
struct Score<'a> {
    #[serde(borrow)]
    value: Option<Value<'a>>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    total_cost: Option<f64>,
}

/// Reads a log that is a JSON text.
pub(super) fn read(bytes: &[u8], options: &ReadOptions, file: &str) -> Result<Log, ImportError> {
    let text = rows::text(bytes, file)?;
    let log = lenient(text, |text| {
        // Twice, as a flattened struct would keep all keys that are passed over.
        let header: Header = serde_json::from_str(text)?;
        let samples: Samples<'_> = serde_json::from_str(text)?;
        let samples = samples.samples.unwrap_or_default();
        Ok(of_samples(&header, &samples, options, file))
    });
    log.map_err(|reason| not_log(file, &reason))?
}

/// Reads the texts of an archive.
#[cfg(feature = "inspect")]
pub(super) fn of_parts(
    parts: &Parts,
    options: &ReadOptions,
    file: &str,
) -> Result<Log, ImportError> {
    let wrong = |reason: String| not_log(file, &reason);
    let header = lenient(&parts.header, |text| serde_json::from_str::<Header>(text));
    let header = header.map_err(wrong)?;
    // None of the texts is read twice but one with numbers that are none.
    let plain: Vec<Cow<'_, str>> = parts
        .lists
        .iter()
        .map(|list| list.as_str().into())
        .collect();
    let read = |lists: &[Cow<'_, str>]| {
        let mut samples = Vec::new();
        for list in lists {
            samples.append(&mut serde_json::from_str::<Vec<Sample<'_>>>(list)?);
        }
        Ok(of_samples(&header, &samples, options, file))
    };
    match read(&plain) {
        Ok(log) => log,
        Err(error) => {
            let error: serde_json::Error = error;
            let plain = plain
                .iter()
                .map(|list| match super::json::without_constants(list) {
                    Some(plain) => plain.into(),
                    None => Cow::Borrowed(&**list),
                });
            read(&plain.collect::<Vec<_>>()).map_err(|_| wrong(error.to_string()))?
        }
    }
}

fn not_log(file: &str, reason: &str) -> ImportError {
    error::not_log(file, Tool::Inspect, reason)
}

fn of_samples(
    header: &Header,
    samples: &[Sample<'_>],
    options: &ReadOptions,
    file: &str,
) -> Result<Log, ImportError> {
    let ended = |sample: &&Sample<'_>| {
        sample.completed != Some(false) || sample.error.is_some() || scored(sample)
    };
    let samples_ended = samples.iter().filter(ended).count();
    if samples_ended == 0 {
        return Err(no_answer(file, Tool::Inspect));
    }
    let status = header.status.as_deref().unwrap_or("started");
    if status != "success" && !samples.iter().any(scored) {
        return Err(ImportError::Unscored {
            file: file.to_owned(),
            status: excerpt(status),
        });
    }
    let candidates = candidates(samples);
    let metric = metric(&candidates, options, file)?;
    let others: Vec<&(String, Option<String>)> =
        candidates.iter().filter(|name| **name != metric).collect();
    let usage = samples.iter().any(|sample| !sample.model_usage.is_empty());
    let tokens: &[&str] = if usage { &TOKENS } else { &[] };
    let repeated = samples.iter().any(|sample| sample.epoch > 1);
    let mut answers = Vec::with_capacity(samples_ended);
    for (number, sample) in (1..).zip(samples).filter(|(_, sample)| ended(sample)) {
        let item = sample.id.name().unwrap_or_default();
        let value = value(sample, &metric);
        let outcome = match value {
            _ if sample.error.is_some() => Outcome::Failed,
            None | Some(Value::Null) => Outcome::Missing,
            Some(value) => Outcome::of(grade(value).ok_or_else(|| {
                let (item, epoch) = (excerpt(&item), sample.epoch);
                let place = format!("{file}: sample `{item}`, epoch {epoch}");
                not_a_score(place, &called(&metric), &value.shown())
            })?),
        };
        let usages = || sample.model_usage.values();
        let costs: Vec<f64> = usages().filter_map(|usage| usage.total_cost).collect();
        let mut cells: Vec<String> = others
            .iter()
            .map(|name| self::value(sample, name).map_or_else(String::new, Value::cell))
            .collect();
        if usage && sample.model_usage.is_empty() {
            cells.extend([String::new(), String::new()]);
        } else if usage {
            let input: u64 = usages().map(|usage| usage.input_tokens).sum();
            let output: u64 = usages().map(|usage| usage.output_tokens).sum();
            cells.extend([input.to_string(), output.to_string()]);
        }
        answers.push(Answer {
            arm: 0,
            content: sample.target.as_ref().and_then(|target| match target {
                Value::Text(text) => Some(fingerprint(text)),
                _ => None,
            }),
            item,
            seed: repeated.then_some(sample.epoch),
            outcome,
            cost: (!costs.is_empty()).then(|| costs.iter().sum()),
            duration: sample.total_time,
            line: number,
            cells,
        });
    }
    let columns = others.iter().map(|name| called(name));
    let columns = columns.chain(tokens.iter().map(|&name| name.to_owned()));
    let columns = columns.map(|name| Tool::Inspect.column(&name));
    let task = header.eval.task.trim().to_owned();
    Ok(Log {
        file: file.to_owned(),
        arms: vec![vec![
            ("model", header.eval.model.trim().to_owned()),
            (TASK, task.clone()),
            ("solver", solver(header)),
            (FILE, stem(file)),
        ]],
        task: Some(task),
        metric: called(&metric),
        columns: columns.collect(),
        answers,
        place: |answer| format!(": sample {}", answer.line),
        notices: notices(header, (samples.len() - samples_ended) as u64, file),
    })
}

/// Returns the notices about an evaluation that did not run to its end.
fn notices(header: &Header, unfinished: u64, file: &str) -> Vec<String> {
    let status = header.status.as_deref().unwrap_or("started");
    let ended = (status != "success").then(|| {
        format!(
            "{file}: the evaluation did not come to its end (status `{}`), and counts as far as it got",
            excerpt(status)
        )
    });
    let unfinished = (unfinished > 0).then(|| {
        let has = agree(unfinished, "has", "have");
        let samples = count(unfinished, "sample");
        format!("{file}: {samples} that {has} not ended left out")
    });
    ended.into_iter().chain(unfinished).collect()
}

/// The solver that was named, or the steps of the plan.
fn solver(header: &Header) -> String {
    match (&header.eval.solver, &header.plan) {
        (Some(solver), _) => solver.trim().to_owned(),
        (None, Some(plan)) => {
            let steps: Vec<&str> = plan.steps.iter().map(|step| step.solver.trim()).collect();
            steps.join("-")
        }
        (None, None) => String::new(),
    }
}

fn scored(sample: &Sample<'_>) -> bool {
    sample
        .scores
        .as_ref()
        .is_some_and(|scores| !scores.is_empty())
}

/// A scorer, and one of the keys of its values if they have keys.
type Name = (String, Option<String>);

/// Returns the name of a score: `scorer`, or `scorer.key`.
fn called((scorer, key): &Name) -> String {
    match key {
        Some(key) => format!("{scorer}.{key}"),
        None => scorer.clone(),
    }
}

/// Returns all scores that any of the samples has.
fn candidates(samples: &[Sample<'_>]) -> Vec<Name> {
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
fn metric(candidates: &[Name], options: &ReadOptions, file: &str) -> Result<Name, ImportError> {
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

/// A sample's value of a score.
fn value<'s, 'a>(sample: &'s Sample<'a>, (scorer, key): &Name) -> Option<&'s Value<'a>> {
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
fn grade(value: &Value<'_>) -> Option<f64> {
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
