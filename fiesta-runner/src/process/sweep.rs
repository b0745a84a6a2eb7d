//! Finds the processes of a run whose supervisor is gone, by their traces, and kills them.

use super::Identity;
use super::table::{Process, table};
use crate::clock::Pauses;
use crate::run::marks::{bears, mark};
use rustix::process::Signal;
use std::io;
use std::time::{Duration, Instant};

/// Properties by which a run's processes are recognised after their supervisor has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trace<'a> {
    /// Variables in the environment of every process of the run. Processes of a study that the run
    /// itself runs have [their mark](mark) instead.
    pub(crate) marker: &'a [(&'a str, &'a str)],
    /// Session of processes that did not start their own. Its number may be in use by others by
    /// now, so it is no proof.
    pub(crate) session: Option<i32>,
    /// Whether the marker identifies processes of this session only.
    pub(crate) of_session_alone: bool,
}

/// Processes of a run that a search found.
#[derive(Debug, Default)]
struct Traced {
    /// Processes that carry the marker.
    marked: Vec<Process>,
    /// Processes of the session whose environment cannot be read: they are ending, or starting
    /// another program.
    passing: Vec<Process>,
    /// Whether processes of other sessions hide their environments.
    any_unknown: bool,
}

impl Trace<'_> {
    fn look(self) -> io::Result<Traced> {
        let wanted: Vec<Vec<u8>> = self
            .marker
            .iter()
            .map(|(name, value)| format!("{name}={value}").into_bytes())
            .collect();
        let mark = mark(self.marker.iter().copied());
        let myself = rustix::process::getpid().as_raw_nonzero().get();
        let mut traced = Traced::default();
        for process in table()? {
            if process.pid == myself || process.is_kernel || process.has_ended() {
                continue;
            }
            match process.environment() {
                Ok(Some(environment)) => {
                    let variables: Vec<&[u8]> = environment.split(|&byte| byte == 0).collect();
                    let carries = |variable: &Vec<u8>| variables.contains(&variable.as_slice());
                    let is_near = !self.of_session_alone || Some(process.session) == self.session;
                    if is_near && (wanted.iter().all(carries) || bears(&variables, &mark)) {
                        traced.marked.push(process);
                    }
                }
                Ok(None) if Some(process.session) == self.session => traced.passing.push(process),
                Ok(None) => traced.any_unknown = true,
                // It is gone, or another user's.
                Err(_) => {}
            }
        }
        Ok(traced)
    }
}

/// Time for which a process of unknown origin that shows no environment may belong to the run,
/// while it ends or starts another program.
const PASSING: Duration = Duration::from_millis(500);

/// Kills the processes that carry the marker until none is left, or `timeout` is over. Returns
/// those that are left.
pub(crate) fn sweep(trace: Trace<'_>, timeout: Duration) -> io::Result<Vec<Identity>> {
    let began = Instant::now();
    let mut pauses = Pauses::new(Duration::from_millis(1), Duration::from_millis(50));
    let mut was_clean = false;
    loop {
        let Traced {
            marked,
            passing,
            any_unknown,
        } = trace.look()?;
        let is_known = !any_unknown || began.elapsed() >= PASSING;
        let is_clean = marked.is_empty() && passing.is_empty() && is_known;
        // Twice: the table is not read in one instant.
        if (is_clean && was_clean) || began.elapsed() >= timeout {
            let left = marked.iter().chain(&passing);
            return Identity::each(left);
        }
        was_clean = is_clean;
        for process in marked {
            process.signal(Signal::KILL);
        }
        // Strangers' children: no signal tells us of their end.
        pauses.sleep();
    }
}
