//! Results of a random search: the best trial of each arm, the leader, the sentence to quote, the
//! best of n.

use super::{EvaluationFacts, SearchFacts, StudyFacts, StudyFindings};
use crate::{
    analysis::best_of_n::BestOfNReport, search_sentence, sentence::with_late, words::count,
};
use fiesta_core::{ArmId, Conclusion, Direction};

impl StudyFacts {
    /// Returns the trial of an arm with the best score and that score, the first of equals. `None`
    /// before there is one, or if the study is no random search.
    pub fn best_trial(&self, arm: ArmId) -> Option<(&EvaluationFacts, f64)> {
        self.search.as_ref()?;
        let direction = self.metric.direction();
        let of_arm = self.evaluations.iter().filter(|e| e.arm == arm);
        let scored = of_arm.filter_map(|e| Some((e, e.plain_score()?)));
        first_best(scored, direction, |(_, score)| *score)
    }
}

/// Returns the item with the best score, the first of equals.
pub(in crate::analysis) fn first_best<T>(
    all: impl Iterator<Item = T>,
    direction: Direction,
    score: impl Fn(&T) -> f64,
) -> Option<T> {
    all.reduce(|best, other| {
        if direction.orient(score(&other)) > direction.orient(score(&best)) {
            other
        } else {
            best
        }
    })
}

/// Returns the arm with the best score of all that are still candidates, and that score.
pub(super) fn leader(facts: &StudyFacts) -> Option<(ArmId, f64)> {
    let arm = facts.empirical_best?;
    Some((arm, facts.best_trial(arm)?.1))
}

impl StudyFindings<'_> {
    /// Returns the arm with the best score of a random search, of all that are still candidates, and
    /// that score. `None` before there is one.
    pub fn best_of_search(&self) -> Option<(ArmId, f64)> {
        leader(self.facts)
    }

    /// Tells which arm of a random search has the highest expected best of n, for every n of which
    /// the trials tell enough. An arm is said to lead from the probability `confidence` on. `None`
    /// before the search has ended, or where nothing can be said.
    pub fn best_of_n(&self, confidence: f64) -> Option<BestOfNReport> {
        let facts = self.facts;
        facts.search.as_ref()?;
        facts.conclusion.as_ref()?;
        let mut scores = vec![Vec::new(); facts.arms.len()];
        for evaluation in &facts.evaluations {
            scores[evaluation.arm.index()].extend(evaluation.plain_score());
        }
        let arms = facts.arms.iter().zip(&scores);
        let arms = arms.map(|(arm, scores)| (arm.name.as_str(), scores.as_slice(), arm.failed));
        let (direction, bounds) = (facts.metric.direction(), facts.metric.bounds());
        let compared = BestOfNReport::compare(arms, direction, bounds, confidence);
        // The scores were checked when they were read.
        compared.ok()?
    }

    /// Returns the first sentence about a random search. `None` if no trial had a score.
    pub(super) fn of_search(
        &self,
        conclusion: &Conclusion,
        search: &SearchFacts,
    ) -> Option<String> {
        // A trial that ended after the decision may have the best score.
        let (arm, score) = self.best_of_search()?;
        let (best, _) = self.facts.best_trial(arm)?;
        let (words, setting) = (best.setting.to_string(), self.setting(arm));
        let best = (score, words.as_str());
        let sentence = search_sentence(&conclusion.reason, search.trials, best, &setting);
        let decided = format!("after {}", count(conclusion.evaluations, "evaluation"));
        Some(with_late(sentence, &decided, self.late()))
    }
}
