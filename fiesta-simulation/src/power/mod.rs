//! Power cuts: what a study writes is recorded, and the states that a power cut could have left are
//! enumerated.

mod calls;
pub mod disk;
mod names;
pub mod record;
pub mod states;
pub mod study;

pub use calls::default_vfs;
