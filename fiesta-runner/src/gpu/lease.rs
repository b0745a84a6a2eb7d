//! GPUs that one job has, and the variables by which the job learns them.

use super::{BUS_ORDER, DEVICE_ORDER, VISIBLE_DEVICES, names};

/// The GPUs that a job has until they are given back. A lease that is dropped keeps its GPUs for
/// good: a GPU that still holds a dead job's memory is put aside in this way.
#[derive(Debug, PartialEq)]
#[must_use = "the GPUs stay taken until they are given back"]
pub struct Lease {
    pub(super) ids: Vec<String>,
    /// Places of the GPUs in the pool.
    pub(super) slots: Vec<usize>,
    pub(super) share: f64,
    pub(super) by_bus: bool,
}

impl Lease {
    /// Returns the places of the job's GPUs in the pool.
    pub(crate) fn slots(&self) -> &[usize] {
        &self.slots
    }

    /// Returns the environment variables that tell a job its GPUs.
    pub fn environment(&self) -> Vec<(String, String)> {
        let devices = (VISIBLE_DEVICES.to_owned(), self.visible_devices());
        let order = (DEVICE_ORDER.to_owned(), BUS_ORDER.to_owned());
        let numbered = self.by_bus && self.ids.iter().any(|id| names::index(id).is_some());
        [devices]
            .into_iter()
            .chain(numbered.then_some(order))
            .collect()
    }

    /// Returns the names of the job's GPUs, as the pool was given them.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The value of [`VISIBLE_DEVICES`] for the job; empty hides every GPU.
    pub fn visible_devices(&self) -> String {
        self.ids.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{GpuPool, GpusPerJob};

    #[test]
    fn numbers_that_are_nvidia_smis_come_with_their_order() {
        let pool = |id| GpuPool::new([id]).unwrap();
        let order = |pool: GpuPool| {
            let lease = { pool }.take(GpusPerJob::Whole(1)).unwrap();
            lease.environment()
        };
        let plain = [(VISIBLE_DEVICES.to_owned(), "1".to_owned())];
        let ordered = [
            plain[0].clone(),
            (DEVICE_ORDER.to_owned(), BUS_ORDER.to_owned()),
        ];
        assert_eq!(order(pool("1")), plain);
        assert_eq!(order(pool("1").numbered_by_bus()), ordered);
        // An UUID means the same in any order.
        assert_eq!(order(pool("GPU-1").numbered_by_bus()).len(), 1);
    }
}
