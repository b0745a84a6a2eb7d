//! The waits of a controller: telling other processes of them, and waiting for the GPUs' driver.

use super::{RunError, observer::Observer};
use crate::{gpu::WAKING, signal::Signals, status::WAITS};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Time that the GPUs' driver may take before the user is told of the wait.
const UNSAID: Duration = Duration::from_secs(2);

/// Tells other processes what the controller waits for, whenever it changes.
#[derive(Debug)]
pub(super) struct Waits {
    directory: PathBuf,
    told: Vec<String>,
}

impl Waits {
    /// Begins the record of waits in a study's directory, and removes an earlier controller's.
    pub(super) fn begin(directory: PathBuf) -> Self {
        WAITS.remove(&directory);
        Self {
            directory,
            told: Vec::new(),
        }
    }

    /// Tells other processes what the controller waits for, if that has changed.
    pub(super) fn tell<'a>(&mut self, waits: impl Iterator<Item = &'a str>) {
        let waits: Vec<String> = waits.map(ToOwned::to_owned).collect();
        if waits != self.told {
            WAITS.write(&self.directory, waits.clone());
            self.told = waits;
        }
    }
}

/// Waits for the driver of the GPUs with a message to the user, and stops on request.
pub(super) struct Waking<'a> {
    directory: &'a Path,
    signals: &'a mut Signals,
    observer: &'a mut dyn Observer,
    is_said: bool,
}

impl<'a> Waking<'a> {
    /// Prepares to wait for the GPUs' driver, in a study whose state is in `directory`.
    pub(super) fn new(
        directory: &'a Path,
        signals: &'a mut Signals,
        observer: &'a mut dyn Observer,
    ) -> Self {
        Self {
            directory,
            signals,
            observer,
            is_said: false,
        }
    }

    /// Tells the user of a wait that has lasted for `waited`, if it is long.
    ///
    /// # Errors
    /// [`RunError::Interrupted`] if somebody asks to stop.
    pub(super) fn wait(&mut self, waited: Duration) -> Result<(), RunError> {
        let requests = self.signals.received();
        if requests.stop.is_some() || requests.detach {
            return Err(RunError::Interrupted { left_running: 0 });
        }
        if waited >= UNSAID && !self.is_said {
            self.is_said = true;
            let told = format!(
                "the driver of the GPUs has not answered yet: it is waited for, for {} s at most",
                WAKING.as_secs()
            );
            self.observer.notice(&told);
            WAITS.write(self.directory, vec![told]);
        }
        Ok(())
    }
}
