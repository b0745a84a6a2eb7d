//! The files of one run: read from its directory, written back to it, and as bytes of the archive.

use crate::private;
use crate::run::Ended;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

/// The files that a run's directory may have, see
/// [`RunDirectory`](crate::supervisor::RunDirectory).
const KNOWN: [&str; 11] = [
    "spec.json",
    "document.json",
    "meta.json",
    "stdout",
    "stderr",
    "stdout.tail",
    "stderr.tail",
    "result.json",
    "cancel.json",
    "end.json",
    "wrapper.log",
];
/// Files that may stand in a directory a second time, with a suffix such as `end.json.audit-…`: a
/// killed process left a beginning, or a second one was kept.
const WITH_VARIANTS: [&str; 5] = [
    "spec.json",
    "document.json",
    "meta.json",
    "cancel.json",
    "end.json",
];

/// The most bytes of a run that is packed: logs of both streams, and a result of some size.
const MOST: u64 = 16 << 20;

/// What a run's directory held.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RunFiles {
    files: Vec<(Head, Vec<u8>)>,
}

/// What the archive says of a file before its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    name: String,
    length: usize,
    /// Who may read and write it, as `chmod` takes it.
    mode: u32,
}

impl RunFiles {
    /// Reads all that a run's directory holds. None if it has files of its command beside our own,
    /// or more than is worth packing.
    pub(crate) fn read(directory: &Path) -> io::Result<Option<Self>> {
        let mut files = Vec::new();
        let mut left = MOST;
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !is_known(&name) || !entry.file_type()?.is_file() {
                return Ok(None);
            }
            let mut content = Vec::new();
            let file = File::open(entry.path())?;
            let mode = file.metadata()?.permissions().mode() & 0o7777;
            file.take(left + 1).read_to_end(&mut content)?;
            let Some(less) = left.checked_sub(content.len() as u64) else {
                return Ok(None);
            };
            left = less;
            let length = content.len();
            files.push((Head { name, length, mode }, content));
        }
        // The same order in every run, so that what runs have in common is near.
        files.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
        Ok(Some(Self { files }))
    }

    /// Reads the files of a run's directory that have a name in [`KNOWN`], at most [`MOST`] bytes
    /// of each. The run may still go on. `None` if the directory is not there when reading ends.
    pub(crate) fn look(directory: &Path) -> io::Result<Option<Self>> {
        let mut files = Vec::new();
        for name in KNOWN {
            let path = directory.join(name);
            // Opening a named pipe would wait for its other end.
            if !fs::metadata(&path).is_ok_and(|file| file.is_file()) {
                continue;
            }
            let mut content = Vec::new();
            match File::open(&path) {
                Ok(file) => file.take(MOST).read_to_end(&mut content)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let (name, length) = (name.to_owned(), content.len());
            files.push((
                Head {
                    name,
                    length,
                    mode: 0o600,
                },
                content,
            ));
        }
        // What has the name of a run is whole: if it is still there, nothing of it was removed
        // before.
        Ok(directory.is_dir().then_some(Self { files }))
    }

    /// The content of a file.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        let (_, content) = self.files.iter().find(|(head, _)| head.name == name)?;
        Some(content)
    }

    /// Whether these are the files of the run with this name, or of one that was moved aside from it:
    /// what its executor wrote says so.
    pub(crate) fn are_of(&self, name: &str) -> bool {
        #[derive(Deserialize)]
        struct Spec {
            id: String,
        }
        let spec = self.get("spec.json");
        let spec = spec.and_then(|spec| serde_json::from_slice::<Spec>(spec).ok());
        let rest = spec.as_ref().and_then(|spec| name.strip_prefix(&*spec.id));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// How the run ended, if that was published.
    pub(crate) fn end(&self) -> Option<Ended> {
        serde_json::from_slice(self.get("end.json")?).ok()
    }

    /// Writes the files into a directory, which is made; with `durable` they are on the disk when
    /// this returns.
    pub(crate) fn write(&self, directory: &Path, durable: bool) -> io::Result<()> {
        if let Some(runs) = directory.parent() {
            private::ensure_dir(runs)?;
        }
        private::ensure_dir(directory)?;
        for (head, content) in &self.files {
            let mut options = OpenOptions::new();
            let options = options.write(true).create_new(true).mode(head.mode);
            let mut file = options.open(directory.join(&head.name))?;
            file.write_all(content)?;
            if durable {
                file.sync_all()?;
            }
        }
        if durable {
            File::open(directory)?.sync_all()?;
        }
        Ok(())
    }

    /// Adds the files to a piece: a line of JSON that says which there are, then their contents.
    pub(super) fn encode(&self, piece: &mut Vec<u8>) {
        let heads: Vec<&Head> = self.files.iter().map(|(head, _)| head).collect();
        piece.extend(serde_json::json!(heads).to_string().into_bytes());
        piece.push(b'\n');
        for (_, content) in &self.files {
            piece.extend(content);
        }
    }

    /// The files that [`encode`](Self::encode) wrote; none if these are not they.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let heads: Vec<Head> = serde_json::from_slice(&bytes[..end]).ok()?;
        let mut rest = &bytes[end + 1..];
        let mut files = Vec::with_capacity(heads.len());
        for head in heads {
            // Files are written by these names.
            if !is_known(&head.name) {
                return None;
            }
            let (content, others) = rest.split_at_checked(head.length)?;
            files.push((head, content.to_vec()));
            rest = others;
        }
        rest.is_empty().then_some(Self { files })
    }
}

/// Whether a file of this name is one of ours.
fn is_known(name: &str) -> bool {
    let is_variant = |known: &&str| {
        let rest = name.strip_prefix(*known);
        rest.is_some_and(|rest| rest.starts_with('.') && !rest.contains('/'))
    };
    KNOWN.contains(&name) || WITH_VARIANTS.iter().any(is_variant)
}
