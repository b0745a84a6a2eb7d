//! The monitor of NVIDIA's driver, through its management library NVML.

use super::{Device, Memory, Monitor, MonitorError, Occupant, Usage};
use nvml_wrapper::{
    Nvml, enums::device::UsedGpuMemory, error::NvmlError, struct_wrappers::device::ProcessInfo,
};
use std::fmt;

/// NVIDIA's driver library, loaded.
pub(crate) struct Driver {
    nvml: Nvml,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

impl Driver {
    /// Loads the driver's library. `None` if this machine has no library, or no GPU for it.
    pub(crate) fn load() -> Result<Option<Self>, MonitorError> {
        match Nvml::init() {
            Ok(nvml) => Ok(Some(Self { nvml })),
            Err(
                NvmlError::LibloadingError(_)
                | NvmlError::LibraryNotFound
                | NvmlError::DriverNotLoaded,
            ) => Ok(None),
            Err(error) => Err(unanswered(&error)),
        }
    }

    fn device(&self, index: u32) -> Result<Device, NvmlError> {
        let device = self.nvml.device_by_index(index)?;
        // An error is of a GPU that cannot be divided, or of places for instances that are empty.
        let places = device.mig_device_count().unwrap_or(0);
        let instances = (0..places)
            .filter_map(|place| device.mig_device_by_index(place).ok()?.uuid().ok())
            .collect();
        Ok(Device {
            index,
            uuid: device.uuid()?,
            name: device.name()?,
            instances,
        })
    }

    fn usage(&self, uuid: &str) -> Result<Usage, NvmlError> {
        let device = self.nvml.device_by_uuid(uuid)?;
        let memory = or_silent(device.memory_info())?;
        let mut processes: Vec<Occupant> = Vec::new();
        for (computes, infos) in [
            (true, device.running_compute_processes()),
            (false, device.running_graphics_processes()),
        ] {
            for info in or_silent(infos)?.unwrap_or_default() {
                // Who computes and draws is in both lists, with all its memory.
                if processes.iter().all(|process| process.pid != info.pid) {
                    processes.push(occupant(&info, computes));
                }
            }
        }
        Ok(Usage {
            memory: memory.map(|memory| Memory {
                total: memory.total,
                used: memory.used,
            }),
            processes,
        })
    }
}

impl Monitor for Driver {
    fn devices(&mut self) -> Result<Vec<Device>, MonitorError> {
        let count = self.nvml.device_count().map_err(|e| unanswered(&e))?;
        (0..count)
            .map(|index| self.device(index))
            // One that this user, or this container, may not use.
            .filter(|device| !matches!(device, Err(NvmlError::NoPermission)))
            .collect::<Result<_, _>>()
            .map_err(|error| unanswered(&error))
    }

    fn usage(&mut self, uuid: &str) -> Result<Usage, MonitorError> {
        Self::usage(self, uuid).map_err(|error| unanswered(&error))
    }
}

fn occupant(info: &ProcessInfo, computes: bool) -> Occupant {
    Occupant {
        pid: info.pid,
        memory: match info.used_gpu_memory {
            UsedGpuMemory::Used(bytes) => Some(bytes),
            UsedGpuMemory::Unavailable => None,
        },
        computes,
    }
}

/// Returns `None`, not an error, for facts that this GPU or an old driver cannot report.
fn or_silent<T>(answer: Result<T, NvmlError>) -> Result<Option<T>, NvmlError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(
            NvmlError::NotSupported
            | NvmlError::NoPermission
            | NvmlError::FunctionNotFound
            | NvmlError::FailedToLoadSymbol(_),
        ) => Ok(None),
        Err(error) => Err(error),
    }
}

fn unanswered(error: &NvmlError) -> MonitorError {
    MonitorError(format!("NVML: {error}"))
}
