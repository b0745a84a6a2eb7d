//! Files that are written whole, so that no reader sees a part, and that only one writer makes.

use crate::{private, process};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use serde::de::DeserializeOwned;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Returns a path beside `path` that no other process uses.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    // Two machines have processes of the same number.
    let host = process::host().unwrap_or_default().replace('/', "_");
    with_suffix(path, &format!(".{}-{host}", std::process::id()))
}

/// Returns a path in the directory of `path`, whose name is followed by `suffix`.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Reads a JSON file. `None` if it does not exist, or a power cut damaged it.
pub(crate) fn read_whole<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    match private::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns what tells a file from every other file: its device, and its number there.
pub(crate) fn place_of(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Whether the file at a path is this open file.
pub(crate) fn is_same(path: &Path, file: &File) -> bool {
    match (fs::metadata(path), file.metadata()) {
        (Ok(there), Ok(own)) => place_of(&there) == place_of(&own),
        _ => false,
    }
}

/// Writes a file whole, in place of any earlier one.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let temporary = temporary(path);
    let written = private::write(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    written.inspect_err(|_| {
        // A part of it serves nobody.
        let _ = fs::remove_file(&temporary);
    })
}

/// Gives a file its final name. Returns false if the name is taken, and the file keeps its old
/// name.
pub(crate) fn move_to_new(from: &Path, to: &Path) -> io::Result<bool> {
    match fs::hard_link(from, to) {
        Ok(()) => {}
        // The reply to the first request may be lost on its way from a file server, and the second
        // one then finds the link that the first one made.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::metadata(from)?.nlink() != 2 {
                return Ok(false);
            }
        }
        Err(error) => {
            return match Errno::from_io_error(&error) {
                // A file system without hard links.
                Some(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK) => {
                    rename_to_new(from, to)
                }
                _ => Err(error),
            };
        }
    }
    fs::remove_file(from)?;
    Ok(true)
}

fn rename_to_new(from: &Path, to: &Path) -> io::Result<bool> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn of_many_at_once_exactly_one_is_first() {
        for _ in 0..50 {
            let place = TempDir::new().unwrap();
            let target = place.path().join("end.json");
            let winners: Vec<usize> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4)
                    .map(|n| {
                        let (place, target) = (&place, &target);
                        scope.spawn(move || {
                            let own = place.path().join(n.to_string());
                            fs::write(&own, n.to_string()).unwrap();
                            move_to_new(&own, target).unwrap().then_some(n)
                        })
                    })
                    .collect();
                let ends = threads.into_iter().map(|thread| thread.join().unwrap());
                ends.flatten().collect()
            });
            assert_eq!(winners.len(), 1);
            let content = fs::read_to_string(&target).unwrap();
            assert_eq!(content, winners[0].to_string());
        }
    }

    #[test]
    fn without_hard_links_the_first_wins_as_well() {
        let place = TempDir::new().unwrap();
        let [a, b, target] = ["a", "b", "end"].map(|name| place.path().join(name));
        fs::write(&a, "a").unwrap();
        fs::write(&b, "b").unwrap();
        assert!(rename_to_new(&a, &target).unwrap());
        assert!(!rename_to_new(&b, &target).unwrap());
        assert_eq!(fs::read_to_string(&target).unwrap(), "a");
        assert!(b.exists() && !a.exists());
    }

    #[test]
    fn a_link_whose_reply_was_lost_counts() {
        let place = TempDir::new().unwrap();
        let [from, to] = ["from", "to"].map(|name| place.path().join(name));
        fs::write(&from, "x").unwrap();
        fs::hard_link(&from, &to).unwrap();
        assert!(move_to_new(&from, &to).unwrap());
        assert!(!from.exists());
    }
}
