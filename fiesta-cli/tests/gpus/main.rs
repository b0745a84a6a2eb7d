//! Tests of GPUs through the program. The driver's library is a stand-in, loaded in the real one's
//! place.
//!
//! Jobs are real processes; the memory they hold is what they write down for the stand-in (see
//! `nvml.c`). What only a real GPU can show is in `scripts/gpu-test`.

#[path = "../support/slow_disk.rs"]
mod slow_disk;
#[path = "../support/mod.rs"]
mod support;

mod driver;
mod dying;
mod held;
mod shared;
mod shown;
mod stand_in;
mod strangers;
mod unkillable;
