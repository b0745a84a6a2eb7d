//! Successive rejects: phases, after each of which the worst arm is discarded.

use crate::{
    BudgetTooSmall,
    stage::{self, Stage, mean},
};
use fiesta_core::{ArmId, Next, Policy, View};
use rand::Rng;

/// Successive rejects: K − 1 phases of a fixed budget T; the worst arm leaves after each.
///
/// In phase k = 1 … K − 1 every arm that is left is brought to n_k = ⌈(T − K)/(log̅K·(K + 1 − k))⌉
/// evaluations, log̅K = ½ + Σ_{i=2}^K 1/i; then the one with the lowest mean over *all* its scores
/// leaves (of equal means the earlier arm). What rounding leaves over, which the paper does not
/// spend, goes to the last two in turn.
///
/// A phase is complete when nothing of it is running any more, so that the schedule does not depend
/// on the number of workers; an evaluation that hangs holds it up, and slots stay idle. Failed
/// evaluations count as attempts, so that the budget holds. An arm that is retired for failing is
/// the one that leaves at the end of its phase, and what it no longer needs is left over. An arm
/// that has queried every document has what its phase can give it.
///
/// Source: Audibert, Bubeck, Munos, "Best arm identification in multi-armed bandits" (COLT 2010).
#[derive(Debug, Clone)]
pub struct SuccessiveRejects {
    arms: usize,
    budget: u64,
    phase: Option<Stage>,
}

impl SuccessiveRejects {
    /// Returns successive rejects of `arms` arms with a budget of T evaluations.
    ///
    /// # Errors
    /// [`BudgetTooSmall`] if T ≤ K: the first phase would evaluate no arm.
    ///
    /// # Example
    /// ```
    /// use fiesta_policies::SuccessiveRejects;
    /// assert!(SuccessiveRejects::new(12, 13).is_ok());
    /// let error = SuccessiveRejects::new(12, 12).unwrap_err();
    /// assert!(error.to_string().contains("at least 13"));
    /// ```
    pub fn new(arms: usize, budget: u64) -> Result<Self, BudgetTooSmall> {
        BudgetTooSmall::check("successive rejects", arms, budget, arms as u64 + 1)?;
        Ok(Self {
            arms,
            budget,
            phase: None,
        })
    }

    /// Returns the number of the last phase, in which two arms are left.
    fn last(&self) -> u64 {
        self.arms.saturating_sub(1).max(1) as u64
    }

    fn phase(&self, view: &View<'_>, number: u64, survivors: Vec<ArmId>) -> Stage {
        if number < self.last() {
            let quota = attempts_in(number, self.arms, self.budget);
            return Stage::new(number, survivors, quota, 0);
        }
        let left = self.budget.saturating_sub(stage::attempts(view));
        let count = survivors.len().max(1) as u64;
        // Those that are left were there in every phase before, with the same number of attempts.
        let attempts = survivors.iter().map(|&arm| view.attempts(arm)).max();
        let quota = attempts.unwrap_or(0) + left / count;
        Stage::new(number, survivors, quota, left % count)
    }
}

/// Returns n_k of K arms and a budget T: ⌈(T − K)/(log̅K·(K + 1 − k))⌉, log̅K = ½ + Σ_{i=2}^K 1/i.
pub(crate) fn attempts_in(phase: u64, arms: usize, budget: u64) -> u64 {
    let log_bar = 0.5 + (2..=arms).map(|i| 1.0 / i as f64).sum::<f64>();
    let shares = log_bar * (arms as u64 + 1 - phase) as f64;
    let exact = (budget - arms as u64) as f64 / shares;
    // What is a whole number but for rounding is that number.
    let attempts = (exact * (1.0 - 1e-12)).ceil();
    fiesta_core::whole_u64(attempts)
}

impl Policy for SuccessiveRejects {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let mut phase = match &self.phase {
            Some(phase) => phase.clone(),
            None => self.phase(view, 1, view.candidates().to_vec()),
        };
        loop {
            phase.update(view);
            let survivors = &phase.arms;
            let first = match survivors[..] {
                // All that were left failed for good; what was rejected decides.
                [] => return view.empirical_best().map_or(Next::Wait, Next::Finished),
                // The others did.
                [only] if view.observed(only) > 0 => return Next::Finished(only),
                [first, ..] => first,
            };
            if let Some(arm) = phase.due(view) {
                self.phase = Some(phase);
                return Next::Evaluate(arm);
            }
            if phase.is_pending(view) {
                return Next::Wait;
            }
            // Retired arms have left before: then no other needs to.
            let mut left = survivors.clone();
            while left.len() as u64 > (self.arms as u64).saturating_sub(phase.number).max(1) {
                let arms = left.iter().copied();
                let worst = arms.min_by(|&a, &b| mean(view, a).total_cmp(&mean(view, b)));
                left.retain(|&arm| Some(arm) != worst);
            }
            if left.len() == 1 || phase.number >= self.last() {
                return Next::Finished(left.first().copied().unwrap_or(first));
            }
            phase = self.phase(view, phase.number + 1, left);
        }
    }

    fn needs_posterior(&self) -> bool {
        false
    }

    fn round_complete(&self, view: &View<'_>) -> bool {
        stage::is_complete(self.phase.as_ref(), view)
    }

    fn gives_way(&self) -> bool {
        false
    }

    fn readmits(&self, arm: ArmId) -> bool {
        self.phase.as_ref().is_none_or(|phase| phase.readmits(arm))
    }

    fn recommend(&self, view: &View<'_>) -> Option<ArmId> {
        stage::recommend(self.phase.as_ref(), view)
    }
}
