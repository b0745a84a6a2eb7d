//! The record of what a program and the processes that it starts change below one directory.

use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{FlockOperation, Mode, OFlags, flock, open},
    io::write,
};
use serde::{Deserialize, Serialize};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
    time::SystemTime,
};

/// Environment variable with the directory below which changes are recorded.
pub const PLACE: &str = "FIESTA_RECORD_PLACE";
/// Environment variable with the file that the record is appended to.
pub const RECORD: &str = "FIESTA_RECORD";

/// A change of a file or directory. Files and directories are known by their inodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Call {
    /// A file or directory was made.
    Made {
        /// Directory that it was made in.
        directory: u64,
        /// Name that it was given there.
        name: String,
        /// Inode of the new file or directory.
        inode: u64,
        /// Whether it is a directory.
        is_directory: bool,
    },
    /// A file was given a further name.
    Linked {
        /// Directory of the further name.
        directory: u64,
        /// The further name.
        name: String,
        /// Inode of the file.
        inode: u64,
    },
    /// A name was removed, of a file or of an empty directory.
    Removed {
        /// Directory of the name.
        directory: u64,
        /// The removed name.
        name: String,
    },
    /// A file or directory was given another name in its directory.
    Renamed {
        /// Directory of both names.
        directory: u64,
        /// The earlier name.
        from: String,
        /// The later name.
        to: String,
    },
    /// Bytes were written to a file.
    Written {
        /// Inode of the file.
        inode: u64,
        /// Place of the first byte.
        at: usize,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The length of a file was set.
    Cut {
        /// Inode of the file.
        inode: u64,
        /// The new length.
        length: usize,
    },
    /// A file or directory was synced to the disk.
    Synced {
        /// Inode of the file or directory.
        inode: u64,
    },
    /// The recorded program said something.
    Said(String),
}

/// A change with the time at which it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Seconds since 1970.
    pub at: f64,
    /// The change.
    pub call: Call,
}

/// Reads a record from its file.
///
/// # Errors
/// Errors of the system, and a line that is no [`Record`].
pub fn read(path: &Path) -> io::Result<Vec<Record>> {
    let text = fs::read_to_string(path)?;
    let records = text.lines().map(serde_json::from_str);
    Ok(records.collect::<Result<_, _>>()?)
}

/// Adds words of the program to the record. Does nothing in a program that is not recorded.
pub fn say(words: impl Into<String>) {
    if let Some(recorder) = Recorder::own() {
        recorder.during(|| ((), Some(Call::Said(words.into()))));
    }
}

/// The recorder of this process.
#[derive(Debug)]
pub(crate) struct Recorder {
    place: PathBuf,
    record: OwnedFd,
    /// Held while a change is made and recorded: the threads share a lock on the file.
    turn: Mutex<()>,
}

impl Recorder {
    /// Returns the recorder of this process. `None` if nothing is recorded.
    pub(crate) fn own() -> Option<&'static Self> {
        static OWN: OnceLock<Option<Recorder>> = OnceLock::new();
        OWN.get_or_init(|| {
            let place = PathBuf::from(env::var_os(PLACE)?);
            let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC;
            // Calls of rustix are none of the C library's, and are not recorded.
            let record = open(env::var_os(RECORD)?, flags, Mode::RUSR | Mode::WUSR).ok()?;
            let turn = Mutex::new(());
            Some(Self {
                place,
                record,
                turn,
            })
        })
        .as_ref()
    }

    /// Returns the inode of a directory below the recorded one. `None` for other directories.
    pub(crate) fn directory(&self, path: &Path) -> Option<u64> {
        use std::os::unix::fs::MetadataExt;
        let real = fs::canonicalize(path).ok()?;
        let is_below = real.starts_with(&self.place);
        is_below.then(|| fs::metadata(&real).ok().map(|found| found.ino()))?
    }

    /// Whether a path, of an open file, is below the recorded directory.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        path.starts_with(&self.place)
    }

    /// Makes a change and records it, while no other process or thread makes one.
    pub(crate) fn during<T>(&self, change: impl FnOnce() -> (T, Option<Call>)) -> T {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = flock(self.record.as_fd(), FlockOperation::LockExclusive);
        let (result, call) = change();
        if let Some(call) = call {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            let at = since.unwrap_or_default().as_secs_f64();
            let mut line = serde_json::to_vec(&Record { at, call }).unwrap_or_default();
            line.push(b'\n');
            let written = write(&self.record, &line);
            assert_eq!(written, Ok(line.len()), "the record is written whole");
        }
        let _ = flock(self.record.as_fd(), FlockOperation::Unlock);
        result
    }
}
