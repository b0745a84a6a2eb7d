//! Things that a machine has too little of for a while: processes, memory, open files, room on a
//! disk.

use crate::private;
use rustix::{fs::statvfs, io::Errno};
use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// What must fit before it is tried again: a few runs' directories and a turn.
const ENOUGH: usize = 256 << 10;

/// Number of files that are few: as many as some runs' directories hold.
const FEW: u64 = 16;

/// What there is too little of, if that is why the system refused something: it may be granted
/// later.
pub(crate) fn of(error: &io::Error) -> Option<&'static str> {
    match Errno::from_io_error(error)? {
        Errno::NOSPC | Errno::DQUOT => Some("the disk is full"),
        _ => of_machine(error),
    }
}

/// The same but for room on a disk: what every process has some of, so that others give it back
/// when they end.
pub(crate) fn of_machine(error: &io::Error) -> Option<&'static str> {
    match Errno::from_io_error(error)? {
        Errno::MFILE => Some("too many files are open (ulimit -n)"),
        Errno::NFILE => Some("too many files are open on this machine"),
        Errno::AGAIN => Some("there are too many processes (ulimit -u)"),
        Errno::NOMEM => Some("there is too little memory"),
        _ => None,
    }
}

/// Whether nothing more can be written to a directory for want of room, which is found out by
/// writing.
pub(crate) fn is_disk_full(directory: &Path) -> bool {
    let path = directory.join(format!(".room-{}", std::process::id()));
    let written = private::create(&path).and_then(|mut file| file.write_all(&vec![0; ENOUGH]));
    // It is empty, or was written for this alone.
    let _ = fs::remove_file(&path);
    written.is_err_and(|error| is_full(&error))
}

/// Whether a disk has so little room left, for bytes or for files, that finding out by writing is
/// worth its cost.
pub(crate) fn is_low(directory: &Path) -> bool {
    statvfs(directory).is_ok_and(|disk| {
        let bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
        // Some file systems do not count their files.
        bytes < 4 * ENOUGH as u64 || (disk.f_files > 0 && disk.f_favail < FEW)
    })
}

/// Whether a file that could not be created a moment ago may have lacked room: there is little, even
/// if some has been made since, or none, which a quota alone knows.
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
