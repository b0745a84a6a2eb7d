//! The GPUs of a running study: which are given to jobs, and which are not just now, and why.
//!
//! Where the GPUs' driver can be asked, a GPU is looked at before a job gets it and after its job
//! ended. One that still holds an ended job's memory is waited for, then put into quarantine; one
//! that somebody else uses is skipped. Either is looked at again every so often; nothing here
//! waits.

mod gather;
mod look;
mod state;

pub(super) use gather::of_workers;

use super::RunError;
use crate::{
    clock,
    gpu::{GpuPool, GpusPerJob, Known, Lease, Monitor},
    process::Identity,
    run::{Ended, RunId},
    status::SLOTS,
};
use look::SOON;
use state::{Place, State};
use std::{
    collections::BTreeMap,
    mem,
    path::{Path, PathBuf},
};

/// The GPUs of a study.
#[derive(Debug)]
pub(super) struct Slots {
    pool: GpuPool,
    /// Driver that is asked about the GPUs. `None` if it cannot be asked, or must not be.
    monitor: Option<Box<dyn Monitor>>,
    /// State of each GPU, in the pool's order.
    places: Vec<Place>,
    /// Places of the GPUs that each run has, by the run's name.
    runs: BTreeMap<String, Vec<usize>>,
    directory: PathBuf,
    /// Directory in which other processes are told the state of the GPUs.
    board: Option<PathBuf>,
    notices: Vec<String>,
    has_complained: bool,
    /// Whether the executor gives GPUs to runs, instead of the controller.
    are_given: bool,
}

impl Slots {
    /// Makes the GPU slots of a study whose executor gives GPUs to its runs.
    fn given(directory: PathBuf) -> Result<Self, RunError> {
        let pool = GpuPool::new([""; 0])?;
        Ok(Self {
            are_given: true,
            ..Self::new(pool, Vec::new(), None, directory)
        })
    }

    /// Returns the GPUs that the controller takes for a job. `None` if the executor gives them.
    pub(super) fn to_take(&self, per_job: Option<GpusPerJob>) -> Option<GpusPerJob> {
        per_job.filter(|_| !self.are_given)
    }

    fn new(
        pool: GpuPool,
        known: Vec<Option<Known>>,
        monitor: Option<Box<dyn Monitor>>,
        directory: PathBuf,
    ) -> Self {
        let places = pool.ids().zip(known).map(|(id, known)| Place {
            id: id.to_owned(),
            known,
            state: State::Free,
            unclaimed: None,
            due: clock::now(),
            pause: SOON,
        });
        Self {
            places: places.collect(),
            pool,
            monitor,
            runs: BTreeMap::new(),
            directory,
            board: None,
            notices: Vec::new(),
            has_complained: false,
            are_given: false,
        }
    }

    fn with_notices(self, notices: Vec<String>) -> Self {
        Self { notices, ..self }
    }

    /// Looks for runs in `directory` instead of the study's own.
    pub(super) fn with_runs_in(self, directory: &Path) -> Self {
        let directory = directory.to_owned();
        Self { directory, ..self }
    }

    /// Tells other processes the state of the GPUs in `directory` from now on. Removes what an
    /// earlier controller told there.
    pub(super) fn on_board(mut self, directory: &Path) -> Self {
        SLOTS.remove(directory);
        if !self.places.is_empty() {
            self.board = Some(directory.to_owned());
            self.publish();
        }
        self
    }

    /// Returns how many jobs with `per_job` GPUs can run at a time. `None` if GPUs do not limit
    /// them.
    pub(super) fn capacity(&self, per_job: GpusPerJob) -> Option<usize> {
        let per_job = self.to_take(Some(per_job))?;
        self.pool.capacity(per_job)
    }

    /// Returns how many jobs of this kind can run at a time without the GPUs that are in trouble.
    /// `None` if GPUs do not limit them.
    pub(super) fn capacity_now(&self, per_job: GpusPerJob) -> Option<usize> {
        let per_job = self.to_take(Some(per_job))?;
        self.pool.capacity_now(per_job)
    }

    /// Takes GPUs for a run. `None` as long as too few are free.
    pub(super) fn take(&mut self, per_job: GpusPerJob, run: &RunId) -> Option<Lease> {
        loop {
            let lease = self.pool.take(per_job)?;
            let now = clock::now();
            let mut all_free = true;
            for &place in lease.slots() {
                self.look_at(place, now);
                all_free &= self.places[place].state == State::Free;
            }
            if all_free {
                self.has_complained = false;
                self.enter(run, &lease);
                return Some(lease);
            }
            // What is not free is set aside now, so that the next try is another one.
            self.pool.give_back(lease);
        }
    }

    /// Takes the GPUs that a run of an earlier controller has, as far as they belong to the study.
    pub(super) fn retake(&mut self, per_job: GpusPerJob, run: &RunId, ids: &[String]) -> Lease {
        let lease = self.pool.retake(per_job, ids);
        self.enter(run, &lease);
        lease
    }

    fn enter(&mut self, run: &RunId, lease: &Lease) {
        if !lease.slots().is_empty() {
            self.runs.insert(run.to_string(), lease.slots().to_vec());
        }
    }

    /// Takes back the GPUs of a run that ended. The driver says whether they can be used again.
    pub(super) fn give_back(&mut self, lease: Lease, ended: &Ended) {
        let now = clock::now();
        self.runs.remove(ended.id.as_str());
        let places = lease.slots().to_vec();
        self.pool.give_back(lease);
        for place in places {
            let watched = self.is_watched(place);
            let state = &self.places[place].state;
            match state {
                State::Free | State::Waiting { .. } | State::Doubtful { .. } if watched => {
                    if let Some(state) = self.judge(place, &State::Waiting { since: now }, now) {
                        self.settle(place, state, now);
                    }
                }
                State::Free | State::Survived { .. }
                    if ended.survivors.iter().any(Identity::is_alive) =>
                {
                    let state = state.survived_by(ended);
                    self.settle(place, state, now);
                }
                _ => {}
            }
        }
    }

    /// Takes back the GPUs of a run that was not started after all.
    pub(super) fn give_back_unused(&mut self, lease: Lease, run: &RunId) {
        self.runs.remove(run.as_str());
        self.pool.give_back(lease);
    }

    /// Takes the new messages about GPUs for the user.
    pub(super) fn notices(&mut self) -> Vec<String> {
        mem::take(&mut self.notices)
    }

    /// Warns the user that no job can start, since no GPU is free.
    ///
    /// # Errors
    /// [`RunError::Refused`] if none will ever be.
    pub(super) fn stalled(&mut self) -> Result<(), RunError> {
        let any = |is: fn(&State) -> bool| self.places.iter().any(|place| is(&place.state));
        if any(State::is_passing) {
            return Ok(());
        }
        if !any(|state| matches!(state, State::Quarantined { .. } | State::Foreign { .. })) {
            let message =
                "no job can be started any more: too few GPUs are left that nothing else holds";
            return Err(RunError::Refused(message.to_owned()));
        }
        if !mem::replace(&mut self.has_complained, true) {
            self.notices.push(
                "no GPU is free for the next job: waiting for one; to use GPUs whoever else does, set [executor] watch_gpus = false"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Returns, for each GPU that is out of use for long, its name and the reason.
    pub(super) fn troubles(&self) -> Vec<String> {
        let troubled = self.places.iter().filter_map(|place| match &place.state {
            State::Free | State::Waiting { .. } | State::Doubtful { .. } => None,
            State::Quarantined { reason }
            | State::Foreign { reason }
            | State::Survived { reason, .. } => Some(format!("{}: {reason}", place.label())),
        });
        troubled.collect()
    }

    /// Publishes the state of the GPUs for other processes.
    fn publish(&mut self) {
        if let Some(directory) = &self.board {
            SLOTS.write(directory, self.places.iter().map(Place::slot).collect());
        }
    }
}

#[cfg(test)]
mod tests;
