//! Files and directories that only their owner may read or write. A study's state holds the
//! variables of its study file and all that its jobs print, and either may be secret.

use crate::ordinary;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::umask;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Permission bits of all users other than the owner.
const OTHERS: u32 = 0o077;

/// Returns options to open a file for writing that, if it is created, only its owner may read. A
/// link is not followed: it may lead to any file of whoever writes.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options
        .write(true)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    options
}

/// Opens a file for reading. A link is not followed, and opening a named pipe does not wait.
///
/// # Errors
/// Errors of the system; [`is_link`] recognises one for a link. What is no file has its own error.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    ordinary::open_with(path, OFlags::NOFOLLOW)
}

/// Reads a file as [`open_to_read`] opens it.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_to_read(path)?.read_to_end(&mut content)?;
    Ok(content)
}

/// Whether an error says that a file could not be opened as its name is a link.
pub(crate) fn is_link(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::LOOP)
}

/// Advice on a file that is a [link](is_link), to be added to a sentence.
pub(crate) const NO_LINK: &str = "; it is a link, which is not followed, as it could lead to any file of yours: remove the link, and put the file itself in its place if it is one of this study's";

/// Changes this process's umask so that the process and its children may use the files and
/// directories that they create, even with `umask 0777`. Its other bits stay.
///
/// For programs that are there to run jobs: the mask is the whole process's.
pub fn keep_own_rights() {
    let mask = umask(Mode::RWXG | Mode::RWXO);
    umask(mask.difference(Mode::RWXU));
}

/// Creates a file, or empties the one that is there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    options().create(true).truncate(true).open(path)
}

/// Creates a file that must not be there yet.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    options().create_new(true).open(path)
}

/// Creates a file that only its owner may read, with this content, or replaces the content of the
/// one that is there.
///
/// # Errors
/// Errors of the system, also for a link, which is not followed.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    create(path)?.write_all(content.as_ref())
}

/// Creates a directory that must not be there yet, and that only its owner may read.
///
/// # Errors
/// Errors of the system.
pub fn create_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Creates a directory that only its owner may read, unless it exists. Parent directories are never
/// created: a study that was moved away is not begun anew.
///
/// # Errors
/// Errors of the system.
pub fn ensure_dir(path: &Path) -> io::Result<()> {
    match create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

/// Makes the names in a directory survive a power cut. Does nothing where directories cannot be
/// opened or synced.
pub(crate) fn sync_names(directory: &Path) {
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
}

/// Removes other users' permissions from a file. A link, or a file with several names, is left
/// alone.
pub(crate) fn close_file(path: &Path) {
    if let Ok(status) = fs::symlink_metadata(path)
        && status.is_file()
        && status.nlink() == 1
    {
        close(path, &status);
    }
}

/// Removes other users' permissions from a directory and all files below it, if it grants any:
/// earlier versions granted some.
pub(crate) fn close_directory(directory: &Path) {
    let Ok(status) = fs::metadata(directory) else {
        return;
    };
    if status.mode() & OTHERS == 0 {
        return;
    }
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => close_directory(&entry.path()),
            Ok(kind) if kind.is_file() => close_file(&entry.path()),
            _ => {}
        }
    }
    // Last, so that one that was interrupted is taken up again.
    close(directory, &status);
}

/// Removes other users' permissions from a file. Does nothing to a file of another user.
fn close(path: &Path, status: &Metadata) {
    if status.mode() & OTHERS != 0 {
        let mode = status.mode() & 0o7777 & !OTHERS;
        let _ = fs::set_permissions(path, Permissions::from_mode(mode));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn what_is_created_is_its_owner_s_alone() {
        let place = tempfile::TempDir::new().unwrap();
        let directory = place.path().join("a");
        assert!(ensure_dir(&directory.join("b")).is_err() && !directory.exists());
        ensure_dir(&directory).unwrap();
        ensure_dir(&directory).unwrap();
        assert_eq!(mode(&directory), 0o700);
        let file = directory.join("file");
        write(&file, "one").unwrap();
        write(&file, "2").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "2");
        assert_eq!(mode(&file), 0o600);
        assert!(create_new(&file).is_err());
    }

    #[test]
    fn links_are_not_followed() {
        let place = tempfile::TempDir::new().unwrap();
        let (file, link) = (place.path().join("file"), place.path().join("link"));
        fs::write(&file, "precious").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for opened in [
            create(&link),
            create_new(&link),
            options().create(true).open(&link),
            open_to_read(&link),
        ] {
            let error = opened.unwrap_err();
            let is_there = error.kind() == io::ErrorKind::AlreadyExists;
            assert!(is_link(&error) || is_there, "{error}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
        assert_eq!(read(&file).unwrap(), b"precious");
        assert!(open_to_read(place.path()).is_err());
    }

    #[test]
    fn what_others_could_read_is_closed_and_programs_stay_programs() {
        let place = tempfile::TempDir::new().unwrap();
        let (top, outside) = (place.path().join("top"), place.path().join("outside"));
        fs::create_dir_all(top.join("inner")).unwrap();
        let open = |path: &Path, mode| {
            fs::write(path, "x").unwrap();
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        };
        open(&outside, 0o644);
        open(&top.join("inner/file"), 0o644);
        open(&top.join("inner/program"), 0o755);
        fs::hard_link(&outside, top.join("shared")).unwrap();
        std::os::unix::fs::symlink(&outside, top.join("link")).unwrap();
        for directory in [&top, &top.join("inner")] {
            fs::set_permissions(directory, Permissions::from_mode(0o755)).unwrap();
        }
        close_directory(&top);
        assert_eq!((mode(&top), mode(&top.join("inner"))), (0o700, 0o700));
        assert_eq!(mode(&top.join("inner/file")), 0o600);
        assert_eq!(mode(&top.join("inner/program")), 0o700);
        assert_eq!(mode(&outside), 0o644);
    }
}
