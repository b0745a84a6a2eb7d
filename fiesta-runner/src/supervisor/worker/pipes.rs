//! Pipes that never block: incoming lines of limited length, and outgoing bytes as there is room.

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::ioctl_fionread;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;

/// Largest length of an answer, in bytes. A longer line is no answer.
pub(super) const LONGEST: usize = 1 << 20;
/// Number of bytes kept of a line that is too long, to recognise its case.
const KEPT: usize = 4 << 10;
/// Number of bytes read before other work has its turn.
const TURN: usize = 1 << 20;

/// Sets a pipe to non-blocking, so that reads and writes return at once.
pub(super) fn never_block(pipe: &impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(pipe)?;
    fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?;
    Ok(())
}

/// Returns how many bytes are in a pipe, unread. 0 if there is no pipe, or the system does not say.
pub(super) fn unread(pipe: Option<&impl AsFd>) -> u64 {
    pipe.and_then(|pipe| ioctl_fionread(pipe).ok()).unwrap_or(0)
}

/// Reads the bytes in a pipe, up to a limit. Returns false when the other end is closed.
pub(super) fn read_some(pipe: &mut impl Read, mut take: impl FnMut(&[u8])) -> bool {
    let mut chunk = [0; 16 << 10];
    let mut taken = 0;
    while taken < TURN {
        match pipe.read(&mut chunk) {
            Ok(0) => return false,
            Ok(read) => {
                taken += read;
                take(&chunk[..read]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
    true
}

/// A line of output without its line break.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    /// The beginning of a line that was too long.
    Cut(Vec<u8>),
    /// The last line of the stream, which has no line break and may be incomplete.
    Unended(Vec<u8>),
}

/// A line, with the number of bytes of the stream up to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Printed {
    pub(super) line: Line,
    pub(super) until: u64,
}

/// Splits a stream of bytes into lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Number of bytes of the stream so far.
    taken: u64,
    begun: Vec<u8>,
    too_long: bool,
}

impl Lines {
    /// Adds bytes of a stream. Returns the lines that they complete.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> Vec<Printed> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.append(&bytes[..end]);
            self.taken += end as u64 + 1;
            lines.extend(self.take_line(Line::Whole));
            bytes = &bytes[end + 1..];
        }
        self.append(bytes);
        self.taken += bytes.len() as u64;
        lines
    }

    /// Returns the number of bytes of the stream so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    fn append(&mut self, bytes: &[u8]) {
        if self.too_long {
            return;
        }
        self.begun.extend_from_slice(bytes);
        if self.begun.len() > LONGEST {
            self.too_long = true;
            self.begun.truncate(KEPT);
            self.begun.shrink_to_fit();
        }
    }

    /// Returns the rest of a line that was begun. `None` if it is empty.
    pub(super) fn rest(&mut self) -> Option<Printed> {
        self.take_line(Line::Unended)
    }

    fn take_line(&mut self, kind: fn(Vec<u8>) -> Line) -> Option<Printed> {
        let line = std::mem::take(&mut self.begun);
        let too_long = std::mem::take(&mut self.too_long);
        if line.is_empty() {
            return None;
        }
        let line = if too_long {
            Line::Cut(line)
        } else {
            kind(line)
        };
        let until = self.taken;
        Some(Printed { line, until })
    }
}

/// Bytes that wait to be written to a pipe.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    waiting: Vec<u8>,
    /// Number of bytes that the pipe has accepted since the beginning.
    sent: u64,
}

impl Outgoing {
    /// Returns the place of the next byte in the stream.
    pub(super) fn end(&self) -> u64 {
        self.sent + self.waiting.len() as u64
    }

    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Writes as many waiting bytes as the pipe accepts.
    pub(super) fn flush(&mut self, pipe: &mut impl Write) -> io::Result<()> {
        while !self.waiting.is_empty() {
            match pipe.write(&self.waiting) {
                Ok(written) => {
                    self.waiting.drain(..written);
                    self.sent += written as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let text = b"one\n\ntwo\nthr";
        for size in 1..text.len() {
            let mut lines = Lines::default();
            let mut found = Vec::new();
            for chunk in text.chunks(size) {
                found.extend(lines.take(chunk));
            }
            let whole = |text: &str, until| Printed {
                line: Line::Whole(text.into()),
                until,
            };
            assert_eq!(found, [whole("one", 4), whole("two", 9)]);
            let rest = lines.rest().unwrap();
            assert_eq!(rest.line, Line::Unended(b"thr".into()));
            assert_eq!(rest.until, lines.taken());
            assert_eq!(lines.rest(), None);
        }
    }

    #[test]
    fn a_line_without_end_takes_no_memory_and_the_next_one_is_whole() {
        let mut lines = Lines::default();
        for _ in 0..64 {
            assert_eq!(lines.take(&vec![b'x'; 1 << 18]), []);
            assert!(lines.begun.capacity() <= 4 * LONGEST);
        }
        let found: Vec<Line> = lines
            .take(b"xx\nnext\n")
            .into_iter()
            .map(|printed| printed.line)
            .collect();
        assert_eq!(
            found,
            [Line::Cut(vec![b'x'; KEPT]), Line::Whole(b"next".into())]
        );
    }
}
