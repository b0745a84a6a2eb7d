//! Results of a random search: the best trial of each arm, the leader, the sentence to quote, the
//! best of n.

use super::{EvaluationFacts, SearchFacts, StudyFacts, StudyFindings};
use crate::{
    BestTrial, SearchResult, analysis::best_of_n::BestOfNReport, search_sentence,
    sentence::with_late, words::count,
};
use fiesta_core::ArmId;
use fiesta_posterior::best_of_n::Trials;

/// The evaluation of an arm with the best score, the first of equals; none before there is a score.
pub(super) fn best(facts: &StudyFacts, arm: ArmId) -> Option<(&EvaluationFacts, BestTrial)> {
    facts.search.as_ref()?;
    let direction = facts.metric.direction();
    let of_arm = facts.evaluations.iter().filter(|e| e.arm == arm);
    let scored = of_arm.filter_map(|e| Some((e, e.plain_score()?)));
    let (best, score) = scored.reduce(|best, other| {
        if direction.orient(other.1) > direction.orient(best.1) {
            other
        } else {
            best
        }
    })?;
    let setting = best.setting.to_string();
    Some((best, BestTrial { score, setting }))
}

impl StudyFacts {
    /// The trial of an arm with the best score and that score, the first of equals; none before
    /// there is one, or if the study is no random search.
    pub fn best_trial(&self, arm: ArmId) -> Option<(&EvaluationFacts, f64)> {
        best(self, arm).map(|(evaluation, best)| (evaluation, best.score))
    }
}

/// The arm with the best score of all that are still candidates, and that score.
pub(super) fn leader(facts: &StudyFacts) -> Option<(ArmId, f64)> {
    let arm = facts.empirical_best?;
    Some((arm, best(facts, arm)?.1.score))
}

pub(super) fn best_of_n(facts: &StudyFacts, confidence: f64) -> Option<BestOfNReport> {
    facts.search.as_ref()?;
    facts.conclusion.as_ref()?;
    let mut scores = vec![Vec::new(); facts.arms.len()];
    for evaluation in &facts.evaluations {
        scores[evaluation.arm.index()].extend(evaluation.plain_score());
    }
    let trials = facts.arms.iter().zip(&scores).map(|(arm, scores)| Trials {
        scores,
        failed: usize::try_from(arm.failed).unwrap_or(usize::MAX),
    });
    let trials: Vec<Trials<'_>> = trials.collect();
    let names: Vec<String> = facts.arms.iter().map(|arm| arm.name.clone()).collect();
    let (direction, bounds) = (facts.metric.direction(), facts.metric.bounds());
    let compared = BestOfNReport::compare(&names, &trials, direction, bounds, confidence);
    // The scores were checked when they were read.
    compared.ok()?
}

/// The sentence to quote; none before the conclusion, or if no trial had a score.
pub(super) fn sentence(findings: &StudyFindings<'_>, search: &SearchFacts) -> Option<String> {
    let facts = findings.facts;
    let conclusion = facts.conclusion.as_ref()?;
    // A trial that ended after the decision may have the best score.
    let (arm, _) = leader(facts)?;
    let (_, best) = best(facts, arm)?;
    let sentence = search_sentence(&SearchResult {
        arm: facts.name(arm),
        arms: findings.arm_count(),
        metric: facts.metric.name(),
        score: best.score,
        setting: &best.setting,
        trials: search.trials,
        evaluations: facts.ended,
        failed: facts.failed(),
        reason: &conclusion.reason,
        splits: findings.splits_used(),
        design: facts.design,
        cost_unit: facts.cost_unit.as_ref(),
        version: env!("CARGO_PKG_VERSION"),
    });
    let decided = format!("after {}", count(conclusion.evaluations, "evaluation"));
    Some(with_late(sentence, &decided, findings.late()))
}
