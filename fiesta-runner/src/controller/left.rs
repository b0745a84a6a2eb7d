//! What trials left whose process was killed: jobs that run on, on GPUs perhaps, and nobody waits for.

use super::{RunError, check::TRIAL, place::at};
use crate::{
    executor::{Found, RunId, is_left},
    study::Study,
    supervisor::RunDirectory,
};
use std::{
    collections::BTreeSet,
    fs, io,
    os::fd::AsFd,
    path::Path,
    time::{Duration, Instant},
};

/// How long their jobs may take to stop.
const PATIENCE: Duration = Duration::from_secs(10);

/// Stops and removes all of it.
pub(super) fn clear_trials(study: &Study) -> Result<(), RunError> {
    let Ok(entries) = fs::read_dir(study.state_directory()) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let place = entry.path();
        let is_trial = entry.file_name().to_string_lossy().starts_with(TRIAL);
        if is_trial && is_left(&RunDirectory::new(&place)) {
            stop(study, &place)?;
            fs::remove_dir_all(&place).map_err(failed(&place))?;
        }
    }
    Ok(())
}

/// Stops the jobs of a trial.
fn stop(study: &Study, place: &Path) -> Result<(), RunError> {
    let mut executor = at(study, place.join("workers"))?;
    let mut stopping = BTreeSet::new();
    for entry in fs::read_dir(place).map_err(failed(place))?.flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<RunId>() else {
            continue;
        };
        let directory = entry.path();
        if !directory.is_dir() {
            continue;
        }
        // Of one whose supervisor is gone, this stops what it left.
        if let Found::Alive(handle) = executor.find(&id, &directory)? {
            executor.adopt(&id, &directory, &handle)?;
            executor.cancel(&id, Duration::ZERO)?;
            stopping.insert(id);
        }
    }
    let (quiet, _open) = io::pipe().map_err(failed(place))?;
    let deadline = Instant::now() + PATIENCE;
    while !stopping.is_empty() && Instant::now() < deadline {
        for ended in executor.poll(Some(Duration::from_millis(100)), quiet.as_fd())? {
            stopping.remove(&ended.id);
        }
    }
    Ok(())
}

fn failed(place: &Path) -> impl FnOnce(io::Error) -> RunError {
    |source| RunError::File {
        action: "remove what an earlier trial left in",
        path: place.to_owned(),
        source,
    }
}
