//! Details of lighteval, a file for each model and task: `details/MODEL/DATE/details_TASK_DATE.parquet`.
//!
//! A row is a sample with its `doc` and, by their names, the scores in `metric`. Up to version 0.12
//! these columns are called `__doc__` and `__metric__`.

use crate::{
    Result, Tool,
    error::not_log,
    json::{Text, Value, fingerprint, lenient},
    pool::{FILE, Log, TASK, stem},
    scored::{Scored, Source, digest, stated},
};
use fiesta_records::text;
use serde::Deserialize;

#[derive(Deserialize)]
struct Detail<'a> {
    #[serde(borrow, alias = "__doc__")]
    doc: Doc<'a>,
    #[serde(borrow, alias = "__metric__")]
    metric: Value<'a>,
}

#[derive(Deserialize)]
struct Doc<'a> {
    #[serde(borrow)]
    query: Text<'a>,
    #[serde(borrow)]
    id: Option<Value<'a>>,
    task_name: Option<String>,
}

/// Returns whether this is the first line of such a file.
pub(crate) fn is(first: &str) -> bool {
    let read = |line: &str| serde_json::from_str::<Detail<'_>>(line).map(drop);
    first.contains("model_response") && lenient(first, read).is_ok()
}

/// Reads the details of a model on a task.
pub(crate) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Log> {
    let (mut task, mut answers) = (None, Vec::new());
    for (number, line) in (1..).zip(text(bytes, source.file)?.lines()) {
        let sample = lenient(line, |line| {
            let Detail { doc, metric } = serde_json::from_str(line)?;
            task = task.take().or(doc.task_name);
            let id = doc.id.and_then(|id| id.name());
            let scores = match metric {
                Value::Object(scores) => scores,
                _ => Vec::new(),
            };
            let scores = scores.into_iter();
            let scores = scores.map(|(name, value)| (name.into_owned(), stated(value.number())));
            Ok(Scored {
                item: id
                    .filter(|id| !id.is_empty())
                    .unwrap_or_else(|| digest(&doc.query.0)),
                content: Some(fingerprint(&doc.query.0)),
                scores: scores.collect(),
                ..Scored::default()
            })
        });
        let place = || format!("{}:{number}", source.file);
        answers.push(sample.map_err(|reason| not_log(place(), Tool::Lighteval, &reason))?);
    }
    let name = stem(source.file);
    let date = name.rsplit_once('_').map_or("", |(_, date)| date);
    let model = source.named(&[], &[&name, date]);
    let known = task.clone().unwrap_or_default();
    let arm = vec![("model", model), (TASK, known), (FILE, name.clone())];
    let log = source.log(vec![arm], &answers, None)?;
    Ok(Log { task, ..log })
}
