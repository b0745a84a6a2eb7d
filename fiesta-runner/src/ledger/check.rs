//! The check that the entries of a ledger are those that were written.
//!
//! SQLite notices damage of its own structure, but not that a digit of a score has changed. The
//! entries are numbered without gaps, and each has a digest of itself and of the digest before it.

use super::{
    Entry,
    damage::{Damage, Left},
    error::LedgerError,
};
use crate::digest::Digest;
use fiesta_core::EvaluationId;
use rusqlite::{Connection, OptionalExtension, Row, ffi::SQLITE_IOERR};
use std::{ffi::c_int, path::Path};

/// Returns the digest of an entry that follows the entry with the digest `before`.
pub(super) fn chained(before: Digest, sequence: i64, at: f64, body: &str) -> Digest {
    let mut digest = before;
    digest.add(&sequence.to_le_bytes());
    digest.add(&at.to_bits().to_le_bytes());
    digest.add(body.as_bytes());
    digest
}

/// Returns the last entry's number and digest. Without any entry, 0 and the initial digest.
pub(super) fn latest(connection: &Connection) -> rusqlite::Result<(i64, Digest)> {
    let mut select =
        connection.prepare("SELECT sequence, digest FROM entry ORDER BY sequence DESC LIMIT 1")?;
    let mut rows = select.query([])?;
    match rows.next()? {
        Some(row) => Ok((row.get(0)?, Digest::from_number(row.get(1)?))),
        None => Ok((0, Digest::default())),
    }
}

/// Lets SQLite check the structure of the table of entries. Packed runs, which may be large, are
/// left out.
pub(super) fn structure(connection: &Connection, path: &Path) -> Result<(), LedgerError> {
    let of_database = |source| LedgerError::of(path.to_owned(), source);
    for table in ["sqlite_schema", "entry"] {
        let look = format!("PRAGMA quick_check({table})");
        let what: String = connection
            .query_row(&look, [], |row| row.get(0))
            .map_err(of_database)?;
        if what != "ok" {
            let path = path.to_owned();
            return Err(match unread(&what) {
                Some(source) => LedgerError::Database { path, source },
                None => LedgerError::Damaged { path, what },
            });
        }
    }
    Ok(())
}

/// Returns the error of the disk that kept SQLite from checking a page. `None` if it has read all pages.
fn unread(what: &str) -> Option<rusqlite::Error> {
    let mut codes = what.split("error code=").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit());
        rest[..end.unwrap_or(rest.len())].parse().ok()
    });
    let code = codes.find(|code: &c_int| code & 0xff == SQLITE_IOERR)?;
    let error = rusqlite::ffi::Error::new(code);
    Some(rusqlite::Error::SqliteFailure(error, None))
}

/// Passes the entries to `take` in order, each after its check. A list of all entries would need
/// much of a long study's memory.
pub(super) fn visit<E: From<LedgerError>>(
    connection: &Connection,
    path: &Path,
    take: impl FnMut(Entry) -> Result<(), E>,
) -> Result<(), E> {
    visit_after(connection, path, &mut (0, Digest::default()), take)
}

/// Whether the ledger still begins with the entries that were read, up to this number and digest.
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

/// Returns the number of entries on evaluations that ended.
pub(super) fn endings(connection: &Connection) -> rusqlite::Result<u64> {
    let select = "SELECT COUNT(*) FROM entry WHERE kind IN ('ended', 'recorded')";
    let count: i64 = connection.query_row(select, [], |row| row.get(0))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

/// Visits the entries after a given number and digest, as [`visit`] does. Updates both to those of
/// the last entry that `take` accepted.
pub(super) fn visit_after<E: From<LedgerError>>(
    connection: &Connection,
    path: &Path,
    read_so_far: &mut (i64, Digest),
    mut take: impl FnMut(Entry) -> Result<(), E>,
) -> Result<(), E> {
    walk(connection, path, read_so_far, |found| match found {
        Ok((_, entry)) => take(entry),
        Err(damage) => Err(damaged(path, &damage).into()),
    })
}

/// Reads the good entries of a ledger in which others are missing, altered or unreadable.
pub(super) fn what_is_left(connection: &Connection, path: &Path) -> Result<Left, LedgerError> {
    let mut left = Left::default();
    let begin = &mut (0, Digest::default());
    walk(connection, path, begin, |found| {
        left.add(found);
        Ok::<_, LedgerError>(())
    })?;
    Ok(left)
}

/// Makes the error for callers that need an undamaged ledger.
fn damaged(path: &Path, damage: &Damage) -> LedgerError {
    LedgerError::Damaged {
        path: path.to_owned(),
        what: format!(
            "{damage} (`fiesta status`, `report`, `export` and `log` show what can be read)"
        ),
    }
}

/// Digest of the previous entry, which the digest of an entry includes.
enum Before {
    /// The previous entry has the first digest. If that entry is altered, the digest stored with it
    /// is the second.
    Known(Digest, Option<Digest>),
    /// Entries before this one are missing, and their digests are not known.
    Unknown,
}

impl Before {
    /// Reads the next entry and its digest from a row, and sets `self` for the entry after it.
    fn read(&mut self, sequence: i64, row: &Row<'_>) -> Result<(Entry, Digest), Damage> {
        let read = match Written::read(row) {
            Ok(read) => read,
            Err(error) => {
                *self = Self::Unknown;
                return Err(Damage::unreadable(sequence, row, &error));
            }
        };
        let written = Digest::from_number(read.digest);
        let of = |before| chained(before, sequence, read.at, &read.body);
        let (own, is_written) = match self {
            Self::Known(before, other) => {
                let is_written = |&before: &Digest| of(before) == written;
                let is_other = other.as_ref().is_some_and(is_written);
                (of(*before), is_written(before) || is_other)
            }
            Self::Unknown => (written, true),
        };
        if !is_written {
            *self = Self::Known(own, Some(written));
            return Err(Damage::of(sequence, &read, "is not what was written"));
        }
        *self = Self::Known(written, None);
        Ok((read.entry(sequence)?, written))
    }
}

/// Passes the entries after a given number and digest to `take`, or the damage in their places.
/// Updates both to those of the last entry, until the first damage.
fn walk<E: From<LedgerError>>(
    connection: &Connection,
    path: &Path,
    read_so_far: &mut (i64, Digest),
    mut take: impl FnMut(Result<(i64, Entry), Damage>) -> Result<(), E>,
) -> Result<(), E> {
    let of_database = |source| LedgerError::of(path.to_owned(), source);
    let select = format!("{SELECT} WHERE sequence > ?1 ORDER BY sequence");
    let mut select = connection.prepare(&select).map_err(of_database)?;
    let mut rows = select.query([read_so_far.0]).map_err(of_database)?;
    let mut before = Before::Known(read_so_far.1, None);
    let mut expected = read_so_far.0 + 1;
    let mut is_whole = true;
    while let Some(row) = rows.next().map_err(of_database)? {
        let sequence: i64 = row.get(0).map_err(of_database)?;
        if sequence != expected {
            is_whole = false;
            take(Err(Damage::missing(expected, sequence)))?;
            before = Before::Unknown;
        }
        expected = sequence + 1;
        match before.read(sequence, row) {
            Ok((entry, digest)) => {
                take(Ok((sequence, entry)))?;
                if is_whole {
                    *read_so_far = (sequence, digest);
                }
            }
            Err(damage) => {
                is_whole = false;
                take(Err(damage))?;
            }
        }
    }
    Ok(())
}

/// Reads the entries about one evaluation, in order, and the number of evaluations. Digests are not
/// checked.
pub(super) fn of_one(
    connection: &Connection,
    path: &Path,
    evaluation: EvaluationId,
) -> Result<(Left, u64), LedgerError> {
    let of_database = |source| LedgerError::of(path.to_owned(), source);
    let mut left = Left::default();
    // What sets all evaluations of an arm aside is about this one, too.
    let select = format!("{SELECT} WHERE evaluation = ?1 OR kind = 'set-aside' ORDER BY sequence");
    let mut select = connection.prepare(&select).map_err(of_database)?;
    let mut rows = select
        .query([i64::try_from(evaluation.0).ok()])
        .map_err(of_database)?;
    while let Some(row) = rows.next().map_err(of_database)? {
        let sequence: i64 = row.get(0).map_err(of_database)?;
        let read = Written::read(row);
        let read = read.map_err(|error| Damage::unreadable(sequence, row, &error));
        left.add(read.and_then(|read| Ok((sequence, read.entry(sequence)?))));
    }
    let last = "SELECT MAX(evaluation) FROM entry";
    let last: Option<i64> = connection
        .query_row(last, [], |row| row.get(0))
        .map_err(of_database)?;
    let count = last.and_then(|last| u64::try_from(last + 1).ok());
    Ok((left, count.unwrap_or(0)))
}

/// Returns the evaluation that an entry is about, as a number for the database's column.
pub(super) fn of_evaluation(entry: &Entry) -> Option<i64> {
    entry.evaluation().and_then(|id| i64::try_from(id.0).ok())
}

/// SQL that selects rows of the table, as [`Written::read`] reads them.
const SELECT: &str = "SELECT sequence, at, kind, evaluation, body, digest FROM entry";

/// A row of the ledger's table.
pub(super) struct Written {
    at: f64,
    pub(super) kind: String,
    pub(super) evaluation: Option<i64>,
    body: String,
    digest: i64,
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

    /// Parses the entry of the row, and checks it against the row's other columns.
    fn entry(&self, sequence: i64) -> Result<Entry, Damage> {
        let wrong = |what: &str| Damage::of(sequence, self, what);
        let entry: Entry = serde_json::from_str(&self.body)
            .map_err(|error| wrong(&format!("is unreadable: {error}")))?;
        if self.kind == entry.kind() && self.evaluation == of_evaluation(&entry) {
            Ok(entry)
        } else {
            Err(wrong("contradicts itself"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that a page which the disk failed to read is no damage.
    #[test]
    fn what_could_not_be_read_is_told_from_damage() {
        let of_page = |code| {
            format!(
                "*** in database main ***\nTree 2 page 3: unable to get the page. error code={code}"
            )
        };
        let codes = [of_page(8458), of_page(266)].map(|what| {
            let error = unread(&what).unwrap();
            error.sqlite_error().unwrap().extended_code
        });
        assert_eq!(codes, [8458, 266]);
        // SQLITE_CORRUPT, and findings without any code.
        for what in [&*of_page(11), "row 4 missing from index of_evaluation"] {
            assert!(unread(what).is_none(), "{what}");
        }
    }
}
