//! Stopping not before a minimum of evaluations.

use super::posterior::{lacking, rival};
use fiesta_core::{
    ArmId, Demand, Evaluation, EvaluationId, Outcome, Reason, StoppingRule, Verdict, View,
};

/// Largest evidence in nats that counts as not sufficient: finite, but above any real evidence.
const NEARLY: f64 = 1e9;

/// Holds back another rule until the arm that it names and the closest rival of that arm have
/// `evaluations` observations each.
///
/// The closest rival is the candidate that is most probably best after it. The other arms need no
/// more than the policy gave them: an arm that is clearly worse after a few documents should not
/// cost a hundred. An arm that has queried every document has enough, however many of them failed.
///
/// # Example
/// ```
/// use fiesta_policies::stopping::{AtLeast, PosteriorThreshold};
/// let rule = AtLeast { evaluations: 50, rule: PosteriorThreshold::new(0.95)? };
/// assert_eq!(rule.rule.level(), 0.95);
/// # Ok::<(), fiesta_policies::stopping::LevelError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtLeast<R> {
    /// How many observations either arm must have.
    pub evaluations: u64,
    /// The rule that is held back.
    pub rule: R,
}

/// Returns the arms that a rule names.
fn named(arm: ArmId, reason: &Reason) -> Vec<ArmId> {
    match reason {
        Reason::Top { arms, .. } => arms.clone(),
        _ => vec![arm],
    }
}

impl<R> AtLeast<R> {
    fn enough(&self, view: &View<'_>, arm: ArmId) -> bool {
        view.observed(arm) >= self.evaluations || !view.has_case_left(arm)
    }
}

impl<O, R: StoppingRule<O>> StoppingRule<O> for AtLeast<R> {
    fn check(&self, view: &View<'_>) -> Verdict {
        match self.rule.check(view) {
            Verdict::Stop(arm, reason) => {
                let arms = named(arm, &reason);
                let mut all = arms.iter().copied().chain(rival(view, &arms));
                if all.all(|arm| self.enough(view, arm)) {
                    Verdict::Stop(arm, reason)
                } else {
                    Verdict::Continue
                }
            }
            Verdict::Continue => Verdict::Continue,
        }
    }

    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome<O>) {
        self.rule.ended(evaluation, turn, outcome);
    }

    fn measured(&mut self, id: EvaluationId, measure: usize, value: f64) {
        self.rule.measured(id, measure, value);
    }

    fn demand(&self, arm: ArmId, number: usize) -> Option<Demand> {
        self.rule.demand(arm, number)
    }

    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        if let Some(arm) = self.rule.lacking(view, chosen) {
            return Some(arm);
        }
        let mut candidates = view.candidates().iter();
        if candidates.all(|&arm| self.enough(view, arm)) {
            return None;
        }
        match self.rule.check(view) {
            Verdict::Stop(leader, reason) => {
                lacking(view, &named(leader, &reason), chosen, self.evaluations)
            }
            Verdict::Continue => None,
        }
    }

    /// Returns the rule's evidence, kept below sufficient while the leader or its closest rival has
    /// too few evaluations, so that a policy goes on gathering them.
    fn evidence(&self, view: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        let evidence = self.rule.evidence(view, leader, arm)?;
        let waits = evidence == f64::INFINITY
            && !(self.enough(view, leader) && self.enough(view, arm))
            && rival(view, &[leader]) == Some(arm);
        Some(if waits { NEARLY } else { evidence })
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
