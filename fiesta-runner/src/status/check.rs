//! Result of a check of a study: one trial per arm, and the most evaluations that may follow.

use crate::{Trial, study::Study};
use fiesta_core::{Counts, Observation};
use fiesta_policies::random_search::Setting;
use serde::Serialize;

/// What the trials of a study showed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckReport {
    /// The study's name.
    pub study: String,
    /// One trial for each arm, in the order in which they ended.
    pub trials: Vec<TrialReport>,
    /// The most evaluations that the study can make; none if nothing limits them.
    pub most_evaluations: Option<u64>,
}

/// The trial of one arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrialReport {
    /// The arm.
    pub arm: String,
    /// The argument vector that was run.
    pub command: Vec<String>,
    /// The document that was queried, in a study of documents.
    pub document: Option<String>,
    /// The hyperparameters, in a random search; else empty.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")
    )]
    pub setting: Setting,
    /// The score that was parsed, or the F-measure of the counts; none of a failed trial, and where
    /// the F-measure is undefined.
    pub score: Option<f64>,
    /// The confusion counts, where the study is of counts.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<std::collections::BTreeMap<String, u64>>")
    )]
    pub counts: Option<Counts>,
    /// Why there is no result.
    pub error: Option<String>,
    /// A warning about the result.
    pub warning: Option<String>,
    /// The placeholders that the command does not name.
    pub unnamed: Vec<String>,
    /// How long it took.
    pub seconds: f64,
    /// What it would cost, in the study's unit.
    pub cost: f64,
}

impl CheckReport {
    /// That of these trials.
    pub fn new(study: &Study, trials: &[Trial]) -> Self {
        Self {
            study: study.name().to_owned(),
            trials: trials.iter().map(|t| TrialReport::new(study, t)).collect(),
            most_evaluations: study.most_evaluations(),
        }
    }
}

impl TrialReport {
    fn new(study: &Study, trial: &Trial) -> Self {
        let observed = trial.result.as_ref().ok();
        let unnamed = study.unnamed(trial.arm).into_iter();
        Self {
            arm: study.arms().name(trial.arm).to_owned(),
            command: trial.command.clone(),
            document: trial.document.clone(),
            setting: trial.setting.clone(),
            score: observed.and_then(|observed| study.score_of(observed)),
            counts: observed.and_then(Observation::counts),
            error: trial.result.as_ref().err().cloned(),
            warning: trial.warning.clone(),
            unnamed: unnamed.map(|unnamed| unnamed.placeholder).collect(),
            seconds: trial.seconds,
            cost: trial.cost,
        }
    }
}
