//! Functions for keys that Slurm and Ray share below `[executor]`.

use crate::{Batch, Engine, EngineSettings, OnEngine};
use fiesta_runner::{
    executor::{Executor, ExecutorError, Site, WrongKey},
    run::RunSpec,
    study::time_of,
};
use std::time::Duration;

/// Checks the number of CPUs of a job.
pub(crate) fn check_cpus(cpus: Option<u64>) -> Result<(), WrongKey> {
    match cpus {
        Some(0) => Err(WrongKey::new(&["cpus"], "cpus must be at least 1")),
        _ => Ok(()),
    }
}

/// Checks that each text under a key is one line.
pub(crate) fn check_lines(key: &str, texts: Option<&Vec<String>>) -> Result<(), WrongKey> {
    let mut texts = texts.into_iter().flatten();
    if texts.any(|text| text.contains(['\0', '\n'])) {
        let message = format!(
            "{key} is a list of lines, and one of them has a line break in it: make two of it"
        );
        return Err(WrongKey::new(&[key], message));
    }
    Ok(())
}

/// Reads the settings for requests to an engine from the keys `interval` and `visibility`.
pub(crate) fn settings(
    interval: Option<&String>,
    visibility: Option<&String>,
) -> Result<EngineSettings, WrongKey> {
    let time = |key: &str, text: Option<&String>| -> Result<Option<Duration>, WrongKey> {
        let wrong = |message| WrongKey::new(&[key], message);
        text.map(|text| time_of(key, text).map_err(wrong))
            .transpose()
    };
    let own = EngineSettings::default();
    Ok(EngineSettings {
        interval: time("interval", interval)?.unwrap_or(own.interval),
        visibility: time("visibility", visibility)?.unwrap_or(own.visibility),
    })
}

/// Opens the executor of an engine. `program` is the supervisor that the study file names; without one, a copy of the running program.
pub(crate) fn open<E: Engine>(
    site: &Site,
    program: Option<&String>,
    settings: EngineSettings,
    engine: impl FnOnce() -> Result<E, ExecutorError>,
) -> Result<Box<dyn Executor>, ExecutorError> {
    let program = site.ship(program.map(String::as_str))?;
    let engine = engine()?;
    Ok(Box::new(OnEngine::new(
        engine,
        site.batches(),
        program,
        settings,
    )?))
}

/// Returns the batches in which runs would be submitted.
pub(crate) fn planned(
    runs: &[RunSpec],
    site: &Site,
    program: Option<&String>,
    engine: &impl Engine,
) -> Vec<Batch> {
    let program = site.program(program.map(String::as_str));
    Batch::planned(runs, engine.most_tasks(), &site.batches(), &program)
}
