//! Logs of Inspect AI: its `.eval` archives and its `.json` files.
//!
//! A log is of one model on one task. Of an archive, `header.json` and `summaries.json` are read,
//! which Inspect writes from 0.3.60 or so; where they are missing, the journal or the samples. A
//! sample is the item, its epoch the seed.

mod scores;

use crate::{
    ImportError, Result, Tool,
    error::{self, no_answer, not_a_score},
    json::{Text, Value, fingerprint, lenient, start},
    metadata,
    pool::{Answer, FILE, Log, Outcome, TASK, TOKENS, stem},
};
use fiesta_records::Reading;
use fiesta_records::{
    text,
    words::{agree, count, excerpt},
};
use scores::{called, candidates, grade, metric, scored};
use serde::{Deserialize, de::IgnoredAny};
#[cfg(feature = "inspect")]
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The first bytes of a ZIP archive.
pub(crate) const ZIP: &[u8] = b"PK\x03\x04";

/// Returns whether an archive is a log: its first member is the one of a log's journal.
pub(crate) fn is_archive(bytes: &[u8]) -> bool {
    let name = &bytes[bytes.len().min(30)..];
    bytes.starts_with(ZIP) && (name.starts_with(b"_journal/") || name.starts_with(b"header.json"))
}

/// Returns whether a JSON text that begins like this is a log.
pub(crate) fn is(text: &str) -> bool {
    let start = start(text);
    start.starts_with("{\"version\":")
        && start.contains("\"status\":")
        && start.contains("\"eval\":{")
}

/// Texts that were read from an archive of Inspect AI.
#[cfg(feature = "inspect")]
pub(crate) struct Parts {
    pub(crate) header: String,
    /// JSON lists of samples, or of summaries of samples.
    pub(crate) lists: Vec<String>,
}

/// Header of a log: what holds for the whole evaluation.
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

/// Samples of a log in JSON.
#[derive(Deserialize)]
struct Samples<'a> {
    #[serde(borrow)]
    samples: Option<Vec<Sample<'a>>>,
}

/// A sample of a log, or the summary of a sample.
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
    #[serde(borrow)]
    metadata: Option<Value<'a>>,
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

/// Reads a log of Inspect AI in JSON.
pub(crate) fn read(bytes: &[u8], options: &Reading, file: &str) -> Result<Log> {
    let text = text(bytes, file)?;
    let log = lenient(text, |text| {
        // Twice, as a flattened struct would keep all keys that are passed over.
        let header: Header = serde_json::from_str(text)?;
        let samples: Samples<'_> = serde_json::from_str(text)?;
        let samples = samples.samples.unwrap_or_default();
        Ok(of_samples(&header, &samples, options, file))
    });
    log.map_err(|reason| not_log(file, &reason))?
}

/// Reads a log from the texts of its archive.
#[cfg(feature = "inspect")]
pub(crate) fn of_parts(parts: &Parts, options: &Reading, file: &str) -> Result<Log> {
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
    options: &Reading,
    file: &str,
) -> Result<Log> {
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
    let name = |sample: &Sample<'_>| sample.id.name().unwrap_or_default();
    let groups = metadata::keys(
        samples
            .iter()
            .map(|sample| (name(sample), sample.metadata.as_ref())),
    );
    let repeated = samples.iter().any(|sample| sample.epoch > 1);
    let mut answers = Vec::with_capacity(samples_ended);
    for (number, sample) in (1..).zip(samples).filter(|(_, sample)| ended(sample)) {
        let item = name(sample);
        let value = scores::value(sample, &metric);
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
            .map(|name| scores::value(sample, name).map_or_else(String::new, Value::cell))
            .collect();
        if usage && sample.model_usage.is_empty() {
            cells.extend([String::new(), String::new()]);
        } else if usage {
            let input: u64 = usages().map(|usage| usage.input_tokens).sum();
            let output: u64 = usages().map(|usage| usage.output_tokens).sum();
            cells.extend([input.to_string(), output.to_string()]);
        }
        let text = |key: &&str| metadata::text(sample.metadata.as_ref(), key);
        cells.extend(groups.iter().map(text));
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
    let mut columns: Vec<String> = columns.map(|name| Tool::Inspect.column(&name)).collect();
    for group in groups {
        let name = Tool::Inspect.column(group);
        let is_taken = columns.contains(&name) || name == called(&metric);
        columns.push(if is_taken {
            format!("metadata.{group}")
        } else {
            name
        });
    }
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
        columns,
        answers,
        place: |answer| format!(": sample {}", answer.line),
        resolved_only: false,
        direction: None,
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

/// Returns the name of the solver, or else the names of the steps of the plan.
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
