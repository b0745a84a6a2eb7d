//! Parts of executors, for those of other crates: how a run's directory is prepared and read.
//!
//! An executor [`prepare`]s the directory of each run, has a supervisor started there (a program
//! that calls [`take_over`](crate::supervisor::take_over), with the argument
//! [`ARGUMENT`](crate::supervisor::ARGUMENT) and the directory), and looks what it has
//! [`published`]. Before it calls a run lost that may still be started, it [`claim`]s the run, so
//! that nobody begins it.

pub use super::find::{
    claim, complaint, find, has_begun, never_began, prepare, published, vanished, was_taken_back,
    write_cancellation,
};
pub use super::process::Life;
pub use crate::{
    private::{create_dir, ensure_dir, write},
    run::seconds::now,
};
