//! Tests with runs of real processes, and of what these and their controller must survive.

#[path = "../../../tests/skipped/mod.rs"]
mod skipped;
#[path = "../support/mod.rs"]
mod support;

mod abandoned;
mod bench;
mod ends;
mod full_disk;
mod printed;
mod races;
mod survival;
mod swarms;
mod trees;
mod turns;
