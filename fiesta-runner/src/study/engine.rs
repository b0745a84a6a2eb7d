//! The table `[executor]`: who carries out the jobs of a study.

use super::{
    Study, StudyError,
    error::{Source, nearest},
    file::{ExecutorTable, StudyFile},
    goal::some_time,
    ray::ray,
};
use crate::{
    executor::{engine::EngineSettings, ray::RaySettings, slurm::SlurmSettings},
    gpu::GpusPerJob,
};
use std::path::PathBuf;

/// Who carries out a study's jobs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ExecutorKind {
    /// This machine.
    Local,
    /// A cluster under Slurm.
    Slurm(SlurmSettings),
    /// A cluster of Ray.
    Ray(RaySettings),
}

const KINDS: [&str; 3] = ["local", "slurm", "ray"];
/// Keys of the table that say something to every engine, and to one of them alone.
const OF_ENGINES: [&str; 6] = [
    "cpus",
    "memory",
    "prologue",
    "interval",
    "visibility",
    "program",
];
const OF_SLURM: [&str; 5] = ["time", "partition", "account", "qos", "options"];
const OF_RAY: [&str; 3] = ["address", "resources", "runtime_env"];
/// Keys that only say something to this machine.
const OF_THIS_MACHINE: [&str; 2] = ["gpus", "watch_gpus"];

/// The executor that a study file names; checked.
pub(super) fn executor(source: &Source<'_>, file: &StudyFile) -> Result<ExecutorKind, StudyError> {
    let table = &file.executor;
    let kind = table.kind.as_deref().unwrap_or(KINDS[0]);
    let wrong = |key: &str, message: String| Err(source.wrong(&["executor", key], message));
    if !KINDS.contains(&kind) {
        let hint = nearest(kind, &KINDS)
            .map_or_else(String::new, |near| format!(", did you mean {near}?"));
        return wrong(
            "kind",
            format!(
                "there is no executor `{kind}`{hint} (known: {})",
                KINDS.join(", ")
            ),
        );
    }
    let is_local = kind == KINDS[0];
    let others: &[&[&str]] = match kind {
        "local" => &[&OF_ENGINES, &OF_SLURM, &OF_RAY],
        "slurm" => &[&OF_THIS_MACHINE, &OF_RAY],
        _ => &[&OF_THIS_MACHINE, &OF_SLURM],
    };
    if let Some(key) = others.iter().copied().flatten().find(|key| table.has(key)) {
        return wrong(
            key,
            if is_local {
                format!(
                    "`{key}` is for an engine that queues jobs, and these run on this machine: leave it out, or name the engine, such as kind = \"slurm\""
                )
            } else if OF_SLURM.contains(key) || OF_RAY.contains(key) {
                format!(
                    "`{key}` says nothing to {kind}: leave it out (known here: {})",
                    known_to(kind)
                )
            } else {
                format!(
                    "`{key}` is about this machine, and {kind} carries out the jobs: leave it out; gpus_per_job is what each asks for"
                )
            },
        );
    }
    if is_local {
        return Ok(ExecutorKind::Local);
    }
    if file.worker.is_some() {
        return wrong(
            "kind",
            format!(
                "workers run on this machine: give the study a command for each case instead of a [worker], or leave {kind} out"
            ),
        );
    }
    if table.cpus == Some(0) {
        return wrong("cpus", "cpus must be at least 1".to_owned());
    }
    for (key, texts) in [("options", &table.options), ("prologue", &table.prologue)] {
        if texts
            .iter()
            .flatten()
            .any(|text| text.contains(['\0', '\n']))
        {
            return wrong(
                key,
                format!(
                    "{key} is a list of lines, and one of them has a line break in it: make two of it"
                ),
            );
        }
    }
    interval(source, table)?;
    if kind == "ray" {
        return Ok(ExecutorKind::Ray(ray(source, table)?));
    }
    Ok(ExecutorKind::Slurm(SlurmSettings {
        cpus: table.cpus,
        memory: table.memory.clone(),
        time: table.time.clone(),
        partition: table.partition.clone(),
        account: table.account.clone(),
        qos: table.qos.clone(),
        options: table.options.clone().unwrap_or_default(),
        prologue: table.prologue.clone().unwrap_or_default(),
    }))
}

/// The keys that an engine knows.
fn known_to(kind: &str) -> String {
    let own: &[&str] = if kind == "ray" { &OF_RAY } else { &OF_SLURM };
    [&OF_ENGINES[..], own].concat().join(", ")
}

/// How often an engine is asked, and how long files may take to be seen.
fn interval(source: &Source<'_>, table: &ExecutorTable) -> Result<EngineSettings, StudyError> {
    let own = EngineSettings::default();
    let time = |key: &str, text: &Option<String>| {
        text.as_ref()
            .map(|text| some_time(source, &["executor", key], text))
            .transpose()
    };
    Ok(EngineSettings {
        interval: time("interval", &table.interval)?.unwrap_or(own.interval),
        visibility: time("visibility", &table.visibility)?.unwrap_or(own.visibility),
    })
}

/// Checks that an engine can give each job its GPUs.
pub(super) fn check_gpus<'a>(
    source: &Source<'_>,
    kind: &ExecutorKind,
    mut gpus: impl Iterator<Item = (&'a str, Option<GpusPerJob>)>,
) -> Result<(), StudyError> {
    let is_share = |gpus: &Option<GpusPerJob>| matches!(gpus, Some(GpusPerJob::Share { .. }));
    match gpus.find(|(_, gpus)| is_share(gpus)) {
        Some((arm, _)) if *kind != ExecutorKind::Local => {
            let message = format!(
                "the jobs of `{arm}` share a GPU, and an engine gives whole ones: write gpus_per_job = 1, or more"
            );
            Err(source.wrong(&["executor", "kind"], message))
        }
        _ => Ok(()),
    }
}

impl Study {
    pub(crate) fn executor(&self) -> &ExecutorKind {
        &self.executor
    }

    /// How the study's engine is asked.
    pub(crate) fn engine_settings(&self) -> EngineSettings {
        let own = EngineSettings::default();
        let table = &self.file.executor;
        let time = |text: &Option<String>| humantime::parse_duration(text.as_ref()?).ok();
        EngineSettings {
            interval: time(&table.interval).unwrap_or(own.interval),
            visibility: time(&table.visibility).unwrap_or(own.visibility),
        }
    }

    /// The program that supervises runs on the engine's nodes, if the study file names one.
    pub(crate) fn node_program(&self) -> Option<PathBuf> {
        let named = self.file.executor.program.as_ref()?;
        Some(self.directory.join(named))
    }
}
