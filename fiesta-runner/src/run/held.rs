//! The files that a run's directory holds, read at once.

use super::Ended;
use crate::pattern::is_one;
use serde_json::Value;
use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// Names of the files that a run's directory may have, see
/// [`RunDirectory`](crate::supervisor::RunDirectory).
const KNOWN: &str = "spec.json document.json meta.json stdout stderr stdout.tail stderr.tail \
    result.json cancel.json end.json wrapper.log";

/// Largest size, in bytes, of a run that can be packed.
const MOST: u64 = 16 << 20;
/// Largest number of files of a run that can be packed.
const MOST_FILES: usize = 100;

/// The files of a run's directory: the name and the content of each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RunFiles(pub(crate) Vec<(String, Vec<u8>)>);

impl RunFiles {
    /// Reads all that a run's directory holds. `None` if it has files of its command beside our own,
    /// or more than is worth packing.
    pub(crate) fn read(directory: &Path) -> io::Result<Option<Self>> {
        let mut files = Vec::new();
        let mut left = MOST;
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !is_known(&name) || !entry.file_type()?.is_file() || files.len() == MOST_FILES {
                return Ok(None);
            }
            let content = content(&entry.path(), left + 1)?;
            let Some(less) = left.checked_sub(content.len() as u64) else {
                return Ok(None);
            };
            left = less;
            files.push((name, content));
        }
        // The same order in every run, so that what runs have in common is near.
        files.sort();
        Ok(Some(Self(files)))
    }

    /// Reads the known files of a run's directory, at most [`MOST`] bytes of each, even while the
    /// run goes on. `None` if the directory does not exist after reading.
    pub(crate) fn look(directory: &Path) -> io::Result<Option<Self>> {
        let mut files = Vec::new();
        for name in KNOWN.split_whitespace() {
            let path = directory.join(name);
            // Opening a named pipe would wait for its other end.
            if !fs::metadata(&path).is_ok_and(|file| file.is_file()) {
                continue;
            }
            match content(&path, MOST) {
                Ok(content) => files.push((name.to_owned(), content)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        // What has the name of a run is whole: if it is still there, nothing of it was removed
        // before.
        Ok(directory.is_dir().then_some(Self(files)))
    }

    /// Returns the content of the file with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        let (_, content) = self.0.iter().find(|(own, _)| own == name)?;
        Some(content)
    }

    /// Whether these files belong to the run with this name, or to one that was moved aside from
    /// it, by the specification among them.
    pub(crate) fn are_of(&self, name: &str) -> bool {
        let spec = self.get("spec.json");
        let spec: Option<Value> = spec.and_then(|spec| serde_json::from_slice(spec).ok());
        let id = spec.as_ref().and_then(|spec| spec["id"].as_str());
        let rest = id.and_then(|id| name.strip_prefix(id));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Returns how the run ended. `None` if no end was published.
    pub(crate) fn end(&self) -> Option<Ended> {
        serde_json::from_slice(self.get("end.json")?).ok()
    }
}

/// Reads the first `most` bytes of a file.
fn content(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut content)?;
    Ok(content)
}

/// Whether FIESTA writes files with this name to a run's directory. JSON files other than the
/// result may have a copy with a suffix such as `end.json.audit-…`: the beginning that a killed
/// process left, or a second version.
fn is_known(name: &str) -> bool {
    let first = name.split_once(".json.");
    let first = first.map(|(stem, _)| format!("{stem}.json"));
    let is_second = |first: String| first != "result.json" && is_one(KNOWN, &first);
    is_one(KNOWN, name) || first.is_some_and(is_second)
}

#[cfg(test)]
mod tests;
