//! The output of a run's command: from its files, or from the run's end if the files lack it.

use super::{NoScore, text::Tail};
use crate::run::{Carried, Ended, Rescued, RunDirectory, ScoreLine};
use std::path::Path;

/// The output of a run's command, and the result that it wrote.
pub(super) struct Printed<'a> {
    directory: RunDirectory,
    rescued: Option<&'a Rescued>,
    carried: Option<&'a Carried>,
}

impl<'a> Printed<'a> {
    /// Returns the output as the files in the run's directory have it.
    pub(super) fn in_files(directory: &Path) -> Self {
        Self {
            directory: RunDirectory::new(directory),
            rescued: None,
            carried: None,
        }
    }

    /// Returns the output as the files in the run's directory and the run's end have it.
    pub(super) fn of(directory: &Path, ended: &'a Ended) -> Self {
        Self {
            rescued: ended.rescued.as_ref(),
            carried: ended.carried.as_ref(),
            ..Self::in_files(directory)
        }
    }

    pub(super) fn result(&self) -> Result<Tail, NoScore> {
        let carried = self.carried.and_then(|carried| carried.result.as_deref());
        Ok(Tail::read(&self.directory.result())?.or_later(carried))
    }

    pub(super) fn stdout(&self) -> Result<Tail, NoScore> {
        match self.rescued {
            Some(rescued) => Ok(Tail::of(&rescued.stdout)),
            None => Ok(Tail::read(&self.directory.stdout())?
                .or_later(self.carried.map(|carried| carried.stdout.as_str()))),
        }
    }

    pub(super) fn stderr(&self) -> Result<Tail, NoScore> {
        match self.rescued {
            Some(rescued) => Ok(Tail::of(&rescued.stderr)),
            None => Ok(Tail::read(&self.directory.stderr())?
                .or_later(self.carried.map(|carried| carried.stderr.as_str()))),
        }
    }

    /// Returns the last line with a score, if the run's end contains it.
    pub(super) fn score_line(&self) -> Option<&'a ScoreLine> {
        self.carried?.score_line.as_deref()
    }

    /// Returns the warning about a log that is not whole.
    pub(super) fn warning(&self) -> Option<String> {
        let rescued = self.rescued?;
        Some(format!(
            "the log in {} is not whole ({}); the last lines of it were kept elsewhere",
            self.directory.path().display(),
            rescued.reason
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{End, RunId};
    use std::fs;

    fn ended(carried: Carried) -> Ended {
        let id = RunId::new("study", 1, 1).unwrap();
        Ended {
            carried: Some(carried),
            ..Ended::unmeasured(id, End::Exited(0))
        }
    }

    #[test]
    fn files_that_come_later_than_the_end_are_read_from_it() {
        let place = tempfile::TempDir::new().unwrap();
        let ended = ended(Carried {
            result: Some("{\"f1\": 0.5}".to_owned()),
            stdout: "last\n".to_owned(),
            ..Carried::default()
        });
        let printed = Printed::of(place.path(), &ended);
        let read = |tail: Result<Tail, NoScore>| tail.unwrap().text().into_owned();
        let directory = RunDirectory::new(place.path());
        // No file yet; half of one; all of it.
        assert_eq!(read(printed.stdout()), "last\n");
        fs::write(directory.stdout(), "first\nla").unwrap();
        assert_eq!(read(printed.stdout()), "last\n");
        fs::write(directory.stdout(), "first\nlast\n").unwrap();
        assert_eq!(read(printed.stdout()), "first\nlast\n");
        assert_eq!(read(printed.result()), "{\"f1\": 0.5}");
        fs::write(directory.result(), "{\"f1\"").unwrap();
        assert_eq!(read(printed.result()), "{\"f1\": 0.5}");
        assert_eq!(read(printed.stderr()), "");
        fs::write(directory.stderr(), "bytes \u{fffd}").unwrap();
        assert_eq!(read(printed.stderr()), "bytes \u{fffd}");
    }

    #[test]
    fn a_line_that_is_not_utf8_is_no_late_one() {
        let place = tempfile::TempDir::new().unwrap();
        let bytes = b"first\n\xff last\n";
        fs::write(RunDirectory::new(place.path()).stdout(), bytes).unwrap();
        let ended = ended(Carried {
            stdout: String::from_utf8_lossy(&bytes[6..]).into_owned(),
            ..Carried::default()
        });
        let read = Printed::of(place.path(), &ended).stdout().unwrap();
        assert!(read.text().starts_with("first"), "{}", read.text());
    }
}
