//! The ledger: the durable, append-only record of a study.
//!
//! Everything that happened is an [`Entry`] in an `SQLite` table; every state is derived from them.
//! What one turn of the loop brought (results, then decisions) is one transaction, written before
//! any job of that turn is started, so that killing any process at any moment loses nothing. After
//! a power loss, evaluations shorter than a second that ended in the last second may have
//! to be made again; longer ones are on the disk before they count.

mod check;
mod clock;
mod damage;
mod entry;
mod error;
mod follow;
mod format;
mod id;
mod in_place;
mod lock;
pub(crate) mod owner;
mod packed;
mod read;

pub(crate) use clock::Clock;
pub(crate) use clock::kept_seconds;
#[doc(hidden)]
pub use damage::damage_in_words;
pub(crate) use damage::{Damage, Left};
pub use entry::Entry;
#[doc(hidden)]
pub use entry::{Aside, Session};
pub(crate) use entry::{Assertion, Origin};
pub use error::LedgerError;
#[cfg(feature = "report")]
pub(crate) use follow::{Place, Since};
pub(crate) use id::state_id;
pub use lock::{Holder, LockError};
pub(crate) use packed::Piece;

use crate::{
    database::{self, Journal},
    digest::Digest,
    private,
    run::seconds::now,
    shortage::is_full,
};
use fiesta_core::EvaluationId;
use format::FORMAT;
use in_place::InPlace;
use lock::Lock;
use read::Reading;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Least size of a database file, in bytes: SQLite takes a shorter file for an empty one.
const LEAST: u64 = 512;
/// Duration from which the result of an evaluation must be on the disk before it counts.
pub(crate) const DURABLE_FROM: Duration = Duration::from_secs(1);
/// Longest time after which an entry is on the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A study's ledger, held by this process alone.
#[derive(Debug)]
pub struct Ledger {
    connection: Connection,
    path: PathBuf,
    journal: Journal,
    /// The number and the digest of the last entry.
    latest: (i64, Digest),
    /// Time of the latest sync, or try of one, and whether entries are not synced.
    synced: Instant,
    is_behind: bool,
    state_id: String,
    in_place: InPlace,
    lock: Lock,
}

impl Ledger {
    /// Opens the ledger in a study's state directory, which is created if need be, and locks it.
    ///
    /// # Errors
    /// [`LedgerError`] if another process holds it, it is damaged, or it cannot be created, read or
    /// understood.
    pub fn open(directory: &Path) -> Result<Self, LedgerError> {
        let of_directory = |error| LedgerError::directory(directory, &error);
        private::ensure_dir(directory).map_err(of_directory)?;
        owner::check(directory)?;
        let lock = Lock::take(directory)?;
        private::close_directory(directory);
        let path = file(directory);
        let size = fs::symlink_metadata(&path).map(|file| file.len()).ok();
        if size.is_none() {
            // SQLite would let others read it. What it puts beside it has the same permissions.
            private::create_new(&path).map_err(|error| LedgerError::unopened(&path, &error))?;
        }
        if size.is_some_and(|size| size < LEAST) {
            may_be_empty(directory, &path)?;
        }
        let of_database = |source| LedgerError::of(path.clone(), source);
        let connection = database::open(directory, &path).map_err(of_database)?;
        let found = database::format(&connection).map_err(of_database)?;
        match found {
            0 if size.is_none() => {}
            0 => may_begin(&connection, directory, &path)?,
            FORMAT => check::structure(&connection, &path)?,
            found => return Err(LedgerError::format(&path, found)),
        }
        let journal = database::adapt(&connection, directory, &path).map_err(of_database)?;
        if found == 0 {
            format::create(&connection).map_err(of_database)?;
            // The name of the study's directory: those in it are synced with the ledger.
            private::sync_names(&directory.join(".."));
        }
        let latest = check::latest(&connection).map_err(of_database)?;
        database::leave_log(&connection, false).map_err(of_database)?;
        let state_id = id::ensure(directory).map_err(of_directory)?;
        let mut ledger = Self {
            connection,
            in_place: InPlace::of(&path),
            state_id,
            path,
            journal,
            latest,
            synced: crate::clock::now(),
            is_behind: false,
            lock,
        };
        // A controller that was killed may have left entries in the log that are not on the disk.
        ledger.sync()?;
        Ok(ledger)
    }

    /// Moves a study's state directory, unless a controller holds its ledger.
    ///
    /// # Errors
    /// [`LedgerError`] if one does, or the directory cannot be moved.
    pub(crate) fn move_state(from: &Path, to: &Path) -> Result<(), LedgerError> {
        let _lock = Lock::take(from)?;
        fs::rename(from, to).map_err(|error| LedgerError::directory(to, &error))
    }

    /// Returns the id of the study's state, which stays the same wherever the study is moved.
    pub(crate) fn state_id(&self) -> &str {
        &self.state_id
    }

    /// Reads all entries of the ledger, in order.
    ///
    /// # Errors
    /// [`LedgerError`] if the database cannot be read, or an entry is not what was written.
    pub fn entries(&self) -> Result<Vec<Entry>, LedgerError> {
        let mut entries = Vec::new();
        self.visit(|entry| {
            entries.push(entry);
            Ok::<_, LedgerError>(())
        })?;
        Ok(entries)
    }

    /// Passes all entries to `take`, in order.
    ///
    /// # Errors
    /// As [`entries`](Self::entries), and whatever `take` returns, which ends it.
    pub fn visit<E: From<LedgerError>>(
        &self,
        take: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        check::visit(&self.connection, &self.path, take)
    }

    /// Appends entries to the ledger, all or none. With `durable`, they are on the disk on return.
    ///
    /// # Errors
    /// [`LedgerError`] if they cannot be written. None of them is recorded then.
    pub fn append(&mut self, entries: &[Entry], durable: bool) -> Result<(), LedgerError> {
        if entries.is_empty() {
            return Ok(());
        }
        let durable = durable || crate::clock::since(self.synced) >= SYNC_EVERY;
        let bodies = entries.iter().map(|entry| self.body(entry));
        let bodies = bodies.collect::<Result<Vec<_>, _>>()?;
        self.latest = self
            .write(entries, &bodies, durable)
            .map_err(|source| LedgerError::of(self.path.clone(), source))?;
        self.is_behind = self.journal.synchronous(durable) != database::FULL;
        if !self.is_behind {
            self.synced = crate::clock::now();
        }
        Ok(())
    }

    /// Returns the time until entries that were written must be on the disk. `None` if they are.
    pub(crate) fn due_in(&self) -> Option<Duration> {
        let passed = crate::clock::since(self.synced);
        self.is_behind.then(|| SYNC_EVERY.saturating_sub(passed))
    }

    /// Syncs entries to the disk if that is [due](Self::due_in) and none came that did.
    ///
    /// # Errors
    /// [`LedgerError`] if the disk refuses.
    pub(crate) fn catch_up(&mut self) -> Result<(), LedgerError> {
        if self.due_in() == Some(Duration::ZERO) {
            self.synced = crate::clock::now();
            self.sync()?;
        }
        Ok(())
    }

    /// Syncs the log to the disk, if there is one.
    fn sync(&mut self) -> Result<(), LedgerError> {
        // No lock of SQLite is on the log, so that closing it here releases none.
        match fs::File::open(in_place::log(&self.path)).and_then(|log| log.sync_data()) {
            // A full disk is tried again, and told when something is written; a log that is gone is
            // told elsewhere.
            Err(error) if !is_full(&error) && error.kind() != io::ErrorKind::NotFound => {
                let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_FSYNC);
                let source = rusqlite::Error::SqliteFailure(code, Some(error.to_string()));
                Err(LedgerError::of(self.path.clone(), source))
            }
            synced => {
                self.is_behind = synced.is_err();
                Ok(())
            }
        }
    }

    /// Returns the text of an entry for the database. Values of users and jobs are read back first,
    /// so that nothing unreadable is written.
    fn body(&self, entry: &Entry) -> Result<String, LedgerError> {
        entry.kept().map_err(|what| {
            let entry = match entry.origin() {
                Some(origin) => format!("{}:{}", origin.file, origin.line),
                None => format!("an entry ({})", entry.kind()),
            };
            LedgerError::Refused(format!(
                "nothing is written to the ledger {}, as it could not be read again: {entry}: {what}",
                self.path.display()
            ))
        })
    }

    fn write(
        &mut self,
        entries: &[Entry],
        bodies: &[String],
        durable: bool,
    ) -> rusqlite::Result<(i64, Digest)> {
        let level = self.journal.synchronous(durable);
        self.connection.pragma_update(None, "synchronous", level)?;
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let (mut sequence, mut digest) = self.latest;
        {
            // With a number of our own: should a commit have worked that was said to have failed,
            // writing it again does not.
            let mut insert =
                transaction.prepare_cached("INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for (entry, body) in entries.iter().zip(bodies) {
                let (at, kind, evaluation) = (now(), entry.kind(), check::of_evaluation(entry));
                sequence += 1;
                digest = check::chained(digest, sequence, at, body);
                let number = digest.number();
                insert.execute(params![sequence, at, kind, evaluation, body, number])?;
            }
        }
        transaction.commit()?;
        Ok((sequence, digest))
    }

    /// Reads a study's ledger without locking it, also while a study runs.
    ///
    /// # Errors
    /// [`LedgerError`] if there is none, it is damaged, or it cannot be read or understood.
    pub fn read(directory: &Path) -> Result<Vec<Entry>, LedgerError> {
        let mut entries = Vec::new();
        Self::visit_at(directory, |entry| {
            entries.push(entry);
            Ok::<_, LedgerError>(())
        })?;
        Ok(entries)
    }

    /// Reads the entries as [`read`](Self::read) does, and passes them to `take` one by one.
    ///
    /// # Errors
    /// As [`read`](Self::read), and whatever `take` returns, which ends it.
    pub fn visit_at<E: From<LedgerError>>(
        directory: &Path,
        take: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        let path = file(directory);
        match Reading::of_entries(directory, &path)? {
            Some(reading) => check::visit(&reading, &path, take),
            None => Ok(()),
        }
    }

    /// The file of the study's running time.
    pub(crate) fn clock(&self) -> Clock {
        Clock::new(
            self.path.parent().unwrap_or(Path::new("")),
            &self.connection,
        )
    }

    /// Returns the study file as the latest controller read it. `None` if no controller has yet.
    ///
    /// # Errors
    /// [`LedgerError`] if the database cannot be read.
    pub(crate) fn latest_study(&self) -> Result<Option<serde_json::Value>, LedgerError> {
        latest_study(&self.connection).map_err(|source| LedgerError::of(self.path.clone(), source))
    }

    /// Returns the study file as the latest controller of the ledger in this directory read it.
    /// Checks nothing else. `None` if there is no ledger, or if it cannot be read: whoever opens it
    /// reports that.
    pub(crate) fn latest_study_at(directory: &Path) -> Option<serde_json::Value> {
        let reading = Reading::begin(directory, &file(directory)).ok()?;
        latest_study(&reading).ok()?
    }

    /// Reads a study's ledger as far as it is readable. Entries that are missing, altered or
    /// unreadable are reported with the others. For display only, not to continue a study.
    ///
    /// # Errors
    /// [`LedgerError`] if there is none, it cannot be read or understood, or the database itself is
    /// damaged.
    pub fn read_what_is_left(directory: &Path) -> Result<Left, LedgerError> {
        let path = file(directory);
        match Reading::of_entries(directory, &path)? {
            Some(reading) => check::what_is_left(&reading, &path),
            None => Ok(Left::default()),
        }
    }

    /// Reads the entries on one evaluation, in order, and the number of evaluations, without a
    /// check of digests.
    ///
    /// # Errors
    /// As [`read_what_is_left`](Self::read_what_is_left).
    pub fn of_evaluation(
        directory: &Path,
        evaluation: EvaluationId,
    ) -> Result<(Left, u64), LedgerError> {
        let path = file(directory);
        match Reading::of_entries(directory, &path)? {
            Some(reading) => check::of_one(&reading, &path, evaluation),
            None => Ok((Left::default(), 0)),
        }
    }

    /// Returns the controller that holds a study's ledger now. `None` if none does.
    pub fn holder(directory: &Path) -> Option<Holder> {
        lock::holder(directory)
    }
}

/// Returns the study file as the latest controller read it, from the ledger's entries.
#[doc(hidden)]
pub fn recorded_study<'a>(
    entries: impl DoubleEndedIterator<Item = &'a Entry>,
) -> Option<&'a serde_json::Value> {
    entries.rev().find_map(|entry| match entry {
        Entry::Opened(session) => Some(&session.study),
        _ => None,
    })
}

fn latest_study(connection: &Connection) -> rusqlite::Result<Option<serde_json::Value>> {
    let select = "SELECT body FROM entry WHERE kind = 'opened' ORDER BY sequence DESC LIMIT 1";
    let body: Option<String> = connection
        .query_row(select, [], |row| row.get(0))
        .optional()?;
    let session = body.and_then(|body| serde_json::from_str::<serde_json::Value>(&body).ok());
    Ok(session.map(|mut session| session["study"].take()))
}

/// Checks that there is a ledger.
fn is_there(directory: &Path, path: &Path) -> Result<(), LedgerError> {
    let path = path.to_owned();
    match path.try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(match Ledger::holder(directory) {
            Some(holder) => LedgerError::Starting { path, holder },
            None => LedgerError::Missing(path),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(LedgerError::directory(directory, &error))
        }
        Err(error) => Err(LedgerError::unopened(&path, &error)),
    }
}

fn file(directory: &Path) -> PathBuf {
    directory.join("ledger.db")
}

/// Checks that a file without a format was just made by a controller. It may also belong to another
/// program, or be a ledger that has lost its content.
fn may_begin(connection: &Connection, directory: &Path, path: &Path) -> Result<(), LedgerError> {
    let of_database = |source| LedgerError::of(path.to_owned(), source);
    if database::is_blank(connection).map_err(of_database)? {
        return may_be_empty(directory, path);
    }
    let (path, what) = (path.to_owned(), "it holds something else".to_owned());
    Err(LedgerError::Damaged { path, what })
}

/// Checks that an empty ledger has lost nothing: no run starts before its first entry is written.
fn may_be_empty(directory: &Path, path: &Path) -> Result<(), LedgerError> {
    let runs = directory.join("runs");
    let has_none =
        !runs.exists() || fs::read_dir(&runs).is_ok_and(|mut runs| runs.next().is_none());
    if has_none {
        return Ok(());
    }
    let (path, what) = (
        path.to_owned(),
        "it is empty, and runs were made".to_owned(),
    );
    Err(LedgerError::Damaged { path, what })
}
