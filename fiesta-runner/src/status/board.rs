//! The file in which a controller writes down the states of its GPUs.

use super::SlotState;
use crate::{ledger::Holder, private, process, run::seconds::now};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A file beside the ledger, replaced whole when a GPU's state changes; not with every run.
///
/// Nothing depends on it but what `fiesta status` shows, so that a disk which is full is no reason
/// to stop.
#[derive(Debug)]
pub(crate) struct Board {
    path: PathBuf,
}

/// How a GPU is, runs aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) gpu: String,
    pub(crate) index: Option<u32>,
    pub(crate) name: Option<String>,
    pub(crate) state: SlotState,
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Content {
    pid: u32,
    host: String,
    /// In seconds since 1970.
    written: f64,
    slots: Vec<Mark>,
}

impl Board {
    pub(crate) fn new(directory: &Path) -> Self {
        let path = path(directory);
        Self { path }
    }

    pub(crate) fn write(&self, slots: Vec<Mark>) {
        let content = Content {
            pid: std::process::id(),
            host: process::host().unwrap_or_default(),
            written: now(),
            slots,
        };
        let temporary = self
            .path
            .with_extension(format!("json.{}", std::process::id()));
        let written = serde_json::to_vec(&content)
            .map_err(Into::into)
            .and_then(|text| private::write(&temporary, text))
            .and_then(|()| fs::rename(&temporary, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(temporary);
        }
    }

    /// What the holder of the study's lock has written. Another's words, who may be dead, are not
    /// believed.
    pub(crate) fn read(directory: &Path, holder: &Holder) -> Option<Vec<Mark>> {
        let content: Content = serde_json::from_slice(&fs::read(path(directory)).ok()?).ok()?;
        let is_holders = content.pid == holder.pid
            && content.host == holder.host
            && content.written >= holder.since as f64;
        is_holders.then_some(content.slots)
    }

    /// Removes what an earlier controller left.
    pub(crate) fn remove(directory: &Path) {
        let _ = fs::remove_file(path(directory));
    }
}

fn path(directory: &Path) -> PathBuf {
    directory.join("slots.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_holder_is_believed() {
        let place = tempfile::TempDir::new().unwrap();
        let me = Holder {
            pid: std::process::id(),
            host: process::host().unwrap(),
            since: 1,
        };
        assert_eq!(Board::read(place.path(), &me), None);
        let marks = vec![Mark {
            gpu: "0".to_owned(),
            index: None,
            name: None,
            state: SlotState::Foreign,
            reason: Some("somebody".to_owned()),
        }];
        let board = Board::new(place.path());
        board.write(marks.clone());
        assert_eq!(Board::read(place.path(), &me), Some(marks));
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
            assert_eq!(Board::read(place.path(), &other), None, "{other:?}");
        }
        fs::write(path(place.path()), "{\"pid\": 1").unwrap();
        assert_eq!(Board::read(place.path(), &me), None);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
