//! Tests of the runner against what may go wrong: whole studies that are simulated from a seed, and the
//! states that a power cut could leave of a study.

mod calls;
pub mod controller;
pub mod disk;
pub mod record;
pub mod states;
pub mod study;

pub use calls::default_vfs;
