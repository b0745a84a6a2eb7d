//! Support for the tests of executors: time limits, and the clean-up of runs.

use fiesta_runner::{executor::Executor, run::RunId};
use rustix::process::{Pid, Signal, kill_process};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Time limit far above the duration of any step, even on a busy machine.
pub(crate) const LONG: Duration = Duration::from_mins(1);

/// Time limit far below [`LONG`], and enough for a step on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// Waits until a condition holds, for at most [`LONG`].
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

/// Stops all runs that an executor follows, so that a failed test leaves none running.
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
