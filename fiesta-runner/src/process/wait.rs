//! Waiting for descriptors.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::Timespec;
use rustix::io::Errno;
use std::io;
use std::time::Duration;

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
