//! The log of a worker's output other than answers, with a limited size.

use crate::private;
use crate::run::files::with_suffix;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

/// Size, in bytes, from which a log becomes the old one. The latest two logs are kept.
const MOST: u64 = 1 << 20;
/// Number of bytes of a log's end that are kept at hand for messages.
const TAIL: usize = 4 << 10;

/// Log file whose last bytes are also kept in memory.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: Option<File>,
    length: u64,
    tail: VecDeque<u8>,
}

impl Log {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            length: 0,
            tail: VecDeque::new(),
        }
    }

    /// Appends to the log. Errors, such as a full disk, are ignored.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.tail.extend(&bytes[bytes.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        if self.length >= MOST {
            let _ = fs::rename(&self.path, with_suffix(&self.path, ".old"));
            (self.file, self.length) = (None, 0);
        }
        if self.file.is_none() {
            self.file = private::create(&self.path).ok();
        }
        if let Some(file) = &mut self.file
            && file.write_all(bytes).is_ok()
        {
            self.length += bytes.len() as u64;
        }
    }

    /// Returns the last lines of the log.
    pub(super) fn tail(&self) -> Vec<u8> {
        let mut tail: Vec<u8> = self.tail.iter().copied().collect();
        if tail.len() == TAIL
            && let Some(end) = tail.iter().position(|&byte| byte == b'\n')
        {
            tail.drain(..=end);
        }
        tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_stays_bounded_and_keeps_its_end() {
        let place = tempfile::TempDir::new().unwrap();
        let path = place.path().join("stderr");
        let mut log = Log::new(path.clone());
        for n in 0..100_000 {
            log.write(format!("this is line number {n:06} of many\n").as_bytes());
        }
        let length = |name: &str| fs::metadata(place.path().join(name)).unwrap().len();
        assert!(length("stderr") + length("stderr.old") <= 2 * (MOST + 100));
        assert!(
            fs::read_to_string(&path)
                .unwrap()
                .ends_with("line number 099999 of many\n")
        );
        let tail = String::from_utf8(log.tail()).unwrap();
        assert!(tail.starts_with("this is line") && tail.ends_with("099999 of many\n"));
        assert!(tail.len() <= TAIL);
    }
}
