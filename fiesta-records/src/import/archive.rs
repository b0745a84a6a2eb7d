//! Inspect AI's logs that are ZIP archives: what of them is read.

use super::{ImportError, inspect::Parts};
use crate::excerpt;
use std::io::{Read, Seek};
use zip::{ZipArchive, result::ZipError};

/// No more than this is read of one member, lest a small archive fill the memory.
const LARGEST: u64 = 1 << 32;

/// The texts of an archive that say what was answered: the summaries of its samples, or else those
/// of the journal or the samples themselves.
pub(super) fn read(reader: impl Read + Seek, file: &str) -> Result<Parts, ImportError> {
    let archive = ZipArchive::new(reader);
    let archive = archive.map_err(|error| broken(file, error.to_string()));
    let mut archive = Archive {
        archive: archive?,
        file,
    };
    let header = match archive.text("header.json")? {
        Some(header) => header,
        None => archive.text("_journal/start.json")?.ok_or_else(|| {
            let reason = "there is no header.json in it, so this is no log of Inspect";
            broken(file, reason.to_owned())
        })?,
    };
    if let Some(summaries) = archive.text("summaries.json")? {
        let lists = vec![summaries];
        return Ok(Parts { header, lists });
    }
    // An evaluation that did not come to its end, or an early version.
    let mut lists = archive.texts("_journal/summaries/")?;
    if lists.is_empty() {
        lists = vec![format!("[{}]", archive.texts("samples/")?.join(","))];
    }
    Ok(Parts { header, lists })
}

struct Archive<'a, R> {
    archive: ZipArchive<R>,
    file: &'a str,
}

impl<R: Read + Seek> Archive<'_, R> {
    /// The text of a member, if there is one of this name.
    fn text(&mut self, name: &str) -> Result<Option<String>, ImportError> {
        let member = match self.archive.by_name(name) {
            Ok(member) => member,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(broken(self.file, error.to_string())),
        };
        let mut text = String::new();
        let reason = match member.take(LARGEST).read_to_string(&mut text) {
            Ok(length) if (length as u64) < LARGEST => return Ok(Some(text)),
            Ok(_) => "it is too large".to_owned(),
            Err(error) => error.to_string(),
        };
        let reason = format!("`{}` in it cannot be read: {reason}", excerpt(name));
        Err(broken(self.file, reason))
    }

    /// The texts of all JSON files in a folder, those with numbers for names in the order of these.
    fn texts(&mut self, folder: &str) -> Result<Vec<String>, ImportError> {
        let mut names = Vec::new();
        for name in self.archive.file_names() {
            let name = name.map_err(|error| broken(self.file, error.to_string()))?;
            if name.starts_with(folder) && name.ends_with(".json") {
                names.push(name.into_owned());
            }
        }
        names.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        let mut texts = Vec::with_capacity(names.len());
        for name in names {
            texts.extend(self.text(&name)?);
        }
        Ok(texts)
    }
}

fn broken(file: &str, reason: String) -> ImportError {
    ImportError::Archive {
        file: file.to_owned(),
        reason,
    }
}
