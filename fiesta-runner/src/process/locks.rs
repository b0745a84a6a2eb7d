//! The processes that have a lock on a file.

use super::table::Process;
use crate::run::files::place_of;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A process that has a lock on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locker {
    /// The pid of the process.
    pub pid: i32,
    /// The name of the program, as far as the system keeps it.
    pub program: String,
}

/// The processes that have a lock on a file, of those that show their open files to this one. A
/// process that inherited an open file has its lock, too.
pub(crate) fn lockers(path: &Path) -> Vec<Locker> {
    let pids = fs::read_dir("/proc").into_iter().flatten();
    let pids = pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let locker = |pid| Locker {
        pid,
        program: fs::read_to_string(format!("/proc/{pid}/comm"))
            .unwrap_or_default()
            .trim_end()
            .to_owned(),
    };
    let mut lockers: Vec<Locker> = pids
        .filter(|&pid| has_lock(pid, path).unwrap_or(false))
        .map(locker)
        .collect();
    if lockers.is_empty() {
        // Of other users' processes the system lists the locks alone.
        let listed = listed(path).into_iter();
        lockers = listed
            .filter(|&pid| Process::living(pid).is_some())
            .map(locker)
            .collect();
    }
    lockers
}

/// Whether a process has a lock on a file.
///
/// # Errors
/// If the process does not show its open files.
pub(crate) fn has_lock(pid: i32, path: &Path) -> io::Result<bool> {
    let file = place_of(&fs::metadata(path)?);
    for entry in fs::read_dir(format!("/proc/{pid}/fd"))?.flatten() {
        if fs::metadata(entry.path()).map(|of| place_of(&of)).ok() != Some(file) {
            continue;
        }
        let number = entry.file_name();
        let info = Path::new("/proc")
            .join(pid.to_string())
            .join("fdinfo")
            .join(number);
        let info = fs::read_to_string(info).unwrap_or_default();
        if info.lines().any(|line| line.starts_with("lock:")) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the processes that `/proc/locks` lists for a file, in lines such as `1: FLOCK ADVISORY
/// WRITE <pid> <device>:<inode> 0 EOF`.
fn listed(path: &Path) -> Vec<i32> {
    let Ok(inode) = fs::metadata(path).map(|file| file.ino().to_string()) else {
        return Vec::new();
    };
    let list = fs::read_to_string("/proc/locks").unwrap_or_default();
    let of_line = |line: &str| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let kind = words.iter().position(|word| *word == "ADVISORY")?;
        // The device is left out, as some file systems have another one here than files show.
        let (_, of_file) = words.get(kind + 3)?.rsplit_once(':')?;
        let pid = words.get(kind + 2)?.parse().ok()?;
        (of_file == inode).then_some(pid)
    };
    let mut pids: Vec<i32> = list.lines().filter_map(of_line).collect();
    pids.sort_unstable();
    pids.dedup();
    pids
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn who_has_a_lock_is_found_and_who_has_the_file_open_is_not() {
        let place = tempfile::TempDir::new().unwrap();
        let path = place.path().join("lock");
        let file = File::create(&path).unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        assert_eq!(lockers(&path), []);
        assert!(!has_lock(own, &path).unwrap());
        file.lock_shared().unwrap();
        assert!(has_lock(own, &path).unwrap());
        let found = lockers(&path);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].pid, own);
        assert!(!found[0].program.is_empty());
        assert_eq!(listed(&path), [own]);
        file.unlock().unwrap();
        assert_eq!(lockers(&path), []);
    }
}
