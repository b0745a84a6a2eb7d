//! The process of a policy, which starts in the study's directory.

use super::Asked;
use crate::{
    ordinary, private,
    process::{Trace, command, is_readable, sweep, wait_readable},
    run::result::quote,
};
use rustix::{
    event::{PollFd, PollFlags},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    process::{Pid, Signal, kill_process_group},
};
use std::{
    io::{self, Read, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    time::{Duration, Instant},
};

/// Name of the variable that tells a policy's process which study it belongs to.
const MARKER: &str = "FIESTA_POLICY";
/// Name of the file that keeps the stderr of the policy's process.
const LOG: &str = "policy.log";
/// Largest length of an answer, in bytes.
const LONGEST: usize = 1 << 20;
/// Longest wait for processes of an earlier session to die.
const SWEEP: Duration = Duration::from_secs(5);

/// Process of a policy's command, which is asked for decisions.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    questions: ChildStdin,
    answers: ChildStdout,
    /// Bytes of the process's stdout that no answer has used yet.
    printed: Vec<u8>,
    log: PathBuf,
}

/// Reason why a policy's process gave no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("the process has ended")]
    Ended,
    #[error("took longer than {} s for an answer (timeout under [design.policy] sets another limit)", .0.as_secs_f64())]
    TookTooLong(Duration),
    #[error("printed what nobody asked for: {0}; an answer is one line")]
    Unasked(String),
    #[error("printed an answer of more than {LONGEST} bytes")]
    TooLong,
    #[error("cannot be asked: {0}")]
    System(#[from] io::Error),
}

impl NoAnswer {
    /// Whether a new process would fail in the same way.
    pub(super) fn is_final(&self) -> bool {
        !matches!(self, Self::Ended)
    }
}

impl Process {
    pub(super) fn start(asked: &Asked) -> Result<Self, String> {
        let log = asked.state.join(LOG);
        let opened = private::options().create(true).append(true).open(&log);
        let mut started = command(&asked.command, &asked.directory)
            .env(MARKER, &asked.state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A study that was never run has no directory yet.
            .stderr(opened.map_or_else(|_| Stdio::null(), Stdio::from))
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot be started: {error}"))?;
        let pipes = started.stdin.take().zip(started.stdout.take());
        let (questions, answers) = pipes.expect("both are pipes");
        let process = Self {
            child: started,
            questions,
            answers,
            printed: Vec::new(),
            log,
        };
        // It may not read while it prints.
        let set = fcntl_getfl(&process.questions)
            .and_then(|flags| fcntl_setfl(&process.questions, flags | OFlags::NONBLOCK));
        set.map_err(|error| format!("cannot be asked: {error}"))?;
        Ok(process)
    }

    /// Writes a question to the process, and reads the line that answers it, for at most `longest`.
    pub(super) fn exchange(
        &mut self,
        question: &str,
        longest: Duration,
    ) -> Result<String, NoAnswer> {
        self.read_what_is_there(Duration::ZERO, &[])?;
        if !self.printed.is_empty() {
            let printed = String::from_utf8_lossy(&self.printed);
            return Err(NoAnswer::Unasked(quote(&printed)));
        }
        let deadline = Instant::now().checked_add(longest);
        let mut left = question.as_bytes();
        loop {
            let pause = deadline.map_or(longest, |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            if pause.is_zero() {
                return Err(NoAnswer::TookTooLong(longest));
            }
            let written = self.read_what_is_there(pause, left)?;
            left = &left[written..];
            if let Some(end) = self.printed.iter().position(|&byte| byte == b'\n') {
                let rest = self.printed.split_off(end + 1);
                let line = std::mem::replace(&mut self.printed, rest);
                return Ok(String::from_utf8_lossy(&line).trim().to_owned());
            }
            if self.printed.len() > LONGEST {
                return Err(NoAnswer::TooLong);
            }
        }
    }

    /// Waits until the process prints something, or accepts more of the question. Returns the
    /// number of bytes that it accepted.
    fn read_what_is_there(&mut self, pause: Duration, left: &[u8]) -> Result<usize, NoAnswer> {
        let mut polled = vec![PollFd::new(&self.answers, PollFlags::IN)];
        if !left.is_empty() {
            polled.push(PollFd::new(&self.questions, PollFlags::OUT));
        }
        wait_readable(&mut polled, Some(pause))?;
        let has_printed = is_readable(&polled[0]);
        let takes = polled.get(1).is_some_and(|own| !own.revents().is_empty());
        drop(polled);
        if has_printed {
            let mut bytes = [0; 1 << 14];
            match self.answers.read(&mut bytes) {
                Ok(0) => return Err(NoAnswer::Ended),
                Ok(read) => self.printed.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if !takes {
            return Ok(0);
        }
        match self.questions.write(left) {
            Ok(written) => Ok(written),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(0),
                io::ErrorKind::BrokenPipe => Err(NoAnswer::Ended),
                _ => Err(error.into()),
            },
        }
    }

    /// Returns the last line that the process printed to stderr. `None` if there is none.
    pub(super) fn last_words(&self) -> Option<String> {
        let (bytes, _) = ordinary::end_of_file(&self.log, 1 << 12).ok()??;
        let text = String::from_utf8_lossy(&bytes);
        text.trim_end().lines().last().map(quote)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.child.id().cast_signed()) {
            // It may just have ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// Kills policy processes of a session that was killed. A process that reads its input has ended by
/// itself.
pub(crate) fn sweep_left(state: &Path) -> io::Result<()> {
    let state = state.to_string_lossy();
    let trace = Trace {
        marker: &[(MARKER, &state)],
        session: None,
        of_session_alone: false,
    };
    sweep(trace, SWEEP).map(drop)
}
