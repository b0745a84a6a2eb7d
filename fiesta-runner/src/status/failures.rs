//! Failures of a study by their causes.

use crate::{
    history::{Cause, Ending, History},
    study::Study,
};
use fiesta_core::{ArmId, Outcome};
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
