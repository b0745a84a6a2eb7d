//! The files that a run's directory holds, read at once.

use super::Ended;
use crate::pattern::is_one;
use serde_json::Value;
use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// The files that a run's directory may have, see
/// [`RunDirectory`](crate::supervisor::RunDirectory).
const KNOWN: &str = "spec.json document.json meta.json stdout stderr stdout.tail stderr.tail \
    result.json cancel.json end.json wrapper.log";

/// The most bytes of a run that is packed: logs of both streams, and a result of some size.
const MOST: u64 = 16 << 20;
/// The most files of a run that is packed.
const MOST_FILES: usize = 100;

/// Content of a run's directory: the name and the content of each file.
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

    /// Reads the files of a run's directory that have a name in [`KNOWN`], at most [`MOST`] bytes
    /// of each. The run may still go on. `None` if the directory is not there when reading ends.
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

    /// The content of a file.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        let (_, content) = self.0.iter().find(|(own, _)| own == name)?;
        Some(content)
    }

    /// Whether these are the files of the run with this name, or of a run that was moved aside from
    /// that name: what the executor wrote says so.
    pub(crate) fn are_of(&self, name: &str) -> bool {
        let spec = self.get("spec.json");
        let spec: Option<Value> = spec.and_then(|spec| serde_json::from_slice(spec).ok());
        let id = spec.as_ref().and_then(|spec| spec["id"].as_str());
        let rest = id.and_then(|id| name.strip_prefix(id));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// How the run ended, if that was published.
    pub(crate) fn end(&self) -> Option<Ended> {
        serde_json::from_slice(self.get("end.json")?).ok()
    }
}

/// The first `most` bytes of a file.
fn content(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut content)?;
    Ok(content)
}

/// Whether a file of this name is one of ours. Those in JSON that are not the command's to write may
/// stand there a second time, with a suffix such as `end.json.audit-…`: a killed process left a
/// beginning, or a second one was kept.
fn is_known(name: &str) -> bool {
    let first = name.split_once(".json.");
    let first = first.map(|(stem, _)| format!("{stem}.json"));
    let is_second = |first: String| first != "result.json" && is_one(KNOWN, &first);
    is_one(KNOWN, name) || first.is_some_and(is_second)
}

#[cfg(test)]
mod tests;
