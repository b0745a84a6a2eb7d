//! The table `[executor]`: who carries out the jobs of a study.

use super::{
    Study, StudyError,
    error::{Source, nearest},
    file::{ExecutorTable, StudyFile},
    functions,
    goal::some_time,
    ray::ray,
};
use crate::{
    executor::{engine::EngineSettings, ray::RaySettings, slurm::SlurmSettings},
    gpu::GpusPerJob,
};
use std::{path::PathBuf, time::Duration};

/// Who carries out a study's jobs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ExecutorKind {
    /// This machine.
    Local,
    /// A cluster under Slurm.
    Slurm(SlurmSettings),
    /// A cluster of Ray.
    Ray(RaySettings),
    /// The program that runs the study, which calls functions.
    Functions,
}

const KINDS: [&str; 4] = ["local", "slurm", "ray", functions::KIND];
/// Keys of the table that say something to some kinds, and to which.
const OF_KINDS: [(&str, &[&str]); 16] = [
    ("gpus", &["local"]),
    ("watch_gpus", &["local"]),
    ("cpus", &["slurm", "ray"]),
    ("memory", &["slurm", "ray"]),
    ("time", &["slurm"]),
    ("partition", &["slurm"]),
    ("account", &["slurm"]),
    ("qos", &["slurm"]),
    ("options", &["slurm"]),
    ("prologue", &["slurm", "ray"]),
    ("interval", &["slurm", "ray"]),
    ("visibility", &["slurm", "ray"]),
    ("program", &["slurm", "ray"]),
    ("address", &["ray"]),
    ("resources", &["ray"]),
    ("runtime_env", &["ray"]),
];

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
                "there is no executor `{kind}`{hint} (known: {}; machines without a scheduler run Ray: docs/ray.md)",
                KINDS.join(", ")
            ),
        );
    }
    let is_local = kind == KINDS[0];
    let is_of_others = |(key, kinds): &&(&str, &[&str])| !kinds.contains(&kind) && table.has(key);
    if let Some((key, kinds)) = OF_KINDS.iter().find(is_of_others) {
        let message = match (kind, kinds.contains(&"local")) {
            (functions::KIND, _) => format!(
                "`{key}` is about processes, and the arms of this study are functions of the program that runs it: leave it out"
            ),
            ("local", _) => format!(
                "`{key}` is for an engine, and these jobs run on this machine: leave it out, or name the engine, such as kind = \"{}\"",
                kinds[0]
            ),
            (_, true) => format!(
                "`{key}` is about this machine, and {kind} carries out the jobs: leave it out; gpus_per_job is what each asks for"
            ),
            _ => {
                let own = OF_KINDS.iter().filter(|(_, kinds)| kinds.contains(&kind));
                let own: Vec<&str> = own.map(|&(key, _)| key).collect();
                format!(
                    "`{key}` says nothing to {kind}: leave it out (it is for {}; {kind} knows {})",
                    kinds.join(", "),
                    own.join(", ")
                )
            }
        };
        return wrong(key, message);
    }
    if is_local {
        return Ok(ExecutorKind::Local);
    }
    if kind == functions::KIND {
        return Ok(ExecutorKind::Functions);
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
        return Ok(ExecutorKind::Ray(ray(source, file)?));
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

/// How often an engine is asked, and how long files may take to be seen.
fn interval(source: &Source<'_>, table: &ExecutorTable) -> Result<EngineSettings, StudyError> {
    let own = EngineSettings::default();
    Ok(EngineSettings {
        interval: time_of(source, "interval", table.interval.as_ref())?.unwrap_or(own.interval),
        visibility: time_of(source, "visibility", table.visibility.as_ref())?
            .unwrap_or(own.visibility),
    })
}

/// A time under this key of the table.
fn time_of(
    source: &Source<'_>,
    key: &str,
    text: Option<&String>,
) -> Result<Option<Duration>, StudyError> {
    text.map(|text| some_time(source, &["executor", key], text))
        .transpose()
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
