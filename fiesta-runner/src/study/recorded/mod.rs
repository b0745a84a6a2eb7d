//! Scores that exist already: the files under `[[recorded]]`, which are counted before the study
//! begins.

mod fits;
mod rows;

pub(super) use fits::Fits;

use super::{StudyError, error::Source, items::Digest};
use crate::ledger::Entry;
use fiesta_records::read_whole;
use rows::{Row, Rows};
use serde_json::Value;
use std::io;

/// The recorded evaluations of a study file, in order, none if `ledger` is there, which has them;
/// and the digest of each file. A file that a ledger has need not exist any more.
pub(super) fn recorded(
    source: &Source<'_>,
    fits: &Fits<'_>,
    ledger: Option<&Value>,
) -> Result<(Vec<Entry>, Vec<String>), StudyError> {
    let mut rows = Rows::default();
    let mut digests = Vec::new();
    let tables = &fits.file.recorded;
    let wrong = |place: usize, message: String| {
        source.wrong(&["recorded", &place.to_string(), "file"], message)
    };
    for (place, table) in tables.iter().enumerate() {
        let wrong = |message| wrong(place, message);
        let named = &table.file;
        if let Some(conflict) = fits.conflict() {
            return Err(wrong(conflict));
        }
        digests.push(match read_whole(fits.directory.join(named)) {
            Ok(bytes) => {
                if ledger.is_none() {
                    rows.read(fits, table, &bytes).map_err(wrong)?;
                }
                Digest::of(&bytes).to_string()
            }
            Err(error) => match digest_of(ledger, named) {
                Some(digest) if error.kind() == io::ErrorKind::NotFound => digest.to_owned(),
                _ => return Err(wrong(format!("{named}: cannot be read: {error}"))),
            },
        });
    }
    let entries = rows.entries(fits);
    let last = tables.len().saturating_sub(1);
    Ok((entries.map_err(|message| wrong(last, message))?, digests))
}

/// The digest of a file as a ledger has it.
fn digest_of<'a>(ledger: Option<&'a Value>, named: &str) -> Option<&'a str> {
    let known = ledger?["recorded"].as_array()?;
    let known = known.iter().find(|table| table["file"] == named)?;
    known["digest"].as_str()
}
