//! The worker's process and its three pipes, none of which is ever waited for.

use super::directory::{WorkerDirectory, WorkerSpec};
use super::log::Log;
use super::pipes::{Lines, Outgoing, Printed, never_block, read_some, unread};
use crate::run::marks::marks;
use crate::supervisor::lifecycle::{refusal, values_of_caller};
use rustix::event::{PollFd, PollFlags};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

/// Variable that stops Python from buffering its output to a pipe, which would delay answers.
const UNBUFFERED: &str = "PYTHONUNBUFFERED";

/// The process of a worker, with its pipes.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) pid: i32,
    stdin: Option<ChildStdin>,
    /// Whether the worker has closed its end of stdin.
    deaf: bool,
    outgoing: Outgoing,
    stdout: Option<ChildStdout>,
    lines: Lines,
    stderr: Option<ChildStderr>,
    printed: Log,
    complaints: Log,
}

impl Process {
    /// Starts the worker in a process group of its own.
    pub(super) fn start(
        spec: &WorkerSpec,
        directory: &WorkerDirectory,
    ) -> Result<Self, crate::run::End> {
        use crate::run::End;
        let Some((program, arguments)) = spec.command.split_first() else {
            return Err(End::NotStarted {
                reason: "the worker's command is empty: give a program and its arguments"
                    .to_owned(),
            });
        };
        let of_caller = values_of_caller(&spec.of_caller)?;
        let mut command = Command::new(program);
        if std::env::var_os(UNBUFFERED).is_none() {
            command.env(UNBUFFERED, "1");
        }
        let marker = [directory.marker()];
        let mut child = command
            .args(arguments)
            .envs(spec.environment.iter().map(|(name, value)| (name, value)))
            .envs(of_caller)
            .envs([marks(&marker)])
            .envs(marker)
            .current_dir(&spec.working_directory)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| refusal(&spec.working_directory, program, &error))?;
        let process = Self {
            pid: child.id().cast_signed(),
            stdin: child.stdin.take(),
            deaf: false,
            outgoing: Outgoing::default(),
            stdout: child.stdout.take(),
            lines: Lines::default(),
            stderr: child.stderr.take(),
            printed: Log::new(directory.file("stdout")),
            complaints: Log::new(directory.file("stderr")),
        };
        process.never_block().map_err(|error| End::Lost {
            reason: format!("the pipes of the worker cannot be prepared: {error}"),
        })?;
        Ok(process)
    }

    fn never_block(&self) -> io::Result<()> {
        self.stdin.as_ref().map_or(Ok(()), never_block)?;
        self.stdout.as_ref().map_or(Ok(()), never_block)?;
        self.stderr.as_ref().map_or(Ok(()), never_block)
    }

    /// Returns the descriptors to poll: of what the worker prints, and of its stdin if something is
    /// to go there.
    pub(super) fn watched(&self) -> impl Iterator<Item = PollFd<'_>> {
        let stdout = self
            .stdout
            .as_ref()
            .map(|pipe| PollFd::new(pipe, PollFlags::IN));
        let stderr = self
            .stderr
            .as_ref()
            .map(|pipe| PollFd::new(pipe, PollFlags::IN));
        let waits = !self.outgoing.is_empty() && !self.deaf;
        let stdin = self.stdin.as_ref().filter(|_| waits);
        let stdin = stdin.map(|pipe| PollFd::new(pipe, PollFlags::OUT));
        stdout.into_iter().chain(stderr).chain(stdin)
    }

    /// Queues a line for the worker. Returns the line's offset in the stream.
    pub(super) fn send(&mut self, line: &[u8]) -> u64 {
        let start = self.outgoing.end();
        self.outgoing.push(line);
        self.outgoing.push(b"\n");
        start
    }

    /// Writes and reads as much as possible without waiting. Returns the lines that were completed.
    pub(super) fn exchange(&mut self) -> Vec<Printed> {
        if let Some(stdin) = &mut self.stdin
            && self.outgoing.flush(stdin).is_err()
        {
            // It reads no more. What it has read it may still answer.
            self.deaf = true;
        }
        if let Some(stderr) = &mut self.stderr
            && !read_some(stderr, |bytes| self.complaints.write(bytes))
        {
            self.stderr = None;
        }
        let mut lines = Vec::new();
        if let Some(stdout) = &mut self.stdout
            && !read_some(stdout, |bytes| lines.extend(self.lines.take(bytes)))
        {
            self.stdout = None;
            lines.extend(self.lines.rest());
        }
        lines
    }

    /// Reads the rest of the worker's output after its end, without waiting for other processes
    /// that hold the pipes.
    pub(super) fn drain(&mut self) -> Vec<Printed> {
        // A pipe holds no more than one turn reads.
        let mut lines = self.exchange();
        lines.extend(self.lines.rest());
        lines
    }

    /// Returns the number of bytes that the worker has printed to stdout, whether or not they were
    /// read.
    pub(super) fn printed(&self) -> u64 {
        self.lines.taken() + unread(self.stdout.as_ref())
    }

    /// Returns whether the worker's stdout is still open, so that it can answer.
    pub(super) fn can_answer(&self) -> bool {
        self.stdout.is_some()
    }

    /// Returns whether the worker can still receive cases.
    pub(super) fn can_be_asked(&self) -> bool {
        self.stdin.is_some() && !self.deaf
    }

    /// Closes the worker's stdin, which says that no more cases follow.
    pub(super) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Returns the number of sent bytes that the worker has taken out of its pipe. Once stdin is
    /// closed, all that was sent counts.
    pub(super) fn taken(&self) -> u64 {
        let sent = self.outgoing.sent();
        sent.saturating_sub(unread(self.stdin.as_ref()))
    }

    /// Logs a line that is not an answer.
    pub(super) fn log(&mut self, line: &[u8]) {
        self.printed.write(line);
        self.printed.write(b"\n");
    }

    /// Returns the last lines that the worker printed to stderr.
    pub(super) fn complaint(&self) -> Vec<u8> {
        self.complaints.tail()
    }
}
