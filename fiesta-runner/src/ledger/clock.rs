//! The time that a study has run, in a small file beside its ledger that is overwritten again and
//! again: in the ledger it would be an entry each time. Whoever resumes the study records what the
//! file says.

use super::{file, read::Reading};
use crate::private;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// Size, in bytes, of the file's content. It is constant, so that each write replaces it all.
const LENGTH: usize = 80;

/// The file of a study's running time.
#[derive(Debug)]
pub(crate) struct Clock {
    path: PathBuf,
    file: Option<File>,
    ledger: Option<i64>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Content {
    /// The digest of the ledger's first entry: a study that was begun anew has not run yet.
    ledger: i64,
    /// Duration of the study over all sessions, in seconds.
    seconds: f64,
}

impl Clock {
    pub(super) fn new(directory: &Path, connection: &Connection) -> Self {
        Self {
            path: directory.join("clock.json"),
            file: None,
            ledger: identity(connection),
        }
    }

    /// Returns the duration in the file, in seconds. `None` if the file is not of this ledger.
    pub(crate) fn kept(&self) -> Option<f64> {
        let content: Content = serde_json::from_slice(&private::read(&self.path).ok()?).ok()?;
        let is_right = Some(content.ledger) == self.ledger && content.seconds.is_finite();
        is_right.then_some(content.seconds)
    }

    /// Writes the study's running time to its file. If a write fails, that time is lost after a
    /// kill.
    pub(crate) fn keep(&mut self, seconds: f64) {
        let Some(ledger) = self.ledger else {
            return;
        };
        if self.file.is_none() {
            // What it held before counts until it is overwritten.
            self.file = private::options().create(true).open(&self.path).ok();
        }
        let content = Content { ledger, seconds };
        if let (Some(file), Ok(text)) = (&self.file, serde_json::to_string(&content)) {
            let _ = file.write_all_at(format!("{text:LENGTH$}\n").as_bytes(), 0);
        }
    }
}

/// Returns the running time, in seconds, from the file beside a study's ledger, even while the
/// study runs. It may be up to a second too short.
pub(crate) fn kept_seconds(directory: &Path) -> Option<f64> {
    let reading = Reading::begin(directory, &file(directory)).ok()?;
    Clock::new(directory, &reading).kept()
}

/// Returns a number that distinguishes a ledger from every other one.
fn identity(connection: &Connection) -> Option<i64> {
    let select = "SELECT digest FROM entry WHERE sequence = 1";
    connection.query_row(select, [], |row| row.get(0)).ok()
}
