//! Reports of SWE-bench: `MODEL.RUN.json` of its harness, and `results.json` of its leaderboard.
//!
//! Both are lists of the names of instances. What has no patch is not resolved; what ended with an
//! error is a failure.

use crate::{
    Result, Tool,
    error::{not_log, refused},
    json::start,
    pool::{Answer, FILE, Log, Outcome, stem},
    scored::{Scored, Source, truth},
};
use fiesta_records::words::{agree, count};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Returns whether a JSON text is a report of SWE-bench.
pub(crate) fn is(text: &str) -> bool {
    let start = start(text);
    let has = |names: &[&str]| names.iter().any(|name| text.contains(name));
    let report =
        start.contains("\"total_instances\":") || start.contains("\"submitted_instances\":");
    let lists = ["no_generation", "resolved"].iter().any(|name| {
        let list = start.strip_prefix(&format!("{{\"{name}\":["));
        // Lists of numbers are scores of arms with odd names.
        list.is_some_and(|list| list.starts_with(['"', ']']))
    });
    let names = has(&["\"resolved\""]) && has(&["\"no_generation\"", "\"no_logs\""]);
    start.starts_with('{') && (report && has(&["\"resolved_ids\""]) || lists && names)
}

/// Names of the instances of a report, by their outcome. Aliases are the keys of earlier versions
/// and of the leaderboard.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Report {
    total_instances: Option<u64>,
    #[serde(alias = "resolved")]
    resolved_ids: Option<Vec<String>>,
    #[serde(alias = "unresolved")]
    unresolved_ids: Vec<String>,
    #[serde(alias = "no_generation")]
    empty_patch_ids: Vec<String>,
    #[serde(alias = "generated")]
    completed_ids: Vec<String>,
    no_apply: Vec<String>,
    error_ids: Vec<String>,
    no_logs: Vec<String>,
    install_fail: Vec<String>,
    reset_failed: Vec<String>,
    test_errored: Vec<String>,
    test_timeout: Vec<String>,
}

impl Report {
    /// Returns the outcome of each instance. If several lists name an instance, the last one decides.
    fn outcomes(&self, resolved: &[String]) -> BTreeMap<String, Outcome> {
        let failed = [
            &self.error_ids,
            &self.no_logs,
            &self.install_fail,
            &self.reset_failed,
            &self.test_errored,
            &self.test_timeout,
        ];
        let unresolved = [
            &self.completed_ids,
            &self.unresolved_ids,
            &self.empty_patch_ids,
            &self.no_apply,
        ];
        let unresolved = unresolved
            .into_iter()
            .flatten()
            .map(|name| (name, truth(false)));
        let failed = failed
            .into_iter()
            .flatten()
            .map(|name| (name, Outcome::Failed));
        let resolved = resolved.iter().map(|name| (name, truth(true)));
        let all = unresolved.chain(failed).chain(resolved);
        all.map(|(name, outcome)| (name.trim().to_owned(), outcome))
            .collect()
    }
}

/// Reads a report of SWE-bench.
pub(crate) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Log> {
    let report: Report = source.json(bytes)?;
    let resolved = report.resolved_ids.as_deref().ok_or_else(|| {
        let reason = "there is no list `resolved_ids` or `resolved`";
        not_log(source.file, Tool::SweBench, reason)
    })?;
    let outcomes = report.outcomes(resolved);
    let known = outcomes.len() as u64;
    let scored = |(item, outcome)| Scored {
        item,
        scores: vec![("resolved".to_owned(), outcome)],
        ..Scored::default()
    };
    let answers: Vec<Scored> = outcomes.into_iter().map(scored).collect();
    let (model, run) = model_and_run(source);
    let arm = vec![("model", model), ("run", run), (FILE, stem(source.file))];
    let mut log = source.log(vec![arm], &answers, Some("resolved"))?;
    let lists_others = [&report.completed_ids, &report.unresolved_ids]
        .iter()
        .any(|list| !list.is_empty());
    log.resolved_only = report.total_instances.is_none() && !lists_others;
    if let Some(total) = report.total_instances.filter(|total| *total > known) {
        let others = total - known;
        let has = agree(others, "has none and is", "have none and are");
        log.notices.push(format!(
            "{}: {known} of {total} instances have a result; {others} {has} left out",
            source.file
        ));
    }
    Ok(log)
}

/// Returns the names of model and run from the file's name `MODEL.RUN.json`, or else the directory's name.
fn model_and_run(source: &Source<'_>) -> (String, String) {
    const PLAIN: [&str; 3] = ["results", "report", "resolved"];
    let named = source.named(&[], &PLAIN);
    match named.rsplit_once('.') {
        Some((model, run)) if named == stem(source.file) && !model.is_empty() => {
            (model.to_owned(), run.to_owned())
        }
        _ => (named, String::new()),
    }
}

/// Completes reports that list nothing of what was not resolved: instances that other logs name
/// have the score 0.
pub(crate) fn complete(logs: &mut [Log]) -> Result<()> {
    let all: BTreeSet<String> = logs
        .iter()
        .flat_map(|log| &log.answers)
        .map(|answer| answer.item.clone())
        .collect();
    let only = logs.len() == 1;
    for log in logs.iter_mut().filter(|log| log.resolved_only) {
        if only {
            return Err(refused(format!(
                "{}: the instances that were tried and not resolved are not listed: read it together with reports of other models",
                log.file
            )));
        }
        let known: BTreeSet<&str> = log.answers.iter().map(|answer| &*answer.item).collect();
        let others: Vec<&String> = all
            .iter()
            .filter(|item| !known.contains(&***item))
            .collect();
        let (told, counts) = (
            count(others.len() as u64, "instance"),
            agree(others.len() as u64, "counts", "count"),
        );
        log.notices.push(format!(
            "{}: what was tried and not resolved is not listed: {told} that other reports name {counts} as not resolved, and what no report \
             names is left out",
            log.file
        ));
        let answers = others.into_iter().map(|item| Answer {
            arm: 0,
            item: item.clone(),
            content: None,
            seed: None,
            outcome: truth(false),
            cost: None,
            duration: None,
            line: 0,
            cells: Vec::new(),
        });
        let answers: Vec<_> = answers.collect();
        log.answers.extend(answers);
    }
    Ok(())
}
