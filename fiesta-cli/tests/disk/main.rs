//! Tests of studies on disks that are full, broken, slow, or read while they are written.

#[path = "../support/slow_disk.rs"]
mod slow_disk;
#[path = "../support/mod.rs"]
mod support;

mod broken;
mod full;
mod mount;
mod packing;
mod readers;
mod slow;
