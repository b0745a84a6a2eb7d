//! Reading of other tools' SQLite databases: no query in them is run, and time and memory are bounded.
//!
//! A schema may hold queries (views, triggers), functions and virtual tables. None of these is
//! touched: views and triggers are off, the schema is not trusted, tables are taken only if they have
//! pages of their own. What remains takes time with the product of the tables' sizes at most; a
//! handler looks at the clock meanwhile.

use crate::{Result, Tool, error::refused, ragged::Full};
use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig, limits::Limit};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Longest wait for another process's transaction on the database.
const BUSY: Duration = Duration::from_secs(10);

/// Longest duration of all reading of a database together.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Steps of SQLite's machine between two looks at the clock: less than a millisecond.
const STEPS: i32 = 10_000;

/// Length of the longest text that is read from a database, in bytes: 64 MiB.
const LONGEST: i32 = 64 << 20;

/// Opens another tool's database, read-only. Reading may last `patience` in all.
pub(crate) fn open(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
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

/// Returns whether a database has an ordinary table of this name: no view, no virtual table.
pub(crate) fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name = ? COLLATE NOCASE)";
    connection.query_row(query, [name], |row| row.get(0))
}

/// Refuses a database in which one of these tables is a view or a virtual table, which would run
/// code. `writer` is the tool that writes tables.
pub(crate) fn check_tables(
    connection: &Connection,
    tables: &[&str],
    writer: &str,
    file: &str,
) -> Result<()> {
    for name in tables {
        let is_false = has_false_table(connection, name);
        let unread = |error| refused(format!("{file}: {}", reason(&error, PATIENCE)));
        if is_false.map_err(unread)? {
            return Err(refused(format!(
                "{file}: `{name}` is a view or a virtual table, which runs whatever it holds, and a table in every storage that {writer} writes: this is not read"
            )));
        }
    }
    Ok(())
}

/// Returns whether a database has a view or a virtual table of this name, and no ordinary table.
fn has_false_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE (type = 'view' OR type = 'table' AND rootpage = 0) AND name = ? COLLATE NOCASE)";
    connection.query_row(query, [name], |row| row.get(0))
}

/// Returns why a database could not be read, with what to do.
pub(crate) fn reason(error: &rusqlite::Error, patience: Duration) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => format!(
            "reading it took longer than {} s, and was given up: the tool's own database has indexes, by which it is read at once; this one lacks them, or has too many rows",
            patience.as_secs()
        ),
        // What SQLite quotes of a database may have several lines.
        _ => error.to_string().replace(char::is_control, " "),
    }
}

/// Returns the error about a database whose texts take more memory than the limit.
pub(crate) fn full(full: Full) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(full))
}

/// Returns the tool that wrote a database, by its tables. Optuna, unless they are MLflow's.
pub(crate) fn tool_of(path: &Path) -> Tool {
    let is_mlflow = open(path, PATIENCE).and_then(|connection| {
        Ok(has_table(&connection, "latest_metrics")? && has_table(&connection, "experiments")?)
    });
    match is_mlflow {
        Ok(true) => Tool::Mlflow,
        _ => Tool::Optuna,
    }
}
