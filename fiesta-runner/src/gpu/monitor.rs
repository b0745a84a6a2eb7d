//! The interface to a machine's GPU driver: devices, memory, processes.

use std::{fmt, time::Duration};

/// Source of facts about a machine's GPUs and the processes on them: the driver, or a stand-in.
pub trait Monitor: fmt::Debug + Send {
    /// Tells whether the machine has a driver of GPUs, and waits at most `patience` for the answer.
    /// `None` if it has not answered yet. Nothing else is asked before it has.
    ///
    /// # Errors
    /// [`MonitorError`] if the driver is there and cannot be used.
    fn is_there(&mut self, patience: Duration) -> Result<Option<bool>, MonitorError> {
        let _ = patience;
        Ok(Some(true))
    }

    /// Returns the machine's GPUs, sorted by index.
    ///
    /// # Errors
    /// [`MonitorError`] if nobody can tell at present.
    fn devices(&mut self) -> Result<Vec<Device>, MonitorError>;

    /// Returns the use of the GPU, or of the instance of one, that has this UUID.
    ///
    /// # Errors
    /// [`MonitorError`] if nobody can tell at present.
    fn usage(&mut self, uuid: &str) -> Result<Usage, MonitorError>;
}

/// The reason why a GPU's driver told nothing of the GPU.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the GPU driver does not say: {0}")]
pub struct MonitorError(pub String);

/// A GPU as its driver describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The number of the GPU in the order of the PCI bus.
    pub index: u32,
    /// The UUID of the GPU, `GPU-…`.
    pub uuid: String,
    /// Name of the GPU's model.
    pub name: String,
    /// The UUIDs of the MIG instances, if the GPU is divided.
    pub instances: Vec<String>,
}

/// Use of a GPU's memory, and the processes on the GPU.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// Memory of the GPU. `None` if the GPU has no memory of its own.
    pub memory: Option<Memory>,
    /// The visible processes that use the GPU.
    pub processes: Vec<Occupant>,
}

/// The memory of a GPU, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Size of the memory, in bytes.
    pub total: u64,
    /// Memory in use, in bytes.
    pub used: u64,
}

/// A process that uses a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupant {
    /// The number of the process.
    pub pid: u32,
    /// Memory that the process uses, in bytes. `None` if it is not known.
    pub memory: Option<u64>,
    /// Whether the process computes; otherwise it only draws.
    pub computes: bool,
}
