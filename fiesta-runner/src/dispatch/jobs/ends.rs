//! How runs end, and what of that the selector and the ledger are told.

use super::{Attempt, Jobs};
use crate::{
    dispatch::{
        RunError,
        interpret::{Meaning, failure, interpret},
    },
    executor::{End, Ended},
    history::{Ending, orient},
    ledger::{DURABLE_FROM, Entry},
    signal::Stop,
};
use fiesta_core::{Event, Observation, Outcome};
use serde_json::Map;
use std::time::Duration;

/// How often a run may be stopped from outside before that counts as a loss.
const MOST_STOPS: u32 = 10;

impl Jobs<'_> {
    /// The runs that ended, waiting for the first of them at most so long.
    pub(super) fn ends(
        &mut self,
        timeout: Option<Duration>,
    ) -> Result<Vec<(Attempt, Ended)>, RunError> {
        if !self.arrived.is_empty() {
            return Ok(std::mem::take(&mut self.arrived));
        }
        self.polled(timeout)
    }

    pub(super) fn polled(
        &mut self,
        timeout: Option<Duration>,
    ) -> Result<Vec<(Attempt, Ended)>, RunError> {
        let ended = self.executor.poll(timeout, self.signals.wake())?;
        let mut ends = Vec::with_capacity(ended.len());
        for ended in ended {
            if let Some(mut job) = self.running.remove(&ended.id) {
                job.attempt.met_full_disk = self.room.is_short();
                if let Some(lease) = job.lease {
                    self.gpus.give_back(lease, &ended);
                }
                ends.push((job.attempt, ended));
            }
        }
        self.tell();
        Ok(ends)
    }

    /// Takes in a run's end; the event, if its evaluation has ended with it.
    pub(super) fn take_in(
        &mut self,
        attempt: Attempt,
        ended: &Ended,
    ) -> Result<Option<Event<Observation>>, RunError> {
        let directory = self.directory(&ended.id);
        match interpret(self.study, &attempt.evaluation, &directory, ended) {
            // What a command cannot write is not its arm's fault.
            Meaning::Final(Ending {
                outcome: Outcome::Failed,
                end: Some(End::Exited(_)),
                message,
                ..
            }) if attempt.met_full_disk => {
                let message = message.unwrap_or_default();
                Ok(self.lost(attempt, ended, format!("the disk was full; {message}")))
            }
            Meaning::Final(ending) => Ok(Some(self.end(&attempt, ending))),
            Meaning::Lost(reason) => Ok(self.lost(attempt, ended, reason)),
            // Still to be made: by this controller, or by the one that resumes.
            Meaning::Cancelled if self.stopping >= Some(Stop::Kill) => Ok(None),
            Meaning::Cancelled if attempt.stops < MOST_STOPS => {
                let stops = attempt.stops + 1;
                self.again(
                    Attempt { stops, ..attempt },
                    "stopped from outside".to_owned(),
                );
                Ok(None)
            }
            // Whoever does that does it for ever, the command itself perhaps.
            Meaning::Cancelled => {
                let reason = format!("stopped from outside {} times", attempt.stops + 1);
                Ok(self.lost(attempt, ended, reason))
            }
            Meaning::Impossible(reason) => {
                let arm = self.study.arms().name(attempt.evaluation.arm).to_owned();
                self.cancel_all(self.study.grace)?;
                Err(RunError::Command { arm, reason })
            }
        }
    }

    /// An attempt was lost to the infrastructure: there is another one, unless there were too many.
    fn lost(
        &mut self,
        attempt: Attempt,
        ended: &Ended,
        reason: String,
    ) -> Option<Event<Observation>> {
        // A wrapper that cannot write is lost, and no retry used up.
        let is_excused = matches!(ended.end, End::Lost { .. })
            && (attempt.met_full_disk || self.room.is_wanting());
        if attempt.losses >= self.study.retries && !is_excused {
            // Not the words of a command that failed by itself.
            let reason = match attempt.losses {
                0 => format!("lost: {reason}"),
                losses => format!("lost {} times, now: {reason}", losses + 1),
            };
            let ending = failure(self.study, &attempt.evaluation, ended, reason);
            return Some(self.end(&attempt, ending));
        }
        let losses = attempt.losses + u32::from(!is_excused);
        self.again(Attempt { losses, ..attempt }, reason);
        None
    }

    pub(super) fn end(&mut self, attempt: &Attempt, ending: Ending) -> Event<Observation> {
        self.observer
            .ended(self.study, &attempt.evaluation, &ending);
        let event = Event::Ended {
            id: attempt.evaluation.id,
            outcome: orient(self.study, ending.outcome),
            cost: ending.cost,
        };
        self.turn_is_durable |= ending.seconds >= DURABLE_FROM.as_secs_f64();
        self.turn.push(Entry::Ended {
            evaluation: attempt.evaluation.id,
            attempt: attempt.number,
            outcome: ending.outcome,
            cost: ending.cost,
            seconds: ending.seconds,
            end: ending.end,
            message: ending.message,
            extras: ending.extras,
        });
        event
    }

    pub(super) fn withdraw(&mut self, attempt: &Attempt) {
        self.turn.push(Entry::Ended {
            evaluation: attempt.evaluation.id,
            attempt: attempt.number,
            outcome: Outcome::Withdrawn,
            cost: 0.0,
            seconds: 0.0,
            end: None,
            message: None,
            extras: Map::new(),
        });
    }

    /// Queues another attempt at an evaluation.
    pub(super) fn again(&mut self, attempt: Attempt, reason: String) {
        let number = attempt.number + 1;
        let arm = self.study.arms().name(attempt.evaluation.arm);
        self.observer.notice(&format!(
            "evaluation {} of `{arm}` is tried again: {reason}",
            attempt.evaluation.id.0 + 1
        ));
        self.turn.push(Entry::Retried {
            evaluation: attempt.evaluation.id,
            attempt: number,
            reason,
        });
        self.queue.push_back(Attempt { number, ..attempt });
    }
}
