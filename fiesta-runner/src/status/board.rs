//! Files beside the ledger through which a controller and other processes exchange short-lived
//! facts: states of GPUs, states of an engine's jobs, and the number of jobs at a time.

use super::Slot;
use crate::{
    executor::RunState,
    ledger::Holder,
    private, process,
    run::{files::replace, seconds::now},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    fs, io,
    marker::PhantomData,
    path::{Path, PathBuf},
};

/// File with the states of the study's GPUs.
pub(crate) const SLOTS: Board<Vec<Slot>> = Board::named("slots.json");

/// File with the states of the study's runs, as an engine reports them.
pub(crate) const STATES: Board<Vec<RunState>> = Board::named("jobs.json");

/// A file about one session of a study, replaced as a whole when its content changes.
///
/// No evaluation depends on the file, so a full disk is no reason to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Board<T> {
    name: &'static str,
    content: PhantomData<fn() -> T>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Sheet<T> {
    /// Process id of the controller that wrote the file, or for which it was written.
    pid: u32,
    host: String,
    /// Time at which the file was written, in seconds since 1970.
    written: f64,
    content: T,
}

impl<T: Serialize + DeserializeOwned> Board<T> {
    pub(crate) const fn named(name: &'static str) -> Self {
        Self {
            name,
            content: PhantomData,
        }
    }

    pub(crate) fn path(&self, directory: &Path) -> PathBuf {
        directory.join(self.name)
    }

    /// Writes the file for other processes, as the controller of the study.
    pub(crate) fn write(&self, directory: &Path, content: T) {
        let (pid, host) = (std::process::id(), process::host().unwrap_or_default());
        // Nothing depends on it.
        let _ = self.replace(directory, pid, host, content);
    }

    /// Writes the file for the controller that holds the study's lock.
    pub(crate) fn write_for(
        &self,
        directory: &Path,
        holder: &Holder,
        content: T,
    ) -> io::Result<()> {
        self.replace(directory, holder.pid, holder.host.clone(), content)
    }

    fn replace(&self, directory: &Path, pid: u32, host: String, content: T) -> io::Result<()> {
        let sheet = Sheet {
            pid,
            host,
            written: now(),
            content,
        };
        replace(&self.path(directory), &serde_json::to_vec(&sheet)?)
    }

    /// Reads the file, if it was written by or for the holder of the study's lock. `None` if nobody
    /// holds the lock, or the file is an earlier controller's.
    pub(crate) fn read(&self, directory: &Path, holder: Option<&Holder>) -> Option<T> {
        let holder = holder?;
        let text = private::read(&self.path(directory)).ok()?;
        let sheet: Sheet<T> = serde_json::from_slice(&text).ok()?;
        let is_holders = sheet.pid == holder.pid
            && sheet.host == holder.host
            && sheet.written >= holder.since as f64;
        is_holders.then_some(sheet.content)
    }

    /// Removes the file that an earlier controller left.
    pub(crate) fn remove(&self, directory: &Path) {
        let _ = fs::remove_file(self.path(directory));
    }
}

#[cfg(test)]
mod tests {
    use super::super::SlotState;
    use super::*;

    #[test]
    fn only_the_holder_is_believed() {
        let place = tempfile::TempDir::new().unwrap();
        let me = Holder {
            pid: std::process::id(),
            host: process::host().unwrap(),
            since: 1,
        };
        assert_eq!(SLOTS.read(place.path(), Some(&me)), None);
        let slots = vec![Slot {
            gpu: Some("0".to_owned()),
            index: None,
            name: None,
            state: SlotState::Foreign,
            reason: Some("somebody".to_owned()),
            runs: Vec::new(),
        }];
        SLOTS.write(place.path(), slots.clone());
        assert_eq!(SLOTS.read(place.path(), Some(&me)), Some(slots));
        assert_eq!(SLOTS.read(place.path(), None), None);
        for other in [
            Holder {
                pid: me.pid + 1,
                ..me.clone()
            },
            Holder {
                host: "elsewhere".to_owned(),
                ..me.clone()
            },
            // Another that has the same pid, as the first process of a container always has.
            Holder {
                since: u64::MAX,
                ..me.clone()
            },
        ] {
            assert_eq!(SLOTS.read(place.path(), Some(&other)), None, "{other:?}");
        }
        fs::write(SLOTS.path(place.path()), "{\"pid\": 1").unwrap();
        assert_eq!(SLOTS.read(place.path(), Some(&me)), None);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
