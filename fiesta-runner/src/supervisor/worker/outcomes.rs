//! The publication of cases' outcomes. It is repeated while the disk is full, as an answer may have
//! cost money.

use super::cases::Outcome;
use super::{AGAIN, Cause, Host, LAST};
use crate::clock::{after, has_come};
use crate::shortage::is_full;
use std::io;
use std::time::Instant;

impl Host<'_> {
    pub(super) fn publish(&mut self, outcome: Outcome) {
        let outcome = match self.try_to_publish(outcome) {
            Some((outcome, error)) if outcome.may_wait && !is_full(&error) => {
                self.try_to_publish(outcome.unkept(&error))
            }
            refused => refused,
        };
        let Some((outcome, _)) = outcome else {
            return;
        };
        if outcome.is_homeless() {
            let path = outcome.directory().display().to_string();
            self.note(&format!("{path} is gone, and its answer with it"));
            return;
        }
        self.unpublished.push(outcome);
        self.retry = after(AGAIN);
    }

    /// Publishes the outcome of a case. If that is refused, returns it with the reason.
    fn try_to_publish(&mut self, outcome: Outcome) -> Option<(Outcome, io::Error)> {
        let path = outcome.directory().to_owned();
        match outcome.publish() {
            Ok(()) => {
                drop(outcome);
                self.tell(&path);
                None
            }
            Err(error) => {
                self.note(&format!("cannot write to {}: {error}", path.display()));
                Some((outcome, error))
            }
        }
    }

    pub(super) fn publish_again(&mut self) {
        if !has_come(self.retry) {
            return;
        }
        self.retry = None;
        for outcome in std::mem::take(&mut self.unpublished) {
            self.publish(outcome);
        }
    }

    /// Stops the worker if an outcome cannot be published and may not wait. Its run is lost when
    /// the host ends.
    pub(super) fn check_unpublished(&mut self) -> io::Result<()> {
        if self.unpublished.iter().all(|outcome| outcome.may_wait) {
            return Ok(());
        }
        let reason = "what became of a case cannot be written";
        self.stop(Cause::Stopped, reason, LAST)
    }

    /// Publishes the remaining outcomes, as long as they may wait and the host is not told to stop.
    /// Runs without a published outcome are lost.
    pub(super) fn publish_the_rest(&mut self) -> io::Result<()> {
        self.process.close_stdin();
        loop {
            self.unpublished.retain(|outcome| outcome.may_wait);
            if self.unpublished.is_empty() || self.tree.take_stop_request() {
                return Ok(());
            }
            self.tree.pause(AGAIN)?;
            self.hear();
            self.look_for_cancellations();
            self.retry = Some(Instant::now());
            self.publish_again();
        }
    }
}
