//! Compressed files, gzip and Zstandard, which are unpacked while they are read, and Parquet files
//! and tables in Markdown and LaTeX, which become plainer text.

use crate::{latex, markdown};
use fiesta_records::{LARGEST_FILE, read_rest};
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Number of first bytes that tell what a file is.
pub(crate) const START: u64 = 64;

/// Extensions of compressed files.
const EXTENSIONS: [&str; 4] = ["gz", "gzip", "zst", "zstd"];

/// Returns the path without the extension of a compressed file: `scores.csv` of `scores.csv.gz`.
///
/// # Example
/// ```
/// use fiesta_import::plain_path;
/// assert_eq!(plain_path("runs/scores.csv.gz").to_str(), Some("runs/scores.csv"));
/// assert_eq!(plain_path("runs/scores.csv").to_str(), Some("runs/scores.csv"));
/// ```
pub fn plain_path(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension {
        Some(extension) if EXTENSIONS.contains(&extension.as_str()) => path.with_extension(""),
        _ => path.to_owned(),
    }
}

/// Reads a file whole, up to [`LARGEST_FILE`]; of a compressed one, what it holds unpacked; of a
/// Parquet file, its text (feature `parquet`); of a table in Markdown or LaTeX, CSV.
///
/// # Errors
/// If the file cannot be read or unpacked, or is too large.
pub fn read_unpacked(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    unpacked(File::open(path)?)
}

/// Reads all that can be read, as [`read_unpacked`] does.
///
/// # Errors
/// As [`read_unpacked`].
pub fn unpacked(mut reader: impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.by_ref().take(START).read_to_end(&mut start)?;
    rest(start, reader, LARGEST_FILE)
}

/// Reads the remaining bytes of a file that begins with `start`, unpacked, at most `most` bytes in
/// all. A Parquet file becomes its text, a table in Markdown or LaTeX CSV.
pub(crate) fn rest(start: Vec<u8>, reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let bytes = as_text(unpacked_rest(start, reader, most)?, most)?;
    let table = markdown::as_csv(&bytes).or_else(|| latex::as_csv(&bytes));
    table.unwrap_or(Ok(bytes))
}

/// Returns the text of a Parquet file, and any other file as it is.
#[cfg(feature = "parquet")]
fn as_text(bytes: Vec<u8>, most: u64) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(fiesta_parquet::MAGIC) {
        return Ok(bytes);
    }
    let refused = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    fiesta_parquet::text(bytes, most).map_err(refused)
}

#[cfg(not(feature = "parquet"))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the text of a Parquet file may be refused"
)]
fn as_text(bytes: Vec<u8>, _: u64) -> io::Result<Vec<u8>> {
    Ok(bytes)
}

/// Reads the remaining bytes of a file that begins with `start`, unpacked if it is compressed.
fn unpacked_rest(start: Vec<u8>, reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let Some(packing) = Packing::of(&start) else {
        let mut bytes = start;
        read_rest(reader, &mut bytes, most)?;
        return Ok(bytes);
    };
    let unpacked = packing.unpack(io::Cursor::new(start).chain(reader), most);
    unpacked.map_err(|error| {
        let name = packing.name();
        let told = format!("it is compressed with {name}, and cannot be unpacked: {error}");
        io::Error::new(error.kind(), told)
    })
}

/// Ways in which files are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstandard,
}

impl Packing {
    /// Returns how a file with these first bytes is compressed. `None` if it is not.
    fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstandard),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstandard => "Zstandard",
        }
    }

    #[cfg(feature = "compressed")]
    fn unpack(self, reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            // A file may consist of several that were compressed one by one.
            Self::Gzip => read_rest(flate2::read::MultiGzDecoder::new(reader), &mut bytes, most)?,
            Self::Zstandard => read_rest(zstd::Decoder::new(reader)?, &mut bytes, most)?,
        }
        Ok(bytes)
    }

    #[cfg(not(feature = "compressed"))]
    fn unpack(self, _: impl Read, _: u64) -> io::Result<Vec<u8>> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this program was built without the feature `compressed`; unpack the file first",
        ))
    }
}

#[cfg(all(test, feature = "compressed"))]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(text).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn files_are_unpacked_as_their_first_bytes_say() {
        let text = b"arm,score\na,0.5\n".repeat(1000);
        let zstandard = zstd::encode_all(&text[..], 1).unwrap();
        for packed in [text.clone(), gzip(&text), zstandard.clone()] {
            assert_eq!(unpacked(&packed[..]).unwrap(), text);
        }
        // Files that were compressed one by one and put together.
        let halves = [&gzip(b"arm,score\n")[..], &gzip(b"a,0.5\n")].concat();
        assert_eq!(unpacked(&halves[..]).unwrap(), b"arm,score\na,0.5\n");
        for broken in [&gzip(&text)[..40], &zstandard[..20]] {
            let error = unpacked(broken).unwrap_err().to_string();
            assert!(error.contains("cannot be unpacked"), "{error}");
        }
    }

    /// Tests files of zeros, which unpack to a thousand times their compressed size.
    #[test]
    fn what_is_unpacked_has_a_bound() {
        let zeros = vec![b' '; 1 << 20];
        for packed in [gzip(&zeros), zstd::encode_all(&zeros[..], 1).unwrap()] {
            assert!(packed.len() < 1 << 13);
            let read = |most| rest(packed.clone(), io::empty(), most);
            assert_eq!(read(1 << 20).unwrap().len(), 1 << 20);
            let error = read((1 << 20) - 1).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        }
    }
}
