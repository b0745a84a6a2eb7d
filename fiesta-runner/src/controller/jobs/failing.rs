//! The consequences of failures while a study runs: a stop where all are alike, and notices of
//! retired arms.

use super::{Jobs, RunError};
use fiesta_core::{Observation, Selector, SelectorError};

impl Jobs<'_> {
    /// Halts the starting of runs while several arms have failed, all alike, and none has
    /// succeeded. Resumes it when this no longer holds.
    pub(super) fn look_at_failures(&mut self) {
        let is_halted = self.failures.speak_against_all(self.study);
        if is_halted == self.is_halted {
            return;
        }
        self.is_halted = is_halted;
        let running = self.running.len() + self.arrived.len();
        if !is_halted {
            self.observer
                .notice("not every evaluation failed alike: more are started again");
        } else if running > 0 {
            self.observer.notice(&format!(
                "the first evaluations failed alike: no more are started, and {running} that run are waited for"
            ));
        }
    }

    /// Ends the session with an error if all evaluations failed alike and no run is left.
    pub(super) fn stop_if_all_failed_alike(&mut self) -> Result<(), RunError> {
        if !self.is_halted || !self.running.is_empty() || !self.arrived.is_empty() {
            return Ok(());
        }
        self.give_up_queue();
        let told = self.failures.told(self.study);
        told.map_or(Ok(()), |told| Err(RunError::FailedAlike(told)))
    }

    /// Replaces the error that no arm is left by one that names the cause, if every evaluation
    /// failed for the same cause. Returns other errors unchanged.
    pub(in crate::controller) fn of_one_cause(&self, error: RunError) -> RunError {
        match (&error, self.failures.told(self.study)) {
            (RunError::Selector(SelectorError::NoArmLeft), Some(told))
                if self.failures.are_alike() =>
            {
                RunError::FailedAlike(told)
            }
            _ => error,
        }
    }

    /// Tells the user which arms were retired since the last call.
    pub(in crate::controller) fn tell_retired(&mut self, selector: &Selector<Observation>) {
        let view = selector.view();
        let candidates = view.candidates();
        for &arm in self
            .candidates
            .iter()
            .filter(|arm| !candidates.contains(arm))
        {
            let name = self.study.arms().name(arm);
            self.observer.notice(&format!(
                "`{name}` is retired after {} failures in a row; once the cause is mended, the same command with --retry {name} lets it come back",
                view.failures_in_a_row(arm)
            ));
        }
        self.candidates = candidates.to_vec();
    }
}
