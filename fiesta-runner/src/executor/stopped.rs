//! Supervisors and hosts of workers that were stopped, by a signal or by freezing their control
//! group. They send no news, and the time limits of their runs are not enforced.

use crate::process::{Identity, Process};
use rustix::process::Signal;
use std::{
    collections::BTreeMap,
    fs,
    time::{Duration, Instant},
};

/// Interval of looks whether processes are stopped.
const EVERY: Duration = Duration::from_secs(5);
/// Number of looks that find a process stopped before it is killed. Looks are counted, and not
/// seconds: whoever stops the controller as well, and lets both go on, kills nobody.
const LOOKS: u32 = 12;

/// Processes that were stopped at the latest looks.
#[derive(Debug, Default)]
pub(super) struct Stopped {
    looked: Option<Instant>,
    /// Number of looks on end that found each process stopped, by pid.
    looks: BTreeMap<i32, u32>,
}

impl Stopped {
    /// Returns the time until the next look.
    pub(super) fn due_in(&self) -> Duration {
        self.looked
            .map_or(Duration::ZERO, |at| EVERY.saturating_sub(at.elapsed()))
    }

    /// Looks for stopped processes among those that attend to runs, and kills those that were
    /// stopped for a minute. Their runs are then found as after any other death. Returns messages
    /// for the user.
    pub(super) fn look(&mut self, attendants: impl Iterator<Item = Identity>) -> Vec<String> {
        if !self.due_in().is_zero() {
            return Vec::new();
        }
        self.looked = Some(Instant::now());
        let before = std::mem::take(&mut self.looks);
        let mut notices = Vec::new();
        for attendant in attendants {
            let pid = attendant.pid;
            let Some(process) = stopped(&attendant) else {
                continue;
            };
            let looks = before.get(&pid).copied().unwrap_or(0) + 1;
            self.looks.insert(pid, looks);
            let left = EVERY * LOOKS.saturating_sub(looks);
            if looks == 2 {
                notices.push(format!(
                    "{}; in {} s it is killed, and its run made again",
                    words(pid),
                    left.as_secs()
                ));
            }
            if looks.is_multiple_of(LOOKS) {
                process.signal(Signal::KILL);
                notices.push(format!(
                    "the process {pid}, which attends to a run, was stopped for {} s: it was killed",
                    (EVERY * looks).as_secs()
                ));
            }
        }
        notices
    }
}

/// Returns the process that attends to a run, if somebody has stopped it by a signal or a freeze.
fn stopped(attendant: &Identity) -> Option<Process> {
    let process = Process::read(attendant.pid).ok()?;
    let is_stopped = process.is_stopped() || is_frozen(attendant.pid);
    (is_stopped && attendant.is_alive()).then_some(process)
}

/// Returns the message that the process which attends to a run is stopped. `None` if it goes on, or
/// is gone.
pub(crate) fn stopped_attendant(attendant: &Identity) -> Option<String> {
    stopped(attendant)?;
    Some(format!(
        "{}; once it was stopped for {} s, it is killed, and its run made again",
        words(attendant.pid),
        (EVERY * LOOKS).as_secs()
    ))
}

/// Returns the message that a process is stopped, with the command that lets it go on.
fn words(pid: i32) -> String {
    format!(
        "the process {pid}, which attends to a run, is stopped: `kill -CONT {pid}` lets it go on (or thaw its control group)"
    )
}

/// Whether the control group of a process is frozen.
fn is_frozen(pid: i32) -> bool {
    let Ok(groups) = fs::read_to_string(format!("/proc/{pid}/cgroup")) else {
        return false;
    };
    // Of the one hierarchy that there is since version 2.
    let Some(group) = groups.lines().find_map(|line| line.strip_prefix("0::")) else {
        return false;
    };
    let events = format!("/sys/fs/cgroup{group}/cgroup.events");
    fs::read_to_string(events).is_ok_and(|events| events.lines().any(|line| line == "frozen 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Pid, kill_process};
    use std::{
        os::unix::process::ExitStatusExt,
        process::{Child, Command},
    };

    /// Whether the system says that a process is stopped.
    fn is_stopped(pid: i32) -> bool {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        status.contains("State:\tT")
    }

    /// Returns a process that does nothing, and the states that `looks` looks found it in. Before
    /// each look it gets the signal that `before` names.
    fn looked_at(looks: u32, before: impl Fn(u32) -> Option<Signal>) -> (Child, Vec<String>) {
        let child = Command::new("sleep").arg("600").spawn().unwrap();
        let pid = child.id().cast_signed();
        let mut stopped = Stopped::default();
        let mut said = Vec::new();
        for look in 0..looks {
            if let Some(signal) = before(look) {
                kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
                // The signal takes effect a moment later, on a busy machine a long one.
                while is_stopped(pid) != (signal == Signal::STOP) {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            stopped.looked = None;
            said.extend(stopped.look([Identity::of(pid).unwrap()].into_iter()));
            assert_eq!(stopped.look(std::iter::empty()), [""; 0], "not yet");
        }
        (child, said)
    }

    #[test]
    fn who_is_stopped_at_every_look_is_told_and_killed() {
        let stop = |look| (look == 0).then_some(Signal::STOP);
        let (mut child, said) = looked_at(LOOKS, stop);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("is stopped") && said[0].contains("in 50 s"));
        assert!(said[1].contains("was stopped for 60 s"), "{said:?}");
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }

    #[test]
    fn who_goes_on_in_between_is_left_alone() {
        let stop = |look: u32| {
            Some(match look % LOOKS {
                last if last == LOOKS - 1 => Signal::CONT,
                _ => Signal::STOP,
            })
        };
        let (mut child, said) = looked_at(3 * LOOKS, stop);
        assert!(
            !said.iter().any(|said| said.contains("killed:")),
            "{said:?}"
        );
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
