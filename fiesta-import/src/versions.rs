//! Versions of one arm: an old one and new ones, told apart by the arms that they name or by their files.

use crate::{Imported, Result, together};
use fiesta_records::Reading;
use std::path::Path;

/// Table of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum VersionTable<'a> {
    /// File with the table.
    File(&'a Path),
    /// The table's rows as JSON lines.
    JsonLines(&'a str),
}

/// Reads versions, with the arm that is asked for (`read(None)`), and as arms called by their files
/// (`read(Some("file"))`) if they are one arm otherwise. `is_named` says that they are told apart by what
/// was asked for alone.
///
/// # Errors
/// `read` fails when it is called with `None`: its error is returned.
///
/// # Example
/// ```
/// use fiesta_import::by_arm_or_file;
/// let read = |arm: Option<&str>| match arm {
///     None => Err("no column names the arms"),
///     Some(_) => Ok(vec!["old", "new"]),
/// };
/// assert_eq!(by_arm_or_file(false, Vec::len, read), Ok(vec!["old", "new"]));
/// assert!(by_arm_or_file(true, Vec::len, read).is_err());
/// ```
pub fn by_arm_or_file<T, E>(
    is_named: bool,
    arms: impl Fn(&T) -> usize,
    read: impl Fn(Option<&str>) -> Result<T, E>,
) -> Result<T, E> {
    match read(None) {
        Ok(found) if arms(&found) > 1 => Ok(found),
        first if is_named => first,
        first => match read(Some("file")) {
            Ok(found) if arms(&found) > 1 => Ok(found),
            _ => first,
        },
    }
}

/// Reads tables of versions as one, by the columns that all of them have. Versions of one arm are called by the names that
/// are given here, which also stand in messages.
///
/// # Errors
/// As [`read_results`](crate::read_results) of several tables; and [`ImportError`](crate::ImportError) for a log of another tool.
///
/// # Example
/// ```
/// use fiesta_import::{VersionTable, read_versions};
/// use fiesta_records::Reading;
/// let versions = [
///     ("old", VersionTable::JsonLines("{\"item\": \"q1\", \"score\": 1}")),
///     ("new", VersionTable::JsonLines("{\"item\": \"q1\", \"score\": 0}")),
/// ];
/// let found = read_versions(&versions, &Reading::default())?;
/// assert_eq!(found.records.arms(), ["old", "new"]);
/// # Ok::<(), fiesta_import::ImportError>(())
/// ```
pub fn read_versions(versions: &[(&str, VersionTable<'_>)], options: &Reading) -> Result<Imported> {
    let is_named = options.columns.arm.is_some();
    by_arm_or_file(
        is_named,
        |found: &Imported| found.records.arms().len(),
        |arm| {
            let mut options = options.clone();
            options.columns.arm = arm.map(str::to_owned).or(options.columns.arm);
            together::read_named(versions, &options)
        },
    )
}
