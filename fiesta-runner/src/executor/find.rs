//! The directories of runs: prepared for a submission, and read to find a run again.

use super::{ExecutorError, Found, Handle, SubmitError};
use crate::process::{self, Identity, Trace, numbers};
use crate::run::{Ended, RunId, RunSpec};
use crate::run::{Meta, RunDirectory, worth_keeping};
use crate::shortage::is_full;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for the leftovers of a vanished supervisor to die.
const SWEEP: Duration = Duration::from_secs(5);

/// Makes the directory of a run, with what is to be run.
///
/// # Errors
/// [`SubmitError::Directory`] if it cannot be made or written, or its path is relative.
pub fn prepare(directory: &RunDirectory, spec: &RunSpec) -> Result<(), SubmitError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| SubmitError::Directory { path, source }
    };
    if directory.path().is_relative() {
        let source = io::Error::new(
            io::ErrorKind::InvalidInput,
            "the directory of a run must be an absolute path",
        );
        return Err(failed(directory.path())(source));
    }
    match directory.create() {
        // A submission that was given up before a supervisor took it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => directory.remove_leftovers(),
        made => made,
    }
    .map_err(failed(directory.path()))?;
    directory
        .write_spec(spec)
        .map_err(failed(&directory.spec()))
}

/// Writes down that a run is to stop, and after which grace by force. On a full disk, or if the
/// directory was removed, that is left out: the order to stop is given all the same, and the grace
/// is then that of the run's spec or of its worker.
///
/// # Errors
/// [`ExecutorError::File`] for any other reason.
pub fn write_cancellation(directory: &RunDirectory, grace: Duration) -> Result<(), ExecutorError> {
    match directory.write_cancellation(grace) {
        Err(error) if is_full(&error) || error.kind() == io::ErrorKind::NotFound => Ok(()),
        written => written.map_err(ExecutorError::file(directory.path())),
    }
}

/// Kind of process that attends to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attendant {
    /// A supervisor process, which leads a session and may leave processes that it started.
    Supervisor,
    /// A program that makes the run by a function call. Its other processes are its own affair, and
    /// may hold the claim for long (children that were forked without another program).
    Caller,
}

/// Returns what became of a run, as its directory and this machine tell it. What a vanished
/// supervisor left running on this machine is stopped.
///
/// # Errors
/// [`ExecutorError`] if the directory cannot be read, or what was left cannot be stopped.
pub fn find(id: &RunId, directory: &RunDirectory) -> Result<Found, ExecutorError> {
    find_left_by(Attendant::Supervisor, id, directory)
}

/// Returns what became of a run that `attendant` attends to, as its directory and this machine tell
/// it.
pub(super) fn find_left_by(
    attendant: Attendant,
    id: &RunId,
    directory: &RunDirectory,
) -> Result<Found, ExecutorError> {
    let meta = directory
        .read_meta()
        .map_err(ExecutorError::file(&directory.meta()))?;
    let seat = match &meta {
        Some(meta) => {
            seat(meta, directory).map_err(ExecutorError::system("identify this machine"))?
        }
        None => Seat::Unknown,
    };
    // Read after the supervisor was looked at: it publishes, and then it goes.
    if let Some(ended) = published(directory)? {
        // After a power cut the end of a short run may be there, and what it printed not.
        let is_whole = match meta {
            Some(_) => seat != Seat::EarlierBoot,
            None => ended.carried.is_some(),
        };
        if is_whole || worth_keeping(&ended) {
            return Ok(Found::Ended(ended));
        }
    }
    let Some(meta) = meta else {
        return Ok(if has_begun(directory) {
            vanished(
                "its records are torn, as a power cut leaves them",
                Vec::new(),
                directory,
            )
        } else {
            Found::Absent
        });
    };
    Ok(match seat {
        Seat::Alive => Found::Alive(Handle::Process(meta.supervisor)),
        Seat::Unknown => Found::Elsewhere { host: meta.host },
        Seat::EarlierBoot => vanished(
            "the machine was started anew, and what it ended with may not be on the disk",
            Vec::new(),
            directory,
        ),
        // Whoever took it back had nothing to carry out.
        Seat::Gone if meta.argv.is_empty() => never_began(directory),
        Seat::Gone if attendant == Attendant::Caller => {
            let (pid, host) = (meta.supervisor.pid, meta.host);
            let reason = format!("process {pid} on {host} ended before its function returned");
            vanished(&reason, Vec::new(), directory)
        }
        Seat::Gone => {
            let mut reason = format!(
                "its supervisor, process {} on {}, went without a word, as if killed",
                meta.supervisor.pid, meta.host
            );
            let left = sweep(id, directory, &meta.supervisor)?;
            if !left.is_empty() {
                let _ = write!(
                    reason,
                    "; these processes of it cannot be stopped: {:?}",
                    numbers(&left)
                );
            }
            vanished(&reason, left, directory)
        }
    })
}

/// Returns how a run ended. `None` as long as that is not published.
///
/// # Errors
/// [`ExecutorError::File`] if the directory cannot be read.
pub fn published(directory: &RunDirectory) -> Result<Option<Ended>, ExecutorError> {
    directory
        .read_end()
        .map_err(ExecutorError::file(&directory.end()))
}

/// Takes back a submitted run that no supervisor has claimed. A supervisor that was killed with its
/// controller never will claim it. One that has just read the order would begin later, perhaps on a
/// GPU that another run was given by then.
pub(super) fn revoke(id: &RunId, directory: &RunDirectory) -> Result<Found, ExecutorError> {
    revoke_from(Attendant::Supervisor, id, directory)
}

/// Claims a submitted run before its supervisor or caller (`attendant`) does, so that the run never
/// begins. If the run is claimed already, returns what became of it.
pub(super) fn revoke_from(
    attendant: Attendant,
    id: &RunId,
    directory: &RunDirectory,
) -> Result<Found, ExecutorError> {
    if claim(directory)? {
        Ok(never_began(directory))
    } else {
        find_left_by(attendant, id, directory)
    }
}

/// Claims a run, so that no other process begins it. Returns false if one has claimed it.
///
/// # Errors
/// [`ExecutorError`] if the claim cannot be written.
pub fn claim(directory: &RunDirectory) -> Result<bool, ExecutorError> {
    let meta = Meta::of_this_process(Vec::new())
        .map_err(ExecutorError::system("identify this process"))?;
    let claimed = directory.claim(&meta);
    let claimed = claimed.map_err(ExecutorError::file(&directory.meta()))?;
    Ok(claimed.is_some())
}

/// Whether a run was claimed, by its supervisor or by a controller that took the run back. A power
/// cut may leave the end alone.
pub fn has_begun(directory: &RunDirectory) -> bool {
    directory.meta().exists() || directory.end().exists()
}

/// Whether a run was claimed by [`claim`] alone, so that it will never begin.
///
/// # Errors
/// [`ExecutorError::File`] if the directory cannot be read.
pub fn was_taken_back(directory: &RunDirectory) -> Result<bool, ExecutorError> {
    let meta = directory.read_meta();
    let meta = meta.map_err(ExecutorError::file(&directory.meta()))?;
    Ok(meta.is_some_and(|meta| meta.argv.is_empty()))
}

/// Whether the process that claimed a run's directory is known to be gone.
pub(crate) fn is_left(directory: &RunDirectory) -> bool {
    let Ok(Some(meta)) = directory.read_meta() else {
        return false;
    };
    matches!(seat(&meta, directory), Ok(Seat::Gone | Seat::EarlierBoot))
}

/// Whether no process attends to a run whose evaluation has ended. Claims an unclaimed run, so that
/// no process begins it later.
pub(crate) fn is_free(directory: &RunDirectory) -> bool {
    let meta = match directory.read_meta() {
        Ok(Some(meta)) => Some(meta),
        Ok(None) if directory.meta().exists() => None,
        Ok(None) => {
            let own = Meta::of_this_process(Vec::new());
            return matches!(own.and_then(|own| directory.claim(&own)), Ok(Some(_)));
        }
        Err(_) => return false,
    };
    match directory.is_claim_held() {
        Some(held) => !held,
        // Without locks: whoever has published an end is done with the run.
        None => directory.end().exists() || meta.is_some() && is_left(directory),
    }
}

/// State or place of the supervisor that claimed a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seat {
    Alive,
    Gone,
    /// The supervisor ran on this machine before the machine was last started.
    EarlierBoot,
    /// The supervisor cannot be seen from here: it is on another machine, or in another container.
    Unknown,
}

fn seat(meta: &Meta, directory: &RunDirectory) -> io::Result<Seat> {
    if meta.supervisor.boot_id != process::boot_id()? {
        return Ok(if meta.host == process::host()? {
            Seat::EarlierBoot
        } else {
            Seat::Unknown
        });
    }
    if meta.namespace != process::namespace()? {
        // The same kernel, whose locks are seen from every container.
        return Ok(match directory.is_claim_held() {
            Some(false) => Seat::Gone,
            Some(true) | None => Seat::Unknown,
        });
    }
    // A supervisor that has given up its claim attends to another run by now.
    let attends = meta.supervisor.is_alive() && directory.is_claim_held() != Some(false);
    Ok(if attends { Seat::Alive } else { Seat::Gone })
}

/// Kills the processes that a vanished supervisor left. Returns those that cannot be killed.
///
/// The processes are known by the path that they were told when they were started, wherever the
/// run's directory is now.
fn sweep(
    id: &RunId,
    directory: &RunDirectory,
    supervisor: &Identity,
) -> Result<Vec<Identity>, ExecutorError> {
    // A child that was just being started has the claim from its supervisor, and no marker, until
    // it is the command.
    let deadline = Instant::now() + SWEEP;
    while directory.is_claim_held() == Some(true) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    let spec = directory.read_spec().ok();
    let started = spec.map_or_else(
        || directory.clone(),
        |spec| RunDirectory::new(spec.directory),
    );
    // The run of a copy of the study goes on where the original is.
    if supervisor.is_alive() {
        return Ok(Vec::new());
    }
    let marker = started.marker(id.as_str());
    let marker: Vec<(&str, &str)> = marker
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let trace = Trace {
        marker: &marker,
        session: Some(supervisor.pid),
        // Where it was started there may be another study by now, whose runs have the same names.
        of_session_alone: started.is_another_than(directory),
    };
    process::sweep(trace, SWEEP).map_err(ExecutorError::system(
        "stop what a vanished supervisor left",
    ))
}

/// Returns the finding that a run was taken back before it began.
pub fn never_began(directory: &RunDirectory) -> Found {
    let reason = "its controller went before it began";
    vanished(reason, Vec::new(), directory)
}

/// Returns the finding that a run is gone without a published end, for this reason; `survivors` are
/// processes of it that cannot be stopped.
pub fn vanished(reason: &str, survivors: Vec<Identity>, directory: &RunDirectory) -> Found {
    Found::Vanished {
        reason: format!("{reason}{}", complaint(directory)),
        seconds: directory.seconds_of_life(),
        survivors,
    }
}

/// Returns the messages in a supervisor's log, to be added to a sentence. Empty without a log.
pub fn complaint(directory: &RunDirectory) -> String {
    fs::read_to_string(directory.log())
        .map(|log| format!(": {}", log.trim_end()))
        .unwrap_or_default()
}
