//! The host of a worker: the process that owns it, gives it cases, and publishes its answers.
//!
//! A worker serves many cases, and its answers may cost money. The host stands between it and the
//! controller, so that neither's death loses an answer: it claims each run before its request is
//! sent, as a supervisor does, and publishes what came of it in the run's directory. It lives as
//! long as its worker. When the controller is gone it waits for the cases in flight, ends the
//! worker, and goes. When the worker is stopped because one case hangs, the others are given back
//! unmade.

mod answer;
mod cases;
mod directory;
mod ending;
mod log;
mod orders;
mod outcomes;
mod pipes;
mod process;
mod unexpected;

pub(crate) use directory::{Cause, WorkerDirectory, WorkerEnd, WorkerSpec};

use super::channel::Channel;
use super::lifecycle::patiently;
use super::tree::{State, Tree};
use crate::clock::{after, first_of, until};
use crate::open_files::raise_open_files;
use crate::process::{Identity, is_readable, wait_readable};
use crate::run::End;
use crate::shortage;
use answer::{Asked, Meaning};
use cases::{Cases, Outcome, next_deadline};
use ending::Ending;
use log::Log;
use pipes::{Line, Printed};
use process::Process;
use rustix::event::{PollFd, PollFlags};
use signal_hook::consts::SIGUSR1;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};
use unexpected::UnexpectedAnswers;

/// Time for a worker to die of a signal after its grace has passed.
const LAST: Duration = Duration::from_secs(1);
/// Interval of retries after a write to the disk failed.
const AGAIN: Duration = Duration::from_secs(1);

/// Works as the host in a worker's directory. Returns an exit code that says whether it could.
pub(super) fn in_directory(path: &Path) -> i32 {
    let directory = WorkerDirectory::hold(path);
    match attend(&directory) {
        Ok(()) => 0,
        Err(error) => {
            Log::new(directory.file("notes"))
                .write(format!("the host failed: {error}\n").as_bytes());
            1
        }
    }
}

fn attend(directory: &WorkerDirectory) -> io::Result<()> {
    let unstarted = |cause, reason| WorkerEnd {
        cause,
        proven: false,
        reason,
        survivors: Vec::new(),
    };
    let prepared = prepare(directory).inspect_err(|error| {
        if let Some(cause) = shortage::of(error) {
            let reason = format!("{cause}: {error}");
            // Else it is taken for one that was killed.
            let _ = directory.write_end(&unstarted(Cause::Short, reason));
        }
    });
    let (mut tree, look, line, spec) = prepared?;
    let process = match patiently(&mut tree, || Process::start(&spec, directory)) {
        Ok(process) => process,
        Err(end) => {
            let (cause, reason) = match end {
                // What its command needs is elsewhere now, as it is itself.
                End::NotStarted { reason } if directory.has_moved(&spec.directory) => (
                    Cause::Stopped,
                    format!("the study was moved while its worker was started: {reason}"),
                ),
                End::NotStarted { reason } => (Cause::NotStarted, reason),
                End::Short { reason } => (Cause::Short, reason),
                End::Lost { reason } => (Cause::Died, reason),
                other => (Cause::Stopped, format!("{other:?}")),
            };
            directory.write_end(&unstarted(cause, reason))?;
            directory.forget_host();
            return Ok(());
        }
    };
    // Each case costs two.
    raise_open_files();
    let mut host = Host {
        notes: Log::new(directory.file("notes")),
        directory,
        tree,
        look,
        line: Some(line),
        last_orders: false,
        process,
        cases: Cases::new(),
        unpublished: Vec::new(),
        unexpected: UnexpectedAnswers::default(),
        retry: None,
        ready_by: None,
        proven: false,
        open: false,
        ending: None,
        spec,
    };
    host.tree.follow(host.process.pid);
    match host.spec.start_timeout {
        Some(timeout) => host.ready_by = after(timeout),
        None => host.set_open(true),
    }
    host.serve()
}

/// Prepares what a host needs before it has a worker.
fn prepare(directory: &WorkerDirectory) -> io::Result<(Tree, UnixStream, Channel, WorkerSpec)> {
    // Out of the reach of the controller's terminal.
    let _ = rustix::process::setsid();
    let tree = Tree::new()?;
    let (look, bell) = UnixStream::pair()?;
    look.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(SIGUSR1, bell)?;
    let line = Channel::of_stdin()?;
    let spec = directory.read_spec()?;
    directory.write_host(&Identity::current()?)?;
    Ok((tree, look, line, spec))
}

struct Host<'a> {
    directory: &'a WorkerDirectory,
    spec: WorkerSpec,
    tree: Tree,
    /// Stream that is readable when another controller has cancelled a case by a signal.
    look: UnixStream,
    /// Connection to the controller, which sends orders. `None` once the controller is gone.
    line: Option<Channel>,
    /// Whether the controller will send no more orders.
    last_orders: bool,
    process: Process,
    cases: Cases,
    /// Outcomes that could not be written to the disk.
    unpublished: Vec<Outcome>,
    retry: Option<Instant>,
    unexpected: UnexpectedAnswers,
    /// Time until which the worker must be ready. `None` once it is.
    ready_by: Option<Instant>,
    /// Whether the worker said that it is ready, or read a case.
    proven: bool,
    /// Whether the controller was last told that it may send cases.
    open: bool,
    ending: Option<Ending>,
    notes: Log,
}

impl Host<'_> {
    fn serve(mut self) -> io::Result<()> {
        loop {
            self.hear();
            let lines = self.process.exchange();
            self.understand(lines);
            if let State::Ended(_) | State::Unknown = self.tree.reap()? {
                break;
            }
            if self.tree.take_stop_request() {
                self.stop(Cause::Stopped, "stopped from outside", self.spec.grace)?;
            }
            self.check_limits()?;
            self.publish_again();
            self.check_unpublished()?;
            // After all that may find out that nobody hears us.
            self.check_worker();
            if self.ending.is_some() {
                self.set_open(false);
            }
            if self.is_overdue() && !self.press()? {
                break;
            }
            self.wait()?;
        }
        self.leave()
    }

    fn wait(&mut self) -> io::Result<()> {
        let ending = self.ending.as_ref().and_then(|ending| ending.until);
        let next = first_of([
            next_deadline(&self.cases),
            ending,
            self.ready_by,
            self.retry,
        ]);
        let mut descriptors = vec![
            PollFd::new(self.tree.news(), PollFlags::IN),
            PollFd::new(&self.look, PollFlags::IN),
        ];
        let line = self.line.as_ref().filter(|_| !self.last_orders);
        descriptors.extend(line.map(|line| PollFd::new(line, PollFlags::IN)));
        descriptors.extend(self.process.watched());
        wait_readable(&mut descriptors, until(next))?;
        let (rang, look) = (is_readable(&descriptors[0]), is_readable(&descriptors[1]));
        drop(descriptors);
        self.tree.quiet(rang);
        if look {
            self.look_for_cancellations();
        }
        Ok(())
    }

    /// Looks for cancelled cases after a signal of another controller.
    fn look_for_cancellations(&mut self) {
        let mut bytes = [0; 64];
        let mut rang = false;
        while matches!(self.look.read(&mut bytes), Ok(1..)) {
            rang = true;
        }
        if rang {
            self.cases
                .values_mut()
                .for_each(cases::Case::look_for_cancellation);
            self.unpublished
                .iter_mut()
                .for_each(Outcome::look_for_cancellation);
        }
    }

    fn understand(&mut self, lines: Vec<Printed>) {
        for Printed { line, until } in lines {
            let (Line::Whole(text) | Line::Cut(text) | Line::Unended(text)) = &line;
            let printed = text.clone();
            let asked = Asked {
                ids: self.cases.keys(),
                one_at_a_time: self.spec.concurrency == 1,
                keys: &self.spec.keys,
            };
            match asked.meaning(line) {
                Meaning::Ready => {
                    self.proven = true;
                    if self.ready_by.take().is_some() {
                        self.set_open(true);
                    }
                }
                Meaning::Answer { id, kept } => {
                    if self.is_early(&id, until) {
                        let is_new = self.unexpected.early(&id, &printed);
                        self.unexpected(is_new, &printed);
                        continue;
                    }
                    self.proven = true;
                    if let Some(case) = self.cases.remove(&id) {
                        self.unexpected.answered(&id, &printed);
                        self.publish(case.end(End::Exited(0), Some(kept), None));
                    }
                }
                Meaning::NotWaitedFor(id) => {
                    let is_new = self.unexpected.not_waited_for(&id, &printed);
                    self.unexpected(is_new, &printed);
                }
                Meaning::Unexpected(kind) => {
                    let is_new = self.unexpected.of_no_case(&kind, &printed);
                    self.unexpected(is_new, &printed);
                }
                Meaning::Log => self.process.log(&printed),
            }
        }
    }

    /// Whether a line that ends at `until` was printed before the worker could read the case that
    /// the line answers.
    fn is_early(&self, id: &str, until: u64) -> bool {
        let taken = self.process.taken();
        let case = self.cases.get(id);
        case.is_some_and(|case| until <= case.printed || case.start >= taken)
    }

    /// Logs an unexpected line of the worker. Tells the controller if the line is the first of its
    /// kind.
    fn unexpected(&mut self, is_new: bool, printed: &[u8]) {
        self.process.log(printed);
        if !is_new {
            return;
        }
        if let Some(unexpected) = self.unexpected.all().last() {
            let what = unexpected.what.clone();
            self.note(&what);
        }
        self.write_unexpected();
        self.tell(&self.directory.unexpected());
    }

    fn write_unexpected(&mut self) {
        if let Err(error) = self.directory.write_unexpected(self.unexpected.all()) {
            self.note(&format!("what does not count cannot be written: {error}"));
        }
    }

    /// Ends cases that have reached their limit, and a worker that was not ready in time.
    fn check_limits(&mut self) -> io::Result<()> {
        let now = Instant::now();
        if self.ready_by.is_some_and(|by| now >= by) {
            self.ready_by = None;
            self.stop(
                Cause::NotReady,
                "it did not say {\"ready\": true} in time",
                self.spec.grace,
            )?;
        }
        let is_over = |moment: Option<Instant>| moment.is_some_and(|moment| now >= moment);
        let of_kind = |cases: &Cases, over: fn(&cases::Case) -> Option<Instant>| -> Vec<String> {
            let over = cases.iter().filter(|(_, case)| is_over(over(case)));
            over.map(|(id, _)| id.clone()).collect()
        };
        for id in of_kind(&self.cases, |case| case.deadline) {
            if let Some(case) = self.cases.remove(&id) {
                self.unexpected.given_up(&id);
                self.publish(case.end(End::TimedOut, None, Some(self.process.complaint())));
                let reason = format!("{id} took longer than its limit");
                self.stop(Cause::Stopped, &reason, self.spec.grace)?;
            }
        }
        let cancelled = of_kind(&self.cases, |case| case.cancelled);
        if !cancelled.is_empty() {
            if self.cases.values().all(|case| case.cancelled.is_some()) {
                // They had their grace. They count as cancelled when nothing works on them any
                // more.
                self.stop(Cause::Stopped, "its cases were cancelled", LAST)?;
                for case in self.cases.values_mut() {
                    case.deadline = None;
                    case.cancelled = case.cancelled.filter(|moment| *moment > now);
                }
            } else {
                for id in cancelled {
                    if let Some(case) = self.cases.remove(&id) {
                        self.unexpected.given_up(&id);
                        self.publish(case.end(End::Cancelled, None, None));
                    }
                }
            }
        }
        Ok(())
    }

    fn note(&mut self, note: &str) {
        self.notes.write(note.as_bytes());
        self.notes.write(b"\n");
    }
}
