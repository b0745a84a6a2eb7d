//! Evaluations that were made before the study, told to a selector.

use super::{Selector, SelectorError};
use crate::{Evaluation, Outcome};

impl<O: Clone> Selector<O> {
    /// Takes an evaluation into account that was made before the study, by whomever: with its
    /// observation, or failed. All of them come before the first decision and are numbered from 0
    /// in their order.
    ///
    /// They count for the belief and, where an arm has a split or document for the first time, for
    /// the stopping rule; the arm gets no case twice that it has here. On shared splits and
    /// documents all arms go through the recorded ones first, so that they are compared on them.
    /// They are nothing that the study spends: no limit counts them, and no failure among them
    /// retires an arm.
    ///
    /// # Errors
    /// [`SelectorError`] if a decision was made or the number is not the next, the study has no
    /// such case, an arm would have a document twice without
    /// [repeats](crate::SelectorBuilder::repeats), or the observation cannot be one; the
    /// selector is then unchanged.
    pub fn record(
        &mut self,
        evaluation: Evaluation,
        observation: Option<O>,
    ) -> Result<(), SelectorError> {
        let Evaluation { id, arm, case } = evaluation;
        let of_record = self.view().total_recorded();
        if self.cases.issued != of_record || id.0 != of_record || self.conclusion.is_some() {
            return Err(SelectorError::RecordedLate(id.0));
        }
        if !self.cases.can_admit(case.split) {
            let split = case.split;
            return Err(SelectorError::RecordedElsewhere { id: id.0, split });
        }
        let statistics = &self.statistics.arms[arm.index()];
        let is_repeated = |turn| statistics.is_taken(turn);
        if self.cases.is_once() && self.cases.admitted(case.split).is_some_and(is_repeated) {
            return Err(SelectorError::RecordedTwice(id.0));
        }
        let outcome = match observation {
            Some(observation) => {
                self.beliefs.observe(arm, case, observation.clone())?;
                Outcome::Observed(observation)
            }
            None => Outcome::Failed,
        };
        let place = self.cases.admit(case.split);
        let statistics = &mut self.statistics.arms[arm.index()];
        let turn = match place {
            Some(place) => {
                let mut turns = self.cases.turns_at(place);
                let free = turns.find(|&turn| !statistics.is_taken(turn));
                free.unwrap_or(place)
            }
            None => statistics.free_turn(),
        };
        // Another seed on a split that the arm was evaluated on has no turn of its own.
        let is_first = !statistics.is_taken(turn);
        statistics.record(
            is_first.then_some(turn),
            matches!(outcome, Outcome::Observed(_)),
        );
        if is_first {
            self.stopping.ended(&evaluation, turn, &outcome);
        }
        self.cases.issued += 1;
        self.forget_beliefs();
        Ok(())
    }
}
