//! Things that a machine has too little of for a while: processes, memory, open files, room on a
//! disk.

use crate::private;
use rustix::{fs::statvfs, io::Errno};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Number of bytes that must be free before a retry: for the directories of some runs and a turn.
const ENOUGH: usize = 256 << 10;

/// Number of free files below which a disk counts as nearly full.
const FEW: u64 = 16;

/// Returns what is short if a shortage caused a system error, which may then pass. `None` for other
/// errors.
pub(crate) fn of(error: &io::Error) -> Option<&'static str> {
    match Errno::from_io_error(error)? {
        Errno::NOSPC | Errno::DQUOT => Some("the disk is full"),
        _ => of_machine(error),
    }
}

/// Returns which resource of the machine, other than disk space, was short in a system error:
/// others return it when they end. `None` for other errors.
pub(crate) fn of_machine(error: &io::Error) -> Option<&'static str> {
    match Errno::from_io_error(error)? {
        Errno::MFILE => Some("too many files are open (ulimit -n)"),
        Errno::NFILE => Some("too many files are open on this machine"),
        Errno::AGAIN => Some("there are too many processes (ulimit -u)"),
        Errno::NOMEM => Some("there is too little memory"),
        _ => None,
    }
}

/// Returns whether this process has reached its own limit of open files.
pub(crate) fn is_own_limit(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::MFILE)
}

/// Whether a directory's disk is full. Finds out by writing a file.
pub(crate) fn is_disk_full(directory: &Path) -> bool {
    let written = unnamed(directory).and_then(|mut file| file.write_all(&vec![0; ENOUGH]));
    written.is_err_and(|error| is_full(&error))
}

/// Name of the file that checks for room, on file systems where it needs a name.
const PROBE: &str = ".room";

/// Creates a file without a name, whose space is free once it is closed, even after a kill.
///
/// On file systems where a file needs a name at first, a kill at that moment leaves an empty file,
/// which the next call takes and removes.
pub(crate) fn unnamed(directory: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        match open(directory, flags, Mode::RUSR | Mode::WUSR) {
            // The file system, or the kernel, cannot do that.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {}
            opened => return Ok(opened?.into()),
        }
    }
    named(directory)
}

/// Creates a file under a name, and removes the name at once.
fn named(directory: &Path) -> io::Result<File> {
    let path = directory.join(PROBE);
    let file = private::create(&path)?;
    // Another process that looks at the same time may have taken it away.
    let _ = fs::remove_file(&path);
    Ok(file)
}

/// Whether a disk has so little room for bytes or files that a test by writing is worth its cost.
pub(crate) fn is_low(directory: &Path) -> bool {
    statvfs(directory).is_ok_and(|disk| {
        let bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
        // Some file systems do not count their files.
        bytes < 4 * ENOUGH as u64 || (disk.f_files > 0 && disk.f_favail < FEW)
    })
}

/// Whether lack of room may be the reason that a file could not be created: little room is left, or
/// none within a quota.
pub(crate) fn may_lack_room(directory: &Path) -> bool {
    is_low(directory) || is_disk_full(directory)
}

/// Whether an error says that there is no room on the disk.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    /// Tests that a kill during the check for room leaves no content behind.
    #[test]
    fn a_probe_leaves_nothing_at_any_moment() {
        let directory = tempfile::tempdir().unwrap();
        let is_over = AtomicBool::new(false);
        let seen = thread::scope(|scope| {
            let looks = scope.spawn(|| {
                let mut most = 0;
                while !is_over.load(Ordering::Relaxed) {
                    for entry in fs::read_dir(directory.path()).unwrap().flatten() {
                        most = most.max(entry.metadata().map_or(0, |status| status.len()));
                    }
                }
                most
            });
            for _ in 0..500 {
                assert!(!is_disk_full(directory.path()));
            }
            is_over.store(true, Ordering::Relaxed);
            looks.join().unwrap()
        });
        assert_eq!(seen, 0, "bytes under a name");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    /// Tests the check for room on file systems whose files need names.
    #[test]
    fn a_probe_that_was_killed_is_taken_by_the_next() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(PROBE), "").unwrap();
        let mut file = named(directory.path()).unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        file.write_all(b"room").unwrap();
    }
}
