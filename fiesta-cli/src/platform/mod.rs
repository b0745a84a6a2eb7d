//! Verbs and studies of the runner, which Linux alone has, and their stand-ins on other systems.
//!
//! Both files offer the same names, so that no other file of the program asks for the system. The
//! modules of studies, which [`linux`] alone uses, are declared in `main.rs`.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

pub(crate) use system::{
    ConfirmArguments, InitArguments, LogArguments, Recorded, RunArguments, RunnerFailure,
    SlotsArguments, StatusArguments, WatchArguments, confirm, init, log, on_a_full_stack, prepare,
    read_study, run, run_gate, slots, status, watch,
};
