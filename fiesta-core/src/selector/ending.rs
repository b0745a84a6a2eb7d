//! Ends of a selection: by the stopping rule, at a limit, or with nothing left to evaluate.

use super::{Ask, Initialization, Selector, SelectorError};
use crate::{ArmId, Belief, Conclusion, Limit, Reason, Verdict, View, finest};
use std::cell::OnceCell;

impl<O: Clone> Selector<O> {
    /// Returns the answer when no candidate has a case left that is worth an evaluation: to wait
    /// until everything running has ended. Then the stopping rule has its last look, whatever round
    /// the policy may be in, since no round will be completed any more.
    pub(super) fn without_cases(&self) -> Result<Ask, SelectorError> {
        if !self.cases.pending.is_empty() {
            return Ok(Ask::Wait);
        }
        let view = self.view();
        if let Some(conclusion) = self.confirmed(&view) {
            return Ok(Ask::Finished(conclusion));
        }
        let reason = if self.policy.is_complete(&view) {
            Reason::Schedule
        } else {
            Reason::Exhausted
        };
        self.end(&view, reason).map(Ask::Finished)
    }

    /// Returns the conclusion at a limit. The stopping rule has its last look there as in
    /// [`without_cases`](Self::without_cases), unless a candidate is not yet known, still runs, or
    /// has an evaluation that is to be made again.
    pub(super) fn stop_at(&self, limit: Limit) -> Result<Conclusion, SelectorError> {
        let view = self.view();
        let confirmed = match self.initialization(&view) {
            Initialization::Made | Initialization::Impossible
                if !view.awaits_outcomes() && view.due_again().is_none() =>
            {
                self.confirmed(&view)
            }
            _ => None,
        };
        confirmed.map_or_else(|| self.end(&view, Reason::Limit(limit)), Ok)
    }

    /// Returns the conclusion with the arm that the policy recommends, for a reason that is not the
    /// stopping rule's.
    fn end(&self, view: &View<'_>, reason: Reason) -> Result<Conclusion, SelectorError> {
        let best = self.policy.recommend(view);
        let best = best.ok_or(SelectorError::NoArmLeft)?;
        Ok(self.conclude(view, best, reason))
    }

    /// Returns the conclusion of the stopping rule, if it may look now and stops.
    pub(super) fn stop(&self, view: &View<'_>) -> Option<Conclusion> {
        if !self.policy.round_complete(view) {
            return None;
        }
        self.confirmed(view)
    }

    /// Returns the conclusion of the stopping rule, if it stops on this belief and on all
    /// [finer](crate::Posterior::finer) ones. These take a hundred times as long, and are computed
    /// only while every belief before stops.
    pub(super) fn confirmed(&self, view: &View<'_>) -> Option<Conclusion> {
        let Verdict::Stop(arm, reason) = self.stopping.check(view) else {
            return None;
        };
        match view.beliefs.finer().filter(|_| self.confirms) {
            Some(beliefs) => {
                let belief = OnceCell::new();
                self.confirmed(&View {
                    beliefs,
                    belief: &belief,
                    ..*view
                })
            }
            None => Some(self.conclude(view, arm, reason)),
        }
    }

    /// Returns the conclusion for this arm, with P(best) by the finest belief; where several arms are
    /// sought, with the probability that those named are the best ones, or those that lead; of the cheapest arm that is
    /// good enough, with the level that its probability has at least.
    pub(super) fn conclude(&self, view: &View<'_>, arm: ArmId, reason: Reason) -> Conclusion {
        let belief = OnceCell::new();
        let finest = match view.beliefs.finer().filter(|_| self.confirms) {
            Some(finer) => View {
                beliefs: finest(finer),
                belief: &belief,
                ..*view
            },
            None => *view,
        };
        let probability = |belief: &Belief| match &reason {
            Reason::Top { arms, .. } => belief.of_all(arms),
            Reason::CheapestWithin { level, .. } => *level,
            _ if self.top > 1 => belief.of_all(&belief.leaders(self.top)),
            _ => belief.of(arm),
        };
        let probability = finest.belief().map(probability);
        Conclusion {
            arm,
            reason,
            probability,
            evaluations: view.total_ended(),
        }
    }
}
