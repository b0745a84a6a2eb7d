//! The keys below `[executor]` of studies on Slurm.

use super::Slurm;
use crate::keys::{check_cpus, check_lines, open, planned, settings};
use fiesta_runner::{
    executor::{EngineKeys, EngineKind, Executor, ExecutorError, Site, WrongKey},
    run::RunSpec,
};
use serde::{Deserialize, Serialize};

/// Studies whose `executor.kind` is `"slurm"`.
pub(crate) const KIND: EngineKind = EngineKind::new::<SlurmSettings>(
    "slurm",
    "Slurm",
    &[
        "cpus",
        "memory",
        "time",
        "partition",
        "account",
        "qos",
        "options",
        "prologue",
        "interval",
        "visibility",
        "program",
    ],
);

// What both kinds have says the same, and is documented for both.
/// What a study asks of Slurm for each of its jobs, as it is written below `[executor]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SlurmSettings {
    /// CPUs of a job. Default: that of the partition (Slurm), 1 (Ray).
    pub cpus: Option<u64>,
    /// Memory of a job, such as `"16G"`.
    pub memory: Option<String>,
    /// Slurm's limit of time of a job, as `sbatch --time` takes it. Default: the study's
    /// `timeout`, its grace and a minute.
    pub time: Option<String>,
    /// Partition of Slurm.
    pub partition: Option<String>,
    /// Account of Slurm.
    pub account: Option<String>,
    /// Quality of service of Slurm.
    pub qos: Option<String>,
    /// Further options of `sbatch`, one a text.
    pub options: Option<Vec<String>>,
    /// Lines of shell before each job: modules, an environment.
    pub prologue: Option<Vec<String>>,
    /// How often the engine is asked about all jobs at once. Default `"5s"`.
    pub interval: Option<String>,
    /// How long the shared directory may take to show a file that another machine wrote. Default
    /// `"30s"`.
    pub visibility: Option<String>,
    /// Program on the nodes, such as a static `fiesta-supervisor`. Default: a copy of the running
    /// one.
    pub program: Option<String>,
}

impl EngineKeys for SlurmSettings {
    fn check(&self) -> Result<(), WrongKey> {
        check_cpus(self.cpus)?;
        check_lines("options", self.options.as_ref())?;
        check_lines("prologue", self.prologue.as_ref())?;
        settings(self.interval.as_ref(), self.visibility.as_ref()).map(drop)
    }

    fn open(&self, site: &Site) -> Result<Box<dyn Executor>, ExecutorError> {
        let settings = settings(self.interval.as_ref(), self.visibility.as_ref());
        let settings = settings.unwrap_or_default();
        open(site, self.program.as_ref(), settings, || {
            Ok(Slurm::new(self.clone()))
        })
    }

    fn preview(&self, runs: &[RunSpec], site: &Site) -> Result<Vec<String>, ExecutorError> {
        let slurm = Slurm::new(self.clone());
        let batches = planned(runs, site, self.program.as_ref(), &slurm);
        Ok(batches.iter().map(|batch| slurm.preview(batch)).collect())
    }
}
