//! Runs a study: a selection over real jobs.
//!
//! - [`study`]: the TOML file that says what is compared and until when.
//! - [`run()`]: starts or resumes a study; the loop is [`fiesta_core::Selector::drive`].
//! - [`ledger`] and [`history`]: the durable record, and what it comes to.
//! - [`mod@run`]: one attempt at an evaluation: its name, its specification, its directory, its end
//!   and its result.
//! - [`executor`] and [`supervisor`]: where jobs run, and who watches over each of them there.
//! - [`status`]: what can be seen of a study from outside, also while it runs.
//! - [`Functions`](executor::Functions): the executor of studies whose arms are functions of this
//!   process, with the same ledger; [`Study::in_memory`] for a loop of one's own.
//!
//! What the documentation leaves out serves FIESTA's other crates and may change at any time.
//!
//! Programs that use the local executor call [`supervisor::take_over`] first thing in `main`: each
//! job is watched over by another process of the same program.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(target_os = "linux"))]
compile_error!(
    "fiesta-runner needs Linux (process descriptors, /proc, file locks); the other crates of FIESTA work elsewhere: see PLATFORM.md"
);

mod answers;
#[doc(hidden)]
pub mod clock;
mod controller;
mod database;
mod digest;
pub mod executor;
mod file_error;
#[doc(hidden)]
pub mod gpu;
mod held;
pub mod history;
#[doc(hidden)]
pub mod init;
pub mod ledger;
mod machine;
mod named;
mod open_files;
mod ordinary;
mod pattern;
mod policy;
mod private;
#[doc(hidden)]
pub mod process;
#[cfg(feature = "schema")]
pub mod reference;
pub mod run;
mod shortage;
pub mod signal;
mod stack;
pub mod status;
pub mod study;
pub mod supervisor;

pub use controller::{
    Finished, NewGate, Options, PlannedRun, Preview, RunError, Trial, begin_anew, check,
    executor_for, observer, parallel, preview, run, trial_executor_for,
};
pub use fiesta_core;
pub use file_error::FileError;
pub use history::History;
pub use ledger::Ledger;
#[doc(hidden)]
pub use open_files::raise_open_files;
#[doc(hidden)]
pub use private::keep_own_rights;
#[doc(hidden)]
pub use stack::on_a_full_stack;
pub use study::Study;

/// Documentation test that compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
