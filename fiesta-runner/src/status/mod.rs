//! The status of a study, as any process can see it: its slots, its failures, and the logs of its
//! evaluations.

mod board;
mod failures;
pub mod log;
mod slots;

pub(crate) use board::{Board, Mark};
pub use failures::{FailureGroup, advice, failures};
pub use slots::{Running, Slot, SlotState, slots};
