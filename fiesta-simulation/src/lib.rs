#![doc = include_str!("../README.md")]

mod calls;
pub mod disk;
pub mod record;
pub mod states;
pub mod study;

pub use calls::default_vfs;
