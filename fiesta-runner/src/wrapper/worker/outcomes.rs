//! What is published of the cases, again and again where the disk refuses it.

use super::cases::Outcome;
use super::{AGAIN, Host};
use std::time::Instant;

impl Host<'_> {
    pub(super) fn publish(&mut self, outcome: Outcome) {
        match outcome.publish() {
            Ok(()) => {
                let path = outcome.directory().to_owned();
                drop(outcome);
                self.tell(&path);
            }
            Err(error) => {
                self.note(&format!(
                    "cannot write to {}: {error}",
                    outcome.directory().display()
                ));
                self.unpublished.push(outcome);
                self.retry = Instant::now().checked_add(AGAIN);
            }
        }
    }

    pub(super) fn publish_again(&mut self) {
        if self.retry.is_none_or(|retry| Instant::now() < retry) {
            return;
        }
        self.retry = None;
        for outcome in std::mem::take(&mut self.unpublished) {
            if outcome.is_homeless() {
                self.note(&format!(
                    "{} is gone, and its answer with it",
                    outcome.directory().display()
                ));
            } else {
                self.publish(outcome);
            }
        }
    }
}
