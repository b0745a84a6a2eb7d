//! Engines that carry out the jobs of studies: Slurm, Ray, and queues of one's own.
//!
//! [`KINDS`] are the values of `executor.kind` that this crate adds to those of `fiesta-runner`:
//! `"slurm"` and `"ray"`. A program hands them to
//! [`Study::read_with`](fiesta_runner::Study::read_with).
//!
//! [`Engine`] is what a queue has to do: submit tasks, list them, cancel them. [`OnEngine`] makes
//! an executor of it that loses nothing and carries nothing out twice.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(target_os = "linux"))]
compile_error!("fiesta-engines needs Linux, as fiesta-runner does: see PLATFORM.md");

mod engine;
mod keys;
mod ray;
mod slurm;

pub use engine::{Batch, Engine, EngineSettings, Needs, OnEngine, SubmissionError};
pub use fiesta_runner::executor::{Task, TaskEnd, TaskState};
pub use ray::{Ray, RaySettings};
pub use slurm::{Slurm, SlurmSettings};

use fiesta_runner::executor::EngineKind;

/// The kinds of executors that study files may name: `"slurm"` and `"ray"`.
pub static KINDS: &[EngineKind] = &[slurm::KIND, ray::KIND];

/// Returns the JSON schemas of the keys of each kind, in the order of [`KINDS`].
#[cfg(feature = "schema")]
pub fn schemas() -> [schemars::Schema; 2] {
    [
        schemars::schema_for!(SlurmSettings),
        schemars::schema_for!(ray::RayKeys),
    ]
}

/// The README's example, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
