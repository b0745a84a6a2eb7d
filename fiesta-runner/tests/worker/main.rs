//! Long-lived workers: what they answer, and what they and those around them must survive.

mod answers;
mod bench;
mod crowds;
mod deaths;
mod limits;
