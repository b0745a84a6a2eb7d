//! Files that a study file names: they must be ordinary ones. A pipe would be waited for, perhaps for
//! ever, and a device read without end.

use fiesta_records::read_open;
use rustix::{fs::OFlags, io::Errno};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Reads the last `most` bytes of an ordinary file, and whether the file is longer. `None` if there
/// is no ordinary file at the path.
///
/// # Errors
/// Errors of the system.
pub(crate) fn end_of_file(path: &Path, most: u64) -> io::Result<Option<(Vec<u8>, bool)>> {
    // Looked at before it is opened: opening a named pipe would wait for its other end.
    match fs::metadata(path) {
        Ok(there) if there.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    end_of_open(&mut File::open(path)?, most).map(Some)
}

/// Reads the last `most` bytes of an open file, and whether the file is longer.
pub(crate) fn end_of_open(file: &mut File, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let skipped = file.metadata()?.len().saturating_sub(most);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    // The file may still grow.
    file.take(most).read_to_end(&mut bytes)?;
    Ok((bytes, skipped > 0))
}

/// Opens an ordinary file, or one that a link leads to.
///
/// # Errors
/// Errors of the system; [`io::ErrorKind::InvalidInput`] for a pipe, a device or a directory.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_with(path, OFlags::empty())
}

/// Opens an ordinary file with further flags.
///
/// # Errors
/// As [`open`].
pub(crate) fn open_with(path: &Path, flags: OFlags) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // Or else the other end of a pipe would be waited for.
    let flags = flags | OFlags::NONBLOCK;
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        return Ok(file);
    }
    if metadata.is_dir() {
        return Err(Errno::ISDIR.into());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is a pipe or a device, which has no end that one could wait for: write what it gives to a file, and name that",
    ))
}

/// Reads an ordinary file of no more than 4 GiB.
///
/// # Errors
/// As [`open`], and where it is larger.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_open(open(path)?)
}

/// Reads an ordinary file of text.
///
/// # Errors
/// As [`open`], and [`io::ErrorKind::InvalidData`] where it is not UTF-8.
pub(crate) fn read_to_string(path: &Path) -> io::Result<String> {
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    String::from_utf8(read(path)?).map_err(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn pipes_and_devices_are_refused_at_once_and_links_followed() {
        let place = tempfile::TempDir::new().unwrap();
        let [pipe, file, link] = ["pipe", "file", "link"].map(|name| place.path().join(name));
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        std::fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read(&link).unwrap(), b"text");
        assert_eq!(read_to_string(&file).unwrap(), "text");
        for path in [pipe.as_path(), Path::new("/dev/zero")] {
            let error = read(path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{path:?}");
        }
    }
}
