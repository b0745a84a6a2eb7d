//! The GPUs that jobs can get, and the record of which GPUs are free.

use super::{GpuError, GpusPerJob, Lease, TOLERANCE, VISIBLE_DEVICES};
use std::collections::BTreeSet;

/// The GPUs of this machine that jobs may use.
///
/// ```
/// use fiesta_runner::gpu::{GpuPool, GpusPerJob};
/// let mut pool = GpuPool::new(["0", "1"])?;
/// let half = GpusPerJob::new(0.5)?;
/// assert_eq!(pool.capacity(half), Some(4));
/// let lease = pool.take(half).unwrap();
/// assert_eq!(lease.visible_devices(), "0");
/// pool.give_back(lease);
/// # Ok::<(), fiesta_runner::gpu::GpuError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GpuPool {
    slots: Vec<Slot>,
    by_bus: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Slot {
    id: String,
    jobs: usize,
    load: f64,
    set_aside: bool,
}

impl Slot {
    fn has_room(&self, share: f64) -> bool {
        self.load + share <= 1.0 + TOLERANCE
    }
}

impl GpuPool {
    /// A pool of these GPUs: indices, UUIDs or MIG UUIDs, which are passed on as they are.
    ///
    /// # Errors
    /// [`GpuError`] for a GPU that is listed twice, or a name that cannot be a GPU's.
    pub fn new<I>(ids: I) -> Result<Self, GpuError>
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let ids: Vec<String> = ids.into_iter().map(Into::into).collect();
        let mut seen = BTreeSet::new();
        for id in &ids {
            if id.is_empty() || id.contains(|c: char| c == ',' || c.is_whitespace()) {
                return Err(GpuError(format!(
                    "`{id}` cannot be a GPU: use its index, its UUID or its MIG UUID, as nvidia-smi -L prints them"
                )));
            }
            if !seen.insert(id) {
                return Err(GpuError(format!(
                    "the GPU `{id}` is listed twice: list each GPU once"
                )));
            }
        }
        let slots = ids.into_iter().map(|id| Slot {
            id,
            jobs: 0,
            load: 0.0,
            set_aside: false,
        });
        Ok(Self {
            slots: slots.collect(),
            by_bus: false,
        })
    }

    /// Declares that the pool's indices are those of nvidia-smi: jobs are told so by
    /// [`DEVICE_ORDER`](super::DEVICE_ORDER).
    pub fn numbered_by_bus(self) -> Self {
        Self {
            by_bus: true,
            ..self
        }
    }

    /// Sets whether the GPU at this place of the pool is kept from new jobs. Jobs that have it keep
    /// it.
    ///
    /// # Panics
    /// If the pool has no such place.
    pub fn set_aside(&mut self, place: usize, aside: bool) {
        self.slots[place].set_aside = aside;
    }

    /// Makes the pool that [`VISIBLE_DEVICES`] describes. `None` if the variable is not set, and
    /// the GPUs must be found in another way.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_environment() -> Result<Option<Self>, GpuError> {
        std::env::var_os(VISIBLE_DEVICES)
            .map(|value| Self::from_visible_devices(&value.to_string_lossy()))
            .transpose()
    }

    /// Makes a pool from a value of [`VISIBLE_DEVICES`]. As for CUDA, an empty or negative entry
    /// ends the list.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_visible_devices(value: &str) -> Result<Self, GpuError> {
        Self::new(
            value
                .split(',')
                .map(str::trim)
                .take_while(|id| !id.is_empty() && !id.starts_with('-') && *id != "NoDevFiles"),
        )
    }

    /// Returns the names of the GPUs, in their order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.slots.iter().map(|slot| slot.id.as_str())
    }

    /// Returns how many jobs with `per_job` GPUs can run at a time when nothing else does. `None`
    /// if GPUs do not limit them.
    pub fn capacity(&self, per_job: GpusPerJob) -> Option<usize> {
        fitting(self.slots.len(), per_job)
    }

    /// Returns how many jobs of this kind can run at a time without the GPUs that are set aside at
    /// present. `None` if GPUs do not limit them.
    pub fn capacity_now(&self, per_job: GpusPerJob) -> Option<usize> {
        let usable = self.slots.iter().filter(|slot| !slot.set_aside).count();
        fitting(usable, per_job)
    }

    /// Checks that a job with this number of GPUs can ever run.
    ///
    /// # Errors
    /// [`GpuError`] if there are not enough GPUs for one.
    pub fn check(&self, per_job: GpusPerJob) -> Result<(), GpuError> {
        if self.capacity(per_job) == Some(0) {
            let ids: Vec<&str> = self.ids().collect();
            let there = match ids.as_slice() {
                [] => "is none".to_owned(),
                [id] => format!("is only one ({id})"),
                ids => format!("are only {} ({})", ids.len(), ids.join(", ")),
            };
            return Err(GpuError(format!(
                "each job needs {per_job}, but there {there}: lower gpus_per_job, or make more visible in {VISIBLE_DEVICES}"
            )));
        }
        Ok(())
    }

    /// Takes GPUs for a job. `None` while too few are free. The least loaded come first, and among
    /// those the first in the pool's order.
    pub fn take(&mut self, per_job: GpusPerJob) -> Option<Lease> {
        let (count, share) = match per_job {
            GpusPerJob::None => (0, 0.0),
            GpusPerJob::Whole(n) => (n, 1.0),
            GpusPerJob::Share { jobs } => (1, 1.0 / jobs.max(1) as f64),
        };
        let mut free: Vec<usize> = (0..self.slots.len())
            .filter(|&slot| !self.slots[slot].set_aside && self.slots[slot].has_room(share))
            .collect();
        // Stable, so equal loads keep the pool's order.
        free.sort_by(|&a, &b| self.slots[a].load.total_cmp(&self.slots[b].load));
        free.truncate(count);
        (free.len() == count).then(|| self.lease(free, share))
    }

    /// Takes the GPUs that a job of an earlier controller still has, as far as they are in the
    /// pool. They may exceed the present limits, as the pool or the job's needs may have changed.
    pub fn retake(&mut self, per_job: GpusPerJob, ids: &[String]) -> Lease {
        let share = match per_job {
            GpusPerJob::Share { jobs } => 1.0 / jobs.max(1) as f64,
            _ => 1.0,
        };
        let place = |id: &String| self.slots.iter().position(|slot| slot.id == *id);
        let slots = ids.iter().filter_map(place).collect();
        self.lease(slots, share)
    }

    fn lease(&mut self, mut slots: Vec<usize>, share: f64) -> Lease {
        slots.sort_unstable();
        for &slot in &slots {
            self.slots[slot].jobs += 1;
            self.slots[slot].load += share;
        }
        Lease {
            ids: slots
                .iter()
                .map(|&slot| self.slots[slot].id.clone())
                .collect(),
            slots,
            share,
            by_bus: self.by_bus,
        }
    }

    /// Takes back the GPUs that a job had.
    ///
    /// # Panics
    /// If the lease is another pool's.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a lease that went back must not be used again"
    )]
    pub fn give_back(&mut self, lease: Lease) {
        for &index in &lease.slots {
            let slot = &mut self.slots[index];
            assert!(slot.jobs > 0, "a lease goes back to the pool it came from");
            slot.jobs -= 1;
            // Nothing may be left over from the addition of fractions.
            slot.load = if slot.jobs == 0 {
                0.0
            } else {
                slot.load - lease.share
            };
        }
    }
}

/// Returns the number of jobs that these GPUs can hold. `None` if a job needs none.
fn fitting(gpus: usize, per_job: GpusPerJob) -> Option<usize> {
    match per_job {
        GpusPerJob::None => None,
        GpusPerJob::Whole(n) => Some(gpus / n.max(1)),
        GpusPerJob::Share { jobs } => Some(gpus.saturating_mul(jobs)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(ids: &[&str]) -> GpuPool {
        GpuPool::new(ids.iter().copied()).unwrap()
    }

    fn devices(lease: Option<&Lease>) -> Option<String> {
        lease.map(Lease::visible_devices)
    }

    #[test]
    fn whole_gpus_are_taken_lowest_first_and_come_back() {
        let mut pool = pool(&["0", "GPU-8932f937", "2"]);
        let two = GpusPerJob::Whole(2);
        assert_eq!(pool.capacity(two), Some(1));
        let first = pool.take(two);
        assert_eq!(devices(first.as_ref()).as_deref(), Some("0,GPU-8932f937"));
        assert!(pool.take(two).is_none());
        let last = pool.take(GpusPerJob::Whole(1)).unwrap();
        assert_eq!(last.visible_devices(), "2");
        pool.give_back(first.unwrap());
        assert_eq!(
            devices(pool.take(two).as_ref()).as_deref(),
            Some("0,GPU-8932f937")
        );
    }

    #[test]
    fn fractions_spread_and_fill_every_gpu() {
        let mut pool = pool(&["0", "1"]);
        let third = GpusPerJob::new(1.0 / 3.0).unwrap();
        assert_eq!(pool.capacity(third), Some(6));
        let leases: Vec<Lease> = std::iter::from_fn(|| pool.take(third)).collect();
        let order: Vec<String> = leases.iter().map(Lease::visible_devices).collect();
        assert_eq!(order, ["0", "1", "0", "1", "0", "1"]);
        for lease in leases {
            pool.give_back(lease);
        }
        assert_eq!(pool, self::pool(&["0", "1"]));
    }

    #[test]
    fn a_shared_gpu_is_not_given_whole() {
        let mut pool = pool(&["0"]);
        let half = pool.take(GpusPerJob::Share { jobs: 2 }).unwrap();
        assert!(pool.take(GpusPerJob::Whole(1)).is_none());
        pool.give_back(half);
        assert!(pool.take(GpusPerJob::Whole(1)).is_some());
    }

    #[test]
    fn a_job_without_gpus_sees_none_and_is_never_kept_waiting() {
        let mut pool = pool(&[]);
        assert_eq!(pool.capacity(GpusPerJob::None), None);
        let lease = pool.take(GpusPerJob::None).unwrap();
        assert_eq!(lease.visible_devices(), "");
        pool.check(GpusPerJob::None).unwrap();
    }

    #[test]
    fn asking_for_more_than_there_are_names_them() {
        let error = pool(&["0", "1"]).check(GpusPerJob::Whole(3)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "each job needs 3 GPUs, but there are only 2 (0, 1): lower gpus_per_job, or make more visible in CUDA_VISIBLE_DEVICES"
        );
        let error = pool(&[]).check(GpusPerJob::Share { jobs: 2 }).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("needs 1/2 of a GPU, but there is none")
        );
    }

    #[test]
    fn visible_devices_are_read_as_cuda_reads_them() {
        let ids = |value: &str| -> Vec<String> {
            let pool = GpuPool::from_visible_devices(value).unwrap();
            pool.ids().map(ToOwned::to_owned).collect()
        };
        assert_eq!(ids("2,0"), ["2", "0"]);
        assert_eq!(ids(" MIG-1/2/3 , GPU-a "), ["MIG-1/2/3", "GPU-a"]);
        assert_eq!(ids("0,-1,1"), ["0"]);
        assert!(ids("").is_empty());
        assert!(ids("-1").is_empty());
        let error = GpuPool::from_visible_devices("0,1,0").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the GPU `0` is listed twice: list each GPU once"
        );
    }

    #[test]
    fn a_job_of_an_earlier_controller_keeps_its_gpus() {
        let mut pool = pool(&["0", "1"]);
        let ids = ["1".to_owned()];
        let lease = pool.retake(GpusPerJob::Whole(1), &ids);
        assert_eq!(lease.ids(), ids);
        let other = pool.take(GpusPerJob::Whole(1)).unwrap();
        assert_eq!(other.visible_devices(), "0");
        pool.give_back(lease);
        pool.give_back(other);
    }

    #[test]
    fn a_job_keeps_its_gpus_also_where_the_pool_was_another_one() {
        let mut pool = pool(&["1", "2"]);
        let one = GpusPerJob::Whole(1);
        let outside = pool.retake(one, &["0".to_owned()]);
        assert!(outside.ids().is_empty());
        let partly = pool.retake(GpusPerJob::Whole(2), &["0".to_owned(), "1".to_owned()]);
        assert_eq!(partly.ids(), ["1"]);
        // Two halves of a GPU that jobs now have whole.
        let beside = pool.retake(one, &["1".to_owned()]);
        assert_eq!(devices(pool.take(one).as_ref()).as_deref(), Some("2"));
        pool.give_back(partly);
        assert!(pool.take(one).is_none());
        pool.give_back(beside);
        assert_eq!(devices(pool.take(one).as_ref()).as_deref(), Some("1"));
    }

    #[test]
    fn what_is_set_aside_is_not_given_away_and_what_runs_there_goes_on() {
        let mut pool = pool(&["0", "1"]);
        let one = GpusPerJob::Whole(1);
        let lease = pool.take(one).unwrap();
        pool.set_aside(0, true);
        pool.give_back(lease);
        assert_eq!(pool.capacity(one), Some(2));
        assert_eq!(pool.capacity_now(one), Some(1));
        assert_eq!(devices(pool.take(one).as_ref()).as_deref(), Some("1"));
        assert!(pool.take(one).is_none());
        pool.set_aside(0, false);
        assert_eq!(devices(pool.take(one).as_ref()).as_deref(), Some("0"));
    }
}
