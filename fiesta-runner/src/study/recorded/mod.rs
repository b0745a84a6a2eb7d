//! Scores that exist already: the files under `[[recorded]]`, which are counted before the study begins.

mod fits;
mod rows;

pub(super) use fits::Fits;

use super::{StudyError, documents::Digest, error::Source};
use crate::ledger::Entry;
use rows::{Row, Rows};
use serde_json::Value;
use std::{fs, io};

/// The recorded evaluations of a study file, in order; none if `ledger` is there, which has them. Their files' digests are added to the
/// fingerprint. A file that a ledger has need not exist any more.
pub(super) fn recorded(
    source: &Source<'_>,
    fits: &Fits<'_>,
    fingerprint: &mut Value,
    ledger: Option<&Value>,
) -> Result<Vec<Entry>, StudyError> {
    let mut rows = Rows::default();
    for (place, table) in fits.file.recorded.iter().enumerate() {
        let named = table.file.get_ref();
        let wrong = |message: String| source.wrong(Some(table.file.span()), message);
        if let Some(conflict) = fits.conflict() {
            return Err(wrong(conflict));
        }
        let digest = match fs::read(fits.directory.join(named)) {
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
        };
        fingerprint["recorded"][place]["digest"] = digest.into();
    }
    let last = fits.file.recorded.last().map(|table| table.file.span());
    rows.entries(fits)
        .map_err(|message| source.wrong(last, message))
}

/// The digest of a file as a ledger has it.
fn digest_of<'a>(ledger: Option<&'a Value>, named: &str) -> Option<&'a str> {
    let known = ledger?["recorded"].as_array()?;
    let known = known.iter().find(|table| table["file"] == named)?;
    known["digest"].as_str()
}
