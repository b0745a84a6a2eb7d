//! The archive of a study: what the directories of ended runs held, compressed into one file beside
//! the ledger.
//!
//! A run is a row of the table `run`: its name, and where its files are in a piece. A piece is the
//! files of some runs, one run after another, compressed together by zlib, since runs of a study
//! resemble each other; `RunFiles` says how the files of one run are written. What a batch holds is
//! on the disk when `Batch::commit` returns, all of it or nothing.

mod files;

pub(crate) use files::RunFiles;

use crate::{
    database::{self, format, is_blank},
    private,
    shortage::{is_full, may_lack_room},
};
use miniz_oxide::{deflate::compress_to_vec_zlib, inflate::decompress_to_vec_zlib_with_limit};
use rusqlite::{
    Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The version of the archive's format, in SQLite's `user_version`.
const FORMAT: i64 = 1;

const SCHEMA: &str = "
    CREATE TABLE piece (
        id      INTEGER PRIMARY KEY,
        length  INTEGER NOT NULL,
        content BLOB NOT NULL
    ) STRICT;
    CREATE TABLE run (
        name   TEXT PRIMARY KEY,
        piece  INTEGER NOT NULL,
        start  INTEGER NOT NULL,
        length INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;";

/// A piece is compressed and written when it has this many bytes: enough for what runs have in
/// common, and little to read for one run.
const PIECE: usize = 256 << 10;

/// The level of compression that zlib calls its fastest but one; what runs have in common is found
/// by it as well.
const LEVEL: u8 = 2;

/// An open archive.
#[derive(Debug)]
pub(crate) struct Archive {
    connection: Connection,
    path: PathBuf,
}

impl Archive {
    /// Opens the archive in a study's state directory to add runs to it; creates it if there is
    /// none. Only the holder of the ledger may.
    pub(crate) fn open(directory: &Path) -> Result<Self, ArchiveError> {
        let path = file(directory);
        match private::create_new(&path) {
            Err(source) if source.kind() != io::ErrorKind::AlreadyExists => {
                return Err(ArchiveError::File { path, source });
            }
            _ => {}
        }
        let of_database = |source| ArchiveError::of(&path, source);
        let (connection, _) = database::open(directory, &led_to(&path)).map_err(of_database)?;
        connection
            .pragma_update(None, "synchronous", "FULL")
            .map_err(of_database)?;
        if format(&connection).map_err(of_database)? == 0 {
            let begin = format!("BEGIN; {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;");
            connection.execute_batch(&begin).map_err(of_database)?;
        }
        check_format(&connection, &path)?;
        database::leave_log(&connection, false).map_err(of_database)?;
        Ok(Self { connection, path })
    }

    /// Opens the archive to read it, also while runs are added to it; none if there is none.
    pub(crate) fn open_to_read(directory: &Path) -> Result<Option<Self>, ArchiveError> {
        let path = file(directory);
        // One that was being created when its controller was killed holds nothing.
        if path.metadata().map_or(true, |file| file.len() == 0) {
            return Ok(None);
        }
        let connection = database::open_in_place(&led_to(&path))
            .map_err(|source| ArchiveError::of(&path, source))?;
        let is_blank = is_blank(&connection).map_err(|source| ArchiveError::of(&path, source))?;
        if is_blank {
            return Ok(None);
        }
        check_format(&connection, &path)?;
        Ok(Some(Self { connection, path }))
    }

    /// Begins a batch of runs.
    pub(crate) fn begin(&mut self) -> Result<Batch<'_>, ArchiveError> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior);
        Ok(Batch {
            transaction: transaction.map_err(|source| ArchiveError::of(&self.path, source))?,
            path: &self.path,
            piece: Vec::new(),
            places: Vec::new(),
            written: 0,
        })
    }

    /// What the directory of a run held; none if the archive does not have it.
    pub(crate) fn get(&self, name: &str) -> Result<Option<RunFiles>, ArchiveError> {
        get(&self.connection, &self.path, name)
    }

    /// The names of all runs, in no order.
    pub(crate) fn names(&self) -> Result<Vec<String>, ArchiveError> {
        let names = || -> rusqlite::Result<Vec<String>> {
            let mut select = self.connection.prepare("SELECT name FROM run")?;
            select.query_map([], |row| row.get(0))?.collect()
        };
        names().map_err(|source| ArchiveError::of(&self.path, source))
    }
}

fn get(connection: &Connection, path: &Path, name: &str) -> Result<Option<RunFiles>, ArchiveError> {
    let place = || {
        let mut select = connection.prepare_cached(
            "SELECT piece.length, content, start, run.length \
             FROM run LEFT JOIN piece ON piece.id = run.piece WHERE name = ?1",
        )?;
        let place = select.query_row([name], |row| {
            Ok(Place {
                whole: row.get(0)?,
                content: row.get(1)?,
                start: row.get(2)?,
                length: row.get(3)?,
            })
        });
        place.optional()
    };
    let Some(place) = place().map_err(|source| ArchiveError::of(path, source))? else {
        return Ok(None);
    };
    match place.files() {
        Some(files) => Ok(Some(files)),
        None => Err(ArchiveError::Damaged {
            path: path.to_owned(),
            what: format!("the files of the run {name} are not what was written"),
        }),
    }
}

/// Where the files of a run are: in a piece of which this is the length and the compressed content.
struct Place {
    whole: Option<i64>,
    content: Option<Vec<u8>>,
    start: i64,
    length: i64,
}

impl Place {
    /// The files, if they are what was written.
    fn files(&self) -> Option<RunFiles> {
        let whole = usize::try_from(self.whole?).ok()?;
        let start = usize::try_from(self.start).ok()?;
        let end = start.checked_add(usize::try_from(self.length).ok()?)?;
        let piece = decompress_to_vec_zlib_with_limit(self.content.as_ref()?, whole).ok()?;
        RunFiles::decode(piece.get(start..end)?)
    }
}

/// Runs that are added to the archive together. Nothing is added if this is dropped before it is
/// committed.
pub(crate) struct Batch<'a> {
    transaction: Transaction<'a>,
    path: &'a Path,
    /// The piece that is being filled.
    piece: Vec<u8>,
    /// The runs in it: name, start and length.
    places: Vec<(String, usize, usize)>,
    written: usize,
}

impl Batch<'_> {
    /// Adds a run, in place of an earlier one of its name. What a power cut may have left of a
    /// directory that was packed and removed takes no such place.
    pub(crate) fn add(&mut self, name: &str, files: &RunFiles) -> Result<(), ArchiveError> {
        if files.end().is_none()
            && let Some(earlier) = get(&self.transaction, self.path, name)?
            && earlier.end().is_some()
        {
            return Ok(());
        }
        let start = self.piece.len();
        files.encode(&mut self.piece);
        let length = self.piece.len() - start;
        self.places.push((name.to_owned(), start, length));
        self.written += length;
        if self.piece.len() >= PIECE {
            self.write_piece()
                .map_err(|source| ArchiveError::of(self.path, source))?;
        }
        Ok(())
    }

    /// How many bytes were added, before they were compressed.
    pub(crate) fn bytes(&self) -> usize {
        self.written
    }

    /// Writes what was added to the disk.
    pub(crate) fn commit(mut self) -> Result<(), ArchiveError> {
        self.write_piece()
            .and_then(|()| self.transaction.commit())
            .map_err(|source| ArchiveError::of(self.path, source))
    }

    fn write_piece(&mut self) -> rusqlite::Result<()> {
        if self.places.is_empty() {
            return Ok(());
        }
        let content = compress_to_vec_zlib(&self.piece, LEVEL);
        self.transaction
            .prepare_cached("INSERT INTO piece (length, content) VALUES (?1, ?2)")?
            .execute(params![number(self.piece.len()), content])?;
        let piece = self.transaction.last_insert_rowid();
        let mut insert = self
            .transaction
            .prepare_cached("INSERT OR REPLACE INTO run VALUES (?1, ?2, ?3, ?4)")?;
        for (name, start, length) in self.places.drain(..) {
            insert.execute(params![name, piece, number(start), number(length)])?;
        }
        self.piece.clear();
        Ok(())
    }
}

/// Why the archive of ended runs cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The archive's file cannot be created.
    #[error("cannot create the archive of ended runs {}: {source}", path.display())]
    File {
        /// The archive's file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// SQLite returned an error.
    #[error("the archive of ended runs {}: {source}", path.display())]
    Database {
        /// The archive's file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The archive was written by a later version.
    #[error(
        "the archive of ended runs {} has format {found}, which this program does not know: use the version of fiesta that wrote it",
        path.display()
    )]
    Format {
        /// The archive's file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// What is in the file is not what was written.
    #[error(
        "the archive of ended runs {} is damaged: {what}; it is left as it is. Put a copy of it back, or move it away if there is none: \
         scores and decisions are in the ledger, and only what the packed runs printed is lost",
        path.display()
    )]
    Damaged {
        /// The archive's file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl ArchiveError {
    /// An error of the database, in our words where they are clearer.
    pub(super) fn of(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match database::damage(&source) {
            Some(what) => Self::Damaged { path, what },
            None => Self::Database { path, source },
        }
    }

    /// Whether it may be gone when the disk has room again, or another program has finished.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::File { source, .. } => is_full(source),
            Self::Database { path, source } => match source.sqlite_error_code() {
                Some(
                    ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::SystemIoFailure,
                ) => true,
                // Its journal cannot be created.
                Some(ErrorCode::CannotOpen) => path.parent().is_some_and(may_lack_room),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Whether a study has packed any runs.
pub(crate) fn exists(directory: &Path) -> bool {
    file(directory).exists()
}

/// A length as SQLite has it.
fn number(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// The archive's file in a state directory.
fn file(directory: &Path) -> PathBuf {
    directory.join("runs.db")
}

/// The archive itself, which may be the largest file of a study: its name may be a link to a larger
/// disk, on which it need not be yet.
fn led_to(path: &Path) -> PathBuf {
    let directory = path.parent().unwrap_or(path);
    fs::read_link(path).map_or_else(|_| path.to_owned(), |target| directory.join(target))
}

fn check_format(connection: &Connection, path: &Path) -> Result<(), ArchiveError> {
    let path = path.to_owned();
    match format(connection) {
        Ok(FORMAT) => Ok(()),
        Ok(0) => Err(ArchiveError::Damaged {
            path,
            what: "it holds no runs, or something else".to_owned(),
        }),
        Ok(found) => Err(ArchiveError::Format { path, found }),
        Err(source) => Err(ArchiveError::of(&path, source)),
    }
}

#[cfg(test)]
mod tests;
