//! Reading of the entries that were added to a ledger since it was last read.

use super::{Entry, Ledger, LedgerError, check, file, read::Reading};
use crate::digest::Digest;
use std::path::Path;

/// How far a ledger has been read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The number and the digest of the last entry.
    latest: (i64, Digest),
}

/// Change of a ledger since it was last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// The ledger begins with the entries that were read before. The newer ones were passed on.
    GoesOn {
        /// Number of new entries.
        entries: u64,
    },
    /// The ledger does not begin with the entries that were read before: it is another one. No
    /// entry was passed on. Read it again from the [start](Place::default).
    Another,
}

impl Ledger {
    /// Passes the entries that were added after `place` to `take`, each after its check, and
    /// advances `place`. Takes no lock, so it works while a study runs. The effort depends on the
    /// number of new entries alone.
    ///
    /// `begin` is told, before any entry, how many evaluations have ended by the whole ledger.
    ///
    /// # Errors
    /// As [`read`](Self::read), and whatever `take` returns, which ends it.
    pub fn visit_since<E: From<LedgerError>>(
        directory: &Path,
        place: &mut Place,
        begin: impl FnOnce(u64),
        mut take: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<Since, E> {
        let path = file(directory);
        let Some(reading) = Reading::of_entries(directory, &path)? else {
            return Ok(match place.latest.0 {
                0 => Since::GoesOn { entries: 0 },
                _ => Since::Another,
            });
        };
        let of_database = |source| LedgerError::of(path.clone(), source);
        if place.latest.0 == 0 {
            begin(check::endings(&reading).map_err(of_database)?);
        } else if !check::begins_with(&reading, place.latest).map_err(of_database)? {
            return Ok(Since::Another);
        }
        let mut entries = 0;
        check::visit_after(&reading, &path, &mut place.latest, |entry| {
            entries += 1;
            take(entry)
        })?;
        Ok(Since::GoesOn { entries })
    }
}
