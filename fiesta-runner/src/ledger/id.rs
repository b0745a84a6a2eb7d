//! The id of a study's state: a random number in a file beside the ledger, which stays the same
//! wherever the study is moved, and by which FIESTA knows what it made elsewhere for this study.
//! A copy of the whole state has the same id.

use crate::{private, run::files::replace};
use rustix::rand::{GetRandomFlags, getrandom};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Hexadecimal digits of an id.
const DIGITS: usize = 16;

fn file(directory: &Path) -> PathBuf {
    directory.join("id")
}

/// Returns the id of the state in this directory. `None` if it has none yet.
pub(crate) fn state_id(directory: &Path) -> Option<String> {
    let text = String::from_utf8(private::read(&file(directory)).ok()?).ok()?;
    let id = text.trim();
    let is_one = id.len() == DIGITS && id.chars().all(|c| c.is_ascii_hexdigit());
    is_one.then(|| id.to_owned())
}

/// Returns the id of the state, and gives it one if it has none. Only the holder of the lock may do
/// so.
pub(super) fn ensure(directory: &Path) -> io::Result<String> {
    if let Some(id) = state_id(directory) {
        return Ok(id);
    }
    let mut bytes = [0; DIGITS / 2];
    // So few bytes come at once.
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    let id = format!("{:016x}", u64::from_le_bytes(bytes));
    replace(&file(directory), format!("{id}\n").as_bytes())?;
    // What is made elsewhere by this name must be found after a power cut.
    fs::File::open(file(directory))?.sync_all()?;
    private::sync_names(directory);
    Ok(id)
}
