//! Tests of studies of functions: what is read, what is decided, and what survives.

#[expect(dead_code, reason = "the executors' tests need more of it")]
#[path = "../support/mod.rs"]
mod support;

mod asked;
mod bench;
mod decisions;
mod document;
mod ends;
mod own;
mod queue;
mod stops;
mod torture;
