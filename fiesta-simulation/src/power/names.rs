//! Names and numbers of the files that calls are about.

use super::record::{Call, Recorder};
use rustix::{
    fd::{AsRawFd, BorrowedFd},
    fs::{self, FileType},
};
use std::{
    ffi::{CStr, OsStr, c_int},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// Descriptor that stands for the current directory.
pub(super) const HERE: c_int = -100;

/// Returns a path that is relative to an open directory, or to the current one.
pub(super) fn located(at: c_int, path: &CStr) -> PathBuf {
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    if path.is_absolute() || at == HERE {
        path.to_owned()
    } else {
        opened(at).unwrap_or_default().join(path)
    }
}

/// Returns the path of an open file. `None` if the descriptor is not open.
pub(super) fn opened(file: c_int) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{file}")).ok()
}

/// A name in a directory below the recorded one.
pub(super) struct Name {
    pub(super) directory: u64,
    pub(super) name: String,
}

impl Name {
    /// Returns the name of a path, relative to an open directory or to the current one. `None` if
    /// nothing is recorded there.
    pub(super) fn of(recorder: &Recorder, at: c_int, path: &CStr) -> Option<Self> {
        let path = located(at, path);
        let parent = match path.parent()? {
            parent if parent.as_os_str().is_empty() => Path::new("."),
            parent => parent,
        };
        Some(Self {
            directory: recorder.directory(parent)?,
            name: path.file_name()?.to_str()?.to_owned(),
        })
    }

    pub(super) fn made(self, inode: u64, is_directory: bool) -> Call {
        let Self { directory, name } = self;
        Call::Made {
            directory,
            name,
            inode,
            is_directory,
        }
    }

    pub(super) fn removed(self) -> Call {
        let Self { directory, name } = self;
        Call::Removed { directory, name }
    }
}

/// Returns the inode of an open file or directory of the recorded directory. `None` for others.
pub(super) fn inode(recorder: &Recorder, file: BorrowedFd<'_>) -> Option<u64> {
    let found = fs::fstat(file).ok()?;
    let kind = FileType::from_raw_mode(found.st_mode);
    // Whatever handles a signal may write to a pipe or a socket at any moment.
    // What has no name is nobody's after a power cut.
    if !matches!(kind, FileType::RegularFile | FileType::Directory) || found.st_nlink == 0 {
        return None;
    }
    let path = opened(file.as_raw_fd())?;
    recorder.covers(&path).then_some(found.st_ino)
}
