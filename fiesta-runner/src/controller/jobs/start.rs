//! Starts of runs: the takeover of those that an earlier controller left, and new ones.

use super::{Attempt, Job, Jobs};
use crate::file_error::FileError;
use crate::{
    clock,
    controller::{RunError, capacity::lacking, interpret::reports_cost, packing::ASIDE},
    executor::{Found, Handle, has_begun},
    gpu::{GpusPerJob, Lease, VISIBLE_DEVICES},
    history::History,
    run::{End, Ended, RunDirectory, RunSpec, files::with_suffix, seconds::now},
    status::STATES,
};
use fiesta_core::{Event, Observation};
use rustix::process::Signal;
use std::{collections::VecDeque, fs, io, path::Path, time::Duration};

/// State in which an attempt is found that was begun before this session, or before its decision was lost.
enum Before {
    /// Nobody has begun its run.
    Nothing(Attempt),
    /// The run goes on, and is followed.
    Followed,
    /// The run has ended, in this way.
    Ended(Attempt, Ended),
    /// The run is gone without an end.
    Vanished(Attempt, Ended),
}

/// Longest wait for a run of another study to stop. Its GPUs then go to this study's jobs.
const FAREWELL: Duration = Duration::from_secs(5);

impl Jobs<'_> {
    /// Resumes the evaluations that an earlier controller left: follows runs that go on, collects
    /// those that ended, and queues the rest. Returns the events for the selector.
    pub(in crate::controller) fn resume(
        &mut self,
        history: &History,
    ) -> Result<Vec<Event<Observation>>, RunError> {
        let mut records = history.records.values();
        self.costs_are_reported = records.any(|record| reports_cost(self.study, record));
        let pending = history.pending().map(|record| record.evaluation.id);
        self.checkpoints.sweep(pending);
        let mut events = Vec::new();
        for record in history.pending() {
            let (evaluation, setting) = (record.evaluation, record.setting.clone());
            let attempt = Attempt::new(evaluation, setting, record.attempt);
            match self.look(attempt)? {
                Before::Nothing(attempt) => self.queue.push_back(attempt),
                Before::Followed => {}
                // It stopped the study; whoever resumes has seen to what was wrong.
                Before::Ended(
                    attempt,
                    ref ended @ Ended {
                        end: End::NotStarted { ref reason },
                        ..
                    },
                ) => events.extend(self.again(attempt, reason.clone(), ended)),
                Before::Ended(attempt, ended) => self.arrived.push((attempt, ended)),
                // Whoever resumes wants it made; this is no loss that counts against the retries.
                Before::Vanished(attempt, lost) => {
                    events.extend(self.again(attempt, reason_of(&lost), &lost));
                }
            }
        }
        Ok(events)
    }

    /// Looks what became of an attempt, and follows its run if it goes on.
    fn look(&mut self, attempt: Attempt) -> Result<Before, RunError> {
        let id = self.study.run_id(&attempt.evaluation, attempt.number);
        let directory = self.directory(&id);
        self.move_stranger(&attempt)?;
        let (ended, is_lost) = match self.executor.find(&id, &directory)? {
            Found::Absent => return Ok(Before::Nothing(attempt)),
            Found::Alive(handle) => {
                self.executor.adopt(&id, &directory, &handle)?;
                let lease = self.lease_of(&attempt, &directory);
                self.running.insert(id, Job { attempt, lease });
                return Ok(Before::Followed);
            }
            Found::Ended(ended) => (ended, false),
            Found::Vanished {
                reason,
                seconds,
                survivors,
            } => (Ended::lost(id, reason, seconds, survivors), true),
            Found::Elsewhere { host } => {
                let run = id.to_string();
                return Err(RunError::Elsewhere { run, host });
            }
        };
        self.leave_to_survivors(&attempt, &directory, &ended);
        Ok(if is_lost {
            Before::Vanished(attempt, ended)
        } else {
            Before::Ended(attempt, ended)
        })
    }

    /// Takes in what became of the run of a new decision that was begun before: the decision was
    /// made once already, and lost with the power. Returns the attempt if it is to be started.
    fn take_begun(&mut self, attempt: Attempt) -> Result<Option<Attempt>, RunError> {
        let id = self.study.run_id(&attempt.evaluation, attempt.number);
        if !has_begun(&RunDirectory::new(self.directory(&id))) {
            return Ok(Some(attempt));
        }
        match self.look(attempt)? {
            Before::Nothing(attempt) => return Ok(Some(attempt)),
            Before::Followed => {}
            Before::Ended(attempt, ended) => self.arrived.push((attempt, ended)),
            Before::Vanished(attempt, lost) => {
                // No loss that counts against the retries.
                let reason = reason_of(&lost);
                let end = End::Preempted { reason };
                self.arrived.push((attempt, Ended { end, ..lost }));
            }
        }
        Ok(None)
    }

    /// Starts queued attempts, as far as there are GPUs, disk space and processes for them. An
    /// attempt that waits for GPUs is not overtaken by one that needs fewer of them.
    pub(super) fn launch(&mut self) -> Result<(), RunError> {
        self.gpus.look();
        if self.queue.is_empty() || self.slots() == 0 || !self.capacity.may_start() {
            self.tell();
            return Ok(());
        }
        self.is_in_place()?;
        let mut left = VecDeque::new();
        let mut in_line = false;
        let mut refused = None;
        while self.running.len() < self.capacity.most(self.parallel.now()) {
            let Some(attempt) = self.queue.pop_front() else {
                break;
            };
            if let Some(changed) = self.study.changed_input(attempt.evaluation.arm) {
                return Err(RunError::Input {
                    arm: changed.arm.to_owned(),
                    file: changed.file.to_owned(),
                });
            }
            if self.take_cached(&attempt)? {
                continue;
            }
            let Some(attempt) = self.take_begun(attempt)? else {
                continue;
            };
            let id = self.study.run_id(&attempt.evaluation, attempt.number);
            let per_job = self.study.gpus_per_job(attempt.evaluation.arm);
            let lease = match self.gpus.to_take(per_job) {
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
            let spec = self.spec(&attempt, lease.as_ref())?;
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
            return match lacking(&error) {
                _ if self.capacity.waits_in_vain(&error, self.running.len()) => Err(error),
                // It is tried again when one of those that run has ended, or after a while.
                Some(cause) => {
                    self.crowded(&format!("{cause}: {error}"));
                    Ok(())
                }
                None => self.wait_for_room(error),
            };
        }
        let idle = self.running.is_empty() && self.arrived.is_empty() && self.reused.is_empty();
        let stalled = if idle && !self.queue.is_empty() {
            self.gpus.stalled()
        } else {
            Ok(())
        };
        // Notices of the GPUs come first: they say why no GPU is left.
        self.tell();
        stalled
    }

    fn submit(&mut self, attempt: &Attempt, spec: &RunSpec) -> Result<(), RunError> {
        self.move_stranger(attempt)?;
        self.checkpoints.place(spec)?;
        self.study
            .place_item(&attempt.evaluation.case, &spec.directory)?;
        self.executor.submit(spec)?;
        Ok(())
    }

    /// Passes messages of the GPUs and of the executor on to the user.
    pub(super) fn tell(&mut self) {
        let notices = self.gpus.notices().into_iter();
        for notice in notices.chain(self.executor.notices()) {
            self.observer.notice(&notice);
        }
        if let Some(states) = self.executor.states() {
            STATES.write(&self.study.state_directory(), states);
        }
        self.waits
            .tell(self.capacity.waits().chain(self.again.waits()));
    }

    /// Moves a run out of the way that bears the name of this attempt and is another evaluation, or
    /// does not say which one: a ledger was removed, or lost its last turns with the power.
    fn move_stranger(&mut self, attempt: &Attempt) -> Result<(), RunError> {
        let spec = self.spec(attempt, None)?;
        let directory = RunDirectory::new(&spec.directory);
        let there = match directory.read_spec() {
            Ok(there) if there.evaluation == spec.evaluation => return Ok(()),
            Ok(there) => Some(there),
            Err(error) if is_torn(&error) && has_begun(&directory) => None,
            Err(_) => return Ok(()),
        };
        // What a supervisor left running that is gone is stopped by this.
        let found = self.executor.find(&spec.id, &spec.directory)?;
        let aside = with_suffix(&spec.directory, &format!("{ASIDE}{:.0}", now()));
        fs::rename(&spec.directory, &aside).map_err(FileError::of(
            "move the run of another study out of the way, from",
            &spec.directory,
        ))?;
        self.observer.notice(&format!(
            "{} is not of this study's evaluations and was moved to {}",
            spec.directory.display(),
            aside.display()
        ));
        // Not a worker's host, which has other cases to wait for.
        let request = there.and_then(|there| there.request);
        if let (Found::Alive(Handle::Process(supervisor)), None) = (found, request) {
            // Nobody waits for what it does: not even for its grace. A disk that is too full for
            // that stops no signal.
            let _ = RunDirectory::new(&aside).write_cancellation(Duration::ZERO);
            supervisor
                .signal(Signal::TERM)
                .map_err(RunError::system("stop the run of another study"))?;
            let deadline = clock::now() + FAREWELL;
            while supervisor.is_alive() && clock::now() < deadline {
                clock::sleep(Duration::from_millis(10));
            }
        }
        Ok(())
    }

    /// Puts GPUs aside that processes of an earlier controller's run may hold, as they could not be
    /// stopped.
    fn leave_to_survivors(&mut self, attempt: &Attempt, directory: &Path, ended: &Ended) {
        if !ended.survivors.is_empty()
            && let Some(lease) = self.lease_of(attempt, directory)
        {
            self.gpus.give_back(lease, ended);
        }
    }

    /// Takes the GPUs that a run of an earlier controller was given.
    fn lease_of(&mut self, attempt: &Attempt, directory: &Path) -> Option<Lease> {
        let per_job = self.study.gpus_per_job(attempt.evaluation.arm);
        let per_job = self.gpus.to_take(per_job)?;
        let spec = RunDirectory::new(directory).read_spec().ok()?;
        let devices = spec.variable(VISIBLE_DEVICES)?;
        let ids: Vec<String> = devices.split(',').map(ToOwned::to_owned).collect();
        let run = self.study.run_id(&attempt.evaluation, attempt.number);
        Some(self.gpus.retake(per_job, &run, &ids))
    }
}

/// Returns the reason why a run was lost.
fn reason_of(lost: &Ended) -> String {
    match &lost.end {
        End::Lost { reason } => reason.clone(),
        _ => String::new(),
    }
}

/// Whether an error says that a file is missing, or is not what was written.
fn is_torn(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
    matches!(error.kind(), InvalidData | NotFound | UnexpectedEof)
}
