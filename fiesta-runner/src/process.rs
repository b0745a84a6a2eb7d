//! Processes: an identity that survives the reuse of pids, the process table, and signals that cannot hit
//! a stranger.

mod identity;
mod sweep;
mod table;
mod wait;

pub use identity::Identity;
pub(crate) use identity::{boot_id, host, namespace, numbers, read_all};
pub(crate) use sweep::{Trace, sweep};
pub(crate) use table::{Process, children, descendants};
pub(crate) use wait::{is_readable, wait_readable};
