//! Sequential halving: rounds of equal cost, after each of which the worse half is discarded.

use crate::{
    BudgetTooSmall,
    stage::{self, Stage, mean},
};
use fiesta_core::{ArmId, Next, Policy, View};
use rand::Rng;

/// Sequential halving: ⌈log₂K⌉ rounds, each with an equal share of the budget T; the worse half of
/// the arms leaves after each.
///
/// In a round with arms S every one is evaluated ⌊T/(|S|⌈log₂K⌉)⌋ times, then the ⌊|S|/2⌋ with the
/// lowest means over *all* their scores leave (of equal means the earlier arm leaves). What the
/// divisions leave over is not spent, as in the paper; in the extended mode each round divides what
/// is left by the rounds that are left, and the last remainder goes to the two finalists in turn.
/// Failed evaluations count as attempts, so that the budget holds. An arm that has queried every
/// document has what its round can give it.
///
/// Nobody leaves before the round's last score, so that an evaluation that hangs holds up the
/// round, and slots stay idle: the others have what the schedule gives them, and more would be
/// taken from the rounds to come.
///
/// Source: Karnin, Koren, Somekh 2013; FIESTA (Moss et al., ACL 2019), Algorithm 1.
#[derive(Debug, Clone)]
pub struct SequentialHalving {
    budget: u64,
    extended: bool,
    round: Option<Stage>,
}

fn rounds(arms: usize) -> u64 {
    u64::from(arms.max(2).next_power_of_two().ilog2())
}

impl SequentialHalving {
    /// Sequential halving of `arms` arms with a budget of T evaluations.
    ///
    /// # Errors
    /// [`BudgetTooSmall`] if T < K⌈log₂K⌉.
    ///
    /// # Example
    /// ```
    /// use fiesta_policies::SequentialHalving;
    /// assert!(SequentialHalving::new(12, 120).is_ok());
    /// let error = SequentialHalving::new(12, 47).unwrap_err();
    /// assert!(error.to_string().contains("at least 48"));
    /// ```
    pub fn new(arms: usize, budget: u64) -> Result<Self, BudgetTooSmall> {
        let rounds = rounds(arms);
        BudgetTooSmall::check("sequential halving", arms, budget, arms as u64 * rounds)?;
        Ok(Self {
            budget,
            extended: false,
            round: None,
        })
    }

    /// Spends the whole budget, including the evaluations that rounding down leaves over in each
    /// round.
    pub fn extended(mut self) -> Self {
        self.extended = true;
        self
    }

    /// Returns the round in which these arms are left, with `remaining` rounds to go, itself included.
    fn round_of(&self, view: &View<'_>, survivors: Vec<ArmId>, remaining: u64) -> Stage {
        let attempts = survivors.first().map_or(0, |&arm| view.attempts(arm));
        let count = survivors.len().max(1) as u64;
        let total = rounds(view.arms());
        let (share, extra) = if self.extended {
            let left = self.budget.saturating_sub(stage::attempts(view));
            let extra = if remaining <= 1 { left % count } else { 0 };
            (left / remaining.max(1) / count, extra)
        } else {
            (self.budget / (count * total), 0)
        };
        Stage::new(remaining, survivors, attempts + share, extra)
    }
}

impl Policy for SequentialHalving {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let mut round = match &self.round {
            Some(round) => round.clone(),
            None => self.round_of(view, view.candidates().to_vec(), rounds(view.arms())),
        };
        loop {
            round.update(view);
            let survivors = &round.arms;
            let Some(&first) = survivors.first() else {
                // All survivors failed for good; what is left of the field decides.
                return view.empirical_best().map_or(Next::Wait, Next::Finished);
            };
            if let Some(arm) = round.due(view) {
                self.round = Some(round);
                return Next::Evaluate(arm);
            }
            if round.is_pending(view) {
                return Next::Wait;
            }
            if survivors.len() == 1 {
                return Next::Finished(first);
            }
            let mut ranked = survivors.clone();
            ranked.sort_by(|&a, &b| mean(view, a).total_cmp(&mean(view, b)));
            let better = ranked.split_off(ranked.len() / 2);
            round = self.round_of(view, better, round.number.saturating_sub(1));
            if let [only] = *round.arms {
                return Next::Finished(only);
            }
        }
    }

    fn needs_posterior(&self) -> bool {
        false
    }

    fn round_complete(&self, view: &View<'_>) -> bool {
        stage::is_complete(self.round.as_ref(), view)
    }

    fn gives_way(&self) -> bool {
        false
    }

    fn readmits(&self, arm: ArmId) -> bool {
        self.round.as_ref().is_none_or(|round| round.readmits(arm))
    }

    fn recommend(&self, view: &View<'_>) -> Option<ArmId> {
        stage::recommend(self.round.as_ref(), view)
    }
}
