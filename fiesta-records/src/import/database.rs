//! SQLite databases of others: nothing that they hold is run, and what is read of them has a bound.
//!
//! A schema may hold queries (views, triggers), functions and virtual tables. None of these is
//! touched: views and triggers are off, the schema is not trusted, tables are taken only if they have
//! pages of their own. What remains takes time with the product of the tables' sizes at most; a
//! handler looks at the clock meanwhile.

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig, limits::Limit};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Longest wait for another process's transaction on the database.
const BUSY: Duration = Duration::from_secs(10);

/// Longest duration of all reading of a database together.
pub(super) const PATIENCE: Duration = Duration::from_mins(2);

/// Steps of SQLite's machine between two looks at the clock: less than a millisecond.
const STEPS: i32 = 10_000;

/// No text of a database may be longer, in bytes: 64 MiB.
const LONGEST: i32 = 64 << 20;

/// No more bytes of texts than this are kept of a database: 1 GiB.
const ROOM: usize = 1 << 30;

/// Opens another tool's database for reading, which may last this long.
pub(super) fn open(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    for (setting, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    ] {
        connection.set_db_config(setting, is_on)?;
    }
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    ] {
        connection.set_limit(limit, most)?;
    }
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    let end = Instant::now() + patience;
    connection.progress_handler(STEPS, Some(move || Instant::now() > end))?;
    Ok(connection)
}

/// Whether a database has a table of this name with pages of its own: no view, no virtual table.
pub(super) fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name = ? COLLATE NOCASE)";
    connection.query_row(query, [name], |row| row.get(0))
}

/// Whether a database has anything of this name that is no table with pages of its own.
pub(super) fn has_false_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE (type = 'view' OR type = 'table' AND rootpage = 0) AND name = ? COLLATE NOCASE)";
    connection.query_row(query, [name], |row| row.get(0))
}

/// Why a database could not be read, in words with what to do.
pub(super) fn reason(error: &rusqlite::Error, patience: Duration) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => format!(
            "reading it took longer than {} s, and was given up: a storage of Optuna has indexes, by which it is read at once; this database lacks them, or has too many rows",
            patience.as_secs()
        ),
        _ => error.to_string(),
    }
}

/// The room for texts of a database, in bytes.
pub(super) struct Room {
    /// Room that is left, in bytes.
    left: usize,
}

/// A database has more than is kept of one.
#[derive(Debug, thiserror::Error)]
#[error(
    "it has more than {} GiB of texts, which are kept in memory: name fewer studies with --study",
    ROOM >> 30
)]
struct Full;

impl Room {
    pub(super) fn new() -> Self {
        Self { left: ROOM }
    }

    /// Takes room for a text and its overhead.
    pub(super) fn take(&mut self, bytes: usize) -> rusqlite::Result<()> {
        let full = || rusqlite::Error::ToSqlConversionFailure(Box::new(Full));
        self.left = self.left.checked_sub(bytes).ok_or_else(full)?;
        Ok(())
    }
}
