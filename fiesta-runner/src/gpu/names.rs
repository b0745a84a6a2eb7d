//! The resolution of a GPU's name: index, UUID, or UUID of a MIG instance.

use super::{Device, GpuError};

/// A GPU, or an instance of one, that its driver knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) uuid: String,
    pub(crate) index: u32,
    pub(crate) name: String,
}

/// Returns the index that a GPU's name states. `None` if the name is no number.
pub(super) fn index(id: &str) -> Option<u32> {
    id.parse().ok()
}

/// Returns the GPU that CUDA takes for this name. `None` if that is not certain: an index if CUDA's
/// order may differ from the bus's or the GPU is divided, or an instance's name in the old form.
///
/// # Errors
/// [`GpuError`] if there is no such GPU.
pub(crate) fn identify(
    id: &str,
    by_bus: bool,
    devices: &[Device],
) -> Result<Option<Known>, GpuError> {
    let unknown = || {
        let there: Vec<String> = devices.iter().flat_map(names).collect();
        let there = match there.as_slice() {
            [] => String::new(),
            names => format!(" (there is {})", names.join(", ")),
        };
        GpuError(format!(
            "there is no GPU `{id}` here{there}: use an index, a UUID or a MIG UUID, as nvidia-smi -L prints them"
        ))
    };
    let known = |device: &Device, uuid: &str| Known {
        uuid: uuid.to_owned(),
        index: device.index,
        name: device.name.clone(),
    };
    if let Some(index) = index(id) {
        let device = devices.iter().find(|device| device.index == index);
        let device = device.ok_or_else(unknown)?;
        // Of equal GPUs none is faster, and CUDA leaves them in the order of the bus.
        let alike = devices.iter().all(|other| other.name == device.name);
        let told = (by_bus || alike) && device.instances.is_empty();
        return Ok(told.then(|| known(device, &device.uuid)));
    }
    if id.contains('/') {
        return Ok(None);
    }
    // CUDA takes the beginning of a UUID for the whole, if only one begins so.
    let all = devices.iter().flat_map(|device| {
        let uuids = [&device.uuid].into_iter().chain(&device.instances);
        uuids.map(move |uuid| (device, uuid))
    });
    let mut meant = all.filter(|(_, uuid)| is_uuid(id) && uuid.starts_with(id));
    match (meant.next(), meant.next()) {
        (Some((device, uuid)), None) => Ok(Some(known(device, uuid))),
        _ => Err(unknown()),
    }
}

fn is_uuid(id: &str) -> bool {
    id.len() > 4 && (id.starts_with("GPU-") || id.starts_with("MIG-"))
}

/// Returns the names of a GPU and its instances, for a message.
fn names(device: &Device) -> Vec<String> {
    let own = format!("{}: {} {}", device.index, device.uuid, device.name);
    [own]
        .into_iter()
        .chain(device.instances.iter().cloned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: u32, uuid: &str, name: &str, instances: &[&str]) -> Device {
        Device {
            index,
            uuid: uuid.to_owned(),
            name: name.to_owned(),
            instances: instances.iter().map(|&uuid| uuid.to_owned()).collect(),
        }
    }

    fn uuid(id: &str, by_bus: bool, devices: &[Device]) -> Option<String> {
        let known = identify(id, by_bus, devices).unwrap();
        known.map(|known| known.uuid)
    }

    #[test]
    fn indices_uuids_and_their_beginnings() {
        let two = [
            device(0, "GPU-aa11", "H200", &[]),
            device(1, "GPU-ab22", "H200", &[]),
        ];
        assert_eq!(uuid("1", false, &two).as_deref(), Some("GPU-ab22"));
        assert_eq!(uuid("GPU-ab", true, &two).as_deref(), Some("GPU-ab22"));
        for wrong in ["2", "GPU-a", "GPU-ff", "MIG-1", "ab22", "GPU-"] {
            let error = identify(wrong, true, &two).unwrap_err().to_string();
            assert!(
                error.contains(&format!("no GPU `{wrong}` here (there is 0: GPU-aa11 H200")),
                "{error}"
            );
        }
    }

    #[test]
    fn an_index_says_nothing_where_cudas_order_is_unknown() {
        let mixed = [
            device(0, "GPU-aa", "T4", &[]),
            device(1, "GPU-bb", "H200", &[]),
        ];
        assert_eq!(uuid("0", false, &mixed), None);
        assert_eq!(uuid("0", true, &mixed).as_deref(), Some("GPU-aa"));
        assert_eq!(uuid("GPU-bb", false, &mixed).as_deref(), Some("GPU-bb"));
    }

    #[test]
    fn instances_have_names_of_their_own() {
        let divided = [device(0, "GPU-aa", "H200", &["MIG-1a", "MIG-1b"])];
        assert_eq!(uuid("MIG-1b", true, &divided).as_deref(), Some("MIG-1b"));
        assert_eq!(uuid("0", true, &divided), None);
        assert_eq!(uuid("MIG-GPU-aa/1/0", true, &divided), None);
        assert!(identify("MIG-1", true, &divided).is_err());
    }
}
