//! Tests of long-lived workers: what they answer, and what they and those around them must survive.

#[path = "../../../tests/skipped/mod.rs"]
mod skipped;
#[path = "../support/mod.rs"]
mod support;

mod abandoned;
mod answers;
mod bench;
mod crowds;
mod deaths;
mod disks;
mod limits;
mod resumed;
