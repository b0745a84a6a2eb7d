//! Results of EvalPlus: `eval_results.json`, or `SAMPLES_eval_results.json`.
//!
//! A sample passes `base` if it passes the tests of the original benchmark, and `plus` if it passes
//! these and the further ones, which is what EvalPlus itself reports.

use crate::{
    Result,
    json::{fingerprint, start},
    pool::{FILE, Log, stem},
    scored::{Scored, Source, truth},
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns whether a text that begins like this holds results of EvalPlus.
pub(crate) fn is(text: &str) -> bool {
    let start = start(text);
    start.starts_with("{\"date\":") && start.contains("\"hash\":") && start.contains("\"eval\":{")
}

#[derive(Deserialize)]
struct Results {
    hash: Option<String>,
    eval: BTreeMap<String, Task>,
}

/// Samples of a task in EvalPlus' results.
#[derive(Deserialize)]
#[serde(untagged)]
enum Task {
    Samples(Vec<Sample>),
    /// Samples as versions before 0.2.1 wrote them: a list `[status, details]` of each sample.
    Earlier {
        base: Vec<Value>,
        #[serde(default)]
        plus: Vec<Value>,
    },
}

#[derive(Deserialize)]
struct Sample {
    base_status: Option<String>,
    plus_status: Option<String>,
}

impl Task {
    /// Returns the statuses of each sample, after the base tests and after the further ones.
    fn statuses(&self) -> Vec<[Option<&str>; 2]> {
        match self {
            Self::Samples(samples) => samples
                .iter()
                .map(|sample| [sample.base_status.as_deref(), sample.plus_status.as_deref()])
                .collect(),
            Self::Earlier { base, plus } => (0..base.len())
                .map(|at| [base, plus].map(|list| list.get(at)?.get(0)?.as_str()))
                .collect(),
        }
    }
}

/// Reads the results of a file of EvalPlus.
pub(crate) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Log> {
    let results: Results = source.json(bytes)?;
    // The further tests differ from version to version.
    let by_base = source.options.metric.as_deref().map(str::trim) == Some("base");
    let hash = results.hash.as_deref().filter(|_| !by_base);
    let passed = |status: &str| ["pass", "success"].contains(&status);
    let mut answers = Vec::new();
    for (task, samples) in &results.eval {
        for (repeat, [base, plus]) in (0..).zip(samples.statuses()) {
            let passed_base = base.map(passed);
            let passed_plus = plus.map(|plus| passed(plus) && passed_base == Some(true));
            let scores = [("base", passed_base), ("plus", passed_plus)];
            let scores = scores.into_iter();
            answers.push(Scored {
                item: task.trim().to_owned(),
                content: hash.map(|hash| fingerprint(&hash)),
                repeat,
                scores: scores
                    .filter_map(|(name, passed)| Some((name.to_owned(), truth(passed?))))
                    .collect(),
                ..Scored::default()
            });
        }
    }
    let model = source.named(&["_eval_results"], &["eval_results"]);
    let arm = vec![("model", model), (FILE, stem(source.file))];
    source.log(vec![arm], &answers, None)
}
