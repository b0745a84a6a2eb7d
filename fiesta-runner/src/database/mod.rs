//! The SQLite databases that studies write, the ledger and the cache of answers: their journals by
//! what the disk under them can do.
//!
//! A write-ahead log needs memory that every process on the file shares, which only a local disk
//! has. Anywhere else a database has a rollback journal: slower, and right. A study that is moved
//! from one to the other is adapted when it is next opened.

use crate::private;
use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};
use rustix::fs::statfs;
use std::{fs, io::Read, path::Path, time::Duration};

/// Longest wait of a writer for another process's transaction, or for readers.
pub(crate) const BUSY: Duration = Duration::from_secs(10);
/// Longest wait of a reader for a lock that another process holds.
pub(crate) const BUSY_READER: Duration = Duration::from_millis(100);

/// SQLite's name for transactions that are on the disk once they are committed.
pub(crate) const FULL: &str = "FULL";

/// File systems of this machine alone, by the number that `statfs` gives them (statfs(2),
/// linux/magic.h). One that is not among them gets the journal that is right everywhere.
const LOCAL: [u32; 14] = [
    0xef53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // Btrfs
    0xf2f5_2010, // F2FS
    0x0102_1994, // tmpfs
    0x8584_58f6, // ramfs
    0x794c_7630, // overlayfs
    0x2fc1_2fc1, // ZFS
    0xca45_1a4e, // bcachefs
    0x5265_4973, // ReiserFS
    0x3153_464a, // JFS
    0x3434,      // NILFS
    0x4d44,      // FAT
    0x2011_bab0, // exFAT
];

/// Way in which a database is kept consistent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Journal {
    /// Changes are appended to a log. Readers and the writer do not wait for each other.
    Log,
    /// Overwritten content is kept until the new content is written.
    Rollback,
}

impl Journal {
    /// Returns the journal that suits the disk of this directory.
    pub(crate) fn of(directory: &Path) -> Self {
        let kind = statfs(directory).map(|found| found.f_type);
        // The field is signed here and unsigned there; the number has 32 bits.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::unnecessary_cast
        )]
        let is_local = kind.is_ok_and(|kind| LOCAL.contains(&(kind as u32)));
        if is_local { Self::Log } else { Self::Rollback }
    }

    /// Returns the value of SQLite's `synchronous` for a transaction, `durable` or not. A rollback
    /// journal always waits for the disk: half a transaction could remain otherwise.
    pub(crate) fn synchronous(self, durable: bool) -> &'static str {
        match (self, durable) {
            (Self::Log, false) => "NORMAL",
            (Self::Log, true) | (Self::Rollback, _) => FULL,
        }
    }
}

/// Opens a database to write it. Its log is left alone until it is known to be whole, and so is its
/// journal until it is known to be this program's ([`adapt`]).
pub(crate) fn open(directory: &Path, path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = open_no_link(path, flags)?;
    connection.busy_timeout(BUSY)?;
    leave_log(&connection, true)?;
    run_nothing(&connection)?;
    if Journal::of(directory) == Journal::Rollback && has_log(path) {
        // Alone, the log is read without shared memory.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    }
    Ok(connection)
}

/// Gives an open database the journal that its disk needs.
pub(crate) fn adapt(
    connection: &Connection,
    directory: &Path,
    path: &Path,
) -> rusqlite::Result<Journal> {
    if Journal::of(directory) == Journal::Log && set_journal(connection, "wal")? {
        return Ok(Journal::Log);
    }
    let was_log = has_log(path);
    // Not deleted after each transaction: a server takes its time to make and remove files.
    set_journal(connection, "truncate")?;
    if was_log {
        connection.pragma_update(None, "locking_mode", "NORMAL")?;
        // Shared memory that nobody shares any more; if it stays, it does no harm.
        let _ = fs::remove_file(path.with_extension("db-shm"));
        // Gives the exclusive lock back.
        format(connection)?;
    }
    Ok(Journal::Rollback)
}

/// Turns off triggers, views and functions that a stranger's database may hold. A study's directory
/// may come from anywhere, and a ledger has tables only.
fn run_nothing(connection: &Connection) -> rusqlite::Result<()> {
    for (setting, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    ] {
        connection.set_db_config(setting, is_on)?;
    }
    Ok(())
}

/// Opens a database file that is not a link: a link could lead to any file of the user. Directories
/// above it may be links.
fn open_no_link(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let real = || {
        let name = path.file_name()?;
        Some(fs::canonicalize(path.parent()?).ok()?.join(name))
    };
    let path = real().unwrap_or_else(|| path.to_owned());
    // SQLite takes the flag to be about the whole path.
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(path, flags)
}

/// Sets whether the log stays as it is when the connection is closed, instead of being merged into
/// the database.
pub(crate) fn leave_log(connection: &Connection, leave: bool) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leave)?;
    Ok(())
}

fn set_journal(connection: &Connection, mode: &str) -> rusqlite::Result<bool> {
    let set: String =
        connection.pragma_update_and_check(None, "journal_mode", mode, |row| row.get(0))?;
    Ok(set == mode)
}

/// Returns whether the header of a database says that it has a write-ahead log.
fn has_log(path: &Path) -> bool {
    let mut header = [0; 20];
    let read = private::open_to_read(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header[18] == 2
}

/// Returns the version of a database's format, from SQLite's `user_version`: 0 if none was set.
pub(crate) fn format(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Returns whether a database without a format number is empty.
pub(crate) fn is_blank(connection: &Connection) -> rusqlite::Result<bool> {
    let query = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    connection.query_row(query, [], |row| row.get(0))
}

/// Returns the damage of a database that an error reports. `None` for other errors.
pub(crate) fn damage(error: &rusqlite::Error) -> Option<String> {
    match error.sqlite_error_code()? {
        ErrorCode::NotADatabase => {
            Some("it is no SQLite database, or its beginning is overwritten".to_owned())
        }
        ErrorCode::DatabaseCorrupt => Some(format!(
            "{error} (or its disk failed to read it, which SQLite does not tell apart: run it again first, and see dmesg)"
        )),
        _ => None,
    }
}

/// Opens a database for reading in its own place, even while it is written, or cannot be.
///
/// # Errors
/// One that says that it is busy, after a moment, if another process keeps it locked.
pub(crate) fn open_in_place(path: &Path) -> rusqlite::Result<Connection> {
    let log = path.with_extension("db-wal");
    let has_log = log.metadata().is_ok_and(|log| log.len() > 0);
    // A reader takes part in the bookkeeping of a log, and takes back what a killed writer left
    // half done.
    let of = |flags| open_no_link(path, flags).and_then(|opened| ready(opened, has_log));
    let error = match of(OpenFlags::SQLITE_OPEN_READ_WRITE) {
        Err(error) if is_refusal(&error) => error,
        opened => return opened,
    };
    if let Ok(connection) = of(OpenFlags::SQLITE_OPEN_READ_ONLY) {
        return Ok(connection);
    }
    if has_log || path.is_symlink() {
        return Err(error);
    }
    // Without a log, nobody writes.
    let name = format!("file:{}?immutable=1", escaped(path));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    ready(Connection::open_with_flags(&name, flags)?, false)
}

/// Prepares the connection of a reader.
fn ready(connection: Connection, has_log: bool) -> rusqlite::Result<Connection> {
    connection.busy_timeout(BUSY_READER)?;
    leave_log(&connection, has_log)?;
    run_nothing(&connection)?;
    // The file is opened when it is first read.
    format(&connection)?;
    Ok(connection)
}

/// Returns whether an error refuses writing, which a reader does not need.
fn is_refusal(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
        )
    )
}

/// Returns a path escaped for a URI.
fn escaped(path: &Path) -> String {
    path.to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23")
}
