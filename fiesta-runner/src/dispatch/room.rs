//! Room on the disk that a study's state is on. It may be used up by anybody at any time, and it comes back: a study waits for
//! it. Other refusals of a disk do not pass by themselves, and end the session.

use super::RunError;
use crate::{executor::SubmitError, ledger::LedgerError, study::DocumentsError, wrapper};
use rusqlite::ErrorCode;
use rustix::{fs::statvfs, io::Errno};
use std::{
    fs::{self, File},
    io::{self, Write},
    mem,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// When it is tried again for the first time; after that the pauses double, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What must fit before it is tried again: a few runs' directories and a turn.
const ENOUGH: usize = 256 << 10;
/// And in files.
const FEW: u64 = 16;
/// How often it is looked whether there is room, while jobs run that could not say so.
const LOOK: Duration = Duration::from_secs(5);

/// What is known of the room in a directory.
pub(super) struct Room {
    directory: PathBuf,
    shortage: Option<Shortage>,
    was_crowded: bool,
}

/// There was not enough.
struct Shortage {
    pause: Duration,
    next_try: Instant,
}

impl Room {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            shortage: None,
            was_crowded: false,
        }
    }

    /// Whether something could not be written, and has not been since.
    pub(super) fn is_short(&self) -> bool {
        self.shortage.is_some()
    }

    /// How long until it is tried again, or looked whether there is room.
    pub(super) fn pause(&self) -> Duration {
        let Some(shortage) = &self.shortage else {
            return LOOK;
        };
        let left = shortage.next_try.saturating_duration_since(Instant::now());
        left.max(FIRST_PAUSE)
    }

    /// Whether to try to write now: there was room the last time, or there is again, or it is time to see what has
    /// become of whatever else was in the way.
    pub(super) fn may_try(&mut self) -> bool {
        let Some(shortage) = &mut self.shortage else {
            return true;
        };
        if Instant::now() < shortage.next_try {
            return false;
        }
        shortage.wait_longer();
        !is_full(&self.directory)
    }

    /// Whether it is the disk's fault when a run is lost.
    pub(super) fn is_wanting(&self) -> bool {
        self.is_short() || is_full(&self.directory)
    }

    /// Looks whether there is room, before it is needed. What to tell, if that is news.
    pub(super) fn look(&mut self) -> Option<String> {
        if self.is_short() || !is_low(&self.directory) || !is_full(&self.directory) {
            return None;
        }
        self.shortage = Some(Shortage::new());
        Some(told(&self.full()))
    }

    fn full(&self) -> String {
        format!("the disk of {} is full", self.directory.display())
    }

    /// Something could not be written. What to tell, if that is news; the error again, if waiting will not help.
    pub(super) fn refused(&mut self, error: RunError) -> Result<Option<String>, RunError> {
        let Some(cause) = self.passing(&error) else {
            return Err(error);
        };
        if self.is_short() {
            return Ok(None);
        }
        self.shortage = Some(Shortage::new());
        Ok(Some(format!("{} ({error})", told(&cause))))
    }

    /// Something was refused for want of what the jobs that run will give back. What to tell, if that is news.
    pub(super) fn crowded(&mut self, cause: &str, error: &RunError) -> Option<String> {
        let is_news = !mem::replace(&mut self.was_crowded, true);
        is_news
            .then(|| format!("{cause}: fewer jobs run at a time than `parallel` allows ({error})"))
    }

    /// Something was written. What to tell, if that is news.
    pub(super) fn granted(&mut self) -> Option<String> {
        self.shortage.take()?;
        let place = self.directory.display();
        Some(format!("{place} can be written again; the study goes on"))
    }

    /// Why something cannot be written, if that may pass by itself.
    fn passing(&self, error: &RunError) -> Option<String> {
        let place = self.directory.display();
        let full = || self.full();
        match error {
            RunError::Ledger(LedgerError::Database { source, .. }) => {
                match source.sqlite_error_code()? {
                    ErrorCode::DiskFull => Some(full()),
                    // SQLite does not say more. What the disk says to us is the same.
                    ErrorCode::SystemIoFailure if is_full(&self.directory) => Some(full()),
                    ErrorCode::DatabaseBusy => Some(format!(
                        "another program keeps the ledger in {place} locked"
                    )),
                    _ => None,
                }
            }
            _ => wrapper::is_full(refusal(error)?).then(full),
        }
    }
}

impl Shortage {
    fn new() -> Self {
        Self {
            pause: FIRST_PAUSE,
            next_try: Instant::now() + FIRST_PAUSE,
        }
    }

    fn wait_longer(&mut self) {
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.next_try = Instant::now() + self.pause;
    }
}

/// What the system said about a run that could not be started.
fn refusal(error: &RunError) -> Option<&io::Error> {
    match error {
        RunError::Submit(
            SubmitError::Directory { source, .. } | SubmitError::Spawn { source, .. },
        )
        | RunError::Document(DocumentsError::Write { source, .. }) => Some(source),
        _ => None,
    }
}

/// What there is not enough of, if it is something that every process has some of.
pub(super) fn lacking(error: &RunError) -> Option<&'static str> {
    match Errno::from_io_error(refusal(error)?)? {
        Errno::MFILE => Some("too many files are open (ulimit -n)"),
        Errno::NFILE => Some("too many files are open on this machine"),
        Errno::AGAIN => Some("there are too many processes (ulimit -u)"),
        Errno::NOMEM => Some("there is too little memory"),
        _ => None,
    }
}

fn told(cause: &str) -> String {
    format!("{cause}: no job is started until it can be written there again; those that run go on")
}

/// Whether there is so little room that it is worth trying to write.
fn is_low(directory: &Path) -> bool {
    statvfs(directory).is_ok_and(|disk| {
        let bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
        // Some file systems do not count their files.
        bytes < 4 * ENOUGH as u64 || (disk.f_files > 0 && disk.f_favail < FEW)
    })
}

/// Whether nothing more can be written to a directory for want of room, which is found out by writing.
pub(super) fn is_full(directory: &Path) -> bool {
    let path = directory.join(format!(".room-{}", std::process::id()));
    let written = File::create(&path).and_then(|mut file| file.write_all(&vec![0; ENOUGH]));
    // It is empty, or was written for this alone.
    let _ = fs::remove_file(&path);
    written.is_err_and(|error| wrapper::is_full(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(error: io::Error) -> RunError {
        let path = PathBuf::from("/somewhere");
        RunError::Submit(SubmitError::Directory {
            path,
            source: error,
        })
    }

    #[test]
    fn a_shortage_is_told_once_and_its_end_once() {
        let mut room = Room::new(std::env::temp_dir());
        assert!(room.may_try() && !room.is_short());
        assert_eq!(room.granted(), None);
        let told = room.refused(of(Errno::NOSPC.into())).unwrap().unwrap();
        assert!(told.contains("is full"), "{told}");
        assert!(room.is_short() && !room.may_try());
        assert_eq!(room.refused(of(Errno::DQUOT.into())).unwrap(), None);
        assert!(room.pause() >= FIRST_PAUSE);
        assert!(room.granted().unwrap().contains("goes on"));
        assert!(!room.is_short() && room.may_try());
    }

    #[test]
    fn a_crowd_is_told_once_and_is_no_shortage() {
        let mut room = Room::new(std::env::temp_dir());
        for errno in [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM] {
            assert!(lacking(&of(errno.into())).is_some());
        }
        assert_eq!(lacking(&of(Errno::NOSPC.into())), None);
        let error = of(Errno::MFILE.into());
        let told = room.crowded("too many", &error).unwrap();
        assert!(told.starts_with("too many: fewer jobs"), "{told}");
        assert_eq!(room.crowded("too many", &error), None);
        assert!(!room.is_short());
    }

    #[test]
    fn what_does_not_pass_is_an_error() {
        let mut room = Room::new(std::env::temp_dir());
        for errno in [Errno::ROFS, Errno::IO, Errno::ACCESS] {
            assert!(room.refused(of(errno.into())).is_err());
        }
        assert!(!room.is_short());
    }
}
