//! The status of a study, as any process can see it: its slots, and the logs of its evaluations.

mod board;
pub mod log;
mod slots;

pub(crate) use board::{Board, Mark};
pub use slots::{Gpu, Running, Slot, SlotState, slots};
