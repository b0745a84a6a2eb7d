//! The output of a command: both streams, and the time since it printed something.

use super::publish::Reserve;
use super::stream::{CHUNK, StreamCapture};
use crate::ordinary::end_of_file;
use crate::pattern::Pattern;
use crate::run::{Carried, Rescued, RunDirectory, result::score_line};
use rustix::event::{PollFd, PollFlags};
use std::io::{self, PipeWriter};
use std::path::Path;
use std::time::{Duration, Instant};

/// Largest part of each stream, in bytes, that a run's end contains if the files cannot take it.
/// JSON makes a byte six at most: both fit into [`RESERVE`](super::publish::RESERVE).
const MOST_STDOUT: usize = 64 << 10;
const MOST_STDERR: usize = 16 << 10;
/// Largest part of a stream or a result, in bytes, that a run's end contains for other machines.
const MOST_CARRIED: usize = 8 << 10;
const MOST_RESULT: u64 = 16 << 10;

/// Duration from which a run reserves disk space for its end. A shorter run can be repeated.
const RESERVED_FROM: Duration = Duration::from_secs(1);

/// Capture of the output of one run's command.
#[derive(Debug)]
pub(super) struct Output {
    stdout: StreamCapture,
    stderr: StreamCapture,
    chunk: Vec<u8>,
    heard: Instant,
    directory: RunDirectory,
    reserve_at: Option<Instant>,
    reserve: Option<Reserve>,
}

/// Ends of the pipes that the command writes to.
pub(super) struct Ends {
    pub(super) stdout: PipeWriter,
    pub(super) stderr: PipeWriter,
}

impl Output {
    pub(super) fn new(directory: &RunDirectory) -> io::Result<(Self, Ends)> {
        let (stdout, to_stdout) = io::pipe()?;
        let (stderr, to_stderr) = io::pipe()?;
        let now = Instant::now();
        let output = Self {
            stdout: StreamCapture::new(stdout, directory.stdout()),
            stderr: StreamCapture::new(stderr, directory.stderr()),
            chunk: vec![0; CHUNK],
            heard: now,
            directory: directory.clone(),
            reserve_at: Some(now + RESERVED_FROM),
            reserve: None,
        };
        let ends = Ends {
            stdout: to_stdout,
            stderr: to_stderr,
        };
        Ok((output, ends))
    }

    /// Returns the pipes to wait for.
    pub(super) fn pipes(&self) -> impl Iterator<Item = PollFd<'_>> {
        let pipes = [&self.stdout, &self.stderr].map(StreamCapture::pipe);
        pipes
            .into_iter()
            .flatten()
            .map(|pipe| PollFd::new(pipe, PollFlags::IN))
    }

    /// Returns the time of the next work that is due even without new output.
    pub(super) fn due(&self) -> Option<Instant> {
        let shown = [&self.stdout, &self.stderr].map(StreamCapture::due);
        shown.into_iter().chain([self.reserve_at]).flatten().min()
    }

    /// Saves the end of both streams and reserves disk space, as far as that is due.
    pub(super) fn keep_up(&mut self) {
        let is_due = |due: Option<Instant>| due.is_some_and(|due| due <= Instant::now());
        for stream in [&mut self.stdout, &mut self.stderr] {
            if is_due(stream.due()) {
                stream.show();
            }
        }
        if is_due(self.reserve_at) {
            self.reserve_at = None;
            // Without it, an end that finds no room waits for it.
            self.reserve = self.directory.reserve().ok();
        }
    }

    /// Returns the disk space reserved for the run's end. `None` while the run is short.
    pub(super) fn reserve(&self) -> Option<&Reserve> {
        self.reserve.as_ref()
    }

    /// Reads new output from those of the [`pipes`](Self::pipes) that are `readable`.
    pub(super) fn fill(&mut self, mut readable: impl Iterator<Item = bool>) {
        let mut heard = false;
        for stream in [&mut self.stdout, &mut self.stderr] {
            if stream.pipe().is_some() && readable.next() == Some(true) {
                heard |= stream.fill(&mut self.chunk);
            }
        }
        if heard {
            self.heard = Instant::now();
        }
    }

    /// Returns the moment at which the command will have been silent for `limit`.
    pub(super) fn silent_at(&self, limit: Duration) -> Option<Instant> {
        self.heard.checked_add(limit)
    }

    /// Reads the rest of the output from the pipes, and closes them.
    pub(super) fn finish(&mut self) {
        for stream in [&mut self.stdout, &mut self.stderr] {
            stream.finish(&mut self.chunk);
        }
    }

    /// Writes the rest of both streams to their files, `stdout` and `stderr`.
    pub(super) fn complete(&mut self, durable: bool) -> io::Result<()> {
        let [stdout, stderr] =
            [&mut self.stdout, &mut self.stderr].map(|stream| stream.complete(durable));
        stdout.and(stderr)
    }

    /// Returns the last lines, short enough to be published with the run's end. `None` if the last
    /// line of stdout is too long.
    pub(super) fn rescue(&mut self, reason: &io::Error) -> Option<Rescued> {
        Some(Rescued {
            reason: reason.to_string(),
            stdout: self.stdout.last_lines(MOST_STDOUT)?,
            stderr: self.stderr.last_lines(MOST_STDERR).unwrap_or_default(),
        })
    }

    /// Returns the output that a run's end contains, for machines that do not see the files yet.
    pub(super) fn carried(&mut self, pattern: Option<&Pattern>) -> Carried {
        let score_line = pattern.and_then(|pattern| {
            score_line(self.stdout.kept(), self.stderr.kept(), pattern)
                .filter(|found| found.line.len() <= MOST_CARRIED)
        });
        Carried {
            score_line: score_line.map(Box::new),
            result: short_file(&self.directory.result()),
            stdout: self.stdout.last_lines(MOST_CARRIED).unwrap_or_default(),
            stderr: self.stderr.last_lines(MOST_CARRIED).unwrap_or_default(),
        }
    }
}

/// Reads an ordinary file, if it is not longer than a result may be.
fn short_file(path: &Path) -> Option<String> {
    let (content, is_cut) = end_of_file(path, MOST_RESULT).ok()??;
    String::from_utf8(content).ok().filter(|_| !is_cut)
}
