//! The ledger's formats: how one begins, and how one of an earlier version becomes one of this
//! version.
//!
//! | format | what is new |
//! |---|---|
//! | 1 | the first |
//! | 2 | each entry has a digest of itself and all entries before it |

use super::{check::chained, error::LedgerError};
use crate::{digest::Digest, private};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

/// The version of the ledger's format, in SQLite's `user_version`.
pub(super) const FORMAT: i64 = 2;

/// The first format.
pub(super) const FIRST: i64 = 1;

/// The first format whose entries have digests.
pub(super) const WITH_DIGESTS: i64 = 2;

const SCHEMA: &str = "
    CREATE TABLE entry (
        sequence   INTEGER PRIMARY KEY,
        at         REAL NOT NULL,
        kind       TEXT NOT NULL,
        evaluation INTEGER,
        body       TEXT NOT NULL,
        digest     INTEGER NOT NULL
    ) STRICT;";

/// From each format to the next; the first is from format 1 to format 2.
const STEPS: [fn(&Transaction<'_>) -> rusqlite::Result<()>; 1] = [add_digests];

pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "BEGIN; {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;"
    ))
}

/// Takes a ledger from its format to this version's, in one transaction; what it was is kept beside
/// it.
pub(super) fn migrate(
    connection: &mut Connection,
    path: &Path,
    from: i64,
) -> Result<(), LedgerError> {
    keep_copy(connection, path, from)?;
    take_steps(connection, from).map_err(|source| LedgerError::of(path.to_owned(), source))
}

fn take_steps(connection: &mut Connection, from: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = usize::try_from(from - 1).unwrap_or(0);
    for step in &STEPS[done..] {
        step(&transaction)?;
    }
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()
}

/// Writes what a ledger holds to a file beside it, whole and on the disk before it gets its name.
fn keep_copy(connection: &Connection, path: &Path, format: i64) -> Result<(), LedgerError> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".format-{format}"));
    let copy = PathBuf::from(&name);
    name.push(".part");
    let part = PathBuf::from(name);
    let of_file = |source| LedgerError::Copy {
        path: copy.clone(),
        source,
    };
    // SQLite fills an empty file, and would give another one more permissions. A killed controller
    // may have left one.
    private::create(&part).map_err(of_file)?;
    connection
        .execute("VACUUM INTO ?1", [part.to_string_lossy()])
        .map_err(|source| LedgerError::of(path.to_owned(), source))?;
    File::open(&part)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&part, &copy))
        .map_err(of_file)
}

/// Format 2: digests. An entry that was altered or lost among others shows.
fn add_digests(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(&format!("ALTER TABLE entry RENAME TO entry_1; {SCHEMA}"))?;
    let mut latest = Digest::default();
    let mut select = transaction
        .prepare("SELECT sequence, at, kind, evaluation, body FROM entry_1 ORDER BY sequence")?;
    let mut insert = transaction.prepare("INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (sequence, at): (i64, f64) = (row.get(0)?, row.get(1)?);
        let (kind, evaluation): (String, Option<i64>) = (row.get(2)?, row.get(3)?);
        let body: String = row.get(4)?;
        latest = chained(latest, sequence, at, &body);
        insert.execute(params![
            sequence,
            at,
            kind,
            evaluation,
            body,
            latest.number()
        ])?;
    }
    drop(rows);
    transaction.execute_batch("DROP TABLE entry_1;")
}
