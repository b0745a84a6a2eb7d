//! Logs of OpenAI's evals as JSON lines: `oaieval` with its local recorder.
//!
//! The first line is the specification of the run, the last one its report, and each line between
//! is an event of a sample. What is scored are the events `match` and `metrics`; of several for a
//! sample, the mean, as the tool's own report does over all of them.

use crate::{
    Result, Tool,
    error::not_log,
    json::{Text, Value, fingerprint, lenient, start},
    pool::{FILE, Log, TASK, stem},
    scored::{Scored, Source, stated},
};
use fiesta_records::text;
use serde::{Deserialize, de::IgnoredAny};
use std::{borrow::Cow, collections::HashMap};

/// Returns whether this is the first line of a log of OpenAI's evals.
pub(crate) fn is(first: &str) -> bool {
    start(first).starts_with("{\"spec\":{") && first.contains("\"completion_fns\"")
}

#[derive(Deserialize)]
struct Line<'a> {
    spec: Option<Spec>,
    final_report: Option<IgnoredAny>,
    #[serde(borrow)]
    sample_id: Option<Text<'a>>,
    #[serde(borrow, rename = "type")]
    event: Option<Text<'a>>,
    #[serde(borrow)]
    data: Option<Value<'a>>,
}

#[derive(Deserialize)]
struct Spec {
    completion_fns: Vec<String>,
    eval_name: Option<String>,
    run_id: Option<String>,
}

/// Results of a sample, collected from its events.
#[derive(Default)]
struct Sample {
    id: String,
    content: Option<u64>,
    erred: bool,
    /// Name of each metric of a sample, the sum of its values, and their number.
    scores: Vec<(String, f64, u32)>,
}

impl Sample {
    fn take(&mut self, event: &str, data: &[(Cow<'_, str>, Value<'_>)]) {
        match event {
            "error" => self.erred = true,
            "match" | "metrics" => {
                for (name, value) in data {
                    match (value, value.number()) {
                        (Value::Text(text), _) if name == "expected" => {
                            self.content = self.content.or_else(|| Some(fingerprint(text)));
                        }
                        (_, Some(number)) if name != "expected" && name != "picked" => {
                            self.add(name, number);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, name: &str, number: f64) {
        match self.scores.iter_mut().find(|(known, ..)| known == name) {
            Some((_, sum, count)) => {
                *sum += number;
                *count += 1;
            }
            None => self.scores.push((name.to_owned(), number, 1)),
        }
    }

    fn scored(self) -> Scored {
        let mean =
            |(name, sum, count): (String, f64, u32)| (name, stated(Some(sum / f64::from(count))));
        Scored {
            item: self.id,
            content: self.content,
            failed: self.erred && self.scores.is_empty(),
            scores: self.scores.into_iter().map(mean).collect(),
            ..Scored::default()
        }
    }
}

/// Reads a log of OpenAI's evals.
pub(crate) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Log> {
    let file = source.file;
    let mut spec = None;
    let mut ended = false;
    let mut samples: Vec<Sample> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (number, line) in (1..).zip(text(bytes, file)?.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let taken = lenient(line, |line| {
            let line: Line<'_> = serde_json::from_str(line)?;
            spec = spec.take().or(line.spec);
            ended |= line.final_report.is_some();
            let Some(Text(id)) = line.sample_id else {
                return Ok(());
            };
            let place = *places.entry(id.trim().to_owned()).or_insert_with(|| {
                let id = id.trim().to_owned();
                samples.push(Sample {
                    id,
                    ..Sample::default()
                });
                samples.len() - 1
            });
            if let (Some(Text(event)), Some(Value::Object(data))) = (line.event, line.data) {
                samples[place].take(&event, &data);
            }
            Ok(())
        });
        taken.map_err(|reason| {
            let reason = reason.replacen("line 1 ", "", 1);
            not_log(format!("{file}:{number}"), Tool::OpenAiEvals, &reason)
        })?;
    }
    let spec = spec.ok_or_else(|| not_log(file, Tool::OpenAiEvals, "no line has a `spec`"))?;
    let model = spec
        .completion_fns
        .first()
        .map(|name| name.trim().to_owned());
    let task = spec.eval_name.map(|name| name.trim().to_owned());
    let arm = vec![
        ("model", model.unwrap_or_else(|| stem(file))),
        (TASK, task.clone().unwrap_or_default()),
        ("run", spec.run_id.unwrap_or_default()),
        (FILE, stem(file)),
    ];
    let answers: Vec<Scored> = samples.into_iter().map(Sample::scored).collect();
    let mut log = source.log(vec![arm], &answers, Some("correct"))?;
    log.task = task;
    log.notices.extend((!ended).then(|| {
        format!("{file}: the evaluation did not come to its end (there is no final report), and counts as far as it got")
    }));
    Ok(log)
}
