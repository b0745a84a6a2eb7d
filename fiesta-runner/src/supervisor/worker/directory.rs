//! Directory of a worker: the files by which its host and controllers exchange facts.

use super::unexpected::UnexpectedAnswer;
use crate::held::Held;
use crate::private;
use crate::process::Identity;
use crate::run::JobVariable;
use crate::run::files::{read_whole, replace};
use crate::run::seconds;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const STRAYS: &str = "strays.json";

/// The directory of one worker process and its host.
///
#[doc = include_str!("directory.md")]
#[derive(Debug, Clone)]
pub(crate) struct WorkerDirectory {
    path: PathBuf,
    held: Option<Arc<Held>>,
}

/// Specification of a worker for its host: what to start, and how to serve it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerSpec {
    pub(crate) command: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    /// Variables whose values come from the host's own environment, each with the name that it has
    /// there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) of_caller: Vec<(String, String)>,
    pub(crate) working_directory: PathBuf,
    /// Number of cases that the worker is given at once.
    pub(crate) concurrency: usize,
    /// Time within which the worker must say that it is ready. `None` if it need not say so.
    #[serde(with = "seconds::optional", default)]
    pub(crate) start_timeout: Option<Duration>,
    /// Time between the polite signal to a worker that is to stop and the signal that kills it.
    #[serde(with = "seconds")]
    pub(crate) grace: Duration,
    /// Keys that mark a line of the worker as a result.
    pub(crate) keys: Vec<String>,
    /// GPUs that the worker has as long as it lives, and how many workers share each of them, for
    /// the next controller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) gpus: Vec<String>,
    /// Path of the worker's directory at its start, which marks the worker's processes.
    pub(crate) directory: PathBuf,
    #[serde(default)]
    pub(crate) workers_per_gpu: usize,
}

/// Reason why a worker has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Cause {
    /// The worker cannot be started, and trying again will not help.
    NotStarted,
    /// The worker was not started, for want of something that the machine has again later.
    Short,
    /// The worker was not ready in time.
    NotReady,
    /// The worker ended by itself, with cases that it had not answered or with an error.
    Died,
    /// A signal that the worker's host did not send ended the worker.
    Killed,
    /// The worker ended by itself, without an error and with nothing left to answer.
    Retired,
    /// The worker's host stopped it: it was no longer needed, or a case hung.
    Stopped,
}

/// How a worker ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerEnd {
    pub(crate) cause: Cause,
    /// Whether the worker said that it is ready, or read a case.
    pub(crate) proven: bool,
    pub(crate) reason: String,
    /// Processes that even the last signal did not remove.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) survivors: Vec<Identity>,
}

impl WorkerDirectory {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { path, held: None }
    }

    /// Opens the directory of a worker and holds it, even when it is moved later.
    pub(super) fn hold(path: &Path) -> Self {
        let held = Held::of(path).map(Arc::new);
        Self {
            held,
            ..Self::new(path)
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the held directory has left its path, or the path `since` at which its worker was
    /// started: the study was moved.
    pub(super) fn has_moved(&self, since: &Path) -> bool {
        let held = self.held.as_ref();
        held.is_some_and(|held| !held.is_at(&self.path) || !held.is_at(since))
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        let way = self.held.as_ref().map_or(&*self.path, |held| held.way());
        way.join(name)
    }

    fn meta(&self) -> PathBuf {
        self.file("meta.json")
    }

    /// Returns the variable that marks the worker's processes: the directory in which they were
    /// started, even if the study was moved since.
    pub(crate) fn marker(&self) -> (&'static str, String) {
        let started = self.read_spec().ok().map(|spec| spec.directory);
        let started = started.filter(|path| !path.as_os_str().is_empty());
        let path = started.as_ref().unwrap_or(&self.path);
        (
            JobVariable::Worker.name(),
            path.to_string_lossy().into_owned(),
        )
    }

    pub(crate) fn write_spec(&self, spec: &WorkerSpec) -> io::Result<()> {
        private::write(&self.file("spec.json"), serde_json::to_vec(spec)?)
    }

    pub(crate) fn read_spec(&self) -> io::Result<WorkerSpec> {
        Ok(serde_json::from_slice(&fs::read(self.file("spec.json"))?)?)
    }

    /// Returns the path of the file with unexpected answers, which host and controller share.
    pub(crate) fn unexpected(&self) -> PathBuf {
        self.path.join(STRAYS)
    }

    pub(super) fn write_unexpected(&self, unexpected: &[UnexpectedAnswer]) -> io::Result<()> {
        replace(&self.file(STRAYS), &serde_json::to_vec(unexpected)?)
    }

    pub(crate) fn read_unexpected(&self) -> Vec<UnexpectedAnswer> {
        let unexpected = read_whole(&self.file(STRAYS));
        unexpected.ok().flatten().unwrap_or_default()
    }

    /// Writes which process is the worker's host.
    pub(super) fn write_host(&self, host: &Identity) -> io::Result<()> {
        private::write(&self.meta(), serde_json::to_vec(host)?)
    }

    /// Reads which process is, or was, the worker's host. `None` if nothing is left of the worker.
    pub(crate) fn read_host(&self) -> Option<Identity> {
        serde_json::from_slice(&fs::read(self.meta()).ok()?).ok()
    }

    /// Removes the record of the host, as nothing is left of the worker.
    pub(crate) fn forget_host(&self) {
        // It may never have been there.
        let _ = fs::remove_file(self.meta());
    }

    pub(super) fn write_end(&self, end: &WorkerEnd) -> io::Result<()> {
        private::write(&self.file("end.json"), serde_json::to_vec(end)?)
    }

    /// Reads how the worker ended. `None` if its host did not live to write it.
    pub(crate) fn read_end(&self) -> Option<WorkerEnd> {
        serde_json::from_slice(&fs::read(self.file("end.json")).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_was_moved_is_not_at_its_path() {
        let base = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| base.path().join(name));
        fs::create_dir(&old).unwrap();
        let held = WorkerDirectory::hold(&old);
        assert!(!held.has_moved(&old));
        assert!(!WorkerDirectory::new(&old).has_moved(&old));
        fs::rename(&old, &new).unwrap();
        assert!(held.has_moved(&old));
        // Its host came too late to see it where it had been.
        let late = WorkerDirectory::hold(&new);
        assert!(late.has_moved(&old) && !late.has_moved(&new));
        fs::create_dir(&old).unwrap();
        assert!(held.has_moved(&new));
    }
}
