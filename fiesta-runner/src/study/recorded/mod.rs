//! Scores that exist already: the files under `[[recorded]]`, which are counted before the study
//! begins.

mod fits;
mod rows;

pub(super) use fits::{Fits, LAST_SPLIT};

use super::{StudyError, error::Source, identity::arm_digest, items::Digest};
use crate::{ledger::Entry, ordinary};
use fiesta_core::{ArmId, Arms};
use rows::{Row, Rows};
use serde_json::Value;
use std::io;

/// Content of the files under `[[recorded]]`.
pub(super) struct Recorded {
    /// The evaluations of the files, in order. Empty if there is a ledger, which has them.
    pub(super) entries: Vec<Entry>,
    /// The digest of each file.
    pub(super) digests: Vec<String>,
    /// Digests of arms that the files state.
    claims: Vec<Claim>,
}

/// Digest of an arm that a file states: the column `arm_digest` of an export.
struct Claim {
    /// Number of the table `[[recorded]]` that names the file.
    table: usize,
    line: u64,
    arm: ArmId,
    digest: String,
}

impl Recorded {
    /// Checks that the arms of the files are those of the study, which is given as a ledger records
    /// it.
    pub(super) fn check_arms(
        &self,
        source: &Source<'_>,
        arms: &Arms,
        study: &Value,
    ) -> Result<(), StudyError> {
        let is_another = |claim: &&Claim| claim.digest != arm_digest(study, claim.arm);
        let Some(claim) = self.claims.iter().find(is_another) else {
            return Ok(());
        };
        let place = claim.table.to_string();
        let named = study["recorded"][claim.table]["file"].as_str();
        let message = format!(
            "{}:{}: the arm `{}` was another one when this row was made: its command, its variables or its files have changed since (its arm_digest was {}); take its rows out of the file to ask it anew, or take the column arm_digest out to say that scores are the same",
            named.unwrap_or_default(),
            claim.line,
            arms.name(claim.arm),
            claim.digest
        );
        Err(source.wrong(&["recorded", &place, "file"], message))
    }
}

/// Reads the recorded evaluations of a study file; only the digests of the files if `ledger` is
/// there, which has the evaluations. A file that a ledger has need not exist any more.
pub(super) fn recorded(
    source: &Source<'_>,
    fits: &Fits<'_>,
    ledger: Option<&Value>,
) -> Result<Recorded, StudyError> {
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
        digests.push(match ordinary::read(&fits.directory.join(named)) {
            Ok(bytes) => {
                if ledger.is_none() {
                    rows.read(fits, place, table, &bytes).map_err(wrong)?;
                }
                Digest::of(&bytes).to_string()
            }
            Err(error) => match digest_of(ledger, named) {
                Some(digest) if error.kind() == io::ErrorKind::NotFound => digest.to_owned(),
                _ => return Err(wrong(format!("{named}: cannot be read: {error}"))),
            },
        });
    }
    let claims = std::mem::take(&mut rows.claims);
    let entries = rows.entries(fits);
    let last = tables.len().saturating_sub(1);
    Ok(Recorded {
        entries: entries.map_err(|message| wrong(last, message))?,
        digests,
        claims,
    })
}

/// Returns the digest of a recorded file in the ledger.
fn digest_of<'a>(ledger: Option<&'a Value>, named: &str) -> Option<&'a str> {
    let known = ledger?["recorded"].as_array()?;
    let known = known.iter().find(|table| table["file"] == named)?;
    known["digest"].as_str()
}
