//! Turns of the loop: their results and decisions are written to the ledger together.

use super::{Jobs, RunError};
use crate::signal::Stop;

impl Jobs<'_> {
    /// Writes the turn, results and decisions together, to the ledger. Returns false if there is no
    /// room, and the write must be repeated. No job may start, and nothing be decided, before that.
    pub(super) fn record(&mut self) -> Result<bool, RunError> {
        if self.turn.is_empty() {
            return Ok(true);
        }
        if !self.capacity.may_write() {
            return Ok(false);
        }
        self.ledger.is_in_place(self.running.len())?;
        let appended = self.ledger.append(&self.turn, self.turn_is_durable);
        if let Err(error) = appended {
            self.wait_for_room(error.into())?;
            return Ok(false);
        }
        self.packing.take_in(&self.turn);
        self.turn.clear();
        self.turn_is_durable = false;
        self.has_room();
        Ok(true)
    }

    /// Writes the turn to the ledger, and waits for room unless somebody asks to stop.
    pub(super) fn record_in_time(&mut self) -> Result<(), RunError> {
        while !self.record()? {
            let ends = self.polled(Some(self.capacity.pause()))?;
            self.arrived.extend(ends);
            let requests = self.signals.received();
            let stop = requests.stop > self.stopping || requests.stop >= Some(Stop::Kill);
            if stop || requests.detach {
                let left_running = self.running.len();
                return Err(RunError::Interrupted { left_running });
            }
        }
        Ok(())
    }

    /// Notes that a write failed for lack of room. Returns the error if waiting will not help.
    pub(super) fn wait_for_room(&mut self, error: RunError) -> Result<(), RunError> {
        if let Some(news) = self.capacity.refused(error)? {
            self.observer.notice(&news);
        }
        Ok(())
    }

    pub(super) fn has_room(&mut self) {
        if let Some(news) = self.capacity.granted() {
            self.observer.notice(&news);
        }
    }
}
