//! Snapshots of the program: calls of every verb, each with output, complaints and exit code.
//!
//! Snapshots are in `snapshots/GROUP/CALL.snap`, without what differs from run to run: see
//! [`snapshot`]. After a change that is meant, `INSTA_UPDATE=always cargo test --test calls` writes
//! them anew, and their difference shows what changed.

#[path = "../support/mod.rs"]
mod support;

mod data;
mod ledgers;
mod refused;
mod report;
mod scores;
mod snapshot;
mod studies;
mod verbs;
mod widths;
