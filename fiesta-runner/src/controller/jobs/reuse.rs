//! The reuse of answers that an earlier study paid for, and the keeping of those that are new.

use super::{Attempt, Jobs};
use crate::{
    answers::{Answer, Answers, AnswersError, PAID_BEFORE},
    controller::RunError,
    history::Ending,
    study::Study,
};
use fiesta_core::{Evaluation, Event, Observation, Outcome};
use serde_json::json;

impl Jobs<'_> {
    /// Whether the queue's attempt is answered by the cache: if so, it is taken from there.
    pub(super) fn take_cached(&mut self, attempt: &Attempt) -> Result<bool, RunError> {
        let Some(answers) = &self.answers else {
            return Ok(false);
        };
        let Some(answer) = answers.find(self.study, &attempt.evaluation)? else {
            return Ok(false);
        };
        let mut extras = answer.extras;
        let paid = json!({ "study": answer.study, "cost": answer.cost });
        extras.insert(PAID_BEFORE.to_owned(), paid);
        let ending = Ending {
            outcome: Outcome::Observed(answer.observation),
            cost: 0.0,
            seconds: 0.0,
            end: None,
            message: None,
            extras,
        };
        self.reused.push((attempt.clone(), ending));
        Ok(true)
    }

    /// What the cache has answered, as the selector is to know it.
    pub(super) fn reuse(&mut self) -> Vec<Event<Observation>> {
        let reused = std::mem::take(&mut self.reused);
        reused
            .into_iter()
            .map(|(attempt, ending)| self.end(&attempt, ending))
            .collect()
    }

    /// Keeps an answer that was just paid for. A cache that cannot be written costs nothing now; it
    /// is told once.
    pub(super) fn keep(&mut self, evaluation: &Evaluation, ending: &Ending) {
        let Some(answers) = &self.answers else {
            return;
        };
        if let Err(error) = keep(answers, self.study, evaluation, ending) {
            self.observer.notice(&format!(
                "{error}; answers are not kept there from now on, and this study goes on"
            ));
            self.answers = None;
        }
    }
}

/// Keeps the answer that ended an evaluation.
pub(in crate::controller) fn keep(
    answers: &Answers,
    study: &Study,
    evaluation: &Evaluation,
    ending: &Ending,
) -> Result<(), AnswersError> {
    let Outcome::Observed(observation) = ending.outcome else {
        return Ok(());
    };
    let answer = Answer {
        observation,
        extras: ending.extras.clone(),
        cost: ending.cost,
        study: study.name().to_owned(),
    };
    answers.keep(study, evaluation, &answer)
}
