//! The lock that allows one controller per study. The kernel releases it when its holder dies.

use crate::{
    private,
    process::{self, Locker, Process, has_lock, lockers},
    run::files::is_same,
};
use fiesta_core::Foreign;
use rustix::io::Errno;
use std::{
    fmt,
    fs::{File, TryLockError},
    io::{self, Seek, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Longest wait for a lock that its recorded holder does not hold: the holder is dead, is another
/// process, or has not written its name yet. A holder that was killed while it started a process
/// has left the lock to that process, which releases it when its program begins.
const INHERITED: Duration = Duration::from_secs(2);
/// Pause between two attempts to lock.
const AGAIN: Duration = Duration::from_millis(2);

/// Lock of a study, held as long as this value lives, and at most as long as the process.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Whether the locked file still has its name. If not, another controller could lock another
    /// file.
    pub(super) fn is_in_place(&self, directory: &Path) -> bool {
        is_same(&path(directory), &self.file)
    }
}

/// The controller that holds a ledger.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Holder {
    /// The number of the controller's process.
    pub pid: u32,
    /// The machine of the controller.
    pub host: String,
    /// Time since which the controller holds the ledger, in seconds since 1970.
    pub since: u64,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.pid, Foreign::new(&self.host))?;
        if self.is_stopped() {
            write!(
                f,
                ", which is stopped (kill -CONT {} lets it go on)",
                self.pid
            )?;
        }
        Ok(())
    }
}

impl Holder {
    /// Returns the process id of the holder, if it runs on this machine.
    fn here(&self) -> Option<i32> {
        let pid = i32::try_from(self.pid).ok();
        pid.filter(|_| process::host().is_ok_and(|host| host == self.host))
    }

    /// Returns whether a signal or a debugger has stopped the holder.
    fn is_stopped(&self) -> bool {
        self.here()
            .is_some_and(|pid| Process::read(pid).is_ok_and(Process::is_stopped))
    }

    /// Returns whether the holder has the lock at this path, or may have it.
    fn holds(&self, path: &Path) -> bool {
        let Some(pid) = self.here() else {
            return true;
        };
        // Other users' processes do not show their files.
        Process::living(pid).is_some() && has_lock(pid, path).unwrap_or(true)
    }
}

/// The reason why a ledger could not be locked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process holds the lock of the ledger.
    #[error(
        "the study is being run by {}: wait for it, or stop it first",
        holder.as_ref().map_or_else(|| "another process".to_owned(), Holder::to_string)
    )]
    Held {
        /// The holder of the lock, if its name could be read.
        holder: Option<Holder>,
    },
    /// Processes that do not run the study hold its lock.
    #[error(
        "the study's lock {} is held by {}, which does not run the study: wait for it, or stop it first",
        path.display(),
        each(by)
    )]
    Taken {
        /// The lock's file.
        path: PathBuf,
        /// The processes that have the lock.
        by: Vec<Locker>,
    },
    /// The lock's file cannot be used.
    #[error("cannot lock {}: {source}{}", path.display(), advice(source))]
    File {
        /// The lock's file.
        path: PathBuf,
        /// Why the lock's file cannot be used.
        source: io::Error,
    },
}

fn each(lockers: &[Locker]) -> String {
    let words = lockers
        .iter()
        .map(|locker| format!("process {} ({})", locker.pid, Foreign::new(&locker.program)));
    words.collect::<Vec<_>>().join(" and ")
}

/// Returns advice on a lock that cannot be taken, to be added to a sentence.
fn advice(error: &io::Error) -> &'static str {
    match Errno::from_io_error(error) {
        Some(Errno::LOOP) => private::NO_LINK,
        Some(Errno::NOSYS | Errno::OPNOTSUPP | Errno::NOLCK | Errno::INVAL) => {
            "; its file system has no locks (flock), without which two controllers could run one study: put the study on another one"
        }
        _ => "",
    }
}

fn path(directory: &Path) -> PathBuf {
    directory.join("lock")
}

impl Lock {
    pub(super) fn take(directory: &Path) -> Result<Self, LockError> {
        let path = path(directory);
        let of_file = |source| LockError::File {
            path: path.clone(),
            source,
        };
        let mut file = private::options()
            .read(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(of_file)?;
        acquire(&file, &path)?;
        let holder = Holder {
            pid: std::process::id(),
            host: process::host().unwrap_or_default(),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            since: super::now() as u64,
        };
        let text = serde_json::to_string(&holder).unwrap_or_default();
        // The lock is what counts; that it names its holder is a courtesy, for which a disk may be
        // too full.
        let _ = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()));
        Ok(Self { file })
    }
}

fn acquire(file: &File, path: &Path) -> Result<(), LockError> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => {
                let holder = written(path);
                if holder.as_ref().is_some_and(|holder| holder.holds(path)) {
                    return Err(LockError::Held { holder });
                }
                if began.elapsed() >= INHERITED {
                    let (path, by) = (path.to_owned(), lockers(path));
                    return Err(if by.is_empty() {
                        LockError::Held { holder }
                    } else {
                        LockError::Taken { path, by }
                    });
                }
                thread::sleep(AGAIN);
            }
            Err(TryLockError::Error(source)) => {
                return Err(LockError::File {
                    path: path.to_owned(),
                    source,
                });
            }
        }
    }
}

pub(super) fn holder(directory: &Path) -> Option<Holder> {
    let path = path(directory);
    let file = private::open_to_read(&path).ok()?;
    match file.try_lock_shared() {
        // One in another container is not to be seen.
        Err(TryLockError::WouldBlock) => {
            written(&path).filter(|holder| holder.holds(&path) || lockers(&path).is_empty())
        }
        _ => None,
    }
}

/// Whether a signal or a debugger has stopped the process that holds the lock. Looks without taking
/// the lock for a moment, in which a controller that starts would have to wait.
pub(super) fn holder_is_stopped(directory: &Path) -> bool {
    let path = path(directory);
    written(&path).is_some_and(|holder| holder.is_stopped() && holder.holds(&path))
}

fn written(path: &Path) -> Option<Holder> {
    serde_json::from_slice(&private::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_without_locks_is_said_to_be_one() {
        let error = |errno: Errno| LockError::File {
            path: "/study.fiesta/lock".into(),
            source: errno.into(),
        };
        for errno in [Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOSYS] {
            let text = error(errno).to_string();
            assert!(text.contains("/study.fiesta/lock") && text.contains("has no locks"));
        }
        assert!(!error(Errno::ACCESS).to_string().contains("has no locks"));
    }
}
