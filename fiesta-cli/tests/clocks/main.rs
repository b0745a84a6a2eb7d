//! Tests of clocks that jump, process ids that are used again, and machines that were restarted.

#[path = "../support/mod.rs"]
mod support;

mod boot;
mod jumps;
mod pids;
