//! File of a kept baseline: its lines, compression, and what is refused.

use super::{Head, KeptAnswer, KeptBaseline};
use crate::run::files::temporary;
use fiesta_records::excerpt;
use serde_json::Value;
use std::{
    collections::HashSet,
    fs,
    io::{self, Read},
    path::Path,
};

/// Name of the format in the first line.
pub(super) const FORMAT: &str = "fiesta-baseline";
/// Version of the format that this program writes.
pub(super) const VERSION: u64 = 1;
/// First bytes of what Zstandard compressed.
const ZSTANDARD: &[u8] = b"\x28\xb5\x2f\xfd";
/// Most bytes that a file may have when it is unpacked.
const MOST: u64 = 1 << 30;
/// Level of the compression, the program's own default.
const LEVEL: i32 = 3;

/// The reason why a kept baseline cannot be read, written or used: the file, its fault, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BaselineError(pub(super) String);

impl KeptBaseline {
    /// Reads the content of a file, which errors call `file`.
    ///
    /// # Errors
    /// [`BaselineError`] if it cannot be unpacked, is cut, is of another format, or has an item twice.
    pub(crate) fn read(bytes: &[u8], file: &str) -> Result<Self, BaselineError> {
        let unpacked = unpack(bytes).map_err(|error| {
            BaselineError(format!(
                "{file} cannot be unpacked: {error}; take a copy of it, or remove it and let the baseline be asked anew"
            ))
        })?;
        let text = unpacked.as_deref().unwrap_or(bytes);
        let mut lines = text
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        let head = head(lines.next().unwrap_or_default(), file)?;
        let mut answers = Vec::new();
        let mut seen = HashSet::new();
        for (line, text) in (2..).zip(lines) {
            let wrong = |reason: String| BaselineError(format!("{file}:{line}: {reason}"));
            let answer: KeptAnswer = serde_json::from_slice(text).map_err(|error| {
                wrong(format!(
                    "the line is no answer: {error}; it was cut or edited"
                ))
            })?;
            let key = match (&answer.item, answer.split) {
                (Some(item), None) if answer.digest.is_some() => item.clone(),
                (None, Some(split)) => split.to_string(),
                _ => {
                    let reason = "the line has neither an item with its digest nor a split";
                    return Err(wrong(reason.to_owned()));
                }
            };
            if !seen.insert(key.clone()) {
                let key = excerpt(&key);
                return Err(wrong(format!("`{key}` has two lines: remove one of them")));
            }
            answers.push(answer);
        }
        if answers.len() != head.lines {
            return Err(BaselineError(format!(
                "{file} has {} lines after its first, which says {}: it was cut or edited; take a copy of it, or remove it and let the baseline be asked anew",
                answers.len(),
                head.lines
            )));
        }
        Ok(Self { head, answers })
    }

    /// Writes the file whole, in place of an earlier one; compressed if its name ends with `.zst`.
    ///
    /// # Errors
    /// [`BaselineError`] if it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let written = || {
            let text = self.text()?;
            let is_packed = path.extension().is_some_and(|ending| ending == "zst");
            let bytes = if is_packed {
                zstd::encode_all(text.as_slice(), LEVEL)?
            } else {
                text
            };
            // Whole or not at all, and readable for those whom the user lets read.
            let own = temporary(path);
            let replaced = fs::write(&own, &bytes).and_then(|()| fs::rename(&own, path));
            replaced.inspect_err(|_| drop(fs::remove_file(&own)))
        };
        written()
            .map_err(|error| BaselineError(format!("cannot write {}: {error}", path.display())))
    }

    /// The lines of the file.
    pub(super) fn text(&self) -> io::Result<Vec<u8>> {
        let mut text = serde_json::to_vec(&self.head)?;
        text.push(b'\n');
        for answer in &self.answers {
            serde_json::to_writer(&mut text, answer)?;
            text.push(b'\n');
        }
        Ok(text)
    }
}

/// Unpacks what Zstandard compressed. `None` for anything else.
fn unpack(bytes: &[u8]) -> io::Result<Option<Vec<u8>>> {
    if !bytes.starts_with(ZSTANDARD) {
        return Ok(None);
    }
    let mut text = Vec::new();
    zstd::Decoder::new(bytes)?
        .take(MOST + 1)
        .read_to_end(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(io::Error::other("it has more than a GiB"));
    }
    Ok(Some(text))
}

fn head(line: &[u8], file: &str) -> Result<Head, BaselineError> {
    let foreign = |reason: String| {
        BaselineError(format!(
            "{file} is no kept baseline: {reason}; name a file that `fiesta gate --keep-baseline` wrote"
        ))
    };
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| foreign(format!("its first line is no JSON ({error})")))?;
    if value["format"] != FORMAT {
        return Err(foreign(format!(
            "its first line has no \"format\": \"{FORMAT}\""
        )));
    }
    match value["format_version"].as_u64() {
        Some(VERSION) => {}
        Some(found) => {
            return Err(BaselineError(format!(
                "{file} has version {found} of the format, and this program reads version 1: take a newer FIESTA, or let the baseline be asked anew"
            )));
        }
        None => return Err(foreign("its first line has no format_version".to_owned())),
    }
    serde_json::from_value(value).map_err(|error| foreign(format!("in its first line, {error}")))
}
