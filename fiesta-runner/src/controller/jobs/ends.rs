//! Ends of runs, and the events that they make for the selector and the ledger.

use super::{Attempt, Jobs, Shortage};
use crate::{
    clock::{after, first_of, until},
    controller::{
        RunError,
        capacity::lacking,
        interpret::{Meaning, failure, interpret, is_reported, own_cost, spent},
    },
    history::{Cause, Ending, Spent},
    ledger::{DURABLE_FROM, Entry},
    process::{is_readable, wait_readable},
    run::{End, Ended},
    signal::Stop,
};
use fiesta_core::{Event, Observation, Outcome};
use rustix::event::{PollFd, PollFlags};
use serde_json::Map;
use std::{fs, time::Duration};

/// How often a run may be stopped from outside before that counts as a loss.
const MOST_STOPS: u32 = 10;

impl Jobs<'_> {
    /// Returns the runs that ended. Waits for the first of them until `timeout` at most.
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
        let deadline = timeout.and_then(after);
        let ended = loop {
            self.elapsed.keep();
            self.ledger.catch_up()?;
            let left = until(deadline);
            let slices = [left, Some(self.elapsed.until_kept()), self.ledger.due_in()];
            let slice = first_of(slices);
            let ended = self.executor.poll(slice, self.signals.wake());
            // Where nothing is any more, a run that goes on elsewhere looks like one that was lost.
            self.is_in_place()?;
            match ended.map_err(RunError::from) {
                Ok(ended)
                    if ended.is_empty()
                        && slice != left
                        && !self.parallel.is_changed()
                        && !self.is_woken()? => {}
                Ok(ended) => break ended,
                Err(error) => return self.wait_out(error).map(|()| Vec::new()),
            }
        };
        let mut ends = Vec::with_capacity(ended.len());
        for ended in ended {
            if let Some(mut job) = self.running.remove(&ended.id) {
                job.attempt.met = if self.capacity.is_short() {
                    Some(Shortage::Disk)
                } else {
                    self.capacity.is_crowded().then_some(Shortage::Machine)
                };
                if !matches!(ended.end, End::Short { .. }) {
                    self.capacity.freed(self.slots());
                }
                if let Some(lease) = job.lease {
                    self.gpus.give_back(lease, &ended);
                }
                ends.push((job.attempt, ended));
            }
        }
        self.tell();
        Ok(ends)
    }

    /// Checks that the study's directory and its ledger were neither moved nor replaced.
    pub(super) fn is_in_place(&self) -> Result<(), RunError> {
        let running = self.running.len();
        self.place.check(running)?;
        Ok(self.ledger.is_in_place_by_now(running)?)
    }

    /// Waits after runs could not be followed. Returns the error if waiting will not help.
    fn wait_out(&mut self, error: RunError) -> Result<(), RunError> {
        let Some(cause) = lacking(&error) else {
            return Err(error);
        };
        let reason = format!("{cause}: {error}");
        self.crowded(&reason);
        self.await_wake(self.capacity.pause())?;
        Ok(())
    }

    /// Whether a signal has arrived.
    fn is_woken(&self) -> Result<bool, RunError> {
        self.await_wake(Duration::ZERO)
    }

    /// Waits for a signal, at most for `pause`. Returns whether one has arrived.
    fn await_wake(&self, pause: Duration) -> Result<bool, RunError> {
        let mut wake = [PollFd::from_borrowed_fd(self.signals.wake(), PollFlags::IN)];
        let waited = wait_readable(&mut wake, Some(pause));
        waited.map_err(RunError::system("wait for the runs"))?;
        Ok(is_readable(&wake[0]))
    }

    /// Interprets a run's end, and records it. Returns the event for the selector, if there is one.
    pub(super) fn take_in(
        &mut self,
        attempt: Attempt,
        ended: &Ended,
    ) -> Result<Option<Event<Observation>>, RunError> {
        let directory = self.directory(&ended.id);
        let meaning = interpret(self.study, &attempt.evaluation, &directory, ended);
        if let (Meaning::Final(_), Err(changed)) =
            (&meaning, self.study.check_item(&attempt.evaluation.case))
        {
            // It may be of either text.
            self.withdraw(&attempt, Some(ended));
            return Err(changed.into());
        }
        if let Meaning::Final(Ending {
            outcome: Outcome::Observed(_),
            cost,
            ..
        }) = &meaning
        {
            let own = own_cost(self.study, &attempt.evaluation, ended.seconds);
            self.costs_are_reported |= is_reported(*cost, own);
        }
        match meaning {
            // What a command cannot write is not its arm's fault.
            Meaning::Final(Ending {
                outcome: Outcome::Failed,
                end: Some(End::Exited(_)),
                message,
                ..
            }) if attempt.met.is_some() => {
                let cause = match attempt.met {
                    Some(Shortage::Machine) => "the machine had too little for all jobs",
                    _ => "the disk was full",
                };
                let message = message.unwrap_or_default();
                Ok(self.lost(attempt, ended, format!("{cause}; {message}")))
            }
            Meaning::Final(ending) => {
                self.keep(&attempt.evaluation, &ending, &directory, ended);
                Ok(Some(self.end(&attempt, ending)))
            }
            Meaning::Lost(reason) => Ok(self.lost(attempt, ended, reason)),
            // However often: that is the engine's to decide.
            Meaning::Preempted(reason) => Ok(self.again(attempt, reason, ended)),
            // Still to be made: by this controller, or by the one that resumes.
            Meaning::Cancelled if self.stopping >= Some(Stop::Kill) => Ok(None),
            Meaning::Cancelled if attempt.stops < MOST_STOPS => {
                let stops = attempt.stops + 1;
                let reason = "stopped from outside".to_owned();
                Ok(self.again(Attempt { stops, ..attempt }, reason, ended))
            }
            Meaning::Short(reason) => Ok(self.put_back(attempt, reason, ended)),
            // Whoever does that does it for ever, the command itself perhaps.
            Meaning::Cancelled => {
                let reason = format!("stopped from outside {} times", attempt.stops + 1);
                Ok(self.lost(attempt, ended, reason))
            }
            Meaning::Impossible(reason) => {
                let arm = self.study.arms().name(attempt.evaluation.arm);
                self.cancel_all(self.study.grace)?;
                Err(RunError::of_arm(arm, reason))
            }
        }
    }

    /// Handles an attempt lost to the infrastructure: makes another one, unless too many were lost.
    fn lost(
        &mut self,
        attempt: Attempt,
        ended: &Ended,
        reason: String,
    ) -> Option<Event<Observation>> {
        // A supervisor that cannot write is lost, and no retry used up. Nor is one by whoever moves
        // the study.
        let is_excused = ended.moved
            || matches!(ended.end, End::Lost { .. })
                && (attempt.met == Some(Shortage::Disk) || self.capacity.is_wanting());
        if attempt.losses >= self.study.retries() && !is_excused {
            // Not the words of a command that failed by itself.
            let reason = match attempt.losses {
                0 => format!("lost: {reason}"),
                losses => format!("lost {} times, now: {reason}", losses + 1),
            };
            let ending = failure(self.study, &attempt.evaluation, ended, reason);
            return Some(self.end(&attempt, ending));
        }
        let losses = attempt.losses + u32::from(!is_excused);
        self.again(Attempt { losses, ..attempt }, reason, ended)
    }

    /// Queues an attempt again whose command could not be started. Nothing was run, so the attempt
    /// keeps its name and directory.
    pub(super) fn put_back(
        &mut self,
        attempt: Attempt,
        reason: String,
        ended: &Ended,
    ) -> Option<Event<Observation>> {
        self.crowded(&reason);
        if fs::remove_dir_all(self.directory(&ended.id)).is_err() {
            return self.again(attempt, reason, ended);
        }
        self.queue.push_front(attempt);
        None
    }

    /// Notes that the machine has too little room for as many jobs as the study allows.
    pub(super) fn crowded(&mut self, reason: &str) {
        if let Some(news) = self.capacity.crowded(reason, self.running.len()) {
            self.observer.notice(&news);
        }
    }

    pub(super) fn end(&mut self, attempt: &Attempt, ending: Ending) -> Event<Observation> {
        let ending = self.kept(attempt, ending);
        self.checkpoints.remove(attempt.evaluation.id);
        self.observer
            .ended(self.study, &attempt.evaluation, &ending);
        self.failures
            .note(self.study, &attempt.evaluation, attempt.number, &ending);
        self.look_at_failures();
        self.again.note(&attempt.evaluation, &ending);
        if self
            .identical
            .add(self.study, &attempt.evaluation, &ending.outcome)
            && let Some(notice) = self.identical.notice(self.study, attempt.evaluation.arm)
        {
            self.observer.notice(&notice);
        }
        let measured = self.study.measured(attempt.evaluation.id, &ending);
        self.measured.extend(measured);
        let event = self.study.event(&attempt.evaluation, &ending);
        self.turn_is_durable |= ending.seconds >= DURABLE_FROM.as_secs_f64();
        self.turn
            .push(ending.entry(attempt.evaluation.id, attempt.number));
        event
    }

    /// Returns `ending` if the ledger can keep it. Otherwise a failure that says why it cannot.
    fn kept(&self, attempt: &Attempt, ending: Ending) -> Ending {
        let entry = ending.clone().entry(attempt.evaluation.id, attempt.number);
        let Err(why) = entry.kept() else {
            return ending;
        };
        let own = own_cost(self.study, &attempt.evaluation, ending.seconds);
        let before = ending.message.as_ref();
        let before = before.map_or_else(String::new, |said| format!("; {said}"));
        Ending {
            outcome: Outcome::Failed,
            cost: if own.is_finite() { own } else { 0.0 },
            message: Some(format!(
                "its result cannot be written down, and does not count: {why}{before}"
            )),
            extras: Map::new(),
            ..ending
        }
    }

    /// Withdraws an attempt. If it was started and ended, records its time and its cost.
    pub(super) fn withdraw(&mut self, attempt: &Attempt, ended: Option<&Ended>) {
        self.checkpoints.remove(attempt.evaluation.id);
        let spent = ended.map_or_else(Spent::default, |ended| self.spent(attempt, ended));
        let ending = Ending::withdrawn(spent, ended.map(|ended| ended.end.clone()), None);
        self.turn
            .push(ending.entry(attempt.evaluation.id, attempt.number));
    }

    fn spent(&self, attempt: &Attempt, ended: &Ended) -> Spent {
        spent(
            self.study,
            &attempt.evaluation,
            ended,
            self.costs_are_reported,
        )
    }

    /// Queues another attempt at an evaluation, after one that ended without an outcome. Returns an
    /// event if that one has cost anything.
    pub(super) fn again(
        &mut self,
        attempt: Attempt,
        reason: String,
        ended: &Ended,
    ) -> Option<Event<Observation>> {
        let spent = self.spent(&attempt, ended);
        let id = attempt.evaluation.id;
        let number = attempt.number + 1;
        let arm = self.study.arms().name(attempt.evaluation.arm);
        let cause = Cause::in_words(self.study, &attempt.evaluation, &reason);
        let why = match self.told.before(cause, attempt.evaluation.id) {
            None => reason.clone(),
            Some((first, count)) => {
                format!("as evaluation {} was ({count} times so far)", first.0 + 1)
            }
        };
        self.observer.notice(&format!(
            "evaluation {} of `{arm}` is tried again: {why}",
            attempt.evaluation.id.0 + 1
        ));
        self.turn.push(Entry::Retried {
            evaluation: id,
            attempt: number,
            reason,
            cost: spent.cost,
            seconds: spent.seconds,
        });
        self.queue.push_back(Attempt { number, ..attempt });
        spent.event(id)
    }
}
