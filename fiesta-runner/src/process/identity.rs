//! The identity of a process: pid, start time, and boot of its machine.

use super::table::{Process, open, read_small, send};
use rustix::process::Signal;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;

/// Identity of a process, on one boot of one machine. A pid alone is not enough.
///
/// Pids are used again; a pid together with the time at which its process started is not, as long
/// as the machine stays up, and the boot's identifier says whether it did.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Identity {
    /// The number of the process.
    pub pid: i32,
    /// Time at which the process started, in clock ticks since the machine came up.
    pub start_time: u64,
    /// Identifier of the machine's boot during which the process started.
    pub boot_id: String,
}

impl Identity {
    /// Returns the identity of the calling process.
    ///
    /// # Errors
    /// If `/proc` cannot be read.
    pub fn current() -> io::Result<Self> {
        Self::of(rustix::process::getpid().as_raw_nonzero().get())
    }

    /// The process that has this pid now, a zombie included.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is none; others if `/proc` cannot be read.
    pub fn of(pid: i32) -> io::Result<Self> {
        Ok(Self {
            pid,
            start_time: Process::read(pid)?.start_time,
            boot_id: boot_id()?,
        })
    }

    /// Returns the identities of the given processes, as they were when the table was read.
    pub(crate) fn each<'p>(processes: impl Iterator<Item = &'p Process>) -> io::Result<Vec<Self>> {
        let boot_id = boot_id()?;
        let identity = |process: &Process| Self {
            pid: process.pid,
            start_time: process.start_time,
            boot_id: boot_id.clone(),
        };
        Ok(processes.map(identity).collect())
    }

    /// Whether the process still runs. A zombie does not count, as it may stay for ever in a
    /// container.
    pub fn is_alive(&self) -> bool {
        boot_id().is_ok_and(|boot| boot == self.boot_id)
            && Process::living(self.pid)
                .is_some_and(|process| process.start_time == self.start_time)
    }

    /// A descriptor that becomes readable when the process ends; `None` if it has ended already.
    ///
    /// # Errors
    /// If the kernel refuses a descriptor (too many are open).
    pub(crate) fn open(&self) -> io::Result<Option<OwnedFd>> {
        match open(self.pid)? {
            // Opened first and compared then: between the two, the pid belongs to what was opened.
            Some(descriptor) if self.is_alive() => Ok(Some(descriptor)),
            _ => Ok(None),
        }
    }
}

impl Identity {
    /// Sends a signal to exactly this process, if it still runs.
    pub(crate) fn signal(&self, signal: Signal) -> io::Result<()> {
        let process = self.open()?;
        process.map_or(Ok(()), |process| send(&process, signal))
    }
}

/// Returns the pids of these processes, for messages.
pub(crate) fn numbers(processes: &[Identity]) -> Vec<i32> {
    processes.iter().map(|process| process.pid).collect()
}

/// Returns the identifier of this machine's current boot.
pub(crate) fn boot_id() -> io::Result<String> {
    first_line("/proc/sys/kernel/random/boot_id")
}

/// The name of this machine.
///
/// # Errors
/// If the system does not say.
pub fn host() -> io::Result<String> {
    first_line("/proc/sys/kernel/hostname")
}

/// Returns the namespace of this process's pid. A container has its own, with other pids.
pub(crate) fn namespace() -> io::Result<String> {
    Ok(fs::read_link("/proc/self/ns/pid")?
        .to_string_lossy()
        .into_owned())
}

fn first_line(path: &str) -> io::Result<String> {
    let mut buffer = [0; 512];
    let text = String::from_utf8_lossy(read_small(path, &mut buffer)?);
    Ok(text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_another_start_time_is_not() {
        let identity = Identity::current().unwrap();
        assert!(identity.is_alive());
        assert!(identity.open().unwrap().is_some());
        let reused = Identity {
            start_time: identity.start_time + 1,
            ..identity.clone()
        };
        assert!(!reused.is_alive());
        assert!(reused.open().unwrap().is_none());
        let rebooted = Identity {
            boot_id: "another".to_owned(),
            ..identity
        };
        assert!(!rebooted.is_alive());
    }
}
