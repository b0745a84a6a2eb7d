//! Clocks that jump, process numbers that are used again, and machines that were started anew.

#[path = "../support/mod.rs"]
mod support;

mod boot;
mod jumps;
mod pids;
