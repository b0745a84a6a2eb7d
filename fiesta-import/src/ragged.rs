//! Trials with different properties, as one table: a column for each property that any of them has.

use crate::{Result, error::refused};
use fiesta_records::table::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of cells in a table of trials. Most cells are empty where trials have few
/// properties in common.
const MOST_CELLS: usize = 50_000_000;

/// Approximate memory that a trial or a property takes in addition to its texts, in bytes.
pub(crate) const OVERHEAD: usize = 256;

/// Most bytes of texts of all trials that are kept in memory: 1 GiB.
const ROOM: usize = 1 << 30;

/// Cells of a trial: of the fixed columns, and of further columns by their names.
pub(crate) struct Trial<const N: usize> {
    pub(crate) fixed: [Option<String>; N],
    pub(crate) others: BTreeMap<String, String>,
}

/// Memory that is left for the texts of trials.
pub(crate) struct Room {
    /// Bytes that are left.
    left: usize,
}

/// Error: the texts of the results take more memory than the limit.
#[derive(Debug, thiserror::Error)]
#[error(
    "it has more than {} GiB of texts, which are kept in memory: name fewer studies with --study, or export fewer trials as CSV",
    ROOM >> 30
)]
pub(crate) struct Full;

impl Room {
    pub(crate) fn new() -> Self {
        Self { left: ROOM }
    }

    /// Takes memory for a text and its overhead from the limit.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Full> {
        self.left = self.left.checked_sub(bytes).ok_or(Full)?;
        Ok(())
    }
}

impl<const N: usize> Trial<N> {
    /// Returns a trial without any properties yet, if memory is left for it.
    pub(crate) fn new(fixed: [Option<String>; N], room: &mut Room) -> Result<Self, Full> {
        let texts: usize = fixed.iter().flatten().map(String::len).sum();
        room.take(OVERHEAD + texts)?;
        let others = BTreeMap::new();
        Ok(Self { fixed, others })
    }

    /// Sets a property of the trial, if there is room for its texts.
    pub(crate) fn set(&mut self, name: String, text: String, room: &mut Room) -> Result<(), Full> {
        room.take(OVERHEAD + name.len() + text.len())?;
        self.others.insert(name, text);
        Ok(())
    }
}

/// Returns the table of all trials: the fixed columns, then further columns in the order of these
/// prefixes. `fewer` tells the user how to read fewer trials.
pub(crate) fn table<const N: usize>(
    fixed: [&str; N],
    prefixes: &[&str],
    trials: &[Trial<N>],
    fewer: &str,
    file: &str,
) -> Result<Table> {
    let mut others: Vec<&String> = Vec::new();
    let mut seen = BTreeSet::new();
    for prefix in prefixes {
        for trial in trials {
            let names = trial.others.keys().filter(|name| name.starts_with(prefix));
            others.extend(names.filter(|&name| seen.insert(name)));
        }
    }
    if others.len().saturating_mul(trials.len()) > MOST_CELLS {
        return Err(refused(format!(
            "{file}: its {} trials have {} different parameters and attributes, and a table of them more than {MOST_CELLS} cells: {fewer}",
            trials.len(),
            others.len()
        )));
    }
    let names = others.iter().map(|name| name.as_str());
    let mut table = Table::new(fixed.into_iter().chain(names));
    for trial in trials {
        let fixed = trial.fixed.iter().map(Option::as_deref);
        let cells = others
            .iter()
            .map(|name| trial.others.get(*name).map(String::as_str));
        table.push(0, fixed.chain(cells));
    }
    Ok(table)
}
