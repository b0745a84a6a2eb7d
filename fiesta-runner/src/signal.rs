//! Signals to the controller: to drain, to kill, to leave.

use crate::clock;
use signal_hook::consts::signal::{SIGPIPE, SIGTTIN, SIGTTOU, SIGXFSZ};
use signal_hook::consts::{FORBIDDEN, SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Time within which two signals count as one: some parents pass on a Ctrl-C that the terminal has
/// sent to their children already.
const ONE_REQUEST: Duration = Duration::from_millis(100);

/// How urgently the program must stop. Each Ctrl-C or SIGTERM is more urgent than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Start nothing new, wait for what runs.
    Drain,
    /// Stop the jobs that run.
    Kill,
    /// Stop the jobs at once, whatever grace they have.
    AtOnce,
}

/// Requests received so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requests {
    /// The most urgent request to stop so far.
    pub stop: Option<Stop>,
    /// Whether to end and let all jobs run on: after SIGHUP, such as from a closed terminal.
    pub detach: bool,
}

/// The signals that a controller handles. A program should have only one of these values. The
/// signals no longer end the program from then on, even after the value is dropped.
///
/// ```no_run
/// # use fiesta_runner::{executor::Executor, signal::Signals};
/// # fn turn(executor: &mut dyn Executor) -> Result<(), Box<dyn std::error::Error>> {
/// let mut signals = Signals::new()?;
/// let ended = executor.poll(None, signals.wake())?;
/// if signals.received().stop.is_some() {
///     // Start nothing new.
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Signals {
    /// Stream that receives a byte for every signal of any kind.
    wake: UnixStream,
    /// Stream that receives a byte for every request to stop.
    stops: UnixStream,
    hung_up: Arc<AtomicBool>,
    latest_stop: Option<Instant>,
    requests: Requests,
}

impl Signals {
    /// Begins to handle SIGINT, SIGTERM and SIGHUP. A signal that the program was started to ignore
    /// stays ignored, as `nohup` wants.
    ///
    /// # Errors
    /// If the system refuses a socket or a handler.
    pub fn new() -> io::Result<Self> {
        Self::without(ignored_signals())
    }

    /// Handles those of the three signals that are not in the set `ignored`.
    fn without(ignored: u64) -> io::Result<Self> {
        let (signals, Stopper { stop, ring }) = Self::on_request()?;
        let heard = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
        // What happened is noted before anybody is woken to look.
        if heard(&SIGHUP) {
            flag::register(SIGHUP, Arc::clone(&signals.hung_up))?;
            pipe::register(SIGHUP, ring.try_clone()?)?;
        }
        for signal in [SIGINT, SIGTERM].into_iter().filter(heard) {
            pipe::register(signal, stop.try_clone()?)?;
            pipe::register(signal, ring.try_clone()?)?;
        }
        Ok(signals)
    }

    /// Makes signals that the program itself sends, for programs that handle signals on their own,
    /// such as an interpreter. No signal of the system is handled.
    ///
    /// # Errors
    /// If the system refuses a socket or a handler.
    pub fn on_request() -> io::Result<(Self, Stopper)> {
        survive_file_limit()?;
        let (wake, ring) = UnixStream::pair()?;
        let (stops, stop) = UnixStream::pair()?;
        for stream in [&wake, &stops, &ring, &stop] {
            stream.set_nonblocking(true)?;
        }
        let signals = Self {
            wake,
            stops,
            hung_up: Arc::default(),
            latest_stop: None,
            requests: Requests::default(),
        };
        Ok((signals, Stopper { stop, ring }))
    }

    /// Returns a descriptor that is readable after a signal, until [`received`](Self::received).
    pub fn wake(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// Returns all requests since the beginning.
    pub fn received(&mut self) -> Requests {
        drain(&mut self.wake);
        if drain(&mut self.stops) {
            self.stop(clock::now());
        }
        self.requests.detach |= self.hung_up.load(Ordering::SeqCst);
        self.requests
    }

    fn stop(&mut self, now: Instant) {
        let again = self
            .latest_stop
            .is_none_or(|before| now.duration_since(before) >= ONE_REQUEST);
        if again {
            self.latest_stop = Some(now);
            self.requests.stop = Some(match self.requests.stop {
                None => Stop::Drain,
                Some(Stop::Drain) => Stop::Kill,
                Some(Stop::Kill | Stop::AtOnce) => Stop::AtOnce,
            });
        }
    }
}

/// Asks a running study to stop, from any thread.
#[derive(Debug)]
pub struct Stopper {
    stop: UnixStream,
    ring: UnixStream,
}

impl Stopper {
    /// Asks the study to stop, as a Ctrl-C would: first to start nothing more, then to stop what
    /// runs, then at once. Two within a tenth of a second are one.
    pub fn stop(&self) {
        // One that is full has enough requests in it.
        let _ = (&self.stop).write(&[1]);
        let _ = (&self.ring).write(&[1]);
    }
}

/// Makes a file that becomes larger than one may be (`ulimit -f`) an error of the write to it, and
/// no longer the end of this process. Programs that it starts are limited as ever.
///
/// # Errors
/// If the system refuses a handler.
#[doc(hidden)]
pub fn survive_file_limit() -> io::Result<()> {
    static IS_SURVIVED: AtomicBool = AtomicBool::new(false);
    let is_ignored = ignored_signals() & (1 << (SIGXFSZ - 1)) != 0;
    if !is_ignored && !IS_SURVIVED.swap(true, Ordering::SeqCst) {
        flag::register(SIGXFSZ, Arc::default())?;
    }
    Ok(())
}

/// Returns the signals that this process was started to ignore, one bit each, the first signal in
/// the lowest bit.
fn ignored_signals() -> u64 {
    static IGNORED: OnceLock<u64> = OnceLock::new();
    *IGNORED.get_or_init(|| {
        std::fs::read_to_string("/proc/self/status")
            .ok()
            .as_deref()
            .and_then(ignored_in)
            .unwrap_or(0)
    })
}

/// Keeps ignored signals to this process, if it was started to ignore some by `nohup` or in the
/// background of a script. Programs that it starts react to every signal as usual.
///
/// A program inherits that a signal is ignored, and does not inherit a handler. So each such signal
/// gets a handler that does nothing. (SIGPIPE and the mask of blocked signals are reset by the
/// standard library; what a terminal sends to those who read and write in the background stays as it
/// is, since a handler would repeat the read or the write for ever.)
///
/// For programs that are there to run jobs: the reactions are the whole process's.
#[doc(hidden)]
pub fn ignore_alone() {
    let ignored = ignored_signals();
    let is_left =
        |signal: &i32| FORBIDDEN.contains(signal) || [SIGPIPE, SIGTTIN, SIGTTOU].contains(signal);
    let signals = (1..=64).filter(|signal| ignored & (1 << (signal - 1)) != 0);
    for signal in signals.filter(|signal| !is_left(signal)) {
        // One that has no handler is ignored by jobs as well, as it was before.
        let _ = flag::register(signal, Arc::default());
    }
}

fn ignored_in(status: &str) -> Option<u64> {
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Reads all bytes from a stream. Returns whether there were any.
fn drain(stream: &mut UnixStream) -> bool {
    let mut any = false;
    let mut bytes = [0; 64];
    while let Ok(read @ 1..) = stream.read(&mut bytes) {
        any |= read > 0;
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{is_readable, wait_readable};
    use rustix::event::{PollFd, PollFlags};
    use signal_hook::low_level::raise;

    fn woken(signals: &Signals) -> bool {
        let mut descriptor = [PollFd::from_borrowed_fd(signals.wake(), PollFlags::IN)];
        wait_readable(&mut descriptor, Some(Duration::ZERO)).unwrap();
        is_readable(&descriptor[0])
    }

    #[test]
    fn the_mask_of_ignored_signals_is_read() {
        let status = "Name:\tfiesta\nSigBlk:\t00ff\nSigIgn:\t0000000000001001\n";
        assert_eq!(ignored_in(status), Some((1 << (SIGHUP - 1)) | (1 << 12)));
        assert_eq!(ignored_in("Name:\tfiesta\n"), None);
    }

    /// Tests all signals in a single test, as they concern the whole process.
    #[test]
    fn once_drains_twice_kills_and_a_hangup_detaches() {
        // Whatever the tests were started to ignore.
        let mut signals = Signals::without(0).unwrap();
        assert!(!woken(&signals));
        assert_eq!(signals.received(), Requests::default());

        raise(SIGINT).unwrap();
        assert!(woken(&signals));
        let to = |stop| Requests {
            stop: Some(stop),
            ..Requests::default()
        };
        assert_eq!(signals.received(), to(Stop::Drain));
        assert!(!woken(&signals));

        // The same Ctrl-C, passed on by a parent.
        raise(SIGTERM).unwrap();
        assert_eq!(signals.received(), to(Stop::Drain));

        for stop in [Stop::Kill, Stop::AtOnce, Stop::AtOnce] {
            std::thread::sleep(ONE_REQUEST * 2);
            raise(SIGTERM).unwrap();
            assert_eq!(signals.received(), to(stop));
        }

        let (mut own, stopper) = Signals::on_request().unwrap();
        assert!(!woken(&own));
        stopper.stop();
        assert!(woken(&own));
        assert_eq!(own.received(), to(Stop::Drain));
        assert!(!woken(&own));
        raise(SIGTERM).unwrap();
        assert!(!woken(&own));

        raise(SIGHUP).unwrap();
        assert!(woken(&signals));
        assert_eq!(
            signals.received(),
            Requests {
                detach: true,
                ..to(Stop::AtOnce)
            }
        );
    }
}
