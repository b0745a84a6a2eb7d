//! Format of the ledger: its version, and the table with which a ledger begins.

use rusqlite::Connection;

/// The version of the ledger's format, in SQLite's `user_version`.
pub(super) const FORMAT: i64 = 2;

const SCHEMA: &str = "
    CREATE TABLE entry (
        sequence   INTEGER PRIMARY KEY,
        at         REAL NOT NULL,
        kind       TEXT NOT NULL,
        evaluation INTEGER,
        body       TEXT NOT NULL,
        digest     INTEGER NOT NULL
    ) STRICT;";

pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "BEGIN; {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;"
    ))
}
