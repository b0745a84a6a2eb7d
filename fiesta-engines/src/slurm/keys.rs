//! The keys below `[executor]` of studies on Slurm.

use super::{Slurm, SlurmSettings};
use crate::keys::{check_cpus, check_lines, open, planned, settings};
use fiesta_runner::{
    executor::{EngineKeys, EngineKind, Executor, ExecutorError, Site, WrongKey},
    run::RunSpec,
};
use serde::{Deserialize, Serialize};

/// Studies whose `executor.kind` is `"slurm"`.
pub(crate) const KIND: EngineKind = EngineKind::new::<SlurmKeys>(
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
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SlurmKeys {
    /// CPUs of a job. Default: that of the partition (Slurm), 1 (Ray).
    cpus: Option<u64>,
    /// Memory of a job, such as `"16G"`.
    memory: Option<String>,
    /// Slurm's limit of time of a job, as `sbatch --time` takes it. Default: the study's
    /// `timeout`, its grace and a minute.
    time: Option<String>,
    /// Partition of Slurm.
    partition: Option<String>,
    /// Account of Slurm.
    account: Option<String>,
    /// Quality of service of Slurm.
    qos: Option<String>,
    /// Further options of `sbatch`, one a text.
    options: Option<Vec<String>>,
    /// Lines of shell before each job: modules, an environment.
    prologue: Option<Vec<String>>,
    /// How often the engine is asked about all jobs at once. Default `"5s"`.
    interval: Option<String>,
    /// How long the shared directory may take to show a file that another machine wrote. Default
    /// `"30s"`.
    visibility: Option<String>,
    /// Program on the nodes, such as a static `fiesta-supervisor`. Default: a copy of the running
    /// one.
    program: Option<String>,
}

impl SlurmKeys {
    fn slurm(&self) -> Slurm {
        Slurm::new(SlurmSettings {
            cpus: self.cpus,
            memory: self.memory.clone(),
            time: self.time.clone(),
            partition: self.partition.clone(),
            account: self.account.clone(),
            qos: self.qos.clone(),
            options: self.options.clone().unwrap_or_default(),
            prologue: self.prologue.clone().unwrap_or_default(),
        })
    }
}

impl EngineKeys for SlurmKeys {
    fn check(&self) -> Result<(), WrongKey> {
        check_cpus(self.cpus)?;
        check_lines("options", self.options.as_ref())?;
        check_lines("prologue", self.prologue.as_ref())?;
        settings(self.interval.as_ref(), self.visibility.as_ref()).map(drop)
    }

    fn open(&self, site: &Site) -> Result<Box<dyn Executor>, ExecutorError> {
        let settings = settings(self.interval.as_ref(), self.visibility.as_ref());
        let settings = settings.unwrap_or_default();
        open(site, self.program.as_ref(), settings, || Ok(self.slurm()))
    }

    fn preview(&self, runs: &[RunSpec], site: &Site) -> Result<Vec<String>, ExecutorError> {
        let slurm = self.slurm();
        let batches = planned(runs, site, self.program.as_ref(), &slurm);
        Ok(batches.iter().map(|batch| slurm.preview(batch)).collect())
    }
}
