//! Damaged entries of a ledger, and how they are told beside the entries that can be read.

use super::{Entry, check::Written};
use fiesta_core::EvaluationId;
use rusqlite::Row;
use std::fmt;

/// Largest number of damaged entries that are described one by one.
const TOLD: usize = 5;

/// The entries of a ledger that can be read, each with its number, and what is wrong with the others.
#[derive(Debug, Default)]
pub struct Left {
    /// The entries that can be read.
    pub entries: Vec<(i64, Entry)>,
    /// What is wrong with the other entries. Empty for a ledger that is whole.
    pub damage: Vec<Damage>,
}

impl Left {
    /// Adds an entry with its number, or the damage found in its place.
    pub(super) fn add(&mut self, found: Result<(i64, Entry), Damage>) {
        match found {
            Ok(entry) => self.entries.push(entry),
            Err(damage) => self.damage.push(damage),
        }
    }
}

/// A damaged or missing entry of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Number of the damaged entry, or of the first one missing.
    pub sequence: i64,
    /// The evaluation that the damaged entry is about, if it is about one and that can be read.
    pub evaluation: Option<EvaluationId>,
    /// The damage, in words that follow "entry 3".
    what: String,
}

impl Damage {
    /// Returns the damage of a ledger in which the entries from `first` to the one before `next`
    /// are missing.
    pub(super) fn missing(first: i64, next: i64) -> Self {
        let what = match next - first {
            1 => "is missing".to_owned(),
            count => format!("and {} more are missing", count - 1),
        };
        Self {
            sequence: first,
            evaluation: None,
            what,
        }
    }

    pub(super) fn unreadable(sequence: i64, row: &Row<'_>, error: &rusqlite::Error) -> Self {
        let evaluation: Option<i64> = row.get(3).ok().flatten();
        Self {
            sequence,
            evaluation: evaluation.and_then(id),
            what: format!("is unreadable: {error}"),
        }
    }

    pub(super) fn of(sequence: i64, read: &Written, what: &str) -> Self {
        let evaluation = read.evaluation.and_then(id);
        let about =
            evaluation.map_or_else(String::new, |id| format!(" of evaluation {}", id.0 + 1));
        Self {
            sequence,
            evaluation,
            what: format!("({}{about}) {what}", read.kind),
        }
    }

    /// Makes the damage of an entry that can be read but depends on a damaged one.
    pub(crate) fn follows(sequence: i64, entry: &Entry, why: &str) -> Self {
        Self {
            sequence,
            evaluation: entry.evaluation(),
            what: format!("({}) needs one that is damaged: {why}", entry.kind()),
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} {}", self.sequence, self.what)
    }
}

/// Describes damaged entries and their consequences to the user, one line each.
pub fn damage_in_words(damage: &[Damage]) -> Vec<String> {
    let mut lines: Vec<String> = damage
        .iter()
        .take(TOLD)
        .map(|damage| format!("the ledger is damaged: {damage}; it is left out"))
        .collect();
    if damage.len() > TOLD {
        let more = damage.len() - TOLD;
        lines.push(format!(
            "the ledger is damaged in {more} more entries, which are left out"
        ));
    }
    if !damage.is_empty() {
        lines.push("what is shown is what can be read: an evaluation whose end is left out is shown as not ended. `fiesta run` does not go on with a damaged ledger: put a copy of it back, or begin a new study with what `fiesta export` gives as its [[recorded]]".to_owned());
    }
    lines
}

fn id(number: i64) -> Option<EvaluationId> {
    u64::try_from(number).ok().map(EvaluationId)
}
