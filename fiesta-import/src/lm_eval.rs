//! Samples of lm-eval (the Language Model Evaluation Harness) as JSON lines.
//!
//! `lm_eval --output_path DIRECTORY --log_samples` writes
//! `DIRECTORY/MODEL/samples_TASK_DATE.jsonl`, a file per model and task with an object per document
//! and filter, and `results_DATE.json` beside them.

mod sample;

use crate::{
    Result, Tool,
    choose::{self, Candidates},
    error::{no_answer, not_a_score, not_log, refused, undecided},
    json::{Text, Value, lenient},
    lm_eval_results::{self, Origin},
    pool::{self, Answer, FILE, Log, Outcome, TASK, stem},
};
use fiesta_core::Direction;
use fiesta_records::{
    Choice, Reading, text,
    words::{excerpt, quoted},
};
use sample::Sample;
use std::path::Path;

/// Returns whether this is the first line of a file of samples.
pub(crate) fn is(first: &str) -> bool {
    let first = first.trim_start();
    first.starts_with('{')
        && ["\"doc_id\"", "\"filtered_resps\""]
            .iter()
            .all(|key| first.contains(key))
}

/// Returns whether this is the summary of a run, which has no samples.
pub(crate) fn is_summary(text: &str) -> bool {
    let keys = ["\"results\"", "\"configs\"", "\"n-shot\""];
    text.trim_start().starts_with('{') && keys.iter().all(|key| text.contains(key))
}

/// Reads a file of samples. Model and task are known from its path only if it is on disk.
pub(crate) fn read(
    bytes: &[u8],
    path: Option<&Path>,
    options: &Reading,
    file: &str,
) -> Result<Log> {
    let text = text(bytes, file)?;
    if is_summary(text) {
        return Err(refused(format!(
            "{file} is lm-eval's summary of each task, from which nobody can tell how sure it is which model is best: run lm_eval with \
             --log_samples, and name the files samples_TASK_DATE.jsonl of all models"
        )));
    }
    let mut samples = Samples {
        options,
        file,
        metrics: None,
        filters: Vec::new(),
        answers: Vec::new(),
    };
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let taken = lenient(text, |text| {
            serde_json::from_str(text).map(|sample| samples.take(&sample, line))
        });
        taken.map_err(|reason| {
            let reason = reason.replacen("line 1 ", "", 1);
            not_log(format!("{file}:{line}"), Tool::LmEval, &reason)
        })??;
    }
    samples.log(path)
}

/// Reader that collects the samples of a file.
struct Samples<'a> {
    options: &'a Reading,
    file: &'a str,
    /// Names of the metric and of further metrics. `None` before the first sample.
    metrics: Option<(String, Vec<String>)>,
    filters: Vec<String>,
    /// Answers of the file, each with the number of its filter.
    answers: Vec<(usize, Answer)>,
}

impl Samples<'_> {
    fn take(&mut self, sample: &Sample<'_>, line: u64) -> Result<()> {
        let place = || format!("{}:{line}", self.file);
        let item = sample.id.as_ref().and_then(Value::name);
        let item = item.ok_or_else(|| {
            let reason = "there is no `doc_id` that is a number or a text";
            not_log(place(), Tool::LmEval, reason)
        })?;
        if self.metrics.is_none() {
            self.metrics = Some(metrics(sample, self.options, self.file)?);
        }
        let Some((metric, others)) = &self.metrics else {
            return Ok(());
        };
        let value = |name: &str| sample.values.iter().find(|(key, _)| key == name);
        let outcome = match value(metric).map(|(_, value)| value) {
            Some(Value::Null) => Outcome::Missing,
            Some(value) => Outcome::of(
                value
                    .number()
                    .ok_or_else(|| not_a_score(place(), &excerpt(metric), &value.shown()))?,
            ),
            None => {
                return Err(refused(format!(
                    "{}: there is no `{}` here, only {}: name a score that all have with --metric",
                    place(),
                    excerpt(metric),
                    quoted(known(sample))
                )));
            }
        };
        let cell = |name: &String| value(name).map_or_else(String::new, |(_, value)| value.cell());
        let cells = others.iter().map(cell).collect();
        let name = sample.filter.as_deref().unwrap_or_default();
        let filter = self.filters.iter().position(|filter| filter == name);
        let filter = filter.unwrap_or_else(|| {
            self.filters.push(name.to_owned());
            self.filters.len() - 1
        });
        let answer = Answer {
            arm: 0,
            item,
            content: sample.content,
            seed: None,
            outcome,
            cost: None,
            duration: None,
            line,
            cells,
        };
        self.answers.push((filter, answer));
        Ok(())
    }

    /// Returns the answers of the filter that the user asked for, or of the only filter.
    fn log(self, path: Option<&Path>) -> Result<Log> {
        let file = self.file;
        let Some((metric, others)) = self.metrics else {
            return Err(no_answer(self.file, Tool::LmEval));
        };
        let asked = self.options.filter.as_deref().map(str::trim);
        let filter = match (asked, self.filters.len()) {
            (None, 0 | 1) => Some(0),
            (None, _) => {
                return Err(undecided(
                    format!(
                        "{file}: the answers are scored after several filters: name one of {} with --filter",
                        quoted(&self.filters)
                    ),
                    Choice::among("filter", self.filters),
                ));
            }
            (Some(asked), _) => self.filters.iter().position(|filter| filter == asked),
        };
        let filter = filter.ok_or_else(|| {
            refused(format!(
                "{file}: there is no filter `{}`, only {}: name another with --filter",
                excerpt(asked.unwrap_or_default()),
                quoted(&self.filters)
            ))
        })?;
        let answers = self.answers.into_iter();
        let answers = answers.filter(|(of, _)| *of == filter);
        let columns = others.iter().map(|name| Tool::LmEval.column(name));
        let Origin {
            model,
            task,
            results,
        } = lm_eval_results::origin(path, self.file);
        let answers: Vec<Answer> = answers.map(|(_, answer)| answer).collect();
        let of_pool = results.part(task.as_deref(), &answers);
        let stated = results.direction(task.as_deref(), &metric);
        let is_likelihood = metric.contains("perplexity") && are_below_zero(&answers);
        let said = is_likelihood.then(|| {
            format!(
                "`{}` of a single answer is its log-likelihood here, of which larger is better",
                excerpt(&metric)
            )
        });
        let direction = said.as_ref().map(|_| Direction::Maximize).or(stated);
        Ok(Log {
            arms: vec![vec![
                ("model", model),
                (TASK, task.clone().unwrap_or_default()),
                (FILE, stem(self.file)),
            ]],
            task,
            file: file.to_owned(),
            metric,
            columns: columns.collect(),
            answers,
            place: pool::line,
            direction,
            resolved_only: false,
            notices: of_pool.into_iter().chain(said).collect(),
        })
    }
}

/// Returns whether there are scores, all of them below 0.
fn are_below_zero(answers: &[Answer]) -> bool {
    let mut scores = answers.iter().filter_map(|answer| match answer.outcome {
        Outcome::Scored(score) => Some(score),
        Outcome::Failed | Outcome::Missing => None,
    });
    scores.next().is_some_and(|first| first < 0.0) && scores.all(|score| score < 0.0)
}

/// The names of the metrics of a sample.
fn known<'a>(sample: &'a Sample<'_>) -> Vec<&'a str> {
    if let Some(metrics) = &sample.metrics {
        return metrics.iter().map(|Text(metric)| &**metric).collect();
    }
    let values = sample.values.iter();
    let numbers = values.filter(|(_, value)| value.number().is_some());
    numbers.map(|(key, _)| &**key).collect()
}

/// Returns the metric that the user asked for, or the only one, and the other metrics.
fn metrics(sample: &Sample<'_>, options: &Reading, file: &str) -> Result<(String, Vec<String>)> {
    let known = known(sample);
    let find = |asked: &str| known.iter().copied().find(|name| *name == asked);
    let all = sample.values.iter().map(|(key, _)| &**key);
    let shown = match options.metric {
        Some(_) => quoted(&known),
        None => quoted(all),
    };
    let named = known.iter().map(|&name| (name.to_owned(), name));
    let scores = Candidates::scores(named, shown);
    let metric = choose::metric(options.metric.as_deref(), find, scores, file)?;
    let others = known.iter().filter(|name| **name != metric);
    Ok((
        metric.to_owned(),
        others.map(|&name| name.to_owned()).collect(),
    ))
}
