//! What the tests of both executors need: failure_limits, and nothing left running.

use fiesta_runner::{executor::Executor, run::RunId};
use rustix::process::{Pid, Signal, kill_process};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Time that is far more than anything here takes, even on a busy machine.
pub(crate) const LONG: Duration = Duration::from_mins(1);

/// Time that is far less than [`LONG`], and yet enough for a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// Waits until something is so.
#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + LONG;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn kill(pid: i32) {
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
}

/// Stops all that an executor follows: a test that fails, or has seen enough, leaves nothing
/// running.
pub(crate) fn stop_all<E: Executor>(executor: &mut E, followed: impl Fn(&E) -> Vec<RunId>) {
    let Ok((quiet, _open)) = std::io::pipe() else {
        return;
    };
    for id in &followed(executor) {
        let _ = executor.cancel(id, Duration::ZERO);
    }
    let deadline = Instant::now() + SOON;
    while !followed(executor).is_empty() && Instant::now() < deadline {
        let _ = executor.poll(Some(Duration::from_millis(100)), quiet.as_fd());
    }
}
