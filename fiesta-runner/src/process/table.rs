//! The process table, and signals that cannot hit a stranger.

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::OwnedFd;

/// A process, as the process table describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(super) session: i32,
    state: u8,
    pub(super) is_kernel: bool,
    threads: u32,
    pub(super) start_time: u64,
}

/// Flag of kernel threads in the process table.
const PF_KTHREAD: u64 = 0x0020_0000;

impl Process {
    /// Reads the row of a process in the process table, `/proc/<pid>/stat`.
    pub(crate) fn read(pid: i32) -> io::Result<Self> {
        let mut buffer = [0; 1024];
        let path = format!("/proc/{pid}/stat");
        let stat = read_small(&path, &mut buffer).map_err(|error| {
            // The process may vanish between the opening and the reading.
            match Errno::from_io_error(&error) {
                Some(Errno::SRCH) => io::ErrorKind::NotFound.into(),
                _ => error,
            }
        })?;
        Self::parse(pid, stat).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("/proc/{pid}/stat has an unknown form"),
            )
        })
    }

    /// Parses a row of the process table. The command's name, in parentheses, may contain spaces
    /// and parentheses, so fields are counted from the last one.
    fn parse(pid: i32, stat: &[u8]) -> Option<Self> {
        let name_ends = stat.iter().rposition(|&byte| byte == b')')?;
        let rest = std::str::from_utf8(&stat[name_ends + 1..]).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let flags: u64 = fields.get(6)?.parse().ok()?;
        Some(Self {
            pid,
            state: *fields.first()?.as_bytes().first()?,
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            is_kernel: flags & PF_KTHREAD != 0,
            threads: fields.get(17)?.parse().ok()?,
            start_time: fields.get(19)?.parse().ok()?,
        })
    }

    /// Reads the entry of a process. `None` if no process has this number, or it has ended.
    pub(crate) fn living(pid: i32) -> Option<Self> {
        Self::read(pid).ok().filter(|process| !process.has_ended())
    }

    /// Whether the process has released its files, locks and device memory. A zombie has, unless
    /// other threads of it live on.
    pub(crate) fn has_ended(self) -> bool {
        matches!(self.state, b'Z' | b'X') && self.threads <= 1
    }

    /// Returns whether a signal or a debugger has stopped the process.
    pub(crate) fn is_stopped(self) -> bool {
        matches!(self.state, b'T' | b't')
    }

    /// Reads the environment with which the process's program was started. `None` if it shows none:
    /// it is starting another program, or ending and still holds resources.
    pub(crate) fn environment(self) -> io::Result<Option<Vec<u8>>> {
        let of = |place: &str| match fs::read(format!("/proc/{place}/environ")) {
            // What some kernels say where others show an empty file.
            Err(error) if Errno::from_io_error(&error) == Some(Errno::SRCH) => Ok(Vec::new()),
            read => read,
        };
        let mut environment = of(&self.pid.to_string())?;
        if environment.is_empty() && self.threads > 1 {
            // Its first thread may have ended before the others.
            let threads = fs::read_dir(format!("/proc/{}/task", self.pid))?;
            environment = threads
                .filter_map(|thread| {
                    let thread = thread.ok()?.file_name();
                    of(&format!("{}/task/{}", self.pid, thread.to_str()?)).ok()
                })
                .find(|environment| !environment.is_empty())
                .unwrap_or_default();
        }
        Ok((!environment.is_empty()).then_some(environment))
    }

    /// Sends a signal to exactly this process, never to another that got its pid in the meantime.
    pub(crate) fn signal(self, signal: Signal) {
        if let Ok(Some(descriptor)) = open(self.pid)
            && Self::read(self.pid).is_ok_and(|now| now.start_time == self.start_time)
        {
            let _ = send(&descriptor, signal);
        }
    }
}

/// Sends a signal to the process of a descriptor. A process that has just ended is no error.
///
/// # Errors
/// If the system refuses.
pub(crate) fn send(process: &OwnedFd, signal: Signal) -> io::Result<()> {
    match pidfd_send_signal(process, signal) {
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Reads a short file of `/proc` in one go.
pub(super) fn read_small<'a>(path: &str, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let read = File::open(path)?.read(buffer)?;
    Ok(&buffer[..read])
}

pub(super) fn open(pid: i32) -> io::Result<Option<OwnedFd>> {
    // Zero and negative numbers mean groups, and everybody.
    let Some(pid) = (pid > 0).then(|| Pid::from_raw(pid)).flatten() else {
        return Ok(None);
    };
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(descriptor) => Ok(Some(descriptor)),
        Err(Errno::SRCH) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns all processes that this process can see.
pub(super) fn table() -> io::Result<Vec<Process>> {
    Ok(fs::read_dir("/proc")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Process::read(pid).ok())
        .collect())
}

/// Returns the children of this thread that are not reaped, with orphans that it adopted. Empty if
/// the kernel does not tell.
pub(crate) fn children() -> HashSet<Pid> {
    let list = fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    let pids = list.split_ascii_whitespace();
    pids.filter_map(|pid| Pid::from_raw(pid.parse().ok()?))
        .collect()
}

/// Returns the children of a process, their children, and so on. Zombies are left out.
pub(crate) fn descendants(ancestor: i32) -> io::Result<Vec<Process>> {
    Ok(descendants_in(&table()?, ancestor))
}

fn descendants_in(table: &[Process], ancestor: i32) -> Vec<Process> {
    let mut children: BTreeMap<i32, Vec<Process>> = BTreeMap::new();
    for &process in table {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([ancestor]);
    let mut open = vec![ancestor];
    while let Some(pid) = open.pop() {
        for &child in children.get(&pid).into_iter().flatten() {
            // The table is not read in one instant: a pid that was used again could close a circle.
            if seen.insert(child.pid) {
                open.push(child.pid);
                if !child.has_ended() {
                    found.push(child);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_parentheses_and_spaces_do_not_shift_the_fields() {
        let stat = b"17 (a) R 1 (b) S 5 17 17 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4242 1 1";
        let process = Process::parse(17, stat).unwrap();
        assert_eq!((process.parent, process.start_time), (5, 4242));
        assert_eq!((process.session, process.threads), (17, 1));
        assert!(!process.has_ended() && !process.is_kernel);
        assert_eq!(Process::parse(17, b"17 (a) S 5"), None);
        assert_eq!(Process::parse(17, b""), None);
    }

    #[test]
    fn descendants_are_found_at_any_depth_without_zombies() {
        let row = |pid, parent, state| Process {
            pid,
            parent,
            session: 0,
            state,
            is_kernel: false,
            threads: 1,
            start_time: 0,
        };
        let table = [
            row(1, 0, b'S'),
            row(5, 2, b'S'),
            row(2, 1, b'S'),
            row(6, 5, b'Z'),
            row(7, 6, b'R'),
            row(9, 1, b'S'),
        ];
        let mut found: Vec<i32> = descendants_in(&table, 2).iter().map(|p| p.pid).collect();
        found.sort_unstable();
        assert_eq!(found, [5, 7]);
    }

    #[test]
    fn pids_of_groups_and_of_everybody_are_never_opened() {
        for pid in [0, -1, i32::MIN] {
            assert!(open(pid).unwrap().is_none());
        }
    }
}
