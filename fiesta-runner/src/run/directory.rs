//! A run's directory: its files, and how each is written so that no reader ever sees half of one.

use super::files::{is_same, move_to_new, place_of, read_whole, replace, temporary};
use super::seconds::{now, seconds_at};
use super::{End, Ended, JobVariable, RunId, RunSpec, seconds};
use crate::held::Held;
use crate::private;
use crate::process::{self, Identity};
use crate::supervisor::SIGN;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Number of bytes that are kept from the end of each stream of a command. A score is searched for
/// in these alone, so no later result is missed.
pub(crate) const TAIL: usize = 1 << 20;

/// The directory of one run.
///
#[doc = include_str!("directory.md")]
#[derive(Debug, Clone)]
pub struct RunDirectory {
    path: PathBuf,
    /// The directory, held open, as it may be moved or removed and another one may get its name.
    held: Option<Arc<Held>>,
}

/// Record of a run's claim: the process that carries out the run, and when it began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Meta {
    #[serde(flatten)]
    pub(crate) supervisor: Identity,
    pub(crate) host: String,
    pub(crate) namespace: String,
    pub(crate) started_at: f64,
    pub(crate) argv: Vec<String>,
    /// Duration of the run at its latest sign of life, in seconds of a monotonic clock. The text
    /// always has [`SIGN_LENGTH`] characters, so it can be overwritten, and is the last field.
    pub(crate) alive: String,
}

/// Length of a sign of life, in characters.
const SIGN_LENGTH: usize = 16;
/// Number of characters after a sign of life in its file: a quotation mark and a brace.
const AFTER_SIGN: usize = 2;

/// Returns the sign of life of a run that has lasted this many seconds.
fn sign_of(seconds: f64) -> String {
    format!("{seconds:SIGN_LENGTH$.3}")
}

impl Meta {
    /// Returns the claim of this process, which carries out a run from now on.
    pub(crate) fn of_this_process(argv: Vec<String>) -> io::Result<Self> {
        Ok(Self {
            supervisor: Identity::current()?,
            host: process::host()?,
            namespace: process::namespace()?,
            started_at: now(),
            argv,
            alive: sign_of(0.0),
        })
    }
}

/// The right to carry out a run, with a lock that the kernel releases when the supervisor is gone.
/// Processes that cannot see the supervisor can see the lock.
#[derive(Debug)]
pub(crate) struct Claim {
    locked: File,
    content: Vec<u8>,
    since: Instant,
    started_at: f64,
}

const META: &str = "meta.json";
const RESULT: &str = "result.json";
const CANCELLATION: &str = "cancel.json";

/// Request to stop a run, with its grace.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Cancellation {
    #[serde(with = "seconds")]
    grace: Duration,
}

impl Claim {
    /// Returns how many seconds the run has gone on.
    pub(crate) fn seconds(&self) -> f64 {
        self.since.elapsed().as_secs_f64()
    }

    /// Returns the record of a run that ends now, in this way, in its directory.
    pub(crate) fn ended(&self, directory: &RunDirectory, id: RunId, end: End) -> Ended {
        Ended {
            moved: directory.has_moved(),
            seconds: self.seconds(),
            started_at: self.started_at,
            ..Ended::unmeasured(id, end)
        }
    }

    /// Leaves a sign of life of the run: its duration so far, and a new modification time of the
    /// claim's file.
    pub(crate) fn sign(&self) {
        // Without it, a run that is lost is known to have taken less than it did.
        let sign = sign_of(self.seconds());
        if sign.len() == SIGN_LENGTH {
            let place = self.content.len() - AFTER_SIGN - SIGN_LENGTH;
            let _ = self.locked.write_all_at(sign.as_bytes(), place as u64);
        }
        let _ = self.locked.set_modified(SystemTime::now());
    }

    /// Whether the content of a file is this claim's, apart from the sign of life.
    fn is_in(&self, content: &[u8]) -> bool {
        let place = self.content.len() - AFTER_SIGN - SIGN_LENGTH;
        content.len() == self.content.len() && content[..place] == self.content[..place]
    }
}

/// Whether a run took so long that its end should be on the disk. A shorter run is made again after
/// a power cut.
pub(crate) fn worth_keeping(ended: &Ended) -> bool {
    ended.seconds > 1.0
}

impl RunDirectory {
    /// Returns the directory of a run at this path, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { path, held: None }
    }

    /// Opens the directory of a run and holds it, also if another one takes its path later.
    pub(crate) fn hold(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        // Of one that is not there, nothing can be claimed or written either.
        let held = Held::of(&path).map(Arc::new);
        Self { path, held }
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a path to the directory that stays valid when the directory is moved.
    pub(crate) fn way(&self) -> &Path {
        self.held.as_ref().map_or(&*self.path, |held| held.way())
    }

    /// Returns the path of the command's standard output.
    pub fn stdout(&self) -> PathBuf {
        self.way().join("stdout")
    }

    /// Returns the path of the command's standard error.
    pub fn stderr(&self) -> PathBuf {
        self.way().join("stderr")
    }

    /// Returns the path of the result file that the command may write.
    pub fn result(&self) -> PathBuf {
        self.way().join(RESULT)
    }

    /// Returns the path of the document for the command, if it has no file of its own.
    pub fn document(&self) -> PathBuf {
        self.way().join("document.json")
    }

    /// Creates the directory and, if need be, its parent. A study's own directory is never created:
    /// a study that was moved away is not begun anew.
    pub(crate) fn create(&self) -> io::Result<()> {
        match (private::create_dir(&self.path), self.path.parent()) {
            (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
                private::create_dir(parent)?;
                private::create_dir(&self.path)
            }
            (made, _) => made,
        }
    }

    /// Writes the document before the run is submitted, and creates the directory if need be.
    pub(crate) fn write_document(&self, content: &[u8]) -> io::Result<()> {
        match self.create() {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        replace(&self.document(), content)
    }

    pub(crate) fn spec(&self) -> PathBuf {
        self.way().join("spec.json")
    }

    pub(crate) fn meta(&self) -> PathBuf {
        self.way().join(META)
    }

    pub(crate) fn end(&self) -> PathBuf {
        self.way().join("end.json")
    }

    fn cancellation(&self) -> PathBuf {
        self.way().join(CANCELLATION)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.way().join("wrapper.log")
    }

    pub(crate) fn write_spec(&self, spec: &RunSpec) -> io::Result<()> {
        let content = serde_json::to_vec(spec)?;
        match private::create_new(&self.spec()) {
            // No supervisor looks before it is ordered to, and half of a specification is none for
            // whoever resumes.
            Ok(mut file) => file.write_all(&content),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                replace(&self.spec(), &content)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the specification of the run.
    ///
    /// # Errors
    /// If the file is missing, cannot be read, or is no specification.
    pub fn read_spec(&self) -> io::Result<RunSpec> {
        Ok(serde_json::from_slice(&fs::read(self.spec())?)?)
    }

    /// Claims the run for this process. `None` if another process has claimed it.
    pub(crate) fn claim(&self, meta: &Meta) -> io::Result<Option<Claim>> {
        let path = self.meta();
        let own = temporary(&path);
        let mut locked = private::create(&own)?;
        let content = serde_json::to_vec(meta)?;
        locked.write_all(&content)?;
        // Some file systems have no locks; then only those who see the process know that it lives.
        let _ = locked.try_lock();
        if move_to_new(&own, &path)? {
            Ok(Some(Claim {
                locked,
                content,
                since: Instant::now(),
                started_at: meta.started_at,
            }))
        } else {
            fs::remove_file(&own)?;
            Ok(None)
        }
    }

    /// Whether the run was given up: its directory was removed, or put aside while another run
    /// claimed its name. A directory that was moved with its study, or is out of reach, does not
    /// count.
    pub(crate) fn is_given_up(&self, claim: &Claim) -> bool {
        let path = self.path.join(META);
        match fs::read(&path) {
            Ok(content) => {
                !claim.is_in(&content)
                    && !is_same(&path, &claim.locked)
                    && (self.is_removed() || self.is_beside_its_name())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.is_removed(),
            Err(_) => false,
        }
    }

    /// Whether the held directory is still within the parent directory of its path.
    fn is_beside_its_name(&self) -> bool {
        let named = self.path.parent().map(File::open);
        let named = named.and_then(Result::ok);
        named.is_none_or(|named| is_same(&self.way().join(".."), &named))
    }

    /// Whether the held directory is no longer at its original path.
    pub(crate) fn has_moved(&self) -> bool {
        let held = self.held.as_ref();
        held.is_some_and(|held| !held.is_at(&self.path))
    }

    /// Whether the paths of two run directories lead to different directories.
    pub(crate) fn is_another_than(&self, other: &Self) -> bool {
        match (fs::metadata(&self.path), fs::metadata(&other.path)) {
            (Ok(own), Ok(other)) => place_of(&own) != place_of(&other),
            _ => false,
        }
    }

    /// Returns the seconds for which the run has gone on at least: from its claim to the latest
    /// write to a file in its directory. As the wall clock may have been set, the result is limited
    /// by the latest sign of life and the next one.
    pub fn seconds_of_life(&self) -> f64 {
        let (Ok(Some(meta)), Ok(files)) = (self.read_meta(), fs::read_dir(self.way())) else {
            return 0.0;
        };
        // What was written about the run is no sign of its life.
        let files = files
            .flatten()
            .filter(|file| file.file_name() != CANCELLATION);
        let written = files.filter_map(|file| file.metadata().ok()?.modified().ok());
        let latest = written.map(seconds_at).fold(0.0, f64::max);
        let by_wall = (latest - meta.started_at).max(0.0);
        match meta.alive.trim().parse::<f64>() {
            Ok(sign) if sign >= 0.0 => by_wall.clamp(sign, sign + SIGN.as_secs_f64()),
            _ => by_wall,
        }
    }

    fn is_removed(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.is_removed())
    }

    /// Whether a supervisor holds the claim. `None` if the file system has no locks.
    pub fn is_claim_held(&self) -> Option<bool> {
        match File::open(self.meta()).ok()?.try_lock_shared() {
            Ok(()) => Some(false),
            Err(TryLockError::WouldBlock) => Some(true),
            Err(TryLockError::Error(_)) => None,
        }
    }

    /// Reads who claimed the run. A file that a power cut left torn counts as absent.
    pub(crate) fn read_meta(&self) -> io::Result<Option<Meta>> {
        read_whole(&self.meta())
    }

    pub(crate) fn write_cancellation(&self, grace: Duration) -> io::Result<()> {
        let cancellation = Cancellation { grace };
        replace(&self.cancellation(), &serde_json::to_vec(&cancellation)?)
    }

    /// Removes what the directory of a run that has not begun may hold: an order to stop that no
    /// supervisor has received, and what a power cut left of another evaluation.
    pub(crate) fn remove_leftovers(&self) -> io::Result<()> {
        for name in [CANCELLATION, RESULT, "stdout", "stderr"] {
            match fs::remove_file(self.way().join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the grace that the latest order to stop the run asks for.
    pub(crate) fn read_cancellation(&self) -> Option<Duration> {
        let cancellation: Cancellation = read_whole(&self.cancellation()).ok()??;
        Some(cancellation.grace)
    }

    /// Reads the published end of the run. `None` without one, or if a power cut damaged the file.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub fn read_end(&self) -> io::Result<Option<Ended>> {
        read_whole(&self.end())
    }

    /// Writes a problem of the supervisor itself to the log in the run's directory.
    pub(crate) fn complain(&self, message: &str) {
        if let Ok(mut log) = private::options()
            .create(true)
            .append(true)
            .open(self.log())
        {
            let _ = writeln!(log, "{message}");
        }
    }

    /// Returns the variables that mark every process of the run.
    pub(crate) fn marker(&self, id: &str) -> [(&'static str, String); 2] {
        [
            (JobVariable::Run.name(), id.to_owned()),
            (
                JobVariable::Result.name(),
                self.path.join(RESULT).to_string_lossy().into_owned(),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that a run becomes no longer when the clock is set a day later or earlier while it
    /// goes on.
    #[test]
    fn a_clock_that_is_set_makes_no_run_longer() {
        let place = tempfile::TempDir::new().unwrap();
        let directory = RunDirectory::new(place.path().join("run"));
        directory.create().unwrap();
        let meta = Meta::of_this_process(Vec::new()).unwrap();
        let claim = directory.claim(&meta).unwrap().unwrap();
        let day = Duration::from_hours(24);
        let set = |now: SystemTime| {
            let file = private::create(&directory.stdout()).unwrap();
            file.set_modified(now).unwrap();
            claim.locked.set_modified(now).unwrap();
        };
        for (sign, now, expected) in [
            (0.0, SystemTime::now() + day, SIGN.as_secs_f64()),
            (0.0, SystemTime::now() - day, 0.0),
            (3600.0, SystemTime::now() + day, 3600.0 + SIGN.as_secs_f64()),
            (3600.0, SystemTime::now() - day, 3600.0),
        ] {
            let place = claim.content.len() - AFTER_SIGN - SIGN_LENGTH;
            let sign = sign_of(sign);
            claim
                .locked
                .write_all_at(sign.as_bytes(), place as u64)
                .unwrap();
            set(now);
            assert!((directory.seconds_of_life() - expected).abs() < 1e-9);
        }
        // A sign is one of this moment, and leaves the claim what it is.
        claim.sign();
        assert!(directory.seconds_of_life() < SIGN.as_secs_f64());
        assert_eq!(directory.read_meta().unwrap().unwrap().argv, meta.argv);
        assert!(!directory.is_given_up(&claim));
    }
}
