//! The publication of a run's end: only once, and after a delay if the disk is full.

use super::output::Output;
use super::tree::Tree;
use crate::clock::Pauses;
use crate::pattern::Pattern;
use crate::private;
use crate::process::{self, Identity};
use crate::run::Ended;
use crate::run::files::{move_to_new, temporary, with_suffix};
use crate::run::{RunDirectory, worth_keeping};
use crate::shortage::{self, is_full};
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// Disk space that is reserved for the record of a run's end.
#[derive(Debug)]
pub(crate) struct Reserve {
    file: File,
}

/// Size, in bytes, of the disk space that is reserved for a run's end.
pub(crate) const RESERVE: u64 = 512 << 10;

/// Whether a publication is the run's first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Published {
    First,
    Audit,
}

/// Pauses between tries during a shortage, such as a full disk: the first and the longest.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Output that the record of a run's end contains.
#[derive(Debug, Clone, Copy)]
pub(super) enum Carries<'a> {
    Nothing,
    /// The last lines of the command's output, and the line with the score if a pattern is given.
    Output(Option<&'a Pattern>),
}

/// Publishes the end of a run after its output is written. Output that the disk does not take
/// becomes a part of the end, as do the result and the last lines if the end is to contain them.
pub(super) fn publish(
    directory: &RunDirectory,
    mut ended: Ended,
    mut printed: Option<Output>,
    carries: Carries<'_>,
    tree: &mut Tree,
) -> io::Result<()> {
    insist(tree, || {
        let Some(output) = &mut printed else {
            return directory.publish(&ended, None);
        };
        ended.rescued = match output.complete(worth_keeping(&ended)) {
            Ok(()) => None,
            Err(error) => match output.rescue(&error) {
                None if is_full(&error) => return Err(error),
                rescued => rescued,
            },
        };
        if let Carries::Output(pattern) = carries {
            ended.carried = Some(output.carried(pattern));
        }
        directory.publish(&ended, output.reserve())
    })?;
    Ok(())
}

/// Repeats `act` until no [shortage](shortage::of) prevents it, or the run is told to stop.
pub(super) fn insist<T>(tree: &mut Tree, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut pauses = Pauses::new(PAUSE, LONGEST_PAUSE);
    loop {
        match act() {
            Err(error) if shortage::of(&error).is_some() && !tree.take_stop_request() => {
                tree.pause(pauses.take())?;
            }
            result => return result,
        }
    }
}

impl RunDirectory {
    /// Reserves disk space for the end of a run. Some file systems cannot.
    pub(crate) fn reserve(&self) -> io::Result<Reserve> {
        let path = temporary(&self.end());
        let file = private::create(&path)?;
        match fallocate(&file, FallocateFlags::empty(), 0, RESERVE) {
            Ok(()) => Ok(Reserve { file }),
            Err(error) => {
                fs::remove_file(&path)?;
                Err(error.into())
            }
        }
    }

    /// Publishes how the run ended. Whoever comes first wins; a later publication is kept beside
    /// it.
    ///
    /// The end of a run that was [`worth_keeping`], and its result, survive a power cut once this
    /// returns; its output does if it was synced before.
    pub(crate) fn publish(
        &self,
        ended: &Ended,
        reserve: Option<&Reserve>,
    ) -> io::Result<Published> {
        let durable = worth_keeping(ended);
        let path = self.end();
        let temporary = temporary(&path);
        let text = serde_json::to_vec(ended)?;
        let created;
        let file = if let Some(reserve) = reserve {
            reserve.file.write_all_at(&text, 0)?;
            reserve.file.set_len(text.len() as u64)?;
            &reserve.file
        } else {
            created = private::create(&temporary)?;
            created.write_all_at(&text, 0)?;
            &created
        };
        // The command made it as its own files are made.
        private::close_file(&self.result());
        if durable {
            // These first: an end that is there must never lack its score, nor its evaluation.
            for path in [self.result(), self.spec()] {
                // Opening a named pipe would wait for its other end.
                if fs::metadata(&path).is_ok_and(|file| file.is_file())
                    && let Ok(file) = File::open(path)
                {
                    // One that cannot be kept is no reason to lose the end.
                    let _ = file.sync_data();
                }
            }
            file.sync_data()?;
        }
        let published = if move_to_new(&temporary, &path)? {
            Published::First
        } else {
            let suffix = format!(".audit-{}", audit_name()?);
            fs::rename(&temporary, with_suffix(&path, &suffix))?;
            Published::Audit
        };
        if durable {
            File::open(self.way())?.sync_all()?;
            // The name of the directory, and that of the directory of all runs.
            private::sync_names(&self.way().join(".."));
            private::sync_names(&self.way().join("../.."));
        }
        Ok(published)
    }
}

/// Returns a name that is unique among all processes that could publish here.
fn audit_name() -> io::Result<String> {
    let me = Identity::current()?;
    Ok(format!("{}-{}-{}", process::host()?, me.pid, me.start_time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{End, RunId};
    use tempfile::TempDir;

    fn ended(code: i32) -> Ended {
        Ended::unmeasured(RunId::new("study", 1, 1).unwrap(), End::Exited(code))
    }

    fn names(directory: &TempDir) -> Vec<String> {
        let entries = fs::read_dir(directory.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_first_publication_wins_and_later_ones_are_kept() {
        let place = TempDir::new().unwrap();
        let directory = RunDirectory::new(place.path());
        assert_eq!(directory.read_end().unwrap(), None);
        assert_eq!(
            directory.publish(&ended(0), None).unwrap(),
            Published::First
        );
        let mut late = ended(1);
        late.seconds = 2.0;
        assert_eq!(directory.publish(&late, None).unwrap(), Published::Audit);
        assert_eq!(directory.read_end().unwrap(), Some(ended(0)));
        let names = names(&place);
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(names[1].starts_with("end.json.audit-"));
        let audit = fs::read(place.path().join(&names[1])).unwrap();
        assert_eq!(serde_json::from_slice::<Ended>(&audit).unwrap(), late);
    }
}
