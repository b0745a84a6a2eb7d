//! A gate's ledger for each version: where an arm was edited, the ledger is set aside, and comes back with
//! the version.

use super::RunError;
use crate::{
    file_error::FileError,
    ledger::Ledger,
    private,
    status::current,
    study::{KeptBaseline, Study, arms_digest, edited},
};
use fiesta_records::words::count;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// A gate that begins anew, or goes on where it was left, as its arms are others than those of the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGate {
    /// Names of the arms that were edited. Empty if there was no ledger.
    pub edited: Vec<String>,
    /// Directory of the last gate's state. `None` if there was none.
    pub aside: Option<PathBuf>,
    /// Number of the baseline's answers that are taken over.
    pub carried: usize,
    /// Whether a ledger of these arms came back.
    pub is_back: bool,
}

impl fmt::Display for NewGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(aside) = &self.aside {
            let edited = self.edited.join(" and ");
            let aside = aside.display();
            write!(
                f,
                "{edited} changed since the last gate, whose ledger is now in {aside}: "
            )?;
        }
        match self.carried {
            _ if self.is_back => f.write_str("the gate of these versions goes on"),
            0 => f.write_str("a new gate begins"),
            carried => write!(
                f,
                "a new gate begins, with {} of the baseline from it",
                count(carried, "answer")
            ),
        }
    }
}

/// Sets the ledger of a gate aside if an arm was edited since, and brings an earlier one of these arms back.
/// The answers of a baseline that was not edited are taken over. The study has to be read again then.
///
/// # Errors
/// [`RunError`] if the study is being run, or its state cannot be moved.
pub fn begin_anew(study: &Study) -> Result<Option<NewGate>, RunError> {
    let state = study.state_directory();
    let gates = state.with_extension("gates");
    let earlier = gates.join(arms_digest(&study.fingerprint));
    let Some(begun) = Ledger::latest_study_at(&state) else {
        // Whatever stopped between two moves.
        let is_back = !state.exists() && earlier.exists();
        if is_back {
            Ledger::move_state(&earlier, &state)?;
        }
        return Ok(is_back.then(|| NewGate {
            edited: Vec::new(),
            aside: None,
            carried: 0,
            is_back,
        }));
    };
    let edited = edited(&begun, &study.fingerprint);
    if edited.is_empty() {
        return Ok(None);
    }
    let carried = carried(study, &edited);
    private::ensure_dir(&gates).map_err(FileError::of("make", &gates))?;
    let aside = gates.join(arms_digest(&begun));
    Ledger::move_state(&state, &aside)?;
    let is_back = earlier.exists();
    if is_back {
        Ledger::move_state(&earlier, &state)?;
    } else if let Some(carried) = &carried {
        carry(carried, &state).map_err(FileError::of("keep the baseline's answers in", &state))?;
    }
    Ok(Some(NewGate {
        edited,
        aside: Some(aside),
        carried: { carried.filter(|_| !is_back) }.map_or(0, |carried| carried.answers()),
        is_back,
    }))
}

/// The baseline's answers in the ledger. `None` if it was edited, or the study is another one otherwise, too.
fn carried(study: &Study, edited: &[String]) -> Option<KeptBaseline> {
    let baseline = study.terms.gate?.baseline;
    if edited
        .iter()
        .any(|name| name == study.arms().name(baseline))
    {
        return None;
    }
    KeptBaseline::of(study, &current(study).ok()?, None).ok()
}

fn carry(carried: &KeptBaseline, state: &Path) -> std::io::Result<()> {
    private::ensure_dir(state)?;
    carried.copy_to(state)
}
