//! Reading a ledger that another process may be writing. A reader waits for no writer, which may
//! have been stopped in the middle of a transaction: what the writer has locked is read from a copy
//! of its files.

use super::{check, error::LedgerError, format::FORMAT, lock};
use crate::database::{self, leave_log};
use rusqlite::{Connection, ErrorCode};
use std::{
    fs, io,
    ops::Deref,
    path::{Path, PathBuf},
    process, thread,
    time::Duration,
};
use tempfile::TempDir;

/// Number of times that the files are copied, as a running writer may change them meanwhile, and
/// the pause between two copies.
const COPIES: u32 = 5;
const BETWEEN: Duration = Duration::from_millis(50);

/// A ledger as it is at one moment, for as long as this value lives.
pub(super) struct Reading {
    connection: Connection,
    /// The format of the ledger's entries. Zero if there are none yet.
    format: i64,
}

impl Deref for Reading {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Reading {
    /// Opens the ledger in a state directory, also where nothing may be written.
    ///
    /// # Errors
    /// [`LedgerError::Busy`] if another process writes it just now and no consistent state can be
    /// had without waiting, [`LedgerError::Missing`] if there is no ledger, others if it cannot be
    /// read.
    pub(super) fn begin(directory: &Path, path: &Path) -> Result<Self, LedgerError> {
        super::is_there(directory, path)?;
        // A writer that is stopped as it sets up the log's index is waited for by SQLite, for ten
        // seconds and whatever the limit of time is.
        if lock::holder_is_stopped(directory)
            && let Some(reading) = of_copy(path)
        {
            return Ok(reading);
        }
        match database::open_in_place(path).and_then(Self::of) {
            Ok(reading) => return Ok(reading),
            Err(error) if is_busy(&error) => {}
            Err(error) => return Err(LedgerError::of(path.to_owned(), error)),
        }
        let holder = lock::holder(directory);
        // To close a copied file would release the locks that this process has on it.
        let is_own = |holder: &lock::Holder| holder.pid == process::id();
        if !holder.as_ref().is_some_and(is_own) {
            for _ in 0..COPIES {
                if let Some(reading) = of_copy(path) {
                    return Ok(reading);
                }
                thread::sleep(BETWEEN);
            }
        }
        Err(LedgerError::Busy {
            path: path.to_owned(),
            holder,
        })
    }

    /// Opens the ledger in a state directory for its entries. `None` if a controller has just made
    /// it, and there are none.
    ///
    /// # Errors
    /// As [`begin`](Self::begin), and [`LedgerError::Refused`] if it has another format.
    pub(super) fn of_entries(directory: &Path, path: &Path) -> Result<Option<Self>, LedgerError> {
        let reading = Self::begin(directory, path)?;
        match reading.format {
            0 => super::may_begin(&reading, directory, path).map(|()| None),
            FORMAT => Ok(Some(reading)),
            found => Err(LedgerError::format(path, found)),
        }
    }

    /// Begins a transaction, so that all reading sees one state of the ledger.
    fn of(connection: Connection) -> rusqlite::Result<Self> {
        // Until the connection is closed.
        connection.execute_batch("BEGIN")?;
        let format = database::format(&connection)?;
        Ok(Self { connection, format })
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed
        )
    )
}

/// Reads a copy of the ledger's files. `None` unless the digests of all entries show that the copy
/// has one moment's state.
fn of_copy(path: &Path) -> Option<Reading> {
    let (_directory, copy) = copy_of(path).ok()?;
    let connection = Connection::open(&copy).ok()?;
    // Alone, the log is read without shared memory.
    connection
        .pragma_update(None, "locking_mode", "EXCLUSIVE")
        .ok()?;
    leave_log(&connection, true).ok()?;
    let reading = Reading::of(connection).ok()?;
    if reading.format == FORMAT {
        check::visit(&reading, path, |_| Ok::<_, LedgerError>(())).ok()?;
    }
    // The files are open, and need no names.
    Some(reading)
}

/// Copies the files of a ledger to a temporary directory, which is removed with the returned value.
fn copy_of(path: &Path) -> io::Result<(TempDir, PathBuf)> {
    let directory = tempfile::Builder::new().prefix("fiesta-reads-").tempdir()?;
    let copy = directory.path().join("ledger.db");
    // First what a transaction is taken back by, or what comes after the database's own pages.
    for extension in ["db-journal", "db-wal"] {
        let (from, to) = (
            path.with_extension(extension),
            copy.with_extension(extension),
        );
        match fs::copy(from, to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::copy(path, &copy)?;
    Ok((directory, copy))
}
