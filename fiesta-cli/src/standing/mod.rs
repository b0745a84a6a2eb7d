//! Where a study stands, and the words for it.

mod status;

pub(super) use status::StudyStatus;

use fiesta::{
    core::{ArmId, Counts, Limit, Limits, Moments, Observation, Outcome, Reason, View},
    policies::stopping::anytime::doubt,
    runner::{
        History,
        history::{Extension, Record},
        study::Study,
    },
};
use serde::Serialize;

/// The score of an observation, or the F-measure of its counts; none where that is undefined.
pub(super) fn score_of(study: &Study, observed: &Observation) -> Option<f64> {
    match observed {
        Observation::Score(score) => Some(*score),
        Observation::Counts(counts) => study.f_beta()?.of_counts(counts),
    }
}

/// The counts of an observation that has any.
pub(super) fn counts_of(observed: &Observation) -> Option<Counts> {
    match observed {
        Observation::Score(_) => None,
        Observation::Counts(counts) => Some(*counts),
    }
}

/// What the arms are compared by, in words.
pub(super) fn target(study: &Study) -> String {
    let metric = study.metric().name();
    if study.is_of_mean_f() {
        format!("mean {metric} per document (1 where nothing was to be found and nothing was)")
    } else {
        metric.to_owned()
    }
}

/// The state of a study in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// A controller runs it.
    Running,
    /// Begun, not finished, and nobody runs it.
    Stopped,
    /// It has its conclusion.
    Finished,
}

/// Whether any evaluation had a score.
pub(super) fn is_known(history: &History) -> bool {
    history.records.values().any(is_observed)
}

pub(super) fn is_observed(record: &Record) -> bool {
    let ending = record.ending.as_ref();
    ending.is_some_and(|ending| matches!(ending.outcome, Outcome::Observed(_)))
}

/// How a study was extended, for whoever reads its result.
fn extended(study: &Study, extension: &Extension) -> String {
    let after = extension.evaluations;
    let names = extension.arms.iter().map(|&arm| study.arms().name(arm));
    let names: Vec<&str> = names.collect();
    let what = if names.is_empty() {
        "What it was to reach or to spend was changed".to_owned()
    } else {
        format!("Added: {}", names.join(", "))
    };
    let ended = match extension.conclusion {
        Some(_) => ", when it had ended once",
        None => "",
    };
    let reinstated = extension.reinstated.iter();
    let reinstated: Vec<&str> = reinstated.map(|&arm| study.arms().name(arm)).collect();
    if !reinstated.is_empty() {
        return format!(
            "Failures forgiven after {after} evaluations{ended}, as their cause was mended: {}.",
            reinstated.join(", ")
        );
    }
    format!("{what} after {after} evaluations{ended}.")
}

/// What is to be said of how a study ended, beside its result.
pub(super) fn notice(study: &Study, history: &History) -> Option<String> {
    let reason = &history.selector.conclusion()?.reason;
    let exhausted = *reason == Reason::Exhausted;
    if !is_known(history) {
        let message = if *reason == Reason::Schedule {
            "every trial failed, so nothing is known about the arms"
        } else if exhausted && study.documents().is_none() {
            "every split was used and no evaluation succeeded, so nothing is known about the arms"
        } else if exhausted {
            "every document was queried and no evaluation succeeded, so nothing is known about the arms"
        } else {
            "a limit was reached before any evaluation produced a score, so nothing is known about the arms; raise the budget under [goal]"
        };
        return Some(message.to_owned());
    }
    if exhausted && study.documents().is_none() {
        let short = match (study.search(), study.confidence()) {
            (Some(_), _) => "before every arm had its trials",
            (None, Some(_)) => {
                "without reaching the confidence: the best arms may be equal, or nearly so, on these splits"
            }
            (None, None) => "before the budget was spent",
        };
        return Some(format!(
            "every split was used {short}; if there are more, raise their number under [design] and go on with --accept-changes"
        ));
    }
    if exhausted && study.confidence().is_some() {
        let message = "every document was queried without reaching the confidence: the best arms may be equal, or nearly so, on this collection, and only more documents would tell more";
        return Some(message.to_owned());
    }
    if matches!(reason, Reason::AnytimeValid { .. }) {
        let mut scores: Vec<(&str, Vec<f64>)> = study
            .arms()
            .names()
            .iter()
            .map(|name| (name.as_str(), Vec::new()))
            .collect();
        for record in history.records.values() {
            if let Some(Outcome::Observed(observed)) = record.ending.as_ref().map(|e| e.outcome) {
                let score = observed.score(study.f_beta().unwrap_or_default());
                scores[record.evaluation.arm.index()].1.push(score);
            }
        }
        return doubt(scores);
    }
    let capped =
        matches!(reason, Reason::Limit(Limit::Evaluations(_))) && study.capped_by_default();
    capped.then(|| {
        let (cap, per_arm) = (study.limits().evaluations.unwrap_or_default(), Limits::CAP_PER_ARM);
        format!(
            "stopped at the default cap of {cap} evaluations ({per_arm} per arm) without reaching the confidence: the best arms may be equal, or nearly so; a larger budget goes under [goal] budget = {{ evaluations = … }}, and a difference that does not matter under [goal] tolerance = …"
        )
    })
}

/// What attempts cost that led to no outcome, over all arms.
pub(super) fn lost_cost(view: &View<'_>) -> f64 {
    let arms = ArmId::all(view.arms());
    arms.map(|arm| view.lost(arm).total()).sum()
}

/// How much of a study's cost went into attempts that led to no outcome, in words; none if there
/// were none.
pub(super) fn lost(view: &View<'_>) -> Option<String> {
    let attempts = view.total_lost();
    let plural = if attempts == 1 { "" } else { "s" };
    (attempts > 0).then(|| {
        format!(
            "{:.1} of it for {attempts} attempt{plural} lost or stopped",
            lost_cost(view)
        )
    })
}

/// The mean of some scores, none of no scores.
pub(super) fn mean(scores: &Moments) -> Option<f64> {
    (scores.count() > 0).then(|| scores.mean())
}
