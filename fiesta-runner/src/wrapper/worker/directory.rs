//! A worker's directory: what its host is told, and what is known of the worker.

use crate::executor::seconds;
use crate::process::{Identity, read_all};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variable that marks every process of a worker, wherever it hides; its value is the worker's directory.
pub(crate) const MARKER: &str = "FIESTA_WORKER";

/// The directory of one worker process and its host.
///
/// | file | written by | what |
/// |---|---|---|
/// | `spec.json` | executor | what to start |
/// | `meta.json` | host | which process it is, as long as it lives; one that was killed leaves it behind |
/// | `stdout`, `stderr` | host | what the worker printed and is no answer; the beginning may be in `.old`, or gone |
/// | `notes` | host | what was odd about the worker's answers |
/// | `end.json` | host | why the worker ended |
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkerDirectory {
    path: PathBuf,
}

/// What a host is to start, and how it serves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerSpec {
    pub(crate) command: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) working_directory: PathBuf,
    /// How many cases the worker is given at once.
    pub(crate) concurrency: usize,
    /// How long the worker may take to say that it is ready; if there is no such limit, it need not say it.
    #[serde(with = "seconds::optional", default)]
    pub(crate) start_timeout: Option<Duration>,
    /// How long a worker that is to stop has between the polite signal and the other one.
    #[serde(with = "seconds")]
    pub(crate) grace: Duration,
    /// The keys by which a result is known.
    pub(crate) keys: Vec<String>,
    /// The GPUs that it has as long as it lives, and how many workers share each of them; for the next controller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) gpus: Vec<String>,
    #[serde(default)]
    pub(crate) workers_per_gpu: usize,
}

/// Why a worker is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Cause {
    /// It cannot be started, and trying again will not help.
    NotStarted,
    /// It was not ready in time.
    NotReady,
    /// It ended by itself, with cases that it had not answered or with an error.
    Died,
    /// A signal that its host did not send ended it.
    Killed,
    /// It ended by itself, without an error and with nothing left to answer.
    Retired,
    /// Its host stopped it: it was no longer needed, or a case hung.
    Stopped,
}

/// How a worker ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorkerEnd {
    pub(crate) cause: Cause,
    /// Whether it was ever ready, or read a case.
    pub(crate) proven: bool,
    pub(crate) reason: String,
    /// Processes that even the last signal did not remove.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "read_all"
    )]
    pub(crate) survivors: Vec<Identity>,
}

impl WorkerDirectory {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn meta(&self) -> PathBuf {
        self.path.join("meta.json")
    }

    /// The marker of the worker's processes.
    pub(crate) fn marker(&self) -> (&'static str, String) {
        (MARKER, self.path.to_string_lossy().into_owned())
    }

    pub(crate) fn write_spec(&self, spec: &WorkerSpec) -> io::Result<()> {
        fs::write(self.file("spec.json"), serde_json::to_vec(spec)?)
    }

    pub(crate) fn read_spec(&self) -> io::Result<WorkerSpec> {
        Ok(serde_json::from_slice(&fs::read(self.file("spec.json"))?)?)
    }

    /// Notes who attends to the worker.
    pub(super) fn write_host(&self, host: &Identity) -> io::Result<()> {
        fs::write(self.meta(), serde_json::to_vec(host)?)
    }

    /// Who attends to the worker, or did until it was killed.
    pub(crate) fn read_host(&self) -> Option<Identity> {
        serde_json::from_slice(&fs::read(self.meta()).ok()?).ok()
    }

    /// Notes that nothing is left of the worker.
    pub(crate) fn forget_host(&self) {
        // It may never have been there.
        let _ = fs::remove_file(self.meta());
    }

    pub(super) fn write_end(&self, end: &WorkerEnd) -> io::Result<()> {
        fs::write(self.file("end.json"), serde_json::to_vec(end)?)
    }

    /// How the worker ended, if its host lived to say so.
    pub(crate) fn read_end(&self) -> Option<WorkerEnd> {
        serde_json::from_slice(&fs::read(self.file("end.json")).ok()?).ok()
    }
}
