//! Samples of lm-eval (the Language Model Evaluation Harness) as JSON lines.
//!
//! `lm_eval --output_path DIRECTORY --log_samples` writes
//! `DIRECTORY/MODEL/samples_TASK_DATE.jsonl`, a file per model and task with an object per document
//! and filter, and `results_DATE.json` beside them, which has the model's name as it was given:
//! that of the directory has `__` for `/`.

use super::{
    ImportError, ReadOptions, Tool,
    choose::{self, Candidates},
    error::{no_answer, not_a_score, not_log, refused, undecided},
    json::{Text, Value, fingerprint, lenient},
    pool::{self, Answer, FILE, Log, Outcome, TASK, stem},
};
use crate::{
    Choice, read_whole, rows,
    words::{excerpt, quoted},
};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use std::{borrow::Cow, fmt, fs, path::Path};

/// The keys of a sample that are neither understood nor a metric.
const PASSED_OVER: [&str; 7] = [
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "prompt_hash",
    "target_hash",
];

/// Returns whether this is the first line of a file of samples.
pub(super) fn is(first: &str) -> bool {
    let first = first.trim_start();
    first.starts_with('{')
        && ["\"doc_id\"", "\"filtered_resps\""]
            .iter()
            .all(|key| first.contains(key))
}

/// Returns whether this is the summary of a run, which has no samples.
pub(super) fn is_summary(text: &str) -> bool {
    let keys = ["\"results\"", "\"configs\"", "\"n-shot\""];
    text.trim_start().starts_with('{') && keys.iter().all(|key| text.contains(key))
}

/// Reads a file of samples; only its name is known if it is not on disk.
pub(super) fn read(
    bytes: &[u8],
    path: Option<&Path>,
    options: &ReadOptions,
    file: &str,
) -> Result<Log, ImportError> {
    let text = rows::text(bytes, file)?;
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

/// What is understood of a sample.
#[derive(Default)]
struct Sample<'a> {
    id: Option<Value<'a>>,
    content: Option<u64>,
    filter: Option<Cow<'a, str>>,
    /// The names of the metrics; earlier versions do not say them.
    metrics: Option<Vec<Text<'a>>>,
    /// All values that may be a metric.
    values: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Sample<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Sample<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the keys of a sample")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut sample = Sample::default();
        while let Some(Text(key)) = map.next_key()? {
            match &*key {
                "doc_id" => sample.id = Some(map.next_value()?),
                "doc_hash" => {
                    let hash: Option<Text<'_>> = map.next_value()?;
                    sample.content = hash.map(|Text(hash)| fingerprint(&hash));
                }
                "filter" => {
                    let filter: Option<Text<'_>> = map.next_value()?;
                    sample.filter = filter.map(|Text(filter)| filter);
                }
                "metrics" => sample.metrics = map.next_value()?,
                other if PASSED_OVER.contains(&other) => {
                    map.next_value::<IgnoredAny>()?;
                }
                _ => {
                    let value = map.next_value()?;
                    sample.values.push((key, value));
                }
            }
        }
        Ok(sample)
    }
}

/// Collects the samples of a file while it is read.
struct Samples<'a> {
    options: &'a ReadOptions,
    file: &'a str,
    /// The metric and the others, once a sample is known.
    metrics: Option<(String, Vec<String>)>,
    filters: Vec<String>,
    /// Each answer with the number of its filter.
    answers: Vec<(usize, Answer)>,
}

impl Samples<'_> {
    fn take(&mut self, sample: &Sample<'_>, line: u64) -> Result<(), ImportError> {
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
    fn log(self, path: Option<&Path>) -> Result<Log, ImportError> {
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
        let (model, task) = model_and_task(path, self.file);
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
            answers: answers.map(|(_, answer)| answer).collect(),
            place: pool::line,
            notices: Vec::new(),
        })
    }
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
fn metrics(
    sample: &Sample<'_>,
    options: &ReadOptions,
    file: &str,
) -> Result<(String, Vec<String>), ImportError> {
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

/// The name of the model and of the task: from where lm-eval writes its files, or else the model is
/// called as the file.
fn model_and_task(path: Option<&Path>, file: &str) -> (String, Option<String>) {
    let named = path.unwrap_or(Path::new(file));
    let Some((task, date)) = task_and_date(named) else {
        return (stem(file), None);
    };
    let results = path.map(|path| path.with_file_name(format!("results_{date}.json")));
    let folder = || {
        let whole = path.and_then(|path| fs::canonicalize(path).ok());
        let folder = whole.as_deref().unwrap_or(named).parent()?.file_name()?;
        Some(folder.to_string_lossy().into_owned())
    };
    let model = results.and_then(|results| model_name(&results));
    (
        model.or_else(folder).unwrap_or_else(|| stem(file)),
        Some(task),
    )
}

/// From `samples_TASK_DATE.jsonl`.
fn task_and_date(path: &Path) -> Option<(String, String)> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_prefix("samples_")?.strip_suffix(".jsonl")?;
    let (task, date) = name.rsplit_once('_')?;
    let year = date.split('-').next()?;
    let is_date = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
    (is_date && date.contains('T')).then(|| (task.to_owned(), date.to_owned()))
}

fn model_name(results: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Results {
        model_name: Option<String>,
    }
    let text = String::from_utf8(read_whole(results).ok()?).ok()?;
    let read = |text: &str| serde_json::from_str::<Results>(text);
    let name = lenient(&text, read).ok()?.model_name?;
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_stand_in_the_names_of_files() {
        let found = |name: &str| task_and_date(Path::new(name)).map(|(task, _)| task);
        let dated = "out/m/samples_mmlu_pro_2026-11-23T03-22-37.960093.jsonl";
        assert_eq!(found(dated).as_deref(), Some("mmlu_pro"));
        for name in [
            "samples_mmlu.jsonl",
            "large.jsonl",
            "samples_a_20-1T.jsonl",
            "",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
    }
}
