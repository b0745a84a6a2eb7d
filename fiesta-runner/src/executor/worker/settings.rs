//! How workers are run.

use super::RateLimit;
use crate::gpu::GpusPerJob;
use std::collections::BTreeMap;
use std::time::Duration;

/// How workers are run.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerSettings {
    /// How many cases a worker is given at once.
    pub concurrency: usize,
    /// How many workers there are at once.
    pub processes: usize,
    /// How fast cases are sent, over all workers.
    pub rate_limit: Option<RateLimit>,
    /// How long a worker may take to say that it is ready; none if it need not say it.
    pub start_timeout: Option<Duration>,
    /// How long a worker that is to stop has between the polite signal and the other one.
    pub grace: Duration,
    /// The keys by which a result is known.
    pub keys: Vec<String>,
    /// The GPUs of a worker, by the arm that it is started for.
    pub gpus_per_worker: BTreeMap<String, GpusPerJob>,
}
