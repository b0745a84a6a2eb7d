//! Runs of real processes, and what they and their controller must survive.

mod bench;
mod ends;
mod survival;
mod trees;
mod turns;
