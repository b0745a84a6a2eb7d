//! The capture of one output stream: its beginning and its end, in bounded memory and on a bounded
//! part of the disk.

use crate::{
    private,
    run::{TAIL, files::with_suffix},
};
use rustix::io::ioctl_fionread;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, PipeReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Size, in bytes, of a stream's beginning that is written to the file at once.
const HEAD: u64 = 4 << 20;

/// Interval at which the end of a stream is saved while the stream grows.
const SHOWN_EVERY: Duration = Duration::from_secs(1);

/// Number of bytes of one read: the capacity of a pipe.
pub(super) const CHUNK: usize = 64 << 10;

/// One stream of a command.
///
/// Its file gets the beginning at once. What comes after that is in memory, as far as it may be the
/// end, and shown every second in a second file; when the stream ends, it is put after the
/// beginning, and a line between the two says how much was left out. A disk that is full changes
/// nothing for the command: what cannot be written counts as left out.
#[derive(Debug)]
pub(super) struct StreamCapture {
    pipe: Option<PipeReader>,
    path: PathBuf,
    file: Option<File>,
    /// Last bytes of the stream, even if they are in the file already.
    tail: VecDeque<u8>,
    /// Number of bytes that were printed.
    total: u64,
    /// Number of bytes from the start of the stream that are in the file.
    written: u64,
    /// Error that keeps more of the stream's beginning from being written.
    refused: Option<io::Error>,
    /// Whether the system lost data that it had accepted, so that writing again cannot be trusted.
    lost: bool,
    shown: Shown,
}

/// State of the second file of a stream, which has its end while the command runs.
#[derive(Debug, Default)]
struct Shown {
    file: Option<File>,
    length: u64,
    /// Position in the stream up to which its end is saved.
    until: u64,
    at: Option<Instant>,
}

impl StreamCapture {
    pub(super) fn new(pipe: PipeReader, path: PathBuf) -> Self {
        Self {
            pipe: Some(pipe),
            path,
            file: None,
            tail: VecDeque::new(),
            total: 0,
            written: 0,
            refused: None,
            lost: false,
            shown: Shown::default(),
        }
    }

    /// Returns the pipe. `None` once all processes have closed its other end.
    pub(super) fn pipe(&self) -> Option<&PipeReader> {
        self.pipe.as_ref()
    }

    /// Reads once from a readable pipe. Returns whether there was anything.
    pub(super) fn fill(&mut self, chunk: &mut [u8]) -> bool {
        let Some(pipe) = &mut self.pipe else {
            return false;
        };
        match pipe.read(chunk) {
            Ok(0) => self.pipe = None,
            Ok(read) => {
                self.take(&chunk[..read]);
                return true;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.pipe = None,
        }
        false
    }

    /// Reads what is in the pipe now, and closes it, even if other processes hold it open.
    pub(super) fn finish(&mut self, chunk: &mut [u8]) {
        let mut left = self
            .pipe
            .as_ref()
            .and_then(|pipe| ioctl_fionread(pipe).ok())
            .unwrap_or(0);
        while left > 0 {
            let before = self.total;
            let size = usize::try_from(left).map_or(chunk.len(), |left| left.min(chunk.len()));
            self.fill(&mut chunk[..size]);
            left -= self.total - before;
            if self.pipe.is_none() {
                break;
            }
        }
        self.pipe = None;
    }

    fn take(&mut self, bytes: &[u8]) {
        let in_file = self.written == self.total && self.refused.is_none();
        self.total += bytes.len() as u64;
        let kept = &bytes[bytes.len().saturating_sub(TAIL)..];
        let over = (self.tail.len() + kept.len()).saturating_sub(TAIL);
        self.tail.drain(..over);
        self.tail.extend(kept);
        if in_file {
            let room = usize::try_from(HEAD - self.written.min(HEAD)).unwrap_or(usize::MAX);
            let head = &bytes[..bytes.len().min(room)];
            if let Err(error) = self.write_head(head) {
                self.refused = Some(error);
            }
        }
    }

    fn write_head(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match open(&mut self.file, &self.path)?.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.written += count as u64;
                    bytes = &bytes[count..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns the path of the second file of the stream, `.tail`.
    fn shown_path(&self) -> PathBuf {
        with_suffix(&self.path, ".tail")
    }

    /// Returns the time at which the end of the stream must be saved again. `None` if all is on the
    /// disk.
    pub(super) fn due(&self) -> Option<Instant> {
        let moved_on = self.total > self.written.max(self.shown.until);
        moved_on.then(|| {
            self.shown
                .at
                .map_or_else(Instant::now, |at| at + SHOWN_EVERY)
        })
    }

    /// Saves the end of the stream to the second file, which starts anew before it gets too long.
    pub(super) fn show(&mut self) {
        let path = self.shown_path();
        let unshown = self.total - self.written.max(self.shown.until);
        let shown = &mut self.shown;
        shown.at = Some(Instant::now());
        shown.until = self.total;
        let tail = self.tail.make_contiguous();
        // A disk that is full has room again later, perhaps.
        let Ok(file) = open(&mut shown.file, &path) else {
            return;
        };
        let mut unshown = usize::try_from(unshown).unwrap_or(usize::MAX);
        if shown.length + unshown as u64 > TAIL as u64 {
            unshown = unshown.max(TAIL / 2);
            shown.length = 0;
            let _ = file.set_len(0);
        }
        let last = &tail[tail.len().saturating_sub(unshown)..];
        if file.write_all_at(last, shown.length).is_ok() {
            shown.length += last.len() as u64;
        }
    }

    /// Writes the missing part of the stream to its file, and syncs the file if `durable`.
    pub(super) fn complete(&mut self, durable: bool) -> io::Result<()> {
        if self.shown.file.take().is_some() {
            // First: it makes room.
            let _ = fs::remove_file(self.shown_path());
        }
        if self.written < self.total {
            let begins = self.total - self.tail.len() as u64;
            let left_out = begins.saturating_sub(self.written);
            let note = if left_out > 0 {
                self.note(left_out)
            } else {
                String::new()
            };
            let skipped =
                usize::try_from(self.written.saturating_sub(begins)).unwrap_or(usize::MAX);
            let tail = self.tail.make_contiguous();
            let file = open(&mut self.file, &self.path)?;
            let end = self.written + note.len() as u64;
            let appended = file
                .write_all_at(note.as_bytes(), self.written)
                .and_then(|()| file.write_all_at(&tail[skipped..], end));
            if let Err(error) = appended {
                // Half of it would be taken for all of it.
                let _ = file.set_len(self.written);
                return Err(error);
            }
            self.written = self.total;
        }
        if self.lost {
            return Err(io::Error::other("the disk gave up what was written"));
        }
        match &self.file {
            Some(file) if durable => file.sync_data().inspect_err(|_| self.lost = true),
            _ => Ok(()),
        }
    }

    /// Returns the line that replaces the part of a stream that was left out.
    fn note(&self, left_out: u64) -> String {
        let reason = match &self.refused {
            Some(error) => format!(": {error}"),
            None => String::new(),
        };
        format!("\n[fiesta: {left_out} bytes were left out here{reason}]\n")
    }

    /// Returns the kept lines of the stream's end, without one that was cut.
    pub(super) fn kept(&mut self) -> &[u8] {
        let is_whole = self.total == self.tail.len() as u64;
        let tail = self.tail.make_contiguous();
        if is_whole {
            return tail;
        }
        let line_break = tail.iter().position(|&byte| byte == b'\n');
        line_break.map_or(&[], |at| &tail[at + 1..])
    }

    /// Returns the last whole lines, of at most `limit` bytes together. `None` if not even the last
    /// one fits.
    pub(super) fn last_lines(&mut self, limit: usize) -> Option<String> {
        let is_whole = self.total == self.tail.len() as u64;
        let tail = self.tail.make_contiguous();
        if is_whole && tail.len() <= limit {
            return Some(String::from_utf8_lossy(tail).into_owned());
        }
        let last = &tail[tail.len().saturating_sub(limit)..];
        // The last line may lack its end.
        let line_break = last.iter().position(|&byte| byte == b'\n')?;
        let lines = &last[line_break + 1..];
        (!lines.is_empty()).then(|| String::from_utf8_lossy(lines).into_owned())
    }
}

/// Opens the file when it is first needed, as most commands leave one stream empty.
fn open<'a>(file: &'a mut Option<File>, path: &Path) -> io::Result<&'a mut File> {
    if file.is_none() {
        *file = Some(private::create(path)?);
    }
    file.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
}
