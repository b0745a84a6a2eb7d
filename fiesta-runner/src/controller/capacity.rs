//! Capacity for jobs: on the disk that a study's state is on, and for processes on its machine. It
//! may be used up by anybody at any time, and it comes back: a study waits for it. Other refusals
//! of a disk do not pass by themselves, and end the session.

use super::RunError;
use crate::file_error::FileError;
use crate::{
    clock::{self, first_of},
    executor::{ExecutorError, SubmitError},
    ledger::LedgerError,
    shortage::{self, is_disk_full, is_full, is_low, may_lack_room},
    study::ItemsError,
};
use rusqlite::ErrorCode;
use std::{
    io, mem,
    path::PathBuf,
    time::{Duration, Instant},
};

/// Pause before a job without room is tried again for the first time. After that the pauses double,
/// up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Time after which one job more is tried than the machine had room for: at first, and at most.
const FIRST_RAISE: Duration = Duration::from_secs(1);
const LONGEST_RAISE: Duration = Duration::from_mins(1);

/// Interval at which a study looks whether the disk is full or jobs can be started again.
const LOOK: Duration = Duration::from_secs(5);

/// Capacity for jobs, as far as it is known: disk space, processes, memory and open files.
pub(super) struct Capacity {
    directory: PathBuf,
    /// Time of the last write, or of the last look whether anything can be written.
    seen: Instant,
    /// Pauses between tries to write, while the disk is full.
    shortage: Option<Pauses>,
    /// Message that told the user that the disk is full.
    shortage_told: String,
    /// Limit on jobs while the machine lacks processes, memory or open files for all of them.
    crowd: Option<Crowd>,
    was_crowded: bool,
    /// Time since which no job can be started, and none runs whose end could free what is lacking.
    starved: Option<Instant>,
}

/// Pauses between two tries to start a job or to write, while there is no room.
struct Pauses {
    pause: Duration,
    next_try: Instant,
}

/// Number of jobs for which the machine seems to have room.
struct Crowd {
    most: usize,
    /// Message that told the user of the lack of room.
    told: String,
    pauses: Pauses,
    /// Time at which one job more is tried, and the wait until the next.
    raise_at: Instant,
    raise_after: Duration,
}

impl Capacity {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            seen: clock::now(),
            shortage: None,
            shortage_told: String::new(),
            crowd: None,
            was_crowded: false,
            starved: None,
        }
    }

    /// Whether the last write failed as the disk was full or locked.
    pub(super) fn is_short(&self) -> bool {
        self.shortage.is_some()
    }

    /// Whether the machine lacked processes, memory or open files for a job, and may still do so.
    pub(super) fn is_crowded(&self) -> bool {
        self.crowd.is_some()
    }

    /// Returns how many jobs to run at a time, at most `parallel`.
    pub(super) fn most(&self, parallel: usize) -> usize {
        self.crowd
            .as_ref()
            .map_or(parallel, |crowd| crowd.most.min(parallel))
    }

    /// Returns the time until writing or starting is tried again, or room is looked for.
    pub(super) fn pause(&self) -> Duration {
        let now = clock::now();
        let left = |at: Instant| at.saturating_duration_since(now).max(FIRST_PAUSE);
        let written = self
            .shortage
            .as_ref()
            .map(|shortage| left(shortage.next_try));
        let started = self.crowd.as_ref().map(|crowd| left(crowd.next_try()));
        first_of([written, started]).unwrap_or(LOOK)
    }

    /// Whether to try to write now: the last write had room, or the pause after a failed write is
    /// over and the disk is no longer full.
    pub(super) fn may_write(&mut self) -> bool {
        let Some(shortage) = &mut self.shortage else {
            return true;
        };
        if clock::now() < shortage.next_try {
            return false;
        }
        shortage.wait_longer();
        !is_disk_full(&self.directory)
    }

    /// Whether to try to start a job now.
    pub(super) fn may_start(&mut self) -> bool {
        if let Some(crowd) = &mut self.crowd {
            let now = clock::now();
            if now < crowd.pauses.next_try {
                return false;
            }
            if now >= crowd.raise_at {
                crowd.most += 1;
                crowd.raise_at = now + crowd.raise_after;
            }
        }
        self.may_write()
    }

    /// Whether a full disk may be the reason that a run was lost.
    pub(super) fn is_wanting(&self) -> bool {
        self.is_short() || is_disk_full(&self.directory)
    }

    /// Returns a message for the user if the disk is full, before the next write finds that out.
    ///
    /// A quota is found out by writing alone, and while every job waits for room to publish its
    /// end, nothing else is written: that is tried after a while without a turn.
    pub(super) fn look(&mut self) -> Option<String> {
        let is_due = clock::since(self.seen) >= LOOK || is_low(&self.directory);
        if self.is_short() || !is_due {
            return None;
        }
        self.seen = clock::now();
        if !is_disk_full(&self.directory) {
            return None;
        }
        Some(self.is_full_now(told(&self.full())))
    }

    fn full(&self) -> String {
        format!("the disk of {} is full", self.directory.display())
    }

    /// Notes a failed write. Returns the message for the user, if it is new. Returns the error
    /// again if waiting will not help.
    pub(super) fn refused(&mut self, error: RunError) -> Result<Option<String>, RunError> {
        let Some(cause) = self.passing(&error) else {
            return Err(error);
        };
        if self.is_short() {
            return Ok(None);
        }
        Ok(Some(
            self.is_full_now(format!("{} ({error})", told(&cause))),
        ))
    }

    fn is_full_now(&mut self, told: String) -> String {
        self.shortage = Some(Pauses::new());
        self.shortage_told.clone_from(&told);
        told
    }

    /// Messages that say which capacity the study waits for: the disk, or the machine.
    pub(super) fn waits(&self) -> impl Iterator<Item = &str> {
        let written = self
            .shortage
            .is_some()
            .then_some(self.shortage_told.as_str());
        let started = self.crowd.as_ref().map(|crowd| crowd.told.as_str());
        written.into_iter().chain(started)
    }

    /// Notes that a job could not be started, for `reason`, while `running` jobs run: others have
    /// what is lacking, and will give it back. Returns the message for the user, if it is new.
    pub(super) fn crowded(&mut self, reason: &str, running: usize) -> Option<String> {
        let now = clock::now();
        let crowd = self.crowd.get_or_insert_with(|| Crowd {
            most: 1,
            told: format!(
                "{reason}: fewer jobs run at a time than `parallel` allows until there is room for more"
            ),
            pauses: Pauses::new(),
            raise_at: now,
            raise_after: FIRST_RAISE,
        });
        crowd.most = running.max(1);
        // Of many at a time, the first says it all.
        if now >= crowd.pauses.next_try {
            crowd.pauses.wait_longer();
            crowd.raise_after = (crowd.raise_after * 2).min(LONGEST_RAISE);
        }
        crowd.raise_at = now + crowd.raise_after;
        let is_news = !mem::replace(&mut self.was_crowded, true);
        is_news.then(|| crowd.told.clone())
    }

    /// Returns whether waiting is in vain after a job could not be started, while `running` jobs
    /// run: this process has as many files open as it may, and no job will close any.
    pub(super) fn waits_in_vain(&mut self, error: &RunError, running: usize) -> bool {
        if running > 0 || !refusal(error).is_some_and(shortage::is_own_limit) {
            self.starved = None;
            return false;
        }
        clock::since(*self.starved.get_or_insert_with(clock::now)) >= LOOK
    }

    /// Notes that a job has ended: what it used is free, so the next job may start without a pause.
    pub(super) fn freed(&mut self, parallel: usize) {
        if let Some(crowd) = &mut self.crowd {
            crowd.pauses = Pauses::new();
            crowd.pauses.next_try = clock::now();
            if crowd.most >= parallel {
                self.crowd = None;
            }
        }
    }

    /// Notes a successful write. Returns a message for the user if writes had failed before.
    pub(super) fn granted(&mut self) -> Option<String> {
        self.seen = clock::now();
        self.starved = None;
        self.shortage.take()?;
        let place = self.directory.display();
        Some(format!("{place} can be written again; the study goes on"))
    }

    /// Returns why a write failed, if the reason may pass by itself, such as a full disk.
    fn passing(&self, error: &RunError) -> Option<String> {
        let place = self.directory.display();
        let full = || self.full();
        match error {
            RunError::Ledger(LedgerError::Database { source, .. }) => {
                match source.sqlite_error_code()? {
                    ErrorCode::DiskFull => Some(full()),
                    // SQLite does not say more. What the disk says to us is the same.
                    ErrorCode::SystemIoFailure if is_disk_full(&self.directory) => Some(full()),
                    // Its journal cannot be created.
                    ErrorCode::CannotOpen if may_lack_room(&self.directory) => Some(full()),
                    ErrorCode::DatabaseBusy => Some(format!(
                        "another program keeps the ledger in {place} locked"
                    )),
                    _ => None,
                }
            }
            _ => is_full(refusal(error)?).then(full),
        }
    }
}

impl Crowd {
    fn next_try(&self) -> Instant {
        let next = self.pauses.next_try;
        if next > clock::now() {
            next
        } else {
            self.raise_at
        }
    }
}

impl Pauses {
    fn new() -> Self {
        Self {
            pause: FIRST_PAUSE,
            next_try: clock::now() + FIRST_PAUSE,
        }
    }

    fn wait_longer(&mut self) {
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.next_try = clock::now() + self.pause;
    }
}

/// Returns the system's error for a run that could not be started or followed.
fn refusal(error: &RunError) -> Option<&io::Error> {
    match error {
        RunError::Submit(
            SubmitError::Directory { source, .. } | SubmitError::Start { source, .. },
        )
        | RunError::Document(ItemsError::Write { source, .. })
        | RunError::Executor(
            ExecutorError::File(FileError { source, .. }) | ExecutorError::System { source, .. },
        ) => Some(source),
        _ => None,
    }
}

/// Returns what the machine lacks, such as memory, if an error has this cause and other processes
/// will free it.
pub(super) fn lacking(error: &RunError) -> Option<&'static str> {
    shortage::of_machine(refusal(error)?)
}

fn told(cause: &str) -> String {
    format!("{cause}: no job is started until it can be written there again; those that run go on")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;

    fn of(error: io::Error) -> RunError {
        let path = PathBuf::from("/somewhere");
        RunError::Submit(SubmitError::Directory {
            path,
            source: error,
        })
    }

    #[test]
    fn a_shortage_is_told_once_and_its_end_once() {
        let mut room = Capacity::new(std::env::temp_dir());
        assert!(room.may_write() && !room.is_short());
        assert_eq!(room.granted(), None);
        let told = room.refused(of(Errno::NOSPC.into())).unwrap().unwrap();
        assert!(told.contains("is full"), "{told}");
        assert!(room.is_short() && !room.may_write());
        assert_eq!(room.refused(of(Errno::DQUOT.into())).unwrap(), None);
        assert!(room.pause() >= FIRST_PAUSE);
        assert!(room.granted().unwrap().contains("goes on"));
        assert!(!room.is_short() && room.may_write());
    }

    #[test]
    fn a_crowd_is_told_once_and_is_no_shortage() {
        let mut room = Capacity::new(std::env::temp_dir());
        for errno in [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM] {
            assert!(lacking(&of(errno.into())).is_some());
        }
        assert_eq!(lacking(&of(Errno::NOSPC.into())), None);
        assert_eq!(room.most(40), 40);
        let told = room.crowded("too many", 7).unwrap();
        assert!(told.starts_with("too many: fewer jobs"), "{told}");
        assert_eq!(room.crowded("too many", 3), None);
        assert!(!room.is_short() && room.is_crowded() && room.may_write());
        // Three had room; no other is tried before one of them has ended, or after a while.
        assert!(room.most(40) == 3 && !room.may_start());
        room.freed(40);
        assert!(room.may_start() && room.most(40) == 3);
        // Where none had, one is tried.
        assert_eq!(room.crowded("too many", 0), None);
        assert_eq!(room.most(40), 1);
        room.freed(1);
        assert!(!room.is_crowded());
    }

    #[test]
    fn files_are_waited_for_while_jobs_run_that_will_close_some() {
        let mut room = Capacity::new(std::env::temp_dir());
        let error = of(Errno::MFILE.into());
        let long_ago = Instant::now().checked_sub(LOOK);
        assert!(!room.waits_in_vain(&error, 0), "it may be over in a moment");
        room.starved = long_ago;
        assert!(!room.waits_in_vain(&error, 1) && room.starved.is_none());
        room.starved = long_ago;
        assert!(room.waits_in_vain(&error, 0));
        // Other processes may close theirs.
        assert!(!room.waits_in_vain(&of(Errno::NFILE.into()), 0));
        room.starved = long_ago;
        room.granted();
        assert!(
            !room.waits_in_vain(&error, 0),
            "something was started meanwhile"
        );
    }

    #[test]
    fn what_does_not_pass_is_an_error() {
        let mut room = Capacity::new(std::env::temp_dir());
        for errno in [Errno::ROFS, Errno::IO, Errno::ACCESS] {
            assert!(room.refused(of(errno.into())).is_err());
        }
        assert!(!room.is_short());
    }
}
