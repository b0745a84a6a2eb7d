//! The failures of a study by their causes, and the advice that follows from them.

use crate::{
    history::{History, alike},
    study::Study,
};
use fiesta_core::{ArmId, Reason};
use serde::Serialize;
use std::path::PathBuf;

/// Evaluations that failed for the same cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailureGroup {
    /// How many there are.
    pub count: u64,
    /// Their arms.
    pub arms: Vec<String>,
    /// The number of the first of them, from 1.
    pub evaluation: u64,
    /// Why the first of them failed: its message, with the end of its output.
    pub message: String,
    /// Where the output of the first of them is.
    pub log: PathBuf,
    /// The arm of the first of them.
    #[serde(skip)]
    pub arm: String,
    /// What the first of them was made on, and with, in words.
    #[serde(skip)]
    pub description: String,
}

/// The failures of a study's own evaluations, in the order of the first of each cause.
pub fn failures(study: &Study, history: &History) -> Vec<FailureGroup> {
    let name = |arm: ArmId| study.arms().name(arm).to_owned();
    let groups = alike(study, history.records.values()).into_iter();
    let group = groups.map(|group| {
        let evaluation = &group.first.evaluation;
        let run = study.run_id(evaluation, group.first.attempt);
        FailureGroup {
            count: group.count,
            arms: group.arms.iter().map(|&arm| name(arm)).collect(),
            evaluation: evaluation.id.0 + 1,
            message: group.message().to_owned(),
            log: study.runs_directory().join(run.as_str()),
            arm: name(evaluation.arm),
            description: study.describe(evaluation),
        }
    });
    group.collect()
}

/// What lets the study go on with arms that have failed, once the cause is mended; none if no arm
/// needs it.
pub fn advice(study: &Study, history: &History) -> Option<String> {
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
    // Where the study ended with a verdict, nobody needs what failed.
    let lacks_answers = conclusion.is_some_and(|end| end.reason == Reason::Exhausted);
    let needs_it = |arm: &ArmId| {
        let is_retired = !view.candidates().contains(arm);
        let lacks_answers = || lacks_answers && !history.unanswered(study, *arm).is_empty();
        is_retired || (has_ended && history.has_failed(*arm)) || lacks_answers()
    };
    let arms = history.selector.arms().ids().filter(needs_it);
    let names: Vec<&str> = arms.map(|arm| study.arms().name(arm)).collect();
    let [first, others @ ..] = names.as_slice() else {
        return None;
    };
    Some(match others {
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
    })
}
