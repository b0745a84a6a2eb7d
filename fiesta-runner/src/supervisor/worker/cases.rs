//! Cases that were sent to a worker, from the claim of each run to its published end.

use crate::clock::{after, first_of};
use crate::private;
use crate::run::{Claim, Meta, RunDirectory, worth_keeping};
use crate::run::{End, Ended, RunId, RunSpec};
use crate::study::request::RequestKey;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// A case in flight, whose answer is waited for.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) directory: RunDirectory,
    pub(super) id: RunId,
    claim: Claim,
    /// Offset of the request in the stream to the worker, in bytes.
    pub(super) start: u64,
    /// Number of bytes of output that the worker had printed before it could read the request.
    pub(super) printed: u64,
    pub(super) deadline: Option<Instant>,
    /// Time until which a cancelled case may still be answered.
    pub(super) cancelled: Option<Instant>,
}

/// Result of a run that is to be published.
#[derive(Debug)]
pub(super) struct Outcome {
    directory: RunDirectory,
    ended: Ended,
    /// The worker's output about the run.
    stdout: Option<Vec<u8>>,
    stderr: Option<Vec<u8>>,
    /// Whether publication may wait until the disk has room.
    pub(super) may_wait: bool,
    claim: Claim,
}

/// The cases in flight, by the names of their runs.
pub(super) type Cases = BTreeMap<String, Case>;

/// Claims a run and makes its request; `None` if it is somebody else's, was cancelled, or has no
/// request.
pub(super) fn claim(path: &Path, worker: &[String]) -> io::Result<Option<(Case, Vec<u8>)>> {
    let directory = RunDirectory::hold(path);
    let spec = directory.read_spec()?;
    if directory.read_cancellation().is_some() {
        return Ok(None);
    }
    let Some(request) = request(&spec) else {
        return Ok(None);
    };
    let meta = Meta::of_this_process(worker.to_owned())?;
    let Some(claim) = directory.claim(&meta)? else {
        return Ok(None);
    };
    let case = Case {
        directory,
        id: spec.id,
        claim,
        start: 0,
        printed: 0,
        deadline: spec.wall_limit.and_then(after),
        cancelled: None,
    };
    Ok(Some((case, request)))
}

/// Returns the request for the worker as a line.
fn request(spec: &RunSpec) -> Option<Vec<u8>> {
    let id = [(RequestKey::Id.name(), spec.id.as_str())];
    spec.asked(&id).map(String::into_bytes)
}

impl Case {
    /// Reads an order to cancel the case, if one was written.
    pub(super) fn look_for_cancellation(&mut self) {
        if let Some(grace) = self.directory.read_cancellation() {
            self.cancel_within(grace);
        }
    }

    /// Cancels the case, with `grace` unless the written order has another grace.
    pub(super) fn cancel(&mut self, grace: Duration) {
        self.cancel_within(self.directory.read_cancellation().unwrap_or(grace));
    }

    /// Limits the time for an answer to `grace` from now. An earlier limit stays.
    fn cancel_within(&mut self, grace: Duration) {
        self.cancelled = first_of([self.cancelled, after(grace)]);
    }

    /// Returns the outcome of the case with this end.
    pub(super) fn end(self, end: End, stdout: Option<Vec<u8>>, stderr: Option<Vec<u8>>) -> Outcome {
        Outcome {
            ended: self.claim.ended(&self.directory, self.id, end),
            directory: self.directory,
            stdout,
            stderr,
            may_wait: true,
            claim: self.claim,
        }
    }

    /// Gives the run back as if it had never been claimed. Removes its result, which must not be
    /// taken for the next attempt's.
    pub(super) fn give_back(self) -> io::Result<()> {
        match fs::remove_file(self.directory.result()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::remove_file(self.directory.meta())
    }
}

impl Outcome {
    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Publishes the outcome in the directory of the run.
    pub(super) fn publish(&self) -> io::Result<()> {
        for (path, said) in [
            (self.directory.stdout(), &self.stdout),
            (self.directory.stderr(), &self.stderr),
        ] {
            if let Some(said) = said {
                let mut line = said.clone();
                line.push(b'\n');
                let mut file = private::create(&path)?;
                file.write_all(&line)?;
                // Before the end, which must never be there without the score that belongs to it.
                if worth_keeping(&self.ended) {
                    file.sync_data()?;
                }
            }
        }
        self.directory.publish(&self.ended, None)?;
        Ok(())
    }

    /// Returns the outcome for an answer that cannot be written for a reason other than a full
    /// disk: the run is lost.
    pub(super) fn unkept(mut self, error: &io::Error) -> Self {
        let reason = format!("its answer cannot be written: {error}");
        self.ended.end = End::Lost { reason };
        (self.stdout, self.stderr) = (None, None);
        self.may_wait = false;
        self
    }

    /// Updates whether the outcome may wait: not if its case was cancelled.
    pub(super) fn look_for_cancellation(&mut self) {
        self.may_wait &= self.directory.read_cancellation().is_none();
    }

    /// Returns whether the run's directory was given up, so that nothing can be published.
    pub(super) fn is_homeless(&self) -> bool {
        self.directory.is_given_up(&self.claim)
    }
}

/// Returns the next time at which a case reaches a limit.
pub(super) fn next_deadline(cases: &Cases) -> Option<Instant> {
    let moments = cases
        .values()
        .flat_map(|case| [case.deadline, case.cancelled]);
    moments.flatten().min()
}
