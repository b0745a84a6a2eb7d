//! The ledger: the durable, append-only record of a study.
//!
//! Everything that happened is an [`Entry`] in an `SQLite` table; every state is derived from them. What one turn of
//! the loop brought (results, then decisions) is one transaction, written before any job of that turn is started,
//! so that killing any process at any moment loses nothing. After a power loss, evaluations shorter than
//! [`DURABLE_FROM`] that ended in the last second may have to be made again; longer ones are on the disk
//! before they count.

mod entry;
mod lock;

pub use entry::{Entry, Session};
pub use lock::{Holder, LockError};

use lock::Lock;
use rusqlite::{Connection, OpenFlags, params};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// The version of the ledger's format, in SQLite's `user_version`.
const FORMAT: i64 = 1;
/// How long a reader or writer waits for another's transaction.
const BUSY: Duration = Duration::from_secs(10);
/// Evaluations that took this long are on the disk before they count.
pub const DURABLE_FROM: Duration = Duration::from_secs(1);
/// Anything is on the disk after this long at the latest, if anything follows it.
const SYNC_EVERY: Duration = Duration::from_secs(1);

const SCHEMA: &str = "
    CREATE TABLE entry (
        sequence   INTEGER PRIMARY KEY,
        at         REAL NOT NULL,
        kind       TEXT NOT NULL,
        evaluation INTEGER,
        body       TEXT NOT NULL
    ) STRICT;";

/// A study's ledger, held by this process alone.
#[derive(Debug)]
pub struct Ledger {
    connection: Connection,
    path: PathBuf,
    synced: Instant,
    _lock: Lock,
}

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// Another process holds it, or the lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The directory cannot be made.
    #[error("cannot create {}: {source}", path.display())]
    Directory {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The database refuses.
    #[error("the ledger {}: {source}", path.display())]
    Database {
        /// The ledger's file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// There is no ledger.
    #[error("there is no ledger {}: the study was never run; `fiesta run` starts it", .0.display())]
    Missing(PathBuf),
    /// The ledger was written by another version.
    #[error(
        "the ledger {} has format {found}, this program writes format {FORMAT}: use the version of fiesta that wrote it",
        path.display()
    )]
    Format {
        /// The ledger's file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// An entry cannot be read.
    #[error("entry {sequence} of the ledger {} cannot be read: {source}", path.display())]
    Entry {
        /// The ledger's file.
        path: PathBuf,
        /// The number of the entry.
        sequence: i64,
        /// Why.
        source: serde_json::Error,
    },
}

impl Ledger {
    /// Opens the ledger in a study's state directory, which is created if need be, and locks it.
    ///
    /// # Errors
    /// [`LedgerError`] if another process holds it, or it cannot be created, read or understood.
    pub fn open(directory: &Path) -> Result<Self, LedgerError> {
        fs::create_dir_all(directory).map_err(|source| LedgerError::Directory {
            path: directory.to_owned(),
            source,
        })?;
        let lock = Lock::take(directory)?;
        let path = file(directory);
        let of_database = |source| LedgerError::Database {
            path: path.clone(),
            source,
        };
        let connection = Connection::open(&path).map_err(of_database)?;
        prepare(&connection).map_err(of_database)?;
        match format(&connection).map_err(of_database)? {
            0 => create(&connection).map_err(of_database)?,
            FORMAT => {}
            found => return Err(LedgerError::Format { path, found }),
        }
        Ok(Self {
            connection,
            path,
            synced: Instant::now(),
            _lock: lock,
        })
    }

    /// Everything that happened, in order.
    ///
    /// # Errors
    /// [`LedgerError`] if the database cannot be read or an entry not be understood.
    pub fn entries(&self) -> Result<Vec<Entry>, LedgerError> {
        entries(&self.connection, &self.path)
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
        self.write(entries, durable)
            .map_err(|source| LedgerError::Database {
                path: self.path.clone(),
                source,
            })?;
        if durable {
            self.synced = Instant::now();
        }
        Ok(())
    }

    fn write(&mut self, entries: &[Entry], durable: bool) -> rusqlite::Result<()> {
        let level = if durable { "FULL" } else { "NORMAL" };
        self.connection.pragma_update(None, "synchronous", level)?;
        let transaction = self.connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO entry (at, kind, evaluation, body) VALUES (?1, ?2, ?3, ?4)",
            )?;
            for entry in entries {
                let body = serde_json::to_string(entry)
                    .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
                let evaluation = entry.evaluation().and_then(|id| i64::try_from(id.0).ok());
                insert.execute(params![now(), entry.kind(), evaluation, body])?;
            }
        }
        transaction.commit()
    }

    /// Reads a study's ledger without locking it, also while a study runs.
    ///
    /// # Errors
    /// [`LedgerError`] if there is none, or it cannot be read or understood.
    pub fn read(directory: &Path) -> Result<Vec<Entry>, LedgerError> {
        let path = file(directory);
        if !path.exists() {
            return Err(LedgerError::Missing(path));
        }
        let of_database = |source| LedgerError::Database {
            path: path.clone(),
            source,
        };
        // Not read-only: a reader of a write-ahead log takes part in its bookkeeping.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags).map_err(of_database)?;
        connection.busy_timeout(BUSY).map_err(of_database)?;
        match format(&connection).map_err(of_database)? {
            0 => Ok(Vec::new()),
            FORMAT => entries(&connection, &path),
            found => Err(LedgerError::Format { path, found }),
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
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&path, flags).ok()?;
    connection.busy_timeout(BUSY).ok()?;
    let select = "SELECT body FROM entry WHERE kind = 'opened' ORDER BY sequence DESC LIMIT 1";
    let body: String = connection.query_row(select, [], |row| row.get(0)).ok()?;
    let mut session: serde_json::Value = serde_json::from_str(&body).ok()?;
    Some(session["study"].take())
}

fn file(directory: &Path) -> PathBuf {
    directory.join("ledger.db")
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")
}

fn format(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "BEGIN; {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;"
    ))
}

fn entries(connection: &Connection, path: &Path) -> Result<Vec<Entry>, LedgerError> {
    let of_database = |source| LedgerError::Database {
        path: path.to_owned(),
        source,
    };
    let mut select = connection
        .prepare("SELECT sequence, body FROM entry ORDER BY sequence")
        .map_err(of_database)?;
    let rows = select
        .query_map([], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })
        .map_err(of_database)?;
    rows.map(|row| {
        let (sequence, body) = row.map_err(of_database)?;
        serde_json::from_str(&body).map_err(|source| LedgerError::Entry {
            path: path.to_owned(),
            sequence,
            source,
        })
    })
    .collect()
}

/// Seconds since 1970.
pub(crate) fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}
