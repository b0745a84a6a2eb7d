//! The check that a study's state directory was made by whoever runs the study: what is in one that
//! others can write may be theirs, and jobs' secrets would be theirs to read.

use super::LedgerError;
use crate::shortage;
use rustix::process::geteuid;
use std::{fs, os::unix::fs::MetadataExt, path::Path};

/// Mode bit of a directory to which everybody may write.
const WRITABLE: u32 = 0o002;
/// Mode bit of a directory where nobody may remove or rename another user's files.
const STICKY: u32 = 0o1000;

/// Checks the owner and the mode of a study's directory. A directory that does not exist passes.
///
/// Some file systems have one owner or one mode for all files, whoever makes them, and a file
/// server may give another owner to what `root` makes. What a file has that is made there now is
/// therefore taken for one's own.
///
/// # Errors
/// [`LedgerError::Refused`] if it belongs to somebody else, or everybody may write there.
pub(crate) fn check(directory: &Path) -> Result<(), LedgerError> {
    let Ok(status) = fs::metadata(directory) else {
        return Ok(());
    };
    let own = shortage::unnamed(directory).and_then(|file| file.metadata());
    let (user, keeps_modes) = match own {
        Ok(own) => (own.uid(), own.mode() & WRITABLE == 0),
        Err(_) => (geteuid().as_raw(), true),
    };
    let (owner, mode) = (status.uid(), status.mode() & 0o7777);
    let is_open = keeps_modes && mode & WRITABLE != 0 && mode & STICKY == 0;
    if owner == user && !is_open {
        return Ok(());
    }
    let words = words(directory, owner, user, mode);
    Err(LedgerError::Refused(format!(
        "the directory {} of the study's state is not used: {words}",
        directory.display()
    )))
}

/// Describes what is wrong with a directory of this owner and mode, with advice.
fn words(path: &Path, owner: u32, user: u32, mode: u32) -> String {
    let path = path.display();
    if owner == user {
        return format!(
            "every user of this machine may write there (owner {owner}, mode {mode:04o}): others may have put files there. Move it away, or, if you trust what is in it, close it: chmod o-w {path}"
        );
    }
    format!(
        "it belongs to user {owner} (mode {mode:04o}), and you are user {user}: a study is run only where its state is one's own. Run it as user {owner}, or move the directory away to begin anew, or, if you trust what is in it, make it yours: chown -R {user} {path}. `fiesta status`, `report`, `log` and `export` need none of this"
    )
}
