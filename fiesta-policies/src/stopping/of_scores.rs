//! Stopping rules of scores, for observations that may be counts.

use fiesta_core::{
    ArmId, Demand, Evaluation, EvaluationId, FBeta, Observation, Outcome, StoppingRule, Verdict,
    View,
};

/// A rule on scores, told of counts, or of observations of either kind: a document's counts as
/// their F-measure ([`Observation::score`]).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OfScores<R> {
    /// The wrapped stopping rule on scores.
    pub rule: R,
    /// The F-measure that turns counts into scores.
    pub f_beta: FBeta,
}

impl<O: Copy + Into<Observation>, R: StoppingRule<f64>> StoppingRule<O> for OfScores<R> {
    fn check(&self, view: &View<'_>) -> Verdict {
        self.rule.check(view)
    }

    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome<O>) {
        let outcome = match outcome {
            Outcome::Observed(observation) => {
                Outcome::Observed((*observation).into().score(self.f_beta))
            }
            Outcome::Failed => Outcome::Failed,
            Outcome::Withdrawn => Outcome::Withdrawn,
        };
        self.rule.ended(evaluation, turn, &outcome);
    }

    fn measured(&mut self, id: EvaluationId, measure: usize, value: f64) {
        self.rule.measured(id, measure, value);
    }

    fn demand(&self, arm: ArmId, number: usize) -> Option<Demand> {
        self.rule.demand(arm, number)
    }

    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        self.rule.lacking(view, chosen)
    }

    fn evidence(&self, view: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        self.rule.evidence(view, leader, arm)
    }

    fn interval(&self, leader: ArmId, arm: ArmId) -> Option<(f64, f64)> {
        self.rule.interval(leader, arm)
    }

    fn candidates_changed(&mut self, candidates: &[ArmId]) {
        self.rule.candidates_changed(candidates);
    }

    fn taken_back(&mut self, arm: ArmId, turn: u64) {
        self.rule.taken_back(arm, turn);
    }
}
