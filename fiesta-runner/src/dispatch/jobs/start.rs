//! How runs begin: those that an earlier controller left, and those that are new.

use super::{Attempt, Job, Jobs};
use crate::{
    dispatch::{RunError, room::lacking},
    executor::{End, Ended, Found, Handle, RunSpec},
    gpu::{DEVICE_ORDER, GpusPerJob, Lease, VISIBLE_DEVICES},
    history::Record,
    ledger,
    wrapper::RunDirectory,
};
use rustix::process::Signal;
use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How long a run of another study may take to stop. What it had is this study's to give.
const FAREWELL: Duration = Duration::from_secs(5);

impl Jobs<'_> {
    /// Takes up what an earlier controller left: follows what still runs, collects what has ended, starts
    /// what never was.
    pub(in crate::dispatch) fn resume<'r>(
        &mut self,
        pending: impl Iterator<Item = &'r Record>,
    ) -> Result<(), RunError> {
        for record in pending {
            let attempt = Attempt {
                evaluation: record.evaluation,
                setting: record.setting.clone(),
                number: record.attempt,
                losses: 0,
                stops: 0,
                met_full_disk: false,
            };
            let id = self.study.run_id(&attempt.evaluation, attempt.number);
            let directory = self.directory(&id);
            self.move_stranger(&attempt)?;
            match self.executor.find(&id, &directory)? {
                Found::Absent => self.queue.push_back(attempt),
                Found::Alive(handle) => {
                    self.executor.adopt(&id, &directory, &handle)?;
                    let lease = self.lease_of(&attempt, &directory);
                    self.running.insert(id, Job { attempt, lease });
                }
                // It stopped the study; whoever resumes has seen to what was wrong.
                Found::Ended(Ended {
                    end: End::NotStarted { reason },
                    ..
                }) => self.again(attempt, reason),
                Found::Ended(ended) => {
                    self.leave_to_survivors(&attempt, &directory, &ended);
                    self.arrived.push((attempt, ended));
                }
                // Whoever resumes wants it made; this is no loss that counts against the retries.
                Found::Vanished { reason, survivors } => {
                    let lost = Ended::lost(id, reason.clone(), survivors);
                    self.leave_to_survivors(&attempt, &directory, &lost);
                    self.again(attempt, reason);
                }
                Found::Elsewhere { host } => {
                    let run = id.to_string();
                    return Err(RunError::Elsewhere { run, host });
                }
            }
        }
        Ok(())
    }

    /// Starts what is queued, as far as there are GPUs, and room on the disk. Whoever waits for GPUs that others will give back is not
    /// overtaken by who needs fewer of them.
    pub(super) fn launch(&mut self) -> Result<(), RunError> {
        self.gpus.look();
        if self.queue.is_empty() || !self.room.may_try() {
            self.tell();
            return Ok(());
        }
        let mut left = VecDeque::new();
        let mut in_line = false;
        let mut refused = None;
        while self.running.len() < self.study.parallel {
            let Some(attempt) = self.queue.pop_front() else {
                break;
            };
            let id = self.study.run_id(&attempt.evaluation, attempt.number);
            let lease = match self.study.gpus_per_job(attempt.evaluation.arm) {
                None => None,
                Some(per_job) => {
                    let has_turn = !in_line || per_job == GpusPerJob::None;
                    let lease = has_turn.then(|| self.gpus.take(per_job, &id)).flatten();
                    if lease.is_none() {
                        in_line |= self.gpus.capacity_now(per_job) != Some(0);
                        left.push_back(attempt);
                        continue;
                    }
                    lease
                }
            };
            let spec = self.spec(&attempt, lease.as_ref());
            if let Err(error) = self.submit(&attempt, &spec) {
                if let Some(lease) = lease {
                    self.gpus.give_back_unused(lease, &id);
                }
                left.push_back(attempt);
                refused = Some(error);
                break;
            }
            self.has_room();
            self.observer
                .started(self.study, &spec.id, &attempt.evaluation);
            self.running.insert(spec.id, Job { attempt, lease });
        }
        left.append(&mut self.queue);
        self.queue = left;
        if let Some(error) = refused {
            if !self.running.is_empty()
                && let Some(cause) = lacking(&error)
            {
                // It is tried again when one of them has ended.
                if let Some(news) = self.room.crowded(cause, &error) {
                    self.observer.notice(&news);
                }
                return Ok(());
            }
            return self.wait_for_room(error);
        }
        let idle = self.running.is_empty() && self.arrived.is_empty();
        let stalled = if idle && !self.queue.is_empty() {
            self.gpus.stalled()
        } else {
            Ok(())
        };
        // What there is to say of the GPUs is also why there is none.
        self.tell();
        stalled
    }

    fn submit(&mut self, attempt: &Attempt, spec: &RunSpec) -> Result<(), RunError> {
        self.move_stranger(attempt)?;
        self.study
            .place_document(&attempt.evaluation.case, &spec.directory)?;
        self.executor.submit(spec)?;
        Ok(())
    }

    /// Passes on what is to be said of the GPUs.
    pub(super) fn tell(&mut self) {
        for notice in self.gpus.notices() {
            self.observer.notice(&notice);
        }
    }

    /// Moves a run out of the way that bears the name of this attempt and is another evaluation: a ledger
    /// was removed, or lost its last turn with the power.
    fn move_stranger(&mut self, attempt: &Attempt) -> Result<(), RunError> {
        let spec = self.spec(attempt, None);
        let there = RunDirectory::new(&spec.directory).read_spec();
        let Ok(there) = there else {
            return Ok(());
        };
        let of_evaluation = |spec: &RunSpec| {
            let mut environment = spec.environment.clone();
            environment.retain(|(key, _)| key != VISIBLE_DEVICES && key != DEVICE_ORDER);
            (spec.command.clone(), environment, spec.request.clone())
        };
        if of_evaluation(&there) == of_evaluation(&spec) {
            return Ok(());
        }
        // What a wrapper left running that is gone is stopped by this.
        let found = self.executor.find(&spec.id, &spec.directory)?;
        let mut aside = spec.directory.clone().into_os_string();
        aside.push(format!(".stranger-{:.0}", ledger::now()));
        let aside = PathBuf::from(aside);
        fs::rename(&spec.directory, &aside).map_err(|source| RunError::System {
            action: "move the run of another study out of the way",
            source,
        })?;
        self.observer.notice(&format!(
            "{} is not of this study's evaluations and was moved to {}",
            spec.directory.display(),
            aside.display()
        ));
        // Not a worker's host, which has other cases to wait for.
        if let (Found::Alive(Handle::Process(wrapper)), None) = (found, &there.request) {
            // Nobody waits for what it does: not even for its grace. A disk that is too full for that stops no signal.
            let _ = RunDirectory::new(&aside).write_cancellation(Duration::ZERO);
            wrapper
                .signal(Signal::TERM)
                .map_err(|source| RunError::System {
                    action: "stop the run of another study",
                    source,
                })?;
            let deadline = Instant::now() + FAREWELL;
            while wrapper.is_alive() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(10));
            }
        }
        Ok(())
    }

    /// Puts the GPUs aside that may be held by what could not be stopped of a run of an earlier controller.
    fn leave_to_survivors(&mut self, attempt: &Attempt, directory: &Path, ended: &Ended) {
        if !ended.survivors.is_empty()
            && let Some(lease) = self.lease_of(attempt, directory)
        {
            self.gpus.give_back(lease, ended);
        }
    }

    /// The GPUs that a run of an earlier controller was given.
    fn lease_of(&mut self, attempt: &Attempt, directory: &Path) -> Option<Lease> {
        let per_job = self.study.gpus_per_job(attempt.evaluation.arm)?;
        let spec = RunDirectory::new(directory).read_spec().ok()?;
        let devices = spec.variable(VISIBLE_DEVICES)?;
        let ids: Vec<String> = devices.split(',').map(ToOwned::to_owned).collect();
        let run = self.study.run_id(&attempt.evaluation, attempt.number);
        Some(self.gpus.retake(per_job, &run, &ids))
    }
}
