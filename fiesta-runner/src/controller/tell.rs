//! Results of evaluations that another program makes, read as if the study had made them.

use super::interpret::{failure, success};
use crate::{
    executor::Output,
    history::Ending,
    run::{
        End, Ended,
        result::{NoScore, of_text},
    },
    study::Study,
};
use fiesta_core::{Evaluation, Event, Observation};

impl Study {
    /// Returns how an evaluation that took `seconds` ended. Reads its output as `fiesta run` reads
    /// what a command reports: the observation (not negated where smaller is better), its cost, its
    /// other keys, and a warning. Without an output, the evaluation has failed.
    ///
    /// # Errors
    /// [`NoScore`] if there is no score, or counts, or none that could count: it is not finite, or
    /// out of the metric's bounds. Nothing is told to anybody then.
    ///
    /// # Panics
    /// Never for a checked study.
    pub fn ending(
        &self,
        evaluation: &Evaluation,
        output: Option<&Output>,
        seconds: f64,
    ) -> Result<Ending, NoScore> {
        let ended = Ended {
            seconds,
            ..Ended::unmeasured(self.run_id(evaluation, 0), End::Exited(0))
        };
        let Some(output) = output else {
            return Ok(failure(self, evaluation, &ended, String::new()));
        };
        let text = output.text(self.metric().name());
        let scored = self.with_measures(of_text(&text, "the result", self.wanted())?)?;
        Ok(success(self, evaluation, &ended, scored))
    }

    /// Returns the event by which a selector of this study is told of the ending of an evaluation, after
    /// its [measures](Self::measured).
    pub fn event(&self, evaluation: &Evaluation, ending: &Ending) -> Event<Observation> {
        Event::Ended {
            id: evaluation.id,
            outcome: self.oriented(ending.outcome),
            cost: ending.cost,
        }
    }
}
