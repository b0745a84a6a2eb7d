//! Where a study stands: as a table, and as JSON.

use super::{search, slots};
use fiesta::{
    core::{Arms, Counts, Direction, Limit, Moments, Observation, Outcome, Reason},
    report::{Setting, Standing, Standings, Table, sentence},
    runner::{
        History,
        history::{Extension, Record},
        study::Study,
    },
};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A study's arms as its history has them.
pub(super) fn standings(study: &Study, history: &History) -> Standings {
    let arms = study.arms();
    let f_beta = study.f_beta();
    let mut scores = vec![Moments::default(); arms.len()];
    let mut counts = vec![f_beta.map(|_| Counts::default()); arms.len()];
    for record in history.records.values() {
        if let Some(Outcome::Observed(observed)) = record.ending.as_ref().map(|e| e.outcome) {
            let arm = record.evaluation.arm.index();
            scores[arm].push(observed.score(f_beta.unwrap_or_default()));
            if let (Some(sum), Some(counted)) = (&mut counts[arm], counts_of(&observed)) {
                *sum = *sum + counted;
            }
        }
    }
    let view = history.selector.view();
    let standing = |arm| Standing {
        failed: view.failed(arm),
        probability_best: view.belief().map(|belief| belief.of(arm)),
        cost: view.costs(arm).total(),
        retired: !view.candidates().contains(&arm),
        counts: counts[arm.index()],
        ..Standing::new(arms.name(arm), scores[arm.index()])
    };
    let standings = Standings::new(
        study.metric().name(),
        study.metric().direction(),
        arms.ids().map(standing).collect(),
    );
    match f_beta {
        Some(f_beta) if !study.is_of_mean_f() => standings.by_f(f_beta),
        _ => standings,
    }
}

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

/// The sentence to quote; none before the conclusion, or if nothing is known of the arms.
pub(super) fn quote(study: &Study, history: &History) -> Option<String> {
    if let Some(search) = study.search() {
        return search::quote(study, search, history);
    }
    let conclusion = history
        .selector
        .conclusion()
        .filter(|_| is_known(history))?;
    let splits: BTreeSet<u64> = history
        .records
        .values()
        .filter(|record| is_observed(record))
        .map(|record| record.evaluation.case.split)
        .collect();
    let view = history.selector.view();
    let candidates = view.candidates();
    let compared = match conclusion.reason {
        Reason::OnlyCandidate => study.arms().len(),
        _ => candidates.len(),
    };
    let setting = Setting {
        arm: study.arms().name(conclusion.arm),
        arms: compared,
        metric: &target(study),
        splits: splits.len(),
        design: study.design,
        policy: &study.policy,
        posterior: study.posterior(),
        version: env!("CARGO_PKG_VERSION"),
    };
    let retired = study.arms().ids().filter(|arm| !candidates.contains(arm));
    let retired: Vec<&str> = retired.map(|arm| study.arms().name(arm)).collect();
    let mut sentence = sentence(conclusion, &setting);
    if !retired.is_empty() {
        // It was not compared with the others to the end.
        sentence = format!(
            "{sentence} Retired because its evaluations failed: {}.",
            retired.join(", ")
        );
    }
    let recorded = view.total_recorded();
    if recorded > 0 {
        let hold = match conclusion.reason {
            Reason::AnytimeValid { .. } => {
                ", and the rate of errors holds if none was chosen or left out for its score"
            }
            _ => "",
        };
        sentence =
            format!("{sentence} {recorded} of the evaluations existed before the study{hold}.");
    }
    for extension in &history.extensions {
        sentence = format!("{sentence} {}", extended(study, extension));
    }
    let late = view.total_ended() - conclusion.evaluations;
    if late > 0 {
        sentence = format!("{sentence} {late} more ended afterwards and are in the table.");
    }
    Some(sentence)
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
    format!("{what} after {after} evaluations{ended}.")
}

/// What is to be said of how a study ended, beside its result.
pub(super) fn notice(study: &Study, history: &History) -> Option<String> {
    let reason = &history.selector.conclusion()?.reason;
    let exhausted = *reason == Reason::Exhausted;
    if !is_known(history) {
        let message = if *reason == Reason::Schedule {
            "every trial failed, so nothing is known about the arms"
        } else if exhausted {
            "every document was queried and no evaluation succeeded, so nothing is known about the arms"
        } else {
            "a limit was reached before any evaluation produced a score, so nothing is known about the arms; raise the budget under [goal]"
        };
        return Some(message.to_owned());
    }
    if exhausted && study.confidence.is_some() {
        let message = "every document was queried without reaching the confidence: the best arms may be equal, or nearly so, on this collection, and only more documents would tell more";
        return Some(message.to_owned());
    }
    let capped = matches!(reason, Reason::Limit(Limit::Evaluations(_))) && study.capped_by_default;
    capped.then(|| {
        let cap = study.limits.evaluations.unwrap_or_default();
        format!(
            "stopped at the default cap of {cap} evaluations (100 per arm) without reaching the confidence: the best arms may be equal, or nearly so; a larger budget goes under [goal] budget = {{ evaluations = … }}, and a difference that does not matter under [goal] tolerance = …"
        )
    })
}

/// The arms of a study, whatever they are compared by.
pub(super) fn table(study: &Study, history: &History) -> Table {
    match study.search() {
        Some(_) => search::table(study, history),
        None => standings(study, history).table(),
    }
}

/// A study's status as programs read it.
pub(super) fn json(study: &Study, history: &History, state: State) -> Value {
    let standings = standings(study, history);
    let view = history.selector.view();
    let (leader, confidence) = match (history.selector.conclusion(), view.belief()) {
        // What ended after the conclusion does not change it.
        (Some(conclusion), _) => (
            is_known(history).then_some(conclusion.arm),
            conclusion.probability,
        ),
        (None, Some(belief)) => {
            let (arm, probability) = belief.leader();
            (Some(arm), Some(probability))
        }
        (None, None) => (view.empirical_best(), None),
    };
    let arms: Vec<Value> = study
        .arms()
        .ids()
        .zip(standings.arms())
        .map(|(arm, standing)| {
            json!({
                "name": standing.name,
                "evaluations": standing.scores.count(),
                "failed": standing.failed,
                "recorded": view.recorded(arm),
                "pending": view.pending(arm),
                "mean": mean(&standing.scores),
                "standard_deviation": standing.scores.standard_deviation(),
                "counts": standing.counts,
                "value": standings.value(standing),
                "probability_best": standing.probability_best,
                "cost": standing.cost,
                "retired": standing.retired,
            })
        })
        .collect();
    let observed: u64 = study.arms().ids().map(|arm| view.observed(arm)).sum();
    let failed: u64 = study.arms().ids().map(|arm| view.failed(arm)).sum();
    json!({
        "study": study.name(),
        "state": state,
        "metric": study.metric().name(),
        "target": target(study),
        "evaluations": observed,
        "pending": view.total_pending(),
        "failed": failed,
        "recorded": view.total_recorded(),
        "cost": view.total_cost(),
        "seconds": history.clock,
        "confidence": confidence,
        "leader": leader.map(|arm| study.arms().name(arm)),
        "arms": arms,
        "slots": slots::json(study, history),
        "search": study.search().map(|search| search::json(study, search, history)),
        "conclusion": history.selector.conclusion().map(|conclusion| json!({
            "arm": is_known(history).then(|| study.arms().name(conclusion.arm)),
            "reason": conclusion.reason,
            "probability": conclusion.probability,
            "sentence": quote(study, history),
        })),
    })
}

/// The mean of some scores, none of no scores.
pub(super) fn mean(scores: &Moments) -> Option<f64> {
    (scores.count() > 0).then(|| scores.mean())
}

/// The standings of scores that exist already.
pub(super) fn of_scores(
    metric: &str,
    direction: Direction,
    arms: &Arms,
    scores: &[Moments],
    probability: &[f64],
) -> Standings {
    let standing = |(name, (scores, &p)): (&String, (&Moments, &f64))| Standing {
        probability_best: Some(p),
        ..Standing::new(name, *scores)
    };
    let arms = arms
        .names()
        .iter()
        .zip(scores.iter().zip(probability))
        .map(standing);
    Standings::new(metric, direction, arms.collect())
}
