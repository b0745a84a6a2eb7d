//! Files of others, read whole up to a bound.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Greatest number of bytes that are read of a file that is read whole: 4 GiB.
pub const LARGEST_FILE: u64 = 4 << 30;

/// Reads a file whole, unless it is larger than [`LARGEST_FILE`]. One without an end, such as a
/// device, is refused at that size.
///
/// # Errors
/// If it cannot be read, is too large, or the memory does not suffice.
pub fn read_whole(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_open(File::open(path)?)
}

/// Reads an open file to its end, as [`read_whole`] does.
///
/// # Errors
/// As [`read_whole`].
pub fn read_open(file: File) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    if size > LARGEST_FILE {
        return Err(too_large(LARGEST_FILE));
    }
    let mut bytes = Vec::new();
    let size = usize::try_from(size).map_err(|_| too_large(LARGEST_FILE))?;
    // Refused memory is an error here, and no end of the program.
    bytes.try_reserve_exact(size)?;
    read_rest(file, &mut bytes, LARGEST_FILE)?;
    Ok(bytes)
}

/// Reads a reader to its end, unless it holds more than [`LARGEST_FILE`] bytes.
///
/// # Errors
/// As [`read_whole`].
pub fn read_all(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_rest(reader, &mut bytes, LARGEST_FILE)?;
    Ok(bytes)
}

/// Reads the rest of a reader after `bytes`, unless both together are larger than `most` bytes.
///
/// # Errors
/// As [`read_whole`].
pub fn read_rest(reader: impl Read, bytes: &mut Vec<u8>, most: u64) -> io::Result<()> {
    let left = most.saturating_sub(bytes.len() as u64);
    let read = reader.take(left + 1).read_to_end(bytes)?;
    if read as u64 > left {
        return Err(too_large(most));
    }
    Ok(())
}

fn too_large(most: u64) -> io::Error {
    let bytes = if most >= 1 << 30 {
        format!("{} GiB", most >> 30)
    } else {
        format!("{most} bytes")
    };
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("it has more than {bytes}, and is read whole: give a file of fewer rows"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_than_the_bound_is_refused() {
        let mut bytes = b"ab".to_vec();
        read_rest(&b"cd"[..], &mut bytes, 4).unwrap();
        assert_eq!(bytes, b"abcd");
        let error = read_rest(io::repeat(7), &mut bytes, 4096).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(
            error.to_string().contains("more than 4096 bytes"),
            "{error}"
        );
        assert_eq!(bytes.len(), 4097);
    }

    /// Tests with a sparse file, which takes no room on the disk.
    #[test]
    fn a_large_file_is_refused_before_it_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(LARGEST_FILE + 1).unwrap();
        let error = read_whole(file.path()).unwrap_err().to_string();
        assert!(error.contains("more than 4 GiB"), "{error}");
    }
}
