//! The check that a ledger is still what was written.
//!
//! SQLite notices when its own structure is broken, and not when a digit of a score has become
//! another one. The entries are numbered without gaps, and each has a digest of itself and of the
//! digest before it.

use super::{Entry, error::LedgerError, format};
use crate::digest::Digest;
use fiesta_core::EvaluationId;
use rusqlite::{Connection, OptionalExtension, Row};
use std::path::Path;

/// The digest of an entry that comes after another.
pub(super) fn chained(before: Digest, sequence: i64, at: f64, body: &str) -> Digest {
    let mut digest = before;
    digest.add(&sequence.to_le_bytes());
    digest.add(&at.to_bits().to_le_bytes());
    digest.add(body.as_bytes());
    digest
}

/// The last entry's number and digest; zero and the first digest if there is none.
pub(super) fn latest(connection: &Connection) -> rusqlite::Result<(i64, Digest)> {
    let mut select =
        connection.prepare("SELECT sequence, digest FROM entry ORDER BY sequence DESC LIMIT 1")?;
    let mut rows = select.query([])?;
    match rows.next()? {
        Some(row) => Ok((row.get(0)?, Digest::from_number(row.get(1)?))),
        None => Ok((0, Digest::default())),
    }
}

/// SQLite's own look at its structure.
pub(super) fn structure(connection: &Connection, path: &Path) -> Result<(), LedgerError> {
    let of_database = |source| LedgerError::of(path.to_owned(), source);
    let found: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(of_database)?;
    if found == "ok" {
        return Ok(());
    }
    Err(LedgerError::Damaged {
        path: path.to_owned(),
        what: found,
    })
}

/// The entries in order, if every one of them is what was written.
pub(super) fn entries(
    connection: &Connection,
    path: &Path,
    format: i64,
) -> Result<Vec<Entry>, LedgerError> {
    let mut entries = Vec::new();
    visit(connection, path, format, |entry| {
        entries.push(entry);
        Ok::<_, LedgerError>(())
    })?;
    Ok(entries)
}

/// Hands the entries over in order, each once it is known to be what was written; all of them at
/// once would be most of a long study's memory.
pub(super) fn visit<E: From<LedgerError>>(
    connection: &Connection,
    path: &Path,
    format: i64,
    take: impl FnMut(Entry) -> Result<(), E>,
) -> Result<(), E> {
    visit_after(connection, path, format, &mut (0, Digest::default()), take)
}

/// Whether the entry with this number has this digest: the ledger still begins with what was read.
pub(super) fn begins_with(
    connection: &Connection,
    (sequence, digest): (i64, Digest),
) -> rusqlite::Result<bool> {
    if sequence == 0 {
        return Ok(true);
    }
    let found: Option<i64> = connection
        .query_row(
            "SELECT digest FROM entry WHERE sequence = ?1",
            [sequence],
            |row| row.get(0),
        )
        .optional()?;
    Ok(found == Some(digest.number()))
}

/// How many entries there are of evaluations that ended.
pub(super) fn endings(connection: &Connection) -> rusqlite::Result<u64> {
    let select = "SELECT COUNT(*) FROM entry WHERE kind IN ('ended', 'recorded')";
    let count: i64 = connection.query_row(select, [], |row| row.get(0))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

/// As [`visit`], of the entries after the one with this number and this digest; they become those of
/// the last entry that was taken.
pub(super) fn visit_after<E: From<LedgerError>>(
    connection: &Connection,
    path: &Path,
    format: i64,
    read_so_far: &mut (i64, Digest),
    mut take: impl FnMut(Entry) -> Result<(), E>,
) -> Result<(), E> {
    let of_database = |source| LedgerError::of(path.to_owned(), source);
    let damaged = |what| LedgerError::Damaged {
        path: path.to_owned(),
        what,
    };
    let has_digests = format >= format::WITH_DIGESTS;
    let digest = if has_digests { "digest" } else { "NULL" };
    let mut select = connection
        .prepare(&format!(
            "SELECT sequence, at, kind, evaluation, body, {digest} FROM entry \
             WHERE sequence > ?1 ORDER BY sequence"
        ))
        .map_err(of_database)?;
    let mut rows = select.query([read_so_far.0]).map_err(of_database)?;
    while let Some(row) = rows.next().map_err(of_database)? {
        let expected = read_so_far.0 + 1;
        let sequence: i64 = row.get(0).map_err(of_database)?;
        if sequence != expected {
            return Err(damaged(format!("entry {expected} is missing")).into());
        }
        let of_entry = |what: &str| damaged(format!("entry {sequence} {what}"));
        let read =
            Written::read(row).map_err(|error| of_entry(&format!("is unreadable: {error}")))?;
        let latest = chained(read_so_far.1, sequence, read.at, &read.body);
        if has_digests && read.digest != Some(latest.number()) {
            return Err(of_entry("is not what was written").into());
        }
        let entry: Entry = serde_json::from_str(&read.body)
            .map_err(|error| of_entry(&format!("is unreadable: {error}")))?;
        if read.kind != entry.kind() || read.evaluation != of_evaluation(&entry) {
            return Err(of_entry("contradicts itself").into());
        }
        take(entry)?;
        *read_so_far = (sequence, latest);
    }
    Ok(())
}

/// The entries about one evaluation, in order, and how many evaluations there are.
pub(super) fn of_one(
    connection: &Connection,
    path: &Path,
    evaluation: EvaluationId,
) -> Result<(Vec<Entry>, u64), LedgerError> {
    let read = || {
        // What sets all evaluations of an arm aside is about this one, too.
        let mut select = connection.prepare(
            "SELECT body FROM entry WHERE evaluation = ?1 OR kind = 'set-aside' ORDER BY sequence",
        )?;
        let bodies = select.query_map([i64::try_from(evaluation.0).ok()], |row| row.get(0))?;
        let bodies: Vec<String> = bodies.collect::<rusqlite::Result<_>>()?;
        let last: Option<i64> =
            connection.query_row("SELECT MAX(evaluation) FROM entry", [], |row| row.get(0))?;
        let count = last.and_then(|last| u64::try_from(last + 1).ok());
        Ok((bodies, count.unwrap_or(0)))
    };
    let (bodies, count) = read().map_err(|source| LedgerError::of(path.to_owned(), source))?;
    let parse = |body: &String| {
        serde_json::from_str(body).map_err(|error| LedgerError::Damaged {
            path: path.to_owned(),
            what: format!(
                "an entry of evaluation {} is unreadable: {error}",
                evaluation.0 + 1
            ),
        })
    };
    let entries = bodies.iter().map(parse).collect::<Result<_, _>>()?;
    Ok((entries, count))
}

/// The evaluation that an entry is about, as a column has it.
pub(super) fn of_evaluation(entry: &Entry) -> Option<i64> {
    entry.evaluation().and_then(|id| i64::try_from(id.0).ok())
}

/// A row of the table.
struct Written {
    at: f64,
    kind: String,
    evaluation: Option<i64>,
    body: String,
    digest: Option<i64>,
}

impl Written {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            at: row.get(1)?,
            kind: row.get(2)?,
            evaluation: row.get(3)?,
            body: row.get(4)?,
            digest: row.get(5)?,
        })
    }
}
