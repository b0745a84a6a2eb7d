//! The processes of a run: everything the command started, wherever it went.
//!
//! The supervisor is a subreaper, so an orphan of the tree becomes its child, whatever session or
//! group it went to. Therefore no child left means no process left, and the process table is only
//! read when something has to be stopped.

use super::output::Output;
use crate::clock::{Pauses, after, first_of, has_come, until};
use crate::process::{self, Identity, Process, descendants, is_readable, wait_readable};
use crate::signal::survive_file_limit;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, set_child_subreaper, wait,
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use std::collections::HashSet;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time for which the supervisor waits for processes that do not die of SIGKILL, as they wait for a
/// device or a file server. After that it publishes the run's end without them.
const PATIENCE: Duration = Duration::from_secs(10);

/// State of the command's process.
#[derive(Debug, Clone, Copy)]
pub(super) enum State {
    Running,
    Ended(WaitStatus),
    /// The child process is gone, and the way in which it ended is unknown.
    Unknown,
}

/// Whether processes of the run remain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Some,
    None,
}

pub(super) struct Tree {
    /// Stream that receives a byte when a child ends or the run is told to stop.
    news: UnixStream,
    /// Whether the run was asked to stop, and the request has not been answered yet.
    stop: Arc<AtomicBool>,
    /// Whether the run was ever asked to stop.
    stopped: Arc<AtomicBool>,
    main: Option<i32>,
    status: Option<WaitStatus>,
}

impl Tree {
    /// Prepares this process to adopt all orphans of a run.
    pub(super) fn new() -> io::Result<Self> {
        survive_file_limit()?;
        let (news, bell) = UnixStream::pair()?;
        news.set_nonblocking(true)?;
        let [stop, stopped] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        for signal in [SIGTERM, SIGINT] {
            // In this order: who hears the bell must see the flags.
            signal_hook::flag::register(signal, Arc::clone(&stopped))?;
            signal_hook::flag::register(signal, Arc::clone(&stop))?;
            signal_hook::low_level::pipe::register(signal, bell.try_clone()?)?;
        }
        signal_hook::low_level::pipe::register(SIGCHLD, bell)?;
        // Nobody's terminal concerns a supervisor.
        signal_hook::flag::register(SIGHUP, Arc::new(AtomicBool::new(false)))?;
        // Any pid means yes.
        set_child_subreaper(Some(getpid()))?;
        Ok(Self {
            news,
            stop,
            stopped,
            main: None,
            status: None,
        })
    }

    /// Sets which process is the command itself.
    pub(super) fn follow(&mut self, main: i32) {
        self.main = Some(main);
        self.status = None;
    }

    /// Returns a stream that is readable if a child has ended or the run was told to stop.
    pub(super) fn news(&self) -> &UnixStream {
        &self.news
    }

    /// Reaps the processes that have ended. Returns the state of the command.
    pub(super) fn reap(&mut self) -> io::Result<State> {
        let left = self.reap_all()?;
        Ok(match (self.status, left) {
            (Some(status), _) => State::Ended(status),
            (None, Left::Some) => State::Running,
            (None, Left::None) => State::Unknown,
        })
    }

    fn reap_all(&mut self) -> io::Result<Left> {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    if Some(raw(pid)) == self.main {
                        self.status = Some(status);
                    }
                }
                Ok(None) => return Ok(Left::Some),
                Err(Errno::CHILD) => return Ok(Left::None),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns the command's exit code, if it has ended by itself.
    pub(super) fn exit_code(&self) -> Option<i32> {
        self.status?.exit_status()
    }

    /// Whether the run was told to stop since the last call.
    pub(super) fn take_stop_request(&self) -> bool {
        self.stop.swap(false, Ordering::SeqCst)
    }

    /// Whether a run was ever told to stop.
    pub(super) fn was_asked_to_stop(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Waits for the end of a child, a request to stop, new output, or the deadline. Reads the
    /// output.
    pub(super) fn wait(
        &mut self,
        output: &mut Output,
        deadline: Option<Instant>,
    ) -> io::Result<()> {
        let timeout = until(first_of([deadline, output.due()]));
        let mut watched = Vec::with_capacity(3);
        watched.push(PollFd::new(&self.news, PollFlags::IN));
        watched.extend(output.pipes());
        wait_readable(&mut watched, timeout)?;
        let mut readable = [false; 3];
        for (readable, watched) in readable.iter_mut().zip(&watched) {
            *readable = is_readable(watched);
        }
        drop(watched);
        let [news, pipes @ ..] = readable;
        output.fill(pipes.into_iter());
        output.keep_up();
        self.quiet(news);
        Ok(())
    }

    /// Waits for the end of a child or a request to stop, for at most `length`.
    pub(super) fn pause(&mut self, length: Duration) -> io::Result<()> {
        let mut news = [PollFd::new(&self.news, PollFlags::IN)];
        wait_readable(&mut news, Some(length))?;
        let rang = is_readable(&news[0]);
        self.quiet(rang);
        Ok(())
    }

    /// Waits for the end of a child, a request to stop, or until `other` is readable.
    pub(super) fn wait_for(&mut self, other: &impl AsFd) -> io::Result<()> {
        let mut descriptors = [
            PollFd::new(&self.news, PollFlags::IN),
            PollFd::new(other, PollFlags::IN),
        ];
        wait_readable(&mut descriptors, None)?;
        let rang = is_readable(&descriptors[0]);
        self.quiet(rang);
        Ok(())
    }

    /// Reads the bytes that announce news, before the children are examined, to miss no end.
    pub(super) fn quiet(&mut self, rang: bool) {
        let mut bytes = [0; 64];
        while rang && matches!(self.news.read(&mut bytes), Ok(64)) {}
    }

    /// Asks every process to end, and waits for the grace. After another request to stop, `shorter`
    /// may return a shorter grace.
    pub(super) fn terminate(
        &mut self,
        output: &mut Output,
        grace: Duration,
        shorter: impl Fn() -> Option<Duration>,
    ) -> io::Result<()> {
        let mut asked = ask_to_end()?;
        let mut deadline = after(grace);
        while self.reap_all()? == Left::Some {
            if self.status.is_some() {
                // What the command was just starting when it was asked is nobody's but ours now,
                // and has heard of nothing.
                for child in process::children() {
                    if asked.insert(raw(child)) {
                        let _ = kill_process(child, Signal::TERM);
                    }
                }
            }
            if has_come(deadline) {
                break;
            }
            self.wait(output, deadline)?;
            if self.take_stop_request()
                && let Some(grace) = shorter()
            {
                deadline = first_of([deadline, after(grace)]);
            }
        }
        Ok(())
    }

    /// Kills and reaps all remaining processes. Returns those that cannot be killed. `wait` waits
    /// for news, at most for the given time.
    pub(super) fn kill(
        &mut self,
        mut wait: impl FnMut(&mut Self, Duration) -> io::Result<()>,
    ) -> io::Result<Vec<Identity>> {
        let deadline = Instant::now() + PATIENCE;
        let mut pauses = Pauses::new(Duration::from_millis(2), Duration::from_millis(100));
        let mut before = HashSet::new();
        while self.reap_all()? == Left::Some {
            // What loses its parent becomes a child of ours. A process that forks without end and
            // goes is met only here, and only by those who do not rest: reading the whole table
            // takes longer than it stays.
            let children = process::children();
            for &child in &children {
                // Its number is its own until it is reaped.
                let _ = kill_process(child, Signal::KILL);
            }
            let new = !children.is_subset(&before);
            before = children;
            if new && Instant::now() < deadline {
                continue;
            }
            let rest = processes()?;
            if Instant::now() >= deadline {
                return Identity::each(rest.iter());
            }
            for process in rest {
                process.signal(Signal::KILL);
            }
            // An orphan's end rings the bell only after it came to us: look again soon, and ever
            // less often.
            wait(self, pauses.take())?;
        }
        Ok(Vec::new())
    }
}

/// Asks every process of the run to end. Returns their pids.
pub(super) fn ask_to_end() -> io::Result<HashSet<i32>> {
    let processes = processes()?;
    for process in &processes {
        process.signal(Signal::TERM);
        // A stopped process would only hear it when somebody wakes it.
        process.signal(Signal::CONT);
    }
    Ok(processes.iter().map(|process| process.pid).collect())
}

fn processes() -> io::Result<Vec<Process>> {
    descendants(raw(getpid()))
}

fn raw(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}
