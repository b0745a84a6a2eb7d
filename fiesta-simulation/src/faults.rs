//! Faults of file calls: a judge of this thread says what becomes of each call below a directory.

use rustix::io::Errno;
use std::{
    cell::RefCell,
    path::{Path, PathBuf},
};

/// Request of a call of the C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A file is opened, and perhaps made.
    Open {
        /// Whether the file is made if it is missing.
        creates: bool,
    },
    /// Bytes are read, at most this number of them.
    Read(usize),
    /// Bytes are written, this number of them.
    Write(usize),
    /// The length of a file is set.
    Cut,
    /// A file or directory is synced to the disk.
    Sync,
    /// A name is given: by mkdir, rename or link.
    Make,
    /// A name is removed.
    Remove,
}

/// Outcome that a judge gives to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The call does what it is asked for.
    Done,
    /// The call fails, and does nothing.
    Refused(Errno),
    /// This number of bytes is read or written, fewer than were asked for.
    Short(usize),
}

/// Function that gives a call its outcome, from the request and the path below the judge's directory.
type Judging = Box<dyn FnMut(Asked, &Path) -> Fate>;

/// Judge of calls, with the directory of which it is told.
struct Judge {
    place: PathBuf,
    judge: Judging,
}

thread_local! {
    static JUDGE: RefCell<Option<Judge>> = const { RefCell::new(None) };
}

/// Sets the function that gives an outcome to each call of this thread about something below `place`, a path without
/// links. The function receives the request and the path below `place`. An earlier function is replaced.
pub(crate) fn judge(place: &Path, judge: impl FnMut(Asked, &Path) -> Fate + 'static) {
    let (place, judge) = (place.to_owned(), Box::new(judge));
    JUDGE.set(Some(Judge { place, judge }));
}

/// Lets all calls of this thread do what they are asked for.
pub(crate) fn judge_nothing() {
    JUDGE.set(None);
}

/// Returns whether calls of this thread are judged.
pub(crate) fn is_judged() -> bool {
    JUDGE.try_with(|judge| judge.try_borrow().is_ok_and(|judge| judge.is_some())) == Ok(true)
}

/// Returns what becomes of a call about the file or directory of a path.
pub(crate) fn fate(asked: Asked, path: impl FnOnce() -> Option<PathBuf>) -> Fate {
    // Neither when the thread ends nor while the judge itself makes a call is there anybody to ask.
    let told = JUDGE.try_with(|judge| {
        let mut judge = judge.try_borrow_mut().ok()?;
        let Judge { place, judge } = judge.as_mut()?;
        let path = path()?;
        Some(judge(asked, path.strip_prefix(place).ok()?))
    });
    told.ok().flatten().unwrap_or(Fate::Done)
}
