//! Directories that are held open: each is found also after it was moved, and another one that has
//! its name is not taken for it.

use crate::run::files::place_of;
use rustix::fs::{Mode, OFlags, fstat, open};
use std::{
    fs, io,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

/// An open directory, which stays reachable when it is renamed.
#[derive(Debug)]
pub(crate) struct Held {
    /// Path to the open directory that does not contain the directory's name.
    way: PathBuf,
    descriptor: OwnedFd,
}

impl Held {
    /// Opens the directory at a path and holds it. `None` if there is none, or it cannot be opened.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        Self::with(path, OFlags::empty())
    }

    /// Holds the directory that is at a path now, unless the path is a link.
    pub(crate) fn of_no_link(path: &Path) -> Option<Self> {
        Self::with(path, OFlags::NOFOLLOW)
    }

    fn with(path: &Path, flags: OFlags) -> Option<Self> {
        let flags = flags | OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = open(path, flags, Mode::empty()).ok()?;
        let way = format!("/proc/self/fd/{}", descriptor.as_raw_fd()).into();
        Some(Self { way, descriptor })
    }

    /// Returns a path that leads to the directory as long as it is held.
    pub(crate) fn way(&self) -> &Path {
        &self.way
    }

    /// Returns whether the directory is at a path, also if the path cannot be examined.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        match (fs::metadata(path), fstat(&self.descriptor)) {
            (Ok(named), Ok(own)) => place_of(&named) == (own.st_dev, own.st_ino),
            (Ok(_), Err(_)) => true,
            (Err(error), _) => !is_absence(&error),
        }
    }

    /// Whether the directory was removed.
    pub(crate) fn is_removed(&self) -> bool {
        fstat(&self.descriptor).is_ok_and(|status| status.st_nlink == 0)
    }

    /// Returns where the directory is now. `None` if it was removed.
    pub(crate) fn now_at(&self) -> Option<PathBuf> {
        let now = fs::read_link(&self.way).ok();
        now.filter(|_| !self.is_removed())
    }
}

/// Returns whether an error says that there is nothing at a path.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
