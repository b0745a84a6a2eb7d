//! The GPUs of a study, and the monitor that is asked about them.

use super::Slots;
use crate::{
    clock,
    controller::{RunError, waits::Waking},
    executor::Executor,
    gpu::{
        self, BUS_ORDER, DEVICE_ORDER, Device, GpuError, GpuPool, GpusPerJob, Known, Monitor,
        MonitorError, WAKING, identify, silent,
    },
    study::Study,
};
use std::{collections::BTreeMap, env, time::Duration};

/// Time between two calls of [`Waking::wait`].
const LOOK: Duration = Duration::from_millis(100);

impl Slots {
    /// Returns the study's GPUs: those it names, else those of the environment, else those that the
    /// machine's driver knows, else none.
    pub(in crate::controller) fn of(
        study: &Study,
        executor: &dyn Executor,
        patience: &mut Waking<'_>,
    ) -> Result<Self, RunError> {
        if executor.gives_gpus() {
            return Self::given(study.runs_directory());
        }
        let wanted = |arm| {
            study
                .gpus_per_job(arm)
                .is_some_and(|per_job| per_job != GpusPerJob::None)
        };
        let mut notices = Vec::new();
        // Who needs no GPU does not wake the driver.
        let is_wanted = study.arms().ids().any(wanted);
        let asked = match is_wanted.then(|| executor.gpus()).transpose() {
            Ok(None | Some(None)) => Ok(None),
            Ok(Some(Some(mut monitor))) => devices(&mut *monitor, patience)?
                .map(|devices| devices.map(|devices| (devices, monitor))),
            Err(error) => Err(error),
        };
        let named = match &study.gpus {
            Some(ids) => Some(GpuPool::new(ids.iter().cloned())?.numbered_by_bus()),
            None => GpuPool::from_environment()?,
        };
        let (devices, mut monitor) = match asked {
            Ok(Some((devices, monitor))) => (devices, Some(monitor)),
            Ok(None) => (Vec::new(), None),
            Err(error) if named.is_none() => return Err(GpuError::from(error).into()),
            Err(error) => {
                notices.push(format!(
                    "{error}; GPUs are used without a look at who else uses them"
                ));
                (Vec::new(), None)
            }
        };
        let is_listed = named.is_none();
        let pool = match named {
            Some(pool) => pool,
            None => GpuPool::new(devices.iter().flat_map(uuids))?,
        };
        if !study.watch_gpus() {
            monitor = None;
        }
        let known = if monitor.is_some() || is_listed {
            let by_bus = study.gpus.is_some()
                || env::var_os(DEVICE_ORDER).is_some_and(|order| order == BUS_ORDER);
            let known = known(&pool, by_bus, &devices)?;
            let puzzling = pool.ids().zip(&known).filter(|(_, known)| known.is_none());
            notices.extend(puzzling.map(|(id, _)| format!(
                "GPU {id} is used without a look at who else uses it, as its driver does not know it by this name: give its UUID, as nvidia-smi -L prints it"
            )));
            known
        } else {
            pool.ids().map(|_| None).collect()
        };
        for arm in study.arms().ids() {
            pool.check(study.gpus_per_job(arm).unwrap_or(GpusPerJob::None))?;
        }
        Ok(Self::new(pool, known, monitor, study.runs_directory()).with_notices(notices))
    }
}

/// The GPUs of a study's workers: those it names, else those of the environment, else those that
/// the machine's driver knows, else none. A worker has its own for as long as it lives, and nobody
/// looks who else uses them.
pub(in crate::controller) fn of_workers(study: &Study) -> Result<GpuPool, RunError> {
    let per_worker = |arm| study.gpus_per_worker(arm).unwrap_or(GpusPerJob::None);
    let is_wanted = study
        .arms()
        .ids()
        .any(|arm| per_worker(arm) != GpusPerJob::None);
    let pool = match (&study.gpus, GpuPool::from_environment()?) {
        (Some(ids), _) => GpuPool::new(ids.iter().cloned())?.numbered_by_bus(),
        (None, Some(pool)) => pool,
        (None, None) if is_wanted => GpuPool::new(driver_s()?.iter().flat_map(uuids))?,
        (None, None) => GpuPool::new([""; 0])?,
    };
    for arm in study.arms().ids() {
        pool.check(per_worker(arm))?;
    }
    Ok(pool)
}

fn driver_s() -> Result<Vec<Device>, GpuError> {
    match gpu::of_this_machine()? {
        Some(mut monitor) => Ok(monitor.devices()?),
        None => Ok(Vec::new()),
    }
}

/// Returns the devices of a driver. `None` if there is no driver. The outer error comes from
/// `patience`.
fn devices(
    monitor: &mut dyn Monitor,
    patience: &mut Waking<'_>,
) -> Result<Result<Option<Vec<Device>>, MonitorError>, RunError> {
    let began = clock::now();
    loop {
        match monitor.is_there(LOOK) {
            Err(error) => return Ok(Err(error)),
            Ok(Some(false)) => return Ok(Ok(None)),
            Ok(Some(true)) => return Ok(monitor.devices().map(Some)),
            Ok(None) if clock::since(began) >= WAKING => return Ok(Err(silent())),
            Ok(None) => patience.wait(clock::since(began))?,
        }
    }
}

/// Returns the UUIDs of a GPU or, if it is divided, of its instances. They name the GPU to jobs
/// and, unlike indices, do not depend on the driver's order.
fn uuids(device: &Device) -> Vec<String> {
    if device.instances.is_empty() {
        vec![device.uuid.clone()]
    } else {
        device.instances.clone()
    }
}

/// Returns the GPUs that the names of the pool stand for, as far as the driver knows them.
fn known(pool: &GpuPool, by_bus: bool, devices: &[Device]) -> Result<Vec<Option<Known>>, GpuError> {
    let mut names: BTreeMap<String, &str> = BTreeMap::new();
    pool.ids()
        .map(|id| {
            let known = identify(id, by_bus, devices)?;
            let uuid = known.as_ref().map(|known| known.uuid.clone());
            if let Some(uuid) = uuid
                && let Some(other) = names.insert(uuid, id)
            {
                return Err(GpuError::same(other, id));
            }
            Ok(known)
        })
        .collect()
}
