//! Processes: an identity that survives the reuse of pids, the process table, and signals that cannot hit
//! a stranger.

mod identity;
mod locks;
mod sweep;
mod table;
mod wait;

pub use identity::Identity;
pub(crate) use identity::{boot_id, host, namespace, numbers, read_all};
pub use locks::Locker;
pub(crate) use locks::{has_lock, lockers};
pub(crate) use sweep::{Trace, sweep};
pub(crate) use table::{Process, children, descendants};
pub(crate) use wait::{is_readable, wait_readable};
