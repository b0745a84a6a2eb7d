//! The hosts of workers that earlier controllers left. They count as processes, and keep their
//! workers' GPUs, until they are gone.

use super::WorkerPool;
use super::host::{numbered, sweep};
use crate::executor::ExecutorError;
use crate::executor::process::WatchedProcess;
use crate::gpu::{GpusPerJob, Lease};
use crate::supervisor::worker::WorkerDirectory;
use rustix::event::PollFd;

/// A host of an earlier controller.
#[derive(Debug)]
pub(super) struct Earlier {
    host: WatchedProcess,
    directory: WorkerDirectory,
    lease: Option<Lease>,
}

impl Earlier {
    /// Returns what to poll for the end of the host.
    pub(super) fn watched(&self) -> Option<PollFd<'_>> {
        self.host.watched()
    }
}

impl WorkerPool {
    /// Lists the hosts of earlier controllers at the first call, and drops those that are gone.
    pub(super) fn look_after_earlier(&mut self) -> Result<(), ExecutorError> {
        if !self.met {
            self.meet()?;
            self.met = true;
        }
        let (there, gone): (Vec<Earlier>, Vec<Earlier>) = std::mem::take(&mut self.earlier)
            .into_iter()
            .partition(|earlier| earlier.host.identity().is_alive());
        self.earlier = there;
        gone.into_iter().try_for_each(|gone| self.see_off(gone))
    }

    /// Lists the hosts of earlier controllers, even those that were killed together with theirs.
    fn meet(&mut self) -> Result<(), ExecutorError> {
        let directories = numbered(&self.place);
        for (_, directory) in directories.map_err(ExecutorError::file(&self.place))? {
            let Some(host) = directory.read_host() else {
                continue;
            };
            let host = WatchedProcess::open(host);
            let host = host.map_err(ExecutorError::system("watch the host of a worker"))?;
            // The specification of one that lives is whole.
            let spec = directory.read_spec().ok();
            let lease = spec.filter(|spec| !spec.gpus.is_empty()).map(|spec| {
                let jobs = spec.workers_per_gpu;
                self.gpus.retake(GpusPerJob::Share { jobs }, &spec.gpus)
            });
            self.earlier.push(Earlier {
                host,
                directory,
                lease,
            });
        }
        Ok(())
    }

    fn see_off(&mut self, gone: Earlier) -> Result<(), ExecutorError> {
        let survivors = match gone.directory.read_end() {
            Some(end) => end.survivors,
            None => sweep(&gone.directory)
                .map_err(ExecutorError::system("stop what a killed host left"))?,
        };
        gone.directory.forget_host();
        if let Some(lease) = gone.lease
            && survivors.is_empty()
        {
            self.gpus.give_back(lease);
        }
        Ok(())
    }
}
