//! Loop of a selection: ask until the workers are full, wait, tell.

use crate::{Ask, Conclusion, Evaluation, Event, Selector, SelectorError};

/// Where evaluations are made: processes, threads, or a simulation's virtual clock.
pub trait Workers<O> {
    /// Error of the workers, besides the errors of the selection itself.
    type Error: From<SelectorError>;

    /// Returns how many more evaluations can be started now.
    fn vacancies(&self) -> usize;

    /// Starts an evaluation.
    ///
    /// # Errors
    /// Whatever keeps the study from going on; a job that fails is an event, not an error.
    fn start(&mut self, evaluation: Evaluation) -> Result<(), Self::Error>;

    /// Waits for the next events and returns them: at least one, in the order in which the selector
    /// is to be told. Events of the same moment are returned together.
    ///
    /// # Errors
    /// Whatever keeps the study from going on, an interruption included.
    fn wait(&mut self, selector: &Selector<O>) -> Result<Vec<Event<O>>, Self::Error>;
}

impl<O: Clone> Selector<O> {
    /// Runs the selection to its end: asks until the workers are full, waits, tells, and again.
    ///
    /// Evaluations that are still running at the end are left to the workers' owner.
    ///
    /// # Errors
    /// Any of the workers' errors, or [`SelectorError`] if the policy misbehaves or no arm is left.
    pub fn drive<W: Workers<O>>(&mut self, workers: &mut W) -> Result<Conclusion, W::Error> {
        loop {
            while workers.vacancies() > 0 {
                match self.ask()? {
                    Ask::Evaluate(evaluation) => workers.start(evaluation)?,
                    Ask::Wait => break,
                    Ask::Finished(conclusion) => return Ok(conclusion),
                }
            }
            // Time also runs out while every worker is busy.
            if let Some(conclusion) = self.expire()? {
                return Ok(conclusion);
            }
            for event in workers.wait(self)? {
                self.tell(event)?;
            }
        }
    }
}
