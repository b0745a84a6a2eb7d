//! Packed runs: what the directories of ended runs held, in a table of the ledger's database.
//!
//! | row of `packed` | `run` | `piece` | `content` |
//! |---|---|---|---|
//! | a piece | null | null | files of some runs, one run after another, compressed by zlib |
//! | a run | its name | `id` of its piece | null |
//!
//! Runs of a study resemble each other, so that a piece is a small part of what its runs are when
//! each is compressed by itself. In a piece, a run is a line of JSON with its name and the name and length of each
//! file, then the contents of these files. The table is made when the first run is packed. Whoever
//! reads the ledger's entries does not read the table.

use super::{Ledger, LedgerError, file, read::Reading};
use crate::{
    database::{BUSY, BUSY_READER, FULL, damage},
    run::RunFiles,
};
use miniz_oxide::{deflate::compress_to_vec_zlib, inflate::decompress_to_vec_zlib_with_limit};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::path::Path;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS packed (
        id      INTEGER PRIMARY KEY,
        run     TEXT UNIQUE,
        piece   INTEGER,
        content BLOB
    ) STRICT;";

/// Size, in bytes, from which a piece of packed runs is full. Larger pieces compress better,
/// smaller ones let one run be read faster.
const FULL_FROM: usize = 256 << 10;
/// Largest size, in bytes, to which a piece is unpacked: a full piece and the largest run.
const LARGEST: usize = 32 << 20;
/// Compression level of packed runs, the second fastest of zlib. Text that runs have in common is
/// found by it as well.
const LEVEL: u8 = 2;

/// Header of a packed run, before the contents of its files: the run's name, then the name and the
/// length in bytes of each file.
type Head = (String, Vec<(String, usize)>);

/// Runs that are compressed together.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    runs: Vec<String>,
    bytes: Vec<u8>,
}

impl Piece {
    /// Adds a run with its files to the piece.
    pub(crate) fn add(&mut self, run: &str, files: &RunFiles) {
        let length = |(name, content): &(String, Vec<u8>)| (name.clone(), content.len());
        let head: Head = (run.to_owned(), files.0.iter().map(length).collect());
        self.bytes
            .extend(serde_json::json!(&head).to_string().bytes());
        self.bytes.push(b'\n');
        for (_, content) in &files.0 {
            self.bytes.extend(content);
        }
        self.runs.push(head.0);
    }

    /// Whether the piece is full, so that no further run is added.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.len() >= FULL_FROM
    }

    /// Compresses the files, to be written by [`Ledger::pack`].
    pub(crate) fn compressed(self) -> Self {
        Self {
            bytes: compress_to_vec_zlib(&self.bytes, LEVEL),
            ..self
        }
    }
}

impl Ledger {
    /// Adds a compressed piece to the ledger. On return, its runs can be read, and they are on the
    /// disk with all earlier entries. A run that is packed already stays as it is.
    ///
    /// # Errors
    /// [`LedgerError`] if the piece cannot be written, or the ledger's file has been replaced. The
    /// directories of the runs still have all files then.
    pub(crate) fn pack(&mut self, piece: &Piece) -> Result<(), LedgerError> {
        // Packing can wait; the jobs of the study cannot.
        let written = (self.connection.busy_timeout(BUSY_READER))
            .and_then(|()| insert(&mut self.connection, piece));
        let restored = self.connection.busy_timeout(BUSY);
        written
            .and(restored)
            .map_err(|source| of_database(&self.path, source))?;
        self.is_in_place(0)
    }

    /// Returns the files of a packed run, also while the study runs. `None` if no run of this name
    /// is packed.
    ///
    /// # Errors
    /// [`LedgerError::Packed`] if they are not what was written; otherwise as
    /// [`read`](Self::read).
    pub(crate) fn packed(directory: &Path, run: &str) -> Result<Option<RunFiles>, LedgerError> {
        let path = file(directory);
        let reading = Reading::begin(directory, &path)?;
        let found = piece_of(&reading, run).map_err(|source| of_database(&path, source))?;
        let Some(content) = found else {
            return Ok(None);
        };
        let files = files_of(run, &content);
        files.map(Some).ok_or_else(|| LedgerError::Packed {
            path,
            what: format!("the files of the run {run} are not what was written"),
        })
    }
}

fn insert(connection: &mut Connection, piece: &Piece) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", FULL)?;
    let behavior = TransactionBehavior::Immediate;
    let transaction = connection.transaction_with_behavior(behavior)?;
    transaction.execute_batch(SCHEMA)?;
    transaction
        .prepare_cached("INSERT INTO packed (content) VALUES (?1)")?
        .execute([&piece.bytes])?;
    let id = transaction.last_insert_rowid();
    {
        let mut insert = transaction
            .prepare_cached("INSERT OR IGNORE INTO packed (run, piece) VALUES (?1, ?2)")?;
        for run in &piece.runs {
            insert.execute(params![run, id])?;
        }
    }
    transaction.commit()
}

/// Returns the piece that has a run, empty if it is missing. `None` if the run is not packed.
fn piece_of(connection: &Connection, run: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    if !connection.table_exists(None, "packed")? {
        return Ok(None);
    }
    let select = "SELECT ifnull(piece.content, x'') FROM packed AS run \
                  LEFT JOIN packed AS piece ON piece.id = run.piece WHERE run.run = ?1";
    let content = connection.query_row(select, [run], |row| row.get(0));
    content.optional()
}

/// Extracts the files of a run from a piece. `None` if the piece is damaged, or lacks the run.
fn files_of(run: &str, content: &[u8]) -> Option<RunFiles> {
    let bytes = decompress_to_vec_zlib_with_limit(content, LARGEST).ok()?;
    let mut rest = bytes.as_slice();
    loop {
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let (name, lengths): Head = serde_json::from_slice(&rest[..end]).ok()?;
        rest = &rest[end + 1..];
        let mut files = Vec::with_capacity(lengths.len());
        for (name, length) in lengths {
            let (content, others) = rest.split_at_checked(length)?;
            files.push((name, content.to_vec()));
            rest = others;
        }
        if name == run {
            return Some(RunFiles(files));
        }
    }
}

/// Makes an error of the database. Damage among packed runs does not concern the ledger's entries.
fn of_database(path: &Path, source: rusqlite::Error) -> LedgerError {
    let path = path.to_owned();
    match damage(&source) {
        Some(what) => LedgerError::Packed { path, what },
        None => LedgerError::of(path, source),
    }
}

#[cfg(test)]
mod tests;
