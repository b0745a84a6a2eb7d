//! One controller per study: a lock of the kernel, which names its holder and dies with it.

use crate::process::{self, Process};
use std::{
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Seek, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How long a lock is waited for whose holder is dead, or has not written down its name yet. A process that the
/// holder was just starting when it was killed has inherited the lock, and gives it up when its program begins.
const INHERITED: Duration = Duration::from_secs(2);
/// How long after one try to lock comes the next.
const AGAIN: Duration = Duration::from_millis(2);

/// Held as long as this value lives, and never longer than the process.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// Who holds a ledger.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Holder {
    /// The process.
    pub pid: u32,
    /// Its machine.
    pub host: String,
    /// Since when, in seconds since 1970.
    pub since: u64,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.pid, self.host)
    }
}

/// Why a ledger could not be locked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Somebody else holds it.
    #[error(
        "the study is being run by {}: wait for it, or stop it first",
        holder.as_ref().map_or_else(|| "another process".to_owned(), Holder::to_string)
    )]
    Held {
        /// Who, if it could be read.
        holder: Option<Holder>,
    },
    /// The lock's file cannot be used.
    #[error("cannot lock {}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
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
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(of_file)?;
        acquire(&file, &path)?;
        let holder = Holder {
            pid: std::process::id(),
            host: process::host().unwrap_or_default(),
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            since: super::now() as u64,
        };
        let text = serde_json::to_string(&holder).unwrap_or_default();
        // The lock is what counts; that it names its holder is a courtesy, for which a disk may be too full.
        let _ = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()));
        Ok(Self { _file: file })
    }
}

fn acquire(file: &File, path: &Path) -> Result<(), LockError> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => {
                let holder = written(path);
                let passes = holder.as_ref().is_none_or(is_gone);
                if !passes || began.elapsed() >= INHERITED {
                    return Err(LockError::Held { holder });
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

/// Whether a holder has died on this machine.
fn is_gone(holder: &Holder) -> bool {
    process::host().is_ok_and(|host| host == holder.host)
        && i32::try_from(holder.pid)
            .is_ok_and(|pid| Process::read(pid).map_or(true, Process::has_ended))
}

pub(super) fn holder(directory: &Path) -> Option<Holder> {
    let path = path(directory);
    let file = File::open(&path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => written(&path),
        _ => None,
    }
}

fn written(path: &Path) -> Option<Holder> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}
