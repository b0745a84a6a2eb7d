//! Failures of a study by their causes, and the advice that follows from them.

use crate::{
    history::{Cause, Ending, History},
    study::Study,
};
use fiesta_core::{ArmId, Outcome, Reason};
use fiesta_report::analysis::study::StudyFacts;
use serde::Serialize;
use std::{
    collections::{BTreeSet, HashMap},
    path::PathBuf,
};

/// Evaluations that failed for the same cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailureGroup {
    /// Number of evaluations that failed for this cause.
    pub count: u64,
    /// The arms of the evaluations that failed for this cause.
    pub arms: Vec<String>,
    /// The number of the first evaluation that failed for this cause, from 1.
    pub evaluation: u64,
    /// Why the first evaluation failed for this cause: its message, with the end of its output.
    pub message: String,
    /// The file with the output of the first evaluation that failed for this cause.
    pub log: PathBuf,
    /// The arm of the first evaluation that failed for this cause.
    #[serde(skip)]
    pub arm: String,
    /// What the first evaluation that failed for this cause was made on, and with, in words.
    #[serde(skip)]
    pub description: String,
}

/// The failures of a study's own evaluations, in the order of the first of each cause.
pub fn failures(study: &Study, history: &History) -> Vec<FailureGroup> {
    let name = |arm: ArmId| study.arms().name(arm).to_owned();
    let mut places: HashMap<Cause, usize> = HashMap::new();
    let mut groups: Vec<(FailureGroup, BTreeSet<ArmId>)> = Vec::new();
    let own = history
        .records
        .values()
        .filter(|record| record.origin.is_none());
    for record in own {
        let failed = |ending: &&Ending| ending.outcome == Outcome::Failed;
        let Some(ending) = record.ending.as_ref().filter(failed) else {
            continue;
        };
        let evaluation = &record.evaluation;
        let cause = Cause::of(study, evaluation, ending);
        let place = *places.entry(cause).or_insert(groups.len());
        if place == groups.len() {
            let message = ending.message.as_deref().unwrap_or("for unknown reasons");
            let group = FailureGroup {
                count: 0,
                arms: Vec::new(),
                evaluation: evaluation.id.0 + 1,
                message: message.to_owned(),
                log: study.run_directory(&study.run_id(evaluation, record.attempt)),
                arm: name(evaluation.arm),
                description: study.describe(evaluation),
            };
            groups.push((group, BTreeSet::new()));
        }
        groups[place].0.count += 1;
        groups[place].1.insert(evaluation.arm);
    }
    let named = groups.into_iter().map(|(group, arms)| FailureGroup {
        arms: arms.into_iter().map(name).collect(),
        ..group
    });
    named.collect()
}

/// Returns advice on how to continue with arms that have failed, or whose failures may decide. `None`
/// if no arm needs it.
pub fn advice(study: &Study, history: &History, facts: &StudyFacts) -> Option<String> {
    let file = study.path.file_name().unwrap_or_default();
    let command = format!("fiesta run {}", file.to_string_lossy());
    if history.failed_alike(study) {
        return Some(format!(
            "every evaluation failed alike: once the cause is mended, `{command}` goes on, with --accept-changes if the study file was edited, and these failures are not held against the arms"
        ));
    }
    let view = history.selector.view();
    let conclusion = history.selector.conclusion();
    let has_ended = conclusion.is_some();
    // Where the study ended with a verdict that stands, nobody needs what failed.
    let is_exhausted = conclusion.is_some_and(|end| end.reason == Reason::Exhausted);
    let decisive = facts.arm_of_decisive_failures();
    let lacks_answers = is_exhausted || decisive.is_some();
    let needs_it = |arm: &ArmId| {
        let is_retired = !view.candidates().contains(arm);
        let is_missing = is_exhausted || decisive.as_deref() == Some(study.arms().name(*arm));
        let lacks_answers = || is_missing && !history.unanswered(study, *arm).is_empty();
        is_retired || (has_ended && history.has_failed(*arm)) || lacks_answers()
    };
    let arms = history.selector.arms().ids().filter(needs_it);
    let names: Vec<&str> = arms.map(|arm| study.arms().name(arm)).collect();
    let [first, others @ ..] = names.as_slice() else {
        return None;
    };
    let again = match others {
        [] if lacks_answers => format!(
            "once the cause is mended, `{command} --retry {first}` makes again what failed of {first}"
        ),
        _ if lacks_answers => format!(
            "once the cause is mended, `{command} --retry all` makes again what failed of {}, and `--retry {first}` of one of them",
            names.join(", ")
        ),
        [] => {
            format!("once the cause is mended, `{command} --retry {first}` lets {first} come back")
        }
        _ => format!(
            "once the cause is mended, `{command} --retry all` lets {} come back, and `--retry {first}` one of them",
            names.join(", ")
        ),
    };
    Some(if history.selector.is_at_limit() {
        format!(
            "{again}, with a larger budget under [goal] and --accept-changes: this one is spent"
        )
    } else {
        again
    })
}
