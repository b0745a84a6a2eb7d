//! Tests of the runner against what may go wrong: whole studies that are simulated from a seed, and the
//! states that a power cut could leave of a study.

pub mod controller;
mod faults;
pub mod power;
