//! Reuse of answers that an earlier study paid for, and writing of new ones to the cache.

use super::{Attempt, Jobs};
use crate::{
    answers::{Answers, AnswersError, Kept, PAID_BEFORE},
    controller::RunError,
    history::Ending,
    run::{Ended, result},
    study::Study,
};
use fiesta_core::{Evaluation, Event, Observation, Outcome};
use serde_json::json;
use std::path::Path;

impl Jobs<'_> {
    /// Takes the answer to an attempt from the cache. Returns false if the cache has none.
    pub(super) fn take_cached(&mut self, attempt: &Attempt) -> Result<bool, RunError> {
        let Some(answers) = &self.answers else {
            return Ok(false);
        };
        let answer = match answers.find(self.study, &attempt.evaluation)? {
            Kept::Answer(answer) => *answer,
            Kept::Nothing => return Ok(false),
            Kept::Damaged(notice) => {
                self.observer.notice(&notice);
                return Ok(false);
            }
        };
        let mut extras = answer.extras;
        let mut paid = json!({ "study": answer.study, "cost": answer.cost });
        if let Some(unit) = answer.unit {
            paid["unit"] = unit.into();
        }
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

    /// Returns the answers found in the cache, as events for the selector.
    pub(super) fn reuse(&mut self) -> Vec<Event<Observation>> {
        let reused = std::mem::take(&mut self.reused);
        reused
            .into_iter()
            .map(|(attempt, ending)| self.end(&attempt, ending))
            .collect()
    }

    /// Keeps an answer that was just paid for. If the cache cannot be written, the user is told
    /// once, and the study goes on.
    pub(super) fn keep(
        &mut self,
        evaluation: &Evaluation,
        ending: &Ending,
        directory: &Path,
        ended: &Ended,
    ) {
        let Some(answers) = &self.answers else {
            return;
        };
        if let Err(error) = keep(answers, self.study, evaluation, ending, (directory, ended)) {
            self.observer.notice(&format!(
                "{error}; answers are not kept there from now on, and this study goes on"
            ));
            self.answers = None;
        }
    }
}

/// Writes the answer that ended an evaluation to the cache, as the arm gave it, even if this study
/// could make no score of it.
pub(in crate::controller) fn keep(
    answers: &Answers,
    study: &Study,
    evaluation: &Evaluation,
    ending: &Ending,
    (directory, ended): (&Path, &Ended),
) -> Result<(), AnswersError> {
    let Some(mut said) = result::reported(directory, ended) else {
        return Ok(());
    };
    let is_score = match ending.outcome {
        Outcome::Observed(_) => true,
        Outcome::Failed => said.contains_key(study.wanted().keys()[0]),
        Outcome::Withdrawn => false,
    };
    if !is_score {
        return Ok(());
    }
    // It names the case, and not the answer.
    if said.get("id").is_some_and(|id| id == ended.id.as_str()) {
        said.shift_remove("id");
    }
    answers.keep(study, evaluation, said, ending.cost)
}
