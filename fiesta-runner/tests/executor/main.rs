//! Runs of real processes, and what they and their controller must survive.

mod bench;
mod ends;
mod races;
mod survival;
mod trees;
