//! The errors of GPUs: names, numbers per job, and a driver that does not answer.

use super::{GpusPerJob, MonitorError, VISIBLE_DEVICES};

/// The reason why the GPUs of a machine cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// A number of GPUs per job that cannot be.
    #[error(
        "gpus_per_job = {0} is not possible: use 0, a whole number, or a fraction below 1 to share a GPU"
    )]
    PerJob(f64),
    /// A GPU is listed twice.
    #[error("the GPU `{0}` is listed twice: list each GPU once")]
    Twice(String),
    /// A name that would not survive in a list.
    #[error(
        "`{0}` cannot be a GPU: use its index, its UUID or its MIG UUID, as nvidia-smi -L prints them"
    )]
    Name(String),
    /// A job needs more GPUs than there are.
    #[error(
        "each job needs {needed}, but there {}: lower gpus_per_job, or make more visible in {VISIBLE_DEVICES}",
        there_are(.there)
    )]
    TooFew {
        /// The GPUs that a job needs.
        needed: GpusPerJob,
        /// The GPUs of the machine.
        there: Vec<String>,
    },
    /// A name that no GPU of this machine has.
    #[error(
        "there is no GPU `{id}` here{}: use an index, a UUID or a MIG UUID, as nvidia-smi -L prints them",
        there_is(.there)
    )]
    Unknown {
        /// The name.
        id: String,
        /// The GPUs of the machine.
        there: Vec<String>,
    },
    /// Two names stand for one GPU.
    #[error("`{0}` and `{1}` are the same GPU: list each GPU once")]
    Same(String, String),
    /// The driver exists, but does not list its GPUs, and no other source names them.
    #[error("{0}; name the GPUs under [executor] gpus = […], or in {VISIBLE_DEVICES}")]
    Monitor(#[from] MonitorError),
}

fn there_is(ids: &[String]) -> String {
    match ids {
        [] => String::new(),
        ids => format!(" (there is {})", ids.join(", ")),
    }
}

fn there_are(ids: &[String]) -> String {
    match ids {
        [] => "is none".to_owned(),
        [id] => format!("is only one ({id})"),
        ids => format!("are only {} ({})", ids.len(), ids.join(", ")),
    }
}
