//! The ledger: the durable, append-only record of a study.
//!
//! Everything that happened is an [`Entry`] in an `SQLite` table; every state is derived from them. What one turn of
//! the loop brought (results, then decisions) is one transaction, written before any job of that turn is started,
//! so that killing any process at any moment loses nothing. After a power loss, evaluations shorter than
//! [`DURABLE_FROM`] that ended in the last second may have to be made again; longer ones are on the disk
//! before they count.

mod check;
mod entry;
mod error;
mod format;
mod lock;
mod storage;

pub use entry::{Entry, Session};
pub use error::LedgerError;
pub use lock::{Holder, LockError};

use crate::digest::Digest;
use format::FORMAT;
use lock::Lock;
use rusqlite::{Connection, TransactionBehavior, params};
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use storage::Journal;

/// SQLite takes a shorter file for an empty one.
const LEAST: u64 = 512;
/// Evaluations that took this long are on the disk before they count.
pub const DURABLE_FROM: Duration = Duration::from_secs(1);
/// Anything is on the disk after this long at the latest, if anything follows it.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A study's ledger, held by this process alone.
#[derive(Debug)]
pub struct Ledger {
    connection: Connection,
    path: PathBuf,
    journal: Journal,
    /// The number and the digest of the last entry.
    latest: (i64, Digest),
    synced: Instant,
    _lock: Lock,
}

impl Ledger {
    /// Opens the ledger in a study's state directory, which is created if need be, and locks it. One of an earlier format becomes
    /// one of this format; what it was is kept beside it.
    ///
    /// # Errors
    /// [`LedgerError`] if another process holds it, it is damaged, or it cannot be created, read or understood.
    pub fn open(directory: &Path) -> Result<Self, LedgerError> {
        fs::create_dir_all(directory).map_err(|source| LedgerError::Directory {
            path: directory.to_owned(),
            source,
        })?;
        let lock = Lock::take(directory)?;
        let path = file(directory);
        let size = path.metadata().map(|file| file.len()).ok();
        if size.is_some_and(|size| size < LEAST) {
            may_be_empty(directory, &path)?;
        }
        let of_database = |source| LedgerError::of(path.clone(), source);
        let (mut connection, journal) = storage::open(directory, &path).map_err(of_database)?;
        match format::found(&connection).map_err(of_database)? {
            0 => {
                if size.is_some() {
                    may_begin(&connection, directory, &path)?;
                }
                format::create(&connection).map_err(of_database)?;
            }
            found @ 1..FORMAT => {
                check::structure(&connection, &path)?;
                check::entries(&connection, &path, found)?;
                format::migrate(&mut connection, &path, found)?;
            }
            FORMAT => check::structure(&connection, &path)?,
            found => return Err(LedgerError::Format { path, found }),
        }
        let latest = check::latest(&connection).map_err(of_database)?;
        storage::leave_log(&connection, false).map_err(of_database)?;
        Ok(Self {
            connection,
            path,
            journal,
            latest,
            synced: Instant::now(),
            _lock: lock,
        })
    }

    /// Everything that happened, in order.
    ///
    /// # Errors
    /// [`LedgerError`] if the database cannot be read, or an entry is not what was written.
    pub fn entries(&self) -> Result<Vec<Entry>, LedgerError> {
        check::entries(&self.connection, &self.path, FORMAT)
    }

    /// Hands everything that happened to `take`, in order.
    ///
    /// # Errors
    /// As [`entries`](Self::entries), and whatever `take` returns, which ends it.
    pub fn visit<E: From<LedgerError>>(
        &self,
        take: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        check::visit(&self.connection, &self.path, FORMAT, take)
    }

    /// Records what happened, all of it or nothing. With `durable` it is on the disk when this returns.
    ///
    /// # Errors
    /// [`LedgerError`] if it cannot be written; nothing of it is recorded then.
    pub fn append(&mut self, entries: &[Entry], durable: bool) -> Result<(), LedgerError> {
        if entries.is_empty() {
            return Ok(());
        }
        let durable = durable || self.synced.elapsed() >= SYNC_EVERY;
        self.latest = self
            .write(entries, durable)
            .map_err(|source| LedgerError::of(self.path.clone(), source))?;
        if durable {
            self.synced = Instant::now();
        }
        Ok(())
    }

    fn write(&mut self, entries: &[Entry], durable: bool) -> rusqlite::Result<(i64, Digest)> {
        let level = self.journal.synchronous(durable);
        self.connection.pragma_update(None, "synchronous", level)?;
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let (mut sequence, mut digest) = self.latest;
        {
            // With a number of our own: should a commit have worked that was said to have failed, writing it again does not.
            let mut insert =
                transaction.prepare_cached("INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for entry in entries {
                let body = serde_json::to_string(entry)
                    .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
                let (at, kind, evaluation) = (now(), entry.kind(), check::of_evaluation(entry));
                sequence += 1;
                digest = check::chained(digest, sequence, at, &body);
                let number = digest.number();
                insert.execute(params![sequence, at, kind, evaluation, body, number])?;
            }
        }
        transaction.commit()?;
        Ok((sequence, digest))
    }

    /// Reads a study's ledger without locking it, also while a study runs. One of an earlier format is read as it is.
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

    /// Hands over what [`read`](Self::read) reads, entry by entry.
    ///
    /// # Errors
    /// As [`read`](Self::read), and whatever `take` returns, which ends it.
    pub fn visit_at<E: From<LedgerError>>(
        directory: &Path,
        take: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        let path = file(directory);
        if !path.exists() {
            return Err(LedgerError::Missing(path).into());
        }
        let of_database = |source| LedgerError::of(path.clone(), source);
        let mut connection = storage::open_to_read(&path).map_err(of_database)?;
        // The format and the entries of one moment.
        let transaction = connection.transaction().map_err(of_database)?;
        match format::found(&transaction).map_err(of_database)? {
            0 => {
                may_begin(&transaction, directory, &path)?;
                Ok(())
            }
            found @ 1..=FORMAT => check::visit(&transaction, &path, found, take),
            found => Err(LedgerError::Format { path, found }.into()),
        }
    }

    /// Who holds a study's ledger now, if anybody does.
    pub fn holder(directory: &Path) -> Option<Holder> {
        lock::holder(directory)
    }
}

/// The study file as the latest controller read it.
pub fn recorded_study(entries: &[Entry]) -> Option<&serde_json::Value> {
    entries.iter().rev().find_map(|entry| match entry {
        Entry::Opened(session) => Some(&session.study),
        _ => None,
    })
}

/// The study file as the latest controller read it, without a look at anything else; none if there is no ledger, or what ails it is for
/// whoever opens it to say.
pub(crate) fn latest_study(directory: &Path) -> Option<serde_json::Value> {
    let path = file(directory);
    if !path.exists() {
        return None;
    }
    let connection = storage::open_to_read(&path).ok()?;
    let select = "SELECT body FROM entry WHERE kind = 'opened' ORDER BY sequence DESC LIMIT 1";
    let body: String = connection.query_row(select, [], |row| row.get(0)).ok()?;
    let mut session: serde_json::Value = serde_json::from_str(&body).ok()?;
    Some(session["study"].take())
}

fn file(directory: &Path) -> PathBuf {
    directory.join("ledger.db")
}

/// Whether a file without a format is one that a controller has just made, and not another program's, or a ledger that has
/// lost all it had.
fn may_begin(connection: &Connection, directory: &Path, path: &Path) -> Result<(), LedgerError> {
    let of_database = |source| LedgerError::of(path.to_owned(), source);
    if format::is_blank(connection).map_err(of_database)? {
        return may_be_empty(directory, path);
    }
    let (path, what) = (path.to_owned(), "it holds something else".to_owned());
    Err(LedgerError::Damaged { path, what })
}

/// The first run is started after the first entry is written.
fn may_be_empty(directory: &Path, path: &Path) -> Result<(), LedgerError> {
    let runs = directory.join("runs");
    if !runs.exists() || fs::read_dir(&runs).is_ok_and(|mut runs| runs.next().is_none()) {
        return Ok(());
    }
    let (path, what) = (
        path.to_owned(),
        "it is empty, and runs were made".to_owned(),
    );
    Err(LedgerError::Damaged { path, what })
}

/// Seconds since 1970.
pub(crate) fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}
