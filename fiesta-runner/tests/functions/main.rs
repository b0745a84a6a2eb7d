//! Studies of functions: what is read, what is decided, and what survives.

mod bench;
mod decisions;
mod document;
mod ends;
mod queue;
mod stops;
mod torture;
