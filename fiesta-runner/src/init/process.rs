//! Programs that are run for what they print, for a limited time.

pub(super) use crate::process::command;

use crate::ordinary::end_of_open;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    fs::File,
    io,
    os::unix::process::CommandExt,
    process::{Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

/// Interval at which a running program is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// Bytes that are read of each stream, from its end.
const MOST: u64 = 8 << 20;

/// Way in which a program ended.
enum End {
    Exited(ExitStatus),
    TookTooLong,
    Interrupted,
}

/// Result of a program that was run: its end and its output.
pub(super) struct Ran {
    end: End,
    pub(super) printed: String,
    pub(super) errors: String,
}

impl Ran {
    /// Returns what went wrong with a program, in words that follow its command.
    pub(super) fn problem(&self, longest: Duration) -> Option<String> {
        match self.end {
            End::TookTooLong => Some(format!("was stopped after {} s", longest.as_secs())),
            End::Interrupted => Some("was interrupted".to_owned()),
            End::Exited(status) if status.success() => None,
            End::Exited(status) => {
                let last = [&self.errors, &self.printed].map(|text| text.trim().lines().last());
                let last = last.into_iter().flatten().next();
                let last = last.map_or_else(String::new, |line| format!(": {line}"));
                Some(format!("ended with {status}{last}"))
            }
        }
    }

    /// Returns whether the program was stopped on request of `is_interrupted`.
    pub(super) fn was_interrupted(&self) -> bool {
        matches!(self.end, End::Interrupted)
    }

    /// Whether the program took too long.
    pub(super) fn took_too_long(&self) -> bool {
        matches!(self.end, End::TookTooLong)
    }
}

/// Runs a program for at most `longest`, unless `is_interrupted` says to stop. The program and its
/// children are a process group, which a Ctrl-C at the terminal does not reach and which is stopped
/// as a whole.
pub(super) fn run(
    command: &mut Command,
    longest: Duration,
    is_interrupted: &mut dyn FnMut() -> bool,
) -> io::Result<Ran> {
    // Files, as a pipe stays open while anything that the program started still has it.
    let (mut printed, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut child = command
        .stdout(printed.try_clone()?)
        .stderr(errors.try_clone()?)
        .process_group(0)
        .spawn()?;
    let deadline = Instant::now() + longest;
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break End::Exited(status);
        }
        if is_interrupted() {
            break End::Interrupted;
        }
        if Instant::now() >= deadline {
            break End::TookTooLong;
        }
        thread::sleep(LOOK);
    };
    if !matches!(end, End::Exited(_)) {
        if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
            // It may just have ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
        child.wait()?;
    }
    Ok(Ran {
        end,
        printed: end_of(&mut printed)?,
        errors: end_of(&mut errors)?,
    })
}

/// Reads the end of a file as text.
fn end_of(file: &mut File) -> io::Result<String> {
    let (bytes, _) = end_of_open(file, MOST)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_a_program_started_is_stopped_with_it() {
        let second = Duration::from_secs(1);
        for (longest, problem) in [
            (second, "was stopped after 1 s"),
            (second * 60, "was interrupted"),
        ] {
            let place = tempfile::tempdir().unwrap();
            let script = "sleep 1000 & echo $! > new; mv new started; wait";
            let words = ["sh", "-c", script].map(ToOwned::to_owned);
            let started = place.path().join("started");
            let mut has_begun = || longest > second && started.exists();
            let ran = run(&mut command(&words, place.path()), longest, &mut has_begun).unwrap();
            assert_eq!(ran.problem(longest).as_deref(), Some(problem));
            let Ok(child) = fs::read_to_string(&started) else {
                continue;
            };
            let status = format!("/proc/{}/status", child.trim());
            let runs = || fs::read_to_string(&status).is_ok_and(|own| !own.contains("State:\tZ"));
            for _ in 0..1000 {
                if runs() {
                    thread::sleep(LOOK);
                }
            }
            assert!(!runs(), "the child still runs");
        }
    }
}
