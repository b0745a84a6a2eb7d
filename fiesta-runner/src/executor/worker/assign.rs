//! The assignment of runs to workers, and the start of further workers.

use super::host::{Host, Kind};
use super::{Held, Sent, Whose, WorkerPool, evaluation};
use crate::executor::process::Life;
use crate::gpu::{GpusPerJob, Lease};
use crate::run::RunDirectory;
use crate::shortage;
use crate::supervisor::worker::WorkerSpec;
use crate::{
    executor::ExecutorError,
    run::{End, Ended, RunSpec},
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// Way in which the pool of workers can find a place for a run that waits for one.
enum Seat {
    /// The host of this number has room for the run.
    At(u64),
    /// The host of this number, which is being started, will have room for the run.
    Soon(u64),
    /// Another worker could be started for the run.
    Another,
    /// The run waits until other runs are done.
    None,
}

impl Kind {
    pub(super) fn of(spec: &RunSpec) -> Self {
        Self {
            command: spec.command.clone(),
            environment: spec.environment.clone(),
            of_caller: spec.of_caller.clone(),
            working_directory: spec.working_directory.clone(),
        }
    }
}

impl WorkerPool {
    /// Sends the runs that a worker has room for, oldest first, and starts workers for the rest, as
    /// far as the study allows more.
    ///
    /// A run for which there is no room holds back those behind it, so that a worker of its kind
    /// gets a place once another one is idle.
    pub(super) fn assign(&mut self) -> Result<(), ExecutorError> {
        self.next_move = None;
        self.look_after_earlier()?;
        // How many runs are meant for each host that is not ready yet.
        let mut planned: BTreeMap<u64, usize> = BTreeMap::new();
        let mut at = 0;
        while let Some(held) = self.held.get(at) {
            let kind = Kind::of(&held.spec);
            let alone = self.suspects.contains(&evaluation(&held.id));
            if let Some(until) = self.health.get(&kind).and_then(super::Health::pause) {
                self.wake_at(until);
                at += 1;
                continue;
            }
            match self.seat(&kind, alone, &planned) {
                Seat::At(number) => {
                    if let Some(pace) = &self.pace
                        && pace.next() > Instant::now()
                    {
                        let next = pace.next();
                        self.wake_at(next);
                        return Ok(());
                    }
                    self.send(at, number, alone);
                }
                Seat::Soon(number) => {
                    *planned.entry(number).or_default() +=
                        if alone { self.settings.concurrency } else { 1 };
                    at += 1;
                }
                Seat::Another => {
                    if !self.start(at, kind)? {
                        return Ok(());
                    }
                }
                Seat::None => {
                    self.make_room(&kind, &planned);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn wake_at(&mut self, moment: Instant) {
        self.next_move = Some(self.next_move.map_or(moment, |next| next.min(moment)));
    }

    fn seat(&self, kind: &Kind, alone: bool, planned: &BTreeMap<u64, usize>) -> Seat {
        let of_kind = || self.hosts.iter().filter(|(_, host)| host.kind == *kind);
        let room = if alone { 1 } else { self.settings.concurrency };
        let free = of_kind().filter(|(_, host)| host.ready && !host.alone && host.busy < room);
        if let Some((number, _)) = free.min_by_key(|(_, host)| host.busy) {
            return Seat::At(*number);
        }
        let planned = |number| planned.get(number).copied().unwrap_or(0);
        let starting =
            of_kind().find(|(number, host)| host.is_starting() && planned(number) < room);
        if let Some((number, _)) = starting {
            return Seat::Soon(*number);
        }
        if self.processes() < self.settings.processes {
            Seat::Another
        } else {
            Seat::None
        }
    }

    /// How many workers there are, those of earlier controllers included.
    fn processes(&self) -> usize {
        self.hosts.len() + self.earlier.len()
    }

    /// Sends a run that was held back to a worker's host.
    fn send(&mut self, at: usize, number: u64, alone: bool) {
        let (Some(held), Some(host)) = (self.held.remove(at), self.hosts.get_mut(&number)) else {
            return;
        };
        let Held { id, spec, returns } = held;
        // A host that is gone has not taken it, which is found out with its end.
        host.send(&spec.directory);
        host.busy += 1;
        host.alone = alone;
        if let Some(pace) = &mut self.pace {
            pace.take(Instant::now());
        }
        self.sent.insert(
            id,
            Sent {
                directory: RunDirectory::new(&spec.directory),
                whose: Whose::Own(number),
                cancelled: false,
                returns,
                life: Life::starting(),
            },
        );
    }

    /// Starts a worker for a run that is held back. Returns false if there is no GPU for the
    /// worker. If the disk is full, later starts wait.
    fn start(&mut self, at: usize, kind: Kind) -> Result<bool, ExecutorError> {
        let per_worker = self.gpus_per_worker(at);
        let Ok(lease) = self.lease(per_worker) else {
            if self.processes() > 0 {
                self.make_room(&kind, &BTreeMap::new());
            } else if let Some(held) = self.held.remove(at) {
                let reason = "no GPU is left for its worker that nothing else holds".to_owned();
                self.ended
                    .push(Ended::unmeasured(held.id, End::NotStarted { reason }));
            }
            return Ok(false);
        };
        let told = lease.iter().flat_map(Lease::environment);
        let spec = WorkerSpec {
            command: kind.command.clone(),
            environment: kind.environment.iter().cloned().chain(told).collect(),
            of_caller: kind.of_caller.clone(),
            working_directory: kind.working_directory.clone(),
            concurrency: self.settings.concurrency,
            start_timeout: self.settings.start_timeout,
            grace: self.settings.grace,
            keys: self.settings.keys.clone(),
            directory: PathBuf::new(),
            gpus: lease
                .as_ref()
                .map_or_else(Vec::new, |lease| lease.ids().to_vec()),
            workers_per_gpu: match per_worker {
                Some(GpusPerJob::Share { jobs }) => jobs,
                _ => 1,
            },
        };
        match Host::start(&self.program, &self.place, &spec, kind.clone()) {
            Ok(mut host) => {
                host.lease = lease;
                self.hosts.insert(self.next_host, host);
                self.next_host += 1;
                Ok(true)
            }
            Err(error) => {
                if let Some(lease) = lease {
                    self.gpus.give_back(lease);
                }
                let Some(cause) = shortage::of(&error) else {
                    return Err(ExecutorError::system("start the host of a worker")(error));
                };
                self.wait_for_room(kind, &format!("{cause}: {error}"));
                Ok(true)
            }
        }
    }

    /// Delays the start of workers of a kind, as the machine lacks room for one. Tells the user
    /// once.
    pub(super) fn wait_for_room(&mut self, kind: Kind, reason: &str) {
        self.health.entry(kind).or_default().wait_for_room();
        if !std::mem::replace(&mut self.short, true) {
            let notice = format!("{reason}: no worker is started until there is room for it again");
            self.notices.push(notice);
        }
    }

    /// Returns the number of GPUs that the worker for this held-back run gets.
    fn gpus_per_worker(&self, at: usize) -> Option<GpusPerJob> {
        let request = self.held.get(at)?.spec.request.as_ref()?;
        let arm = request.get("arm")?.as_str()?;
        self.settings.gpus_per_worker.get(arm).copied()
    }

    /// Takes the GPUs for a worker. An error means that too few are free.
    fn lease(&mut self, per_worker: Option<GpusPerJob>) -> Result<Option<Lease>, ()> {
        match per_worker {
            None => Ok(None),
            Some(GpusPerJob::None) => Ok(self.gpus.take(GpusPerJob::None)),
            Some(per_worker) => self.gpus.take(per_worker).map(Some).ok_or(()),
        }
    }

    /// Dismisses an idle worker of another kind, so that one of this kind can be started.
    fn make_room(&mut self, kind: &Kind, planned: &BTreeMap<u64, usize>) {
        let idle = self.hosts.iter_mut().find(|(number, host)| {
            host.kind != *kind && host.ready && host.busy == 0 && !planned.contains_key(number)
        });
        if let Some((_, host)) = idle {
            host.dismiss();
        }
    }
}
