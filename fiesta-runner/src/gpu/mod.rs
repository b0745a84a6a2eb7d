//! GPUs of a machine, and which run has which of them.

mod lease;
pub(crate) mod monitor;
mod names;
#[cfg(feature = "gpu")]
pub(crate) mod nvml;
mod owner;
mod per_job;
mod pool;
mod timed;
mod verdict;

pub use lease::Lease;
pub use monitor::{Device, Memory, Monitor, MonitorError, Occupant, Usage};
pub(crate) use names::{Known, identify};
pub(crate) use owner::{Owner, owner};
pub use per_job::GpusPerJob;
pub use pool::GpuPool;
pub use timed::TimedMonitor;
pub(crate) use timed::{WAKING, silent};
pub(crate) use verdict::{Context, Verdict, judge};

/// The reason why the GPUs of a machine cannot be used, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GpuError(String);

/// Makes the error for a driver that does not list its GPUs, if no other source names them.
impl From<MonitorError> for GpuError {
    fn from(error: MonitorError) -> Self {
        Self(format!(
            "{error}; name the GPUs under [executor] gpus = […], or in {VISIBLE_DEVICES}"
        ))
    }
}

impl GpuError {
    /// Makes the error of a GPU that has two names.
    pub(crate) fn same(one: &str, other: &str) -> Self {
        Self(format!(
            "`{one}` and `{other}` are the same GPU: list each GPU once"
        ))
    }
}

/// Returns the driver of this machine's GPUs, if the program was built with support for it.
/// [`Monitor::is_there`] says whether the machine has one.
#[allow(
    clippy::unnecessary_wraps,
    reason = "without the feature `gpu`, nobody is asked"
)]
pub(crate) fn of_this_machine() -> Result<Option<Box<dyn Monitor>>, MonitorError> {
    #[cfg(feature = "gpu")]
    let found = Some(Box::new(TimedMonitor::of(|| {
        Ok(nvml::Driver::load()?.map(|driver| Box::new(driver) as _))
    })?) as Box<dyn Monitor>);
    #[cfg(not(feature = "gpu"))]
    let found = None;
    Ok(found)
}

/// Returns the GPUs of this machine, for a description of it. `None` if their driver does not show
/// them at once: a description is worth no wait.
pub(crate) fn shown() -> Option<Vec<Device>> {
    let mut monitor = of_this_machine().ok().flatten()?;
    let is_there = monitor.is_there(timed::PATIENCE).ok().flatten()?;
    is_there.then(|| monitor.devices().ok()).flatten()
}

/// The variable by which CUDA programs are told their GPUs.
pub const VISIBLE_DEVICES: &str = "CUDA_VISIBLE_DEVICES";
/// The variable by which CUDA programs are told how GPUs are numbered.
pub const DEVICE_ORDER: &str = "CUDA_DEVICE_ORDER";
/// The value of [`DEVICE_ORDER`] that numbers them as nvidia-smi does; CUDA itself begins with the
/// fastest.
pub(crate) const BUS_ORDER: &str = "PCI_BUS_ID";

/// Tolerance with which sums of fractions such as 1/3 are compared.
const TOLERANCE: f64 = 1e-9;
