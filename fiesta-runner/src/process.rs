//! Processes: an identity that survives the reuse of pids, the process table, and signals that cannot hit
//! a stranger.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::Timespec;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// Which process, on which boot of which machine: what a pid alone does not say.
///
/// Pids are used again; a pid together with the time at which its process started is not, as long as the
/// machine stays up, and the boot's identifier says whether it did.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Identity {
    /// The process's number.
    pub pid: i32,
    /// When it started, in clock ticks since the machine came up.
    pub start_time: u64,
    /// The boot during which it started.
    pub boot_id: String,
}

impl Identity {
    /// The process that calls this.
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

    /// Whether the process still runs. A zombie does not: in a container whose first process reaps
    /// nothing, it may stay for ever.
    pub fn is_alive(&self) -> bool {
        boot_id().is_ok_and(|boot| boot == self.boot_id)
            && Process::read(self.pid)
                .is_ok_and(|process| process.start_time == self.start_time && !process.is_zombie())
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

/// The identifier of this boot of this machine.
pub(crate) fn boot_id() -> io::Result<String> {
    first_line("/proc/sys/kernel/random/boot_id")
}

/// The name of this machine.
pub(crate) fn host() -> io::Result<String> {
    first_line("/proc/sys/kernel/hostname")
}

/// The pid namespace of this process: pids mean something to those who share it. Containers do not.
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

/// Reads a file of `/proc` that is known to be short, in one go.
fn read_small<'a>(path: &str, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let read = File::open(path)?.read(buffer)?;
    Ok(&buffer[..read])
}

/// A row of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    state: u8,
    start_time: u64,
}

impl Process {
    /// Reads `/proc/<pid>/stat`.
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

    /// The second field, the command's name in parentheses, may itself hold spaces and parentheses:
    /// what follows the last one is regular.
    fn parse(pid: i32, stat: &[u8]) -> Option<Self> {
        let name_ends = stat.iter().rposition(|&byte| byte == b')')?;
        let rest = std::str::from_utf8(&stat[name_ends + 1..]).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        Some(Self {
            pid,
            state: *fields.first()?.as_bytes().first()?,
            parent: fields.get(1)?.parse().ok()?,
            start_time: fields.get(19)?.parse().ok()?,
        })
    }

    pub(crate) fn is_zombie(self) -> bool {
        matches!(self.state, b'Z' | b'X')
    }

    /// Sends a signal to exactly this process, never to another that got its pid in the meantime.
    pub(crate) fn signal(self, signal: Signal) {
        if let Ok(Some(descriptor)) = open(self.pid)
            && Self::read(self.pid).is_ok_and(|now| now.start_time == self.start_time)
        {
            // It may have ended just now, which is as good.
            let _ = pidfd_send_signal(&descriptor, signal);
        }
    }
}

fn open(pid: i32) -> io::Result<Option<OwnedFd>> {
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

/// Every process that can be seen.
fn table() -> io::Result<Vec<Process>> {
    Ok(fs::read_dir("/proc")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Process::read(pid).ok())
        .collect())
}

/// The children of this thread that are not reaped, orphans that it adopted included; none where the kernel does not tell.
pub(crate) fn children() -> HashSet<Pid> {
    let list = fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    let pids = list.split_ascii_whitespace();
    pids.filter_map(|pid| Pid::from_raw(pid.parse().ok()?))
        .collect()
}

/// The children of a process, their children, and so on; zombies are left out.
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
                if !child.is_zombie() {
                    found.push(child);
                }
            }
        }
    }
    found
}

/// What a look for processes with a marker found.
#[derive(Debug, Default)]
struct Marked {
    found: Vec<Process>,
    /// Whether some process shows no environment. One that is just becoming another program does not.
    any_unknown: bool,
}

/// The processes whose initial environment has all these variables, wherever in the tree they are now.
fn marked(marker: &[(&str, &str)]) -> io::Result<Marked> {
    let wanted: Vec<Vec<u8>> = marker
        .iter()
        .map(|(name, value)| format!("{name}={value}").into_bytes())
        .collect();
    let myself = rustix::process::getpid().as_raw_nonzero().get();
    let mut marked = Marked::default();
    for process in table()? {
        let place = format!("/proc/{}", process.pid);
        let Ok(environment) = fs::read(format!("{place}/environ")) else {
            continue;
        };
        if process.pid == myself || process.is_zombie() {
            continue;
        }
        // Threads of the kernel have no program.
        if environment.is_empty() {
            marked.any_unknown |= fs::read_link(format!("{place}/exe")).is_ok();
            continue;
        }
        let variables: BTreeSet<&[u8]> = environment.split(|&byte| byte == 0).collect();
        let carries = |variable: &Vec<u8>| variables.contains(variable.as_slice());
        if wanted.iter().all(carries) {
            marked.found.push(process);
        }
    }
    Ok(marked)
}

/// How long a process that shows no environment may be one that is just becoming another program.
const BECOMING: Duration = Duration::from_millis(500);

/// Kills what carries the marker until nothing does, or the patience is over; says what is left.
pub(crate) fn sweep(marker: &[(&str, &str)], patience: Duration) -> io::Result<Vec<i32>> {
    let began = Instant::now();
    let mut pause = Duration::from_millis(1);
    let mut was_clean = false;
    loop {
        let Marked { found, any_unknown } = marked(marker)?;
        let is_clean = found.is_empty() && (!any_unknown || began.elapsed() >= BECOMING);
        // Twice: the table is not read in one instant.
        if (is_clean && was_clean) || began.elapsed() >= patience {
            return Ok(found.iter().map(|process| process.pid).collect());
        }
        was_clean = is_clean;
        for process in found {
            process.signal(Signal::KILL);
        }
        // Strangers' children: no signal tells us of their end.
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Waits until one of the descriptors is readable; says which are. `None` waits without end.
///
/// A signal that is handled meanwhile counts as nothing readable.
pub(crate) fn wait_readable(
    descriptors: &mut [PollFd<'_>],
    timeout: Option<Duration>,
) -> io::Result<()> {
    // A length that the kernel cannot hold is as good as none.
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    match poll(descriptors, timeout.as_ref()) {
        Ok(_) => Ok(()),
        Err(Errno::INTR) => {
            for descriptor in descriptors {
                descriptor.clear_revents();
            }
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether [`wait_readable`] found this one readable, or closed at its other end.
pub(crate) fn is_readable(descriptor: &PollFd<'_>) -> bool {
    descriptor
        .revents()
        .intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR)
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

    #[test]
    fn names_with_parentheses_and_spaces_do_not_shift_the_fields() {
        let stat = b"17 (a) R 1 (b) S 5 17 17 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4242 1 1";
        let process = Process::parse(17, stat).unwrap();
        assert_eq!((process.parent, process.start_time), (5, 4242));
        assert!(!process.is_zombie());
        assert_eq!(Process::parse(17, b"17 (a) S 5"), None);
        assert_eq!(Process::parse(17, b""), None);
    }

    #[test]
    fn descendants_are_found_at_any_depth_without_zombies() {
        let row = |pid, parent, state| Process {
            pid,
            parent,
            state,
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
