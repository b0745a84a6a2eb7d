//! The cores and GPUs that this machine has for jobs.

use serde::Serialize;
use std::thread;

/// The cores and GPUs of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// Cores that this process may use.
    pub cores: usize,
    /// NVIDIA GPUs that the driver shows.
    pub gpus: usize,
}

impl Machine {
    /// Counts the cores and GPUs of this machine.
    pub fn here() -> Self {
        let devices = crate::gpu::shown();
        Self {
            cores: thread::available_parallelism().map_or(1, usize::from),
            gpus: devices.map_or(0, |devices| devices.len()),
        }
    }
}

/// Whether the text of a script names a library that computes on GPUs.
pub(super) fn uses_gpu(text: &str) -> bool {
    let words = "cuda|import tensorflow|import jax|import cupy|lightning|accelerate|transformers";
    words.split('|').any(|word| text.contains(word))
}
