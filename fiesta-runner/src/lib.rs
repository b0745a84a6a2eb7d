//! Runs a study: a selection over real jobs.
//!
//! - [`study`]: the TOML file that says what is compared and until when.
//! - [`run`]: starts or resumes a study; the loop is [`fiesta_core::Selector::drive`].
//! - [`ledger`] and [`history`]: the durable record, and what it comes to.
//! - [`executor`] and [`supervisor`]: where jobs run, and who watches over each of them there.
//! - [`Closures`]: evaluations as closures in this process, without a ledger.
//!
//! Programs that use the local executor call [`supervisor::take_over`] first thing in `main`: each job is
//! watched over by another process of the same program.

pub mod archive;
mod caller;
pub mod closures;
mod controller;
mod digest;
pub mod executor;
pub mod failures;
pub mod gpu;
pub mod history;
pub mod ledger;
pub mod log;
pub mod observer;
mod open_files;
mod private;
pub mod process;
pub mod score;
mod shortage;
pub mod signal;
pub mod slots;
pub mod study;
pub mod supervisor;

pub use closures::Closures;
pub use controller::{
    Finished, Options, RunError, Trial, check, executor_for, run, trial_executor_for,
};
pub use history::History;
pub use ledger::Ledger;
pub use observer::Observer;
pub use open_files::raise_open_files;
pub use study::Study;
