//! Processes: identities that survive the reuse of pids, the process table, and signals that cannot
//! hit a stranger.

mod identity;
mod locks;
mod sweep;
mod table;

pub use identity::Identity;
pub use identity::host;
pub(crate) use identity::{boot_id, namespace, numbers};
pub use locks::Locker;
pub(crate) use locks::{has_lock, lockers};
pub(crate) use sweep::{Trace, sweep};
pub(crate) use table::{Process, children, descendants, send};

use crate::clock;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::Timespec;
use rustix::io::Errno;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Returns a command made of `words` that starts in `directory`, without standard input. A program
/// name with a slash is relative to the directory.
pub(crate) fn command(words: &[String], directory: &Path) -> Command {
    let first = words.first().map_or("", String::as_str);
    let mut command = if first.contains('/') {
        Command::new(directory.join(first))
    } else {
        Command::new(first)
    };
    command
        .args(words.iter().skip(1))
        .current_dir(directory)
        .stdin(Stdio::null());
    command
}

/// Waits until a descriptor is readable, and marks those that are. No `timeout` is no limit.
///
/// A signal that is handled meanwhile counts as nothing readable.
pub(crate) fn wait_readable(
    descriptors: &mut [PollFd<'_>],
    timeout: Option<Duration>,
) -> io::Result<()> {
    // A length that the kernel cannot hold is as good as none.
    let timeout = clock::to_wait(timeout).and_then(|timeout| Timespec::try_from(timeout).ok());
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

/// Waits until one of the descriptors is readable, or closed at its other end; returns for each
/// whether it is. `None` waits without end.
///
/// A signal that is handled meanwhile counts as nothing readable.
///
/// # Errors
/// Those of the system.
pub fn readable(
    descriptors: &[BorrowedFd<'_>],
    timeout: Option<Duration>,
) -> io::Result<Vec<bool>> {
    let descriptors = descriptors.iter();
    let polled = descriptors.map(|&one| PollFd::from_borrowed_fd(one, PollFlags::IN));
    let mut polled: Vec<PollFd<'_>> = polled.collect();
    wait_readable(&mut polled, timeout)?;
    Ok(polled.iter().map(is_readable).collect())
}

/// Whether [`wait_readable`] marked a descriptor as readable, or as closed at its other end.
pub(crate) fn is_readable(descriptor: &PollFd<'_>) -> bool {
    descriptor
        .revents()
        .intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR)
}
