//! Stopping not before a minimum of evaluations.

use fiesta_core::{ArmId, Evaluation, Outcome, StoppingRule, Verdict, View};

/// Holds back another rule until the arm that it names and the closest rival of that arm have so
/// many observations each.
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

impl<O, R: StoppingRule<O>> StoppingRule<O> for AtLeast<R> {
    fn check(&self, view: &View<'_>) -> Verdict {
        let enough = |arm| view.observed(arm) >= self.evaluations || !view.has_case_left(arm);
        match self.rule.check(view) {
            Verdict::Stop(arm, reason)
                if enough(arm) && super::posterior::rival(view, arm).is_none_or(enough) =>
            {
                Verdict::Stop(arm, reason)
            }
            _ => Verdict::Continue,
        }
    }

    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome<O>) {
        self.rule.ended(evaluation, turn, outcome);
    }

    fn evidence(&self, leader: ArmId, arm: ArmId) -> Option<f64> {
        self.rule.evidence(leader, arm)
    }
}
