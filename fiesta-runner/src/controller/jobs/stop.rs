//! The end of a session: with a conclusion, without one, or at a request to stop.

use super::{Attempt, Job, Jobs, RunError};
use crate::{
    clock,
    controller::interpret::{Meaning, interpret},
    history::{Check, History},
    ledger::{Entry, LedgerError},
    signal::Stop,
};
use fiesta_core::{Conclusion, Outcome};
use fiesta_policies::stopping::RULES;
use std::time::Duration;

/// Interval of looks whether the runs that are to stop can be reached.
const PATIENCE: Duration = Duration::from_millis(500);

impl Jobs<'_> {
    /// Refuses a conclusion while the scores of some arms look like shares and those of others like percentages.
    pub(super) fn check_scales(&self) -> Result<(), RunError> {
        let mut history = History::begin(self.study)?;
        let take = |entry| history.take(self.study, entry, Check::Nothing);
        self.ledger.visit(take)?;
        match history.two_scales(self.study) {
            None => Ok(()),
            Some(problem) => Err(RunError::Refused(format!(
                "no arm is named: {problem}; mend what prints them, and run the study again with --again ARM for the arm whose scores were wrong; what was evaluated counts. If all are on one scale, a new study says so by bounds under [metric], and takes the export of this one as [[recorded]]"
            ))),
        }
    }

    /// Records the conclusion, unless an earlier session did, and stops the runs that go on. A
    /// result that a run published nevertheless counts as an evaluation.
    pub(in crate::controller) fn conclude(
        &mut self,
        conclusion: &Conclusion,
        recorded: bool,
    ) -> Result<(), RunError> {
        if !recorded {
            let conclusion = conclusion.clone();
            self.turn.push(Entry::Concluded {
                conclusion,
                rules: Some(RULES),
            });
        }
        self.record_in_time()?;
        self.give_up_queue();
        self.cancel_all(self.study.grace)?;
        let mut urged = None;
        while !self.running.is_empty() || !self.arrived.is_empty() {
            let requests = self.signals.received();
            if requests.detach {
                self.turn_is_durable = true;
                self.record()?;
                let left_running = self.running.len();
                return Err(RunError::Interrupted { left_running });
            }
            if requests.stop >= Some(Stop::Kill) && requests.stop > urged {
                urged = requests.stop;
                self.stopping = self.stopping.max(urged);
                self.cancel_all(Duration::ZERO)?;
            }
            if let Some(error) = self.leaves_behind() {
                self.turn_is_durable = true;
                self.record()?;
                return Err(error);
            }
            let before = self.turn.len();
            for (attempt, ended) in self.ends(self.patience())? {
                let directory = self.directory(&ended.id);
                match interpret(self.study, &attempt.evaluation, &directory, &ended) {
                    Meaning::Final(ending)
                        if matches!(ending.outcome, Outcome::Observed(_))
                            && self.study.check_item(&attempt.evaluation.case).is_ok() =>
                    {
                        self.keep(&attempt.evaluation, &ending, &directory, &ended);
                        self.end(&attempt, ending);
                    }
                    _ => self.withdraw(&attempt, Some(&ended)),
                }
            }
            // What was read where nothing is any more says nothing.
            self.is_in_place()
                .inspect_err(|_| self.turn.truncate(before))?;
        }
        let seconds = self.elapsed.seconds();
        self.turn.push(Entry::Clock { seconds });
        self.turn_is_durable = true;
        self.record_in_time()?;
        self.checkpoints.sweep(std::iter::empty());
        let ledger = &mut self.ledger;
        self.packing.finish(ledger, self.signals, self.observer);
        Ok(())
    }

    /// Replaces an error by its true cause, if the study's directory was moved away or its ledger
    /// replaced.
    pub(in crate::controller) fn explain(&self, error: RunError) -> RunError {
        match error {
            RunError::Interrupted { .. } | RunError::Moved { .. } => error,
            error => {
                let running = self.running.len();
                let moved = self.place.check(running).err();
                let replaced = || Some(self.ledger.is_in_place(running).err()?.into());
                moved.or_else(replaced).unwrap_or(error)
            }
        }
    }

    /// Records what is known when the study stops without a conclusion, because of `error`.
    pub(in crate::controller) fn leave(&mut self, error: &RunError) {
        match error {
            RunError::Ledger(LedgerError::Replaced { .. }) => self.rescue(),
            RunError::Interrupted { .. } | RunError::Moved { .. } => self.abandon(true),
            _ => self.abandon(false),
        }
    }

    /// Copies the content of the ledger to another file, as the ledger's own file was replaced.
    fn rescue(&mut self) {
        // What is known by now, too: where it is written, nobody waits for room.
        let seconds = self.elapsed.seconds();
        self.turn.push(Entry::Clock { seconds });
        let _ = self.ledger.append(&self.turn, false);
        self.turn.clear();
        if let Some(copy) = self.ledger.rescue() {
            self.observer.notice(&format!(
                "what the ledger held is in {}: to go on with it, give it the name ledger.db, where that is free",
                copy.display()
            ));
        }
    }

    /// Records what is known when the study stops without a conclusion. Tells the user which runs
    /// go on, unless the stop was requested.
    fn abandon(&mut self, on_request: bool) {
        if !self.running.is_empty() && !on_request {
            self.observer.notice(&format!(
                "{} {} go on by themselves; the same command finds them again",
                self.running.len(),
                self.study.jobs_are_called()
            ));
        }
        let seconds = self.elapsed.seconds();
        self.turn.push(Entry::Clock { seconds });
        self.turn_is_durable = true;
        let left_out = match self.record() {
            Ok(true) => return,
            Ok(false) => String::new(),
            Err(error) => format!(" ({error})"),
        };
        self.observer.notice(&format!(
            "what happened last could not be written down{left_out}; it is found again in the directories of the runs"
        ));
    }

    /// Carries out what signals asked for. Returns an error if the session is to end at once.
    pub(super) fn heed_signals(&mut self) -> Result<(), RunError> {
        let requests = self.signals.received();
        if requests.detach {
            self.let_go();
            return Err(RunError::Interrupted {
                left_running: self.running.len(),
            });
        }
        if requests.stop > self.stopping {
            self.stopping = requests.stop;
            self.stop_more_urgently()?;
        }
        // Nobody can be waited for who cannot write how it ended: that is found again.
        if self.stopping.is_some() && self.capacity.is_short() {
            let left_running = self.running.len();
            return Err(RunError::Interrupted { left_running });
        }
        if self.stopping.is_some() && self.running.is_empty() && self.arrived.is_empty() {
            return Err(RunError::Interrupted { left_running: 0 });
        }
        self.leaves_behind().map_or(Ok(()), Err)
    }

    /// Returns the time until the next check whether the session must leave its runs. `None` if
    /// nobody asked to stop them.
    pub(super) fn patience(&self) -> Option<Duration> {
        (self.stopping >= Some(Stop::Kill)).then_some(PATIENCE)
    }

    /// Returns the error with which the session leaves its runs: they were told to stop, their
    /// grace is over, and their engine cannot be reached. `None` if the session still waits for
    /// them.
    fn leaves_behind(&mut self) -> Option<RunError> {
        let grace = match self.stopping {
            None | Some(Stop::Drain) => return None,
            Some(Stop::Kill) => self.study.grace,
            Some(Stop::AtOnce) => Duration::ZERO,
        };
        let had_its_time = self
            .told_to_stop
            .is_some_and(|at| clock::since(at) >= grace);
        if !had_its_time || self.running.is_empty() || !self.arrived.is_empty() {
            return None;
        }
        let engine = self.executor.out_of_reach()?;
        let left_running = self.running.len();
        let s = if left_running == 1 { "" } else { "s" };
        self.observer.notice(&format!(
            "left {left_running} run{s} on {engine}, which cannot be reached; `fiesta run` finds them again"
        ));
        Some(RunError::Interrupted { left_running })
    }

    /// Applies a requested change of the number of jobs. Returns whether more jobs may run than
    /// before.
    pub(super) fn heed_orders(&mut self) -> bool {
        let Some((before, after)) = self.parallel.look() else {
            return false;
        };
        let jobs = after.jobs;
        self.observer.notice(&match (before.paused, after.paused) {
            (false, true) => "paused: nothing more is started; what runs goes on".to_owned(),
            (true, false) => format!(
                "resumed, with {jobs} {} at a time",
                self.study.jobs_are_called()
            ),
            _ => format!(
                "{jobs} {} at a time from now on",
                self.study.jobs_are_called()
            ),
        });
        if after.now() < before.now() {
            self.take_back();
        } else if self
            .study
            .worker()
            .is_some_and(|worker| worker.processes.is_none())
        {
            self.executor.prepare_for(after.now());
        }
        after.now() > before.now()
    }

    fn stop_more_urgently(&mut self) -> Result<(), RunError> {
        match self.stopping {
            None => {}
            Some(Stop::Drain) => {
                self.let_go();
                if !self.running.is_empty() {
                    self.observer.notice(&format!(
                        "waiting for {} running {}; once more to stop them",
                        self.running.len(),
                        self.study.jobs_are_called()
                    ));
                }
            }
            Some(Stop::Kill) => {
                self.observer.notice(&format!(
                    "stopping the running {}; once more to leave them no time for it",
                    self.study.jobs_are_called()
                ));
                self.cancel_all(self.study.grace)?;
            }
            Some(Stop::AtOnce) => self.cancel_all(Duration::ZERO)?,
        }
        Ok(())
    }

    pub(super) fn give_up_queue(&mut self) {
        for attempt in std::mem::take(&mut self.queue) {
            self.withdraw(&attempt, None);
        }
    }

    pub(super) fn cancel_all(&mut self, grace: Duration) -> Result<(), RunError> {
        self.told_to_stop.get_or_insert_with(clock::now);
        let mut first_error = Ok(());
        for id in self.running.keys() {
            // One that cannot be reached is no reason to leave the others running.
            first_error = first_error.and(self.executor.cancel(id, grace));
        }
        Ok(first_error?)
    }

    /// Takes back submitted runs that the executor has not started, and queues them under new
    /// names. Should an engine start one all the same, it finds the run's place taken.
    fn take_back(&mut self) {
        for id in self.executor.let_go() {
            let Some(Job { attempt, lease }) = self.running.remove(&id) else {
                continue;
            };
            if let Some(lease) = lease {
                self.gpus.give_back_unused(lease, &id);
            }
            let number = attempt.number + 1;
            self.turn.push(Entry::Retried {
                evaluation: attempt.evaluation.id,
                attempt: number,
                reason: "taken back before it began, for fewer jobs at a time".to_owned(),
                cost: 0.0,
                seconds: 0.0,
            });
            self.queue.push_back(Attempt { number, ..attempt });
        }
    }

    /// Takes back the runs that the executor has not started.
    fn let_go(&mut self) {
        for id in self.executor.let_go() {
            let job = self.running.remove(&id);
            self.queue.extend(job.map(|job| job.attempt));
        }
    }
}
