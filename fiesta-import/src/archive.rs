//! Reading of Inspect AI's logs that are ZIP archives, with a limit of unpacked bytes.

use crate::{ImportError, Result, error::refused, inspect::Parts};
use fiesta_records::excerpt;
use std::io::{Read, Seek};
use zip::{ZipArchive, result::ZipError};

/// Most bytes that are unpacked of all members of an archive together, lest a small archive fill
/// the memory: 1 GiB. The summaries of a million samples take half of it.
const LARGEST: u64 = 1 << 30;

/// Returns the texts of an archive that hold the answers: the summaries of its samples, or else the
/// journal's, or else the samples.
pub(crate) fn read(reader: impl Read + Seek, file: &str) -> Result<Parts> {
    read_up_to(LARGEST, reader, file)
}

fn read_up_to(most: u64, reader: impl Read + Seek, file: &str) -> Result<Parts> {
    let archive = ZipArchive::new(reader);
    let archive = archive.map_err(|error| broken(file, &error.to_string()));
    let mut archive = Archive {
        members: archive?,
        file,
        most,
        left: most,
    };
    let header = match archive.text("header.json")? {
        Some(header) => header,
        None => archive.text("_journal/start.json")?.ok_or_else(|| {
            let reason = "there is no header.json in it, so this is no log of Inspect";
            broken(file, reason)
        })?,
    };
    if let Some(summaries) = archive.text("summaries.json")? {
        let lists = vec![summaries];
        return Ok(Parts { header, lists });
    }
    // An evaluation that did not come to its end, or an early version.
    let mut lists = archive.texts("_journal/summaries/")?;
    if lists.is_empty() {
        let samples = archive.texts("samples/")?.into_iter();
        lists = samples.map(|sample| format!("[{sample}]")).collect();
    }
    Ok(Parts { header, lists })
}

struct Archive<'a, R> {
    members: ZipArchive<R>,
    file: &'a str,
    /// Number of bytes that may be unpacked, and number of those that are left.
    most: u64,
    left: u64,
}

impl<R: Read + Seek> Archive<'_, R> {
    /// Returns the text of the member with this name. `None` if there is no such member.
    fn text(&mut self, name: &str) -> Result<Option<String>> {
        let member = match self.members.by_name(name) {
            Ok(member) => member,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(broken(self.file, &error.to_string())),
        };
        let mut text = String::new();
        let reason = match member.take(self.left + 1).read_to_string(&mut text) {
            Ok(length) if length as u64 <= self.left => {
                self.left -= length as u64;
                return Ok(Some(text));
            }
            Ok(_) => format!(
                "what is read of the archive is more than {} MiB when it is unpacked; `inspect log convert` writes a log with summaries, which are smaller",
                self.most >> 20
            ),
            Err(error) => error.to_string(),
        };
        let reason = format!("`{}` in it cannot be read: {reason}", excerpt(name));
        Err(broken(self.file, &reason))
    }

    /// Returns the texts of all JSON files in a folder, sorted by number where numbers are names.
    fn texts(&mut self, folder: &str) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for name in self.members.file_names() {
            let name = name.map_err(|error| broken(self.file, &error.to_string()))?;
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

fn broken(file: &str, reason: &str) -> ImportError {
    refused(format!(
        "{file}: this archive cannot be understood: {reason}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};
    use zip::{ZipWriter, write::SimpleFileOptions};

    /// Tests an archive of zeros, which has a thousandth of its unpacked size.
    #[test]
    fn members_are_unpacked_up_to_a_sum() {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for name in ["header.json", "samples/1.json", "samples/2.json"] {
            writer
                .start_file(name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(&vec![b' '; 400 << 10]).unwrap();
        }
        let bytes = writer.finish().unwrap().into_inner();
        assert!(bytes.len() < 4 << 10, "{}", bytes.len());
        let read = |most| read_up_to(most, Cursor::new(&bytes), "a.eval");
        assert_eq!(read(1200 << 10).unwrap().lists.len(), 2);
        let error = read(1 << 20).err().unwrap().to_string();
        assert!(
            error.contains("more than 1 MiB when it is unpacked"),
            "{error}"
        );
    }
}
